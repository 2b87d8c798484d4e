#include "analyse/scan/walk_rules.h"
#include "base/glob.h"
#include "base/path.h"

#include <string.h>

const char *fh_source_kind_name(fh_source_kind kind)
{
    static const char *const names[] = {
#define X(name, text) text,
        FH_SOURCE_MAP(X)
#undef X
    };
    unsigned index = (unsigned)kind;
    return index < FH_SOURCE_KINDS ? names[index] : "none";
}

static const struct {
    const char *extension; /* small letters */
    fh_source_kind kind;
} extensions[] = {
    {"py", FH_SOURCE_PYTHON},
    {"pyw", FH_SOURCE_PYTHON},
    {"ipynb", FH_SOURCE_NOTEBOOK},
    {"cu", FH_SOURCE_CUDA},
    {"cuh", FH_SOURCE_CUDA},
    {"cpp", FH_SOURCE_CPP},
    {"cc", FH_SOURCE_CPP},
    {"cxx", FH_SOURCE_CPP},
    {"h", FH_SOURCE_CPP},
    {"hpp", FH_SOURCE_CPP},
    {"hh", FH_SOURCE_CPP},
    {"hxx", FH_SOURCE_CPP},
    {"c", FH_SOURCE_C},
    {"sh", FH_SOURCE_SHELL},
    {"bash", FH_SOURCE_SHELL},
    {"yaml", FH_SOURCE_YAML},
    {"yml", FH_SOURCE_YAML},
    {"json", FH_SOURCE_JSON},
    {"toml", FH_SOURCE_TOML},
    {"ini", FH_SOURCE_INI},
    {"cfg", FH_SOURCE_INI},
    {"env", FH_SOURCE_ENVIRONMENT},
    {"dockerfile", FH_SOURCE_DOCKERFILE},
};

/* Files known by their whole name, as a pattern. The first match counts. */
static const struct {
    const char *pattern;
    fh_source_kind kind;
} names[] = {
    {"requirements*.txt", FH_SOURCE_REQUIREMENTS},
    {"requirements*.in", FH_SOURCE_REQUIREMENTS},
    {"*requirements.txt", FH_SOURCE_REQUIREMENTS},
    {"*requirements.in", FH_SOURCE_REQUIREMENTS},
    {"constraints*.txt", FH_SOURCE_REQUIREMENTS},
    {"**/requirements/*.txt", FH_SOURCE_REQUIREMENTS},
    {"Dockerfile", FH_SOURCE_DOCKERFILE},
    {"Dockerfile.*", FH_SOURCE_DOCKERFILE},
    {"Containerfile", FH_SOURCE_DOCKERFILE},
    {".env", FH_SOURCE_ENVIRONMENT},
    {".env.*", FH_SOURCE_ENVIRONMENT},
    {"Pipfile", FH_SOURCE_TOML},
};

fh_source_kind fh_source_kind_of(fh_text path)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fh_glob_match(fh_text_from(names[i].pattern), path, false))
            return names[i].kind;
    fh_text extension = fh_path_extension(path);
    char small[16];
    if (!extension.length || extension.length >= sizeof small)
        return FH_SOURCE_NONE;
    for (size_t i = 0; i <= extension.length; i++) {
        char c = i < extension.length ? extension.data[i] : 0;
        small[i] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (strcmp(small, extensions[i].extension) == 0)
            return extensions[i].kind;
    return FH_SOURCE_NONE;
}

/* The program a "#!" line starts: "/usr/bin/env -S python3 -u" gives "python3". */
static fh_text interpreter(fh_text content)
{
    fh_text line = fh_text_slice(content, 2, fh_text_find(content, '\n')), word;
    while (fh_text_next(&line, ' ', &word)) {
        word = fh_path_name(fh_text_trim(word));
        bool is_option = fh_text_starts(word, "-") || fh_text_contains(word, "=");
        if (word.length && !is_option && !fh_text_is(word, "env"))
            return word;
    }
    return (fh_text){0};
}

