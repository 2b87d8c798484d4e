#include "analyse/scan/config_build.h"
#include "analyse/scan/requirements.h"
#include "analyse/scan/shell_build.h"
#include "analyse/scan/shell_programs.h"
#include "base/path.h"

#include <string.h>

static uint32_t place(const fh_shell *sh, uint32_t word)
{
    return sh->base + (sh->is_fixed ? 0 : sh->words.items[word].offset);
}

static bool is_word(const fh_shell *sh, uint32_t word, const char *text)
{
    return word < sh->words.count && fh_text_is(fh_shell_text(sh, word), text);
}

/* NAME=value or NAME+=value; an array keeps its brackets. */
static bool is_assignment(const fh_shell *sh, uint32_t word)
{
    fh_text text = fh_shell_text(sh, word);
    size_t length = fh_setting_name_length(text);
    return length && length < text.length &&
           (text.data[length] == '=' ||
            (text.data[length] == '+' && length + 1 < text.length && text.data[length + 1] == '='));
}

static void add_assignment(fh_shell *sh, uint32_t word, fh_setting_kind kind)
{
    fh_text text = fh_shell_text(sh, word);
    size_t length = fh_setting_name_length(text), value = fh_text_find(text, '=') + 1;
    fh_setting_add(sh->unit, kind, fh_text_slice(text, 0, length),
                   fh_text_slice(text, value, text.length), place(sh, word));
}

/* `export NAME` of a variable that was set before: looks at the last settings only. */
static void export_variable(fh_shell *sh, uint32_t word)
{
    enum { MOST_BACK = 512 };
    fh_symbol name = fh_symbols_find(&sh->unit->symbols, fh_shell_text(sh, word));
    const fh_setting *settings = sh->unit->settings.items;
    uint32_t count = sh->unit->settings.count;
    for (uint32_t i = count; name && i-- > 1 && count - i <= MOST_BACK;)
        if (settings[i].kind == FH_SETTING_KEY && settings[i].key == name) {
            fh_setting copy = settings[i];
            copy.kind = FH_SETTING_ENVIRONMENT;
            copy.offset = place(sh, word);
            if (count <= FH_CONFIG_MOST_SETTINGS)
                fh_vector_push(&sh->unit->settings, copy);
            return;
        }
}

/* export, declare, typeset, readonly, local and their arguments. */
static bool read_declaration(fh_shell *sh, uint32_t first)
{
    static const char *const names[] = {"export", "declare", "typeset", "readonly", "local"};
    bool is_declaration = false, exports = is_word(sh, first, "export") || sh->exports_all;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_declaration |= is_word(sh, first, names[i]);
    for (uint32_t i = first + 1; is_declaration && i < sh->words.count; i++) {
        fh_text text = fh_shell_text(sh, i);
        if (fh_text_starts(text, "-"))
            exports |= fh_text_contains(text, "x");
        else if (is_assignment(sh, i))
            add_assignment(sh, i, exports ? FH_SETTING_ENVIRONMENT : FH_SETTING_KEY);
        else if (exports && text.length && fh_setting_name_length(text) == text.length)
            export_variable(sh, i);
    }
    return is_declaration;
}

/* The words behind `program` as one text: as they were written where they hold blanks. */
static fh_text join_arguments(fh_shell *sh, uint32_t from)
{
    fh_buffer_clear(&sh->scratch);
    for (uint32_t i = from; i < sh->words.count && sh->scratch.length <= FH_CONFIG_LONGEST_VALUE;
         i++) {
        const fh_shell_word *word = &sh->words.items[i];
        fh_text text = fh_shell_text(sh, i);
        bool has_blanks = text.length == 0 || fh_text_find(text, ' ') < text.length;
        if (i > from)
            fh_buffer_add_char(&sh->scratch, ' ');
        fh_buffer_add(&sh->scratch,
                      has_blanks ? fh_text_slice(sh->text, word->offset, word->end) : text);
    }
    return fh_buffer_text(&sh->scratch);
}

static void read_pip(fh_shell *sh, uint32_t from)
{
    uint32_t i = from;
    while (i < sh->words.count && !is_word(sh, i, "install") && !is_word(sh, i, "add"))
        i++;
    if (is_word(sh, i, "add") && i != from)
        return;
    for (i++; i < sh->words.count;) {
        fh_text next = i + 1 < sh->words.count ? fh_shell_text(sh, i + 1) : (fh_text){0};
        i += (uint32_t)fh_requirement_argument(sh->unit, fh_shell_text(sh, i), next, place(sh, i));
    }
}