fh_source_kind fh_source_kind_of_script(fh_text content)
{
    static const char *const shells[] = {"sh", "bash", "dash", "zsh", "ksh"};
    if (!fh_text_starts(content, "#!"))
        return FH_SOURCE_NONE;
    fh_text name = interpreter(content);
    if (fh_text_starts(name, "python") || fh_text_starts(name, "pypy"))
        return FH_SOURCE_PYTHON;
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (fh_text_is(name, shells[i]))
            return FH_SOURCE_SHELL;
    return FH_SOURCE_NONE;
}

/* Folders that are left out by name. */
static const struct {
    const char *pattern;
    fh_folder_verdict verdict;
    const char *reason;
} folders[] = {
    {".git", FH_FOLDER_LEAVE_QUIET, "version control"},
    {".hg", FH_FOLDER_LEAVE_QUIET, "version control"},
    {".svn", FH_FOLDER_LEAVE_QUIET, "version control"},
    {".bzr", FH_FOLDER_LEAVE_QUIET, "version control"},
    {"__pycache__", FH_FOLDER_LEAVE_QUIET, "cache"},
    {".mypy_cache", FH_FOLDER_LEAVE_QUIET, "cache"},
    {".pytest_cache", FH_FOLDER_LEAVE_QUIET, "cache"},
    {".ruff_cache", FH_FOLDER_LEAVE_QUIET, "cache"},
    {".hypothesis", FH_FOLDER_LEAVE_QUIET, "cache"},
    {".ipynb_checkpoints", FH_FOLDER_LEAVE_QUIET, "cache"},
    {".cache", FH_FOLDER_LEAVE_QUIET, "cache"},
    {".idea", FH_FOLDER_LEAVE_QUIET, "settings of an editor"},
    {".vscode", FH_FOLDER_LEAVE_QUIET, "settings of an editor"},
    {"*.egg-info", FH_FOLDER_LEAVE_QUIET, "package metadata"},
    {"*.dist-info", FH_FOLDER_LEAVE_QUIET, "package metadata"},
    {".tox", FH_FOLDER_LEAVE_OUT, "environments of tox"},
    {".nox", FH_FOLDER_LEAVE_OUT, "environments of nox"},
    {"node_modules", FH_FOLDER_LEAVE_OUT, "installed packages"},
    {"site-packages", FH_FOLDER_LEAVE_OUT, "installed packages"},
    {"dist-packages", FH_FOLDER_LEAVE_OUT, "installed packages"},
    {"__pypackages__", FH_FOLDER_LEAVE_OUT, "installed packages"},
    {".eggs", FH_FOLDER_LEAVE_OUT, "installed packages"},
    {"build", FH_FOLDER_LEAVE_BUILD, "build output"},
    {"dist", FH_FOLDER_LEAVE_BUILD, "build output"},
};

fh_folder_verdict fh_walk_judge_folder(fh_text name, const char **reason)
{
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (fh_glob_match(fh_text_from(folders[i].pattern), name, true)) {
            *reason = folders[i].reason;
            return folders[i].verdict;
        }
    return FH_FOLDER_ENTER;
}

static bool excluded(const fh_walk_options *options, fh_text inside, bool is_directory)
{
    for (size_t i = 0; i < options->exclude_count; i++)
        if (fh_glob_covers(options->exclude[i], inside, is_directory))
            return true;
    return false;
}

bool fh_walk_lets_file(const fh_walk_options *options, fh_text inside)
{
    if (excluded(options, inside, false))
        return false;
    for (size_t i = 0; i < options->include_count; i++)
        if (fh_glob_covers(options->include[i], inside, false))
            return true;
    return options->include_count == 0;
}

bool fh_walk_lets_folder(const fh_walk_options *options, fh_text inside)
{
    return !excluded(options, inside, true);
}

bool fh_walk_asks_for(const fh_walk_options *options, fh_text inside)
{
    for (size_t i = 0; i < options->include_count; i++)
        if (fh_glob_names(options->include[i], inside))
            return true;
    return false;
}