/* conda install|create [-c CHANNEL] [-n NAME] package... */
static void read_conda(fh_shell *sh, uint32_t from)
{
    static const char *const with_value[] = {"-c",       "--channel", "-n",     "--name",  "-p",
                                             "--prefix", "-f",        "--file", "--solver"};
    if (!is_word(sh, from, "install") && !is_word(sh, from, "create"))
        return;
    for (uint32_t i = from + 1; i < sh->words.count; i++) {
        fh_text text = fh_shell_text(sh, i);
        bool takes = false;
        for (size_t o = 0; o < sizeof with_value / sizeof *with_value; o++)
            takes |= fh_text_is(text, with_value[o]);
        i += takes;
        if (!fh_text_starts(text, "-"))
            (void)fh_requirement_add_conda(sh->unit, text, place(sh, i));
    }
}

/* -e NAME=value, --env=NAME=value, -x NAME=value; --export=ALL,NAME=value of Slurm. */
static void read_passed_variables(fh_shell *sh, uint32_t from)
{
    for (uint32_t i = from; i < sh->words.count; i++) {
        fh_text text = fh_shell_text(sh, i);
        if (fh_text_starts(text, "--env="))
            fh_setting_add_assignment(sh->unit, FH_SETTING_ENVIRONMENT,
                                      fh_text_slice(text, strlen("--env="), text.length),
                                      place(sh, i));
        bool takes = fh_text_is(text, "-e") || fh_text_is(text, "-x") || fh_text_is(text, "--env");
        if (takes && i + 1 < sh->words.count)
            fh_setting_add_assignment(sh->unit, FH_SETTING_ENVIRONMENT, fh_shell_text(sh, i + 1),
                                      place(sh, i + 1));
    }
}

static void read_slurm_exports(fh_shell *sh, uint32_t from)
{
    for (uint32_t i = from; i < sh->words.count; i++) {
        fh_text text = fh_shell_text(sh, i), part;
        if (!fh_text_starts(text, "--export="))
            continue;
        fh_text rest = fh_text_slice(text, strlen("--export="), text.length);
        while (fh_text_next(&rest, ',', &part))
            fh_setting_add_assignment(sh->unit, FH_SETTING_ENVIRONMENT, part, place(sh, i));
    }
}

/* A script in a string: bash -c "...", ssh host '...', eval "...". */
static void read_scripts(fh_shell *sh, uint32_t from, bool needs_option)
{
    for (uint32_t i = from; i < sh->words.count && !sh->in_script; i++) {
        fh_shell_word word = sh->words.items[i];
        bool follows = !needs_option;
        if (i > from) {
            fh_text before = fh_shell_text(sh, i - 1);
            follows |= fh_text_starts(before, "-") && fh_text_ends(before, "c");
        }
        size_t cost = word.end - word.offset + FH_SHELL_SCRIPT_COST;
        if (!word.is_whole_string || !follows || word.end < word.offset + 2 ||
            cost > sh->script_bytes)
            continue;
        sh->script_bytes -= cost;
        size_t length = sh->decoded.length;
        bool is_closed = sh->text.data[word.end - 1] == sh->text.data[word.offset];
        sh->in_script = true;
        fh_shell_read_range(sh, word.offset + 1, word.end - is_closed);
        sh->in_script = false;
        sh->decoded.length = length;
    }
}

/* `python ...` by its module where that is the program. Returns the first argument's word. */
static uint32_t read_python(fh_shell *sh, uint32_t word, fh_text *name)
{
    for (uint32_t i = word + 1; i + 1 < sh->words.count; i++) {
        fh_text text = fh_shell_text(sh, i);
        if (!fh_text_starts(text, "-"))
            break;
        if (!fh_text_is(text, "-m"))
            continue;
        fh_text module = fh_shell_text(sh, i + 1);
        if (!fh_shell_is_module(module) && !fh_text_is(module, "pip"))
            break;
        *name = module;
        return i + 2;
    }
    return word + 1;
}

/* Whether the program with these flags runs another one here. */
static bool runs_another(const fh_shell *sh, uint32_t from, unsigned flags)
{
    bool runs = (flags & FH_PROGRAM_WRAPS) && !is_word(sh, from, "-v") && !is_word(sh, from, "-V");
    for (uint32_t i = from; flags & FH_PROGRAM_RUNS && i < sh->words.count && i < from + 4; i++)
        runs |= is_word(sh, i, "run") || is_word(sh, i, "exec");
    return runs;
}

/* The program at `word`, and those that it runs. */
static void read_program(fh_shell *sh, uint32_t word, bool *has_script)
{
    enum { MOST_PROGRAMS = 8 }; /* that one command starts by way of each other */
    unsigned known = 0;
    for (uint32_t i = word; i < sh->words.count && known < MOST_PROGRAMS; i++) {
        fh_text name = fh_path_name(fh_shell_text(sh, i));
        unsigned flags;
        if (!fh_shell_program(name, &flags)) {
            if (i == word)
                return;
            continue;
        }
        known++;
        uint32_t from = i + 1;
        if (flags & FH_PROGRAM_PYTHON) {
            name = FH_TEXT("python");
            from = read_python(sh, i, &name);
        }
        if (fh_text_is(name, "pip") || fh_text_is(name, "pip3")) {
            name = FH_TEXT("pip");
            flags |= FH_PROGRAM_PIP;
        }
        if (!(flags & FH_PROGRAM_SILENT)) {
            fh_text arguments = join_arguments(sh, from);
            fh_setting_add(sh->unit, FH_SETTING_COMMAND, name, arguments, place(sh, i));
        }
        if (flags & FH_PROGRAM_PIP)
            read_pip(sh, from);
        if (flags & FH_PROGRAM_CONDA)
            read_conda(sh, from);
        if (flags & FH_PROGRAM_SETS)
            read_passed_variables(sh, from);
        if (fh_text_is(name, "srun") || fh_text_is(name, "sbatch"))
            read_slurm_exports(sh, from);
        *has_script |= (flags & FH_PROGRAM_SHELL) != 0;
        if (flags & FH_PROGRAM_SHELL)
            read_scripts(sh, from, !(flags & FH_PROGRAM_WRAPS));
        for (; flags & FH_PROGRAM_ENV && from < sh->words.count; from++) {
            if (is_assignment(sh, from))
                add_assignment(sh, from, FH_SETTING_ENVIRONMENT);
            else if (!fh_text_starts(fh_shell_text(sh, from), "-"))
                break;
            i = from;
        }
        if (!runs_another(sh, i + 1, flags))
            return;
    }
}

/* Words of the shell's own grammar that can stand before a command. */
static bool is_reserved(fh_text text)
{
    static const char *const words[] = {"if", "then", "else", "elif", "do",   "while", "until",
                                        "!",  "{",    "}",    "fi",   "done", "esac"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (fh_text_is(text, words[i]))
            return true;
    return false;
}

static void read_set(fh_shell *sh, uint32_t first)
{
    for (uint32_t i = first + 1; i < sh->words.count; i++) {
        fh_text text = fh_shell_text(sh, i);
        bool is_letter = text.length >= 2 && fh_text_contains(text, "a") &&
                         (text.data[0] == '-' || text.data[0] == '+') && text.length <= 8;
        bool is_name = is_word(sh, i, "allexport") && i > first + 1;
        if (is_letter)
            sh->exports_all = text.data[0] == '-';
        if (is_name)
            sh->exports_all = is_word(sh, i - 1, "-o");
    }
}

void fh_shell_command(fh_shell *sh, uint32_t first, bool *has_script)
{
    if (sh->decoded.failed || sh->words.failed)
        return;
    while (first < sh->words.count && !sh->words.items[first].is_quoted &&
           is_reserved(fh_shell_text(sh, first)))
        first++;
    if (is_word(sh, first, "for") || is_word(sh, first, "select") || is_word(sh, first, "case"))
        return;
    uint32_t program = first;
    while (program < sh->words.count && is_assignment(sh, program))
        program++;
    bool is_prefix = program < sh->words.count;
    for (uint32_t i = first; i < program; i++)
        add_assignment(sh, i,
                       is_prefix || sh->exports_all ? FH_SETTING_ENVIRONMENT : FH_SETTING_KEY);
    if (!is_prefix)
        return;
    if (is_word(sh, program, "set"))
        read_set(sh, program);
    else if (!read_declaration(sh, program))
        read_program(sh, program, has_script);
}
