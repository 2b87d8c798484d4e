#include "analyse/scan/walk.h"
#include "analyse/scan/walk_rules.h"
#include "base/glob.h"
#include "base/utf8.h"
#include "os/interrupt.h"
#include "tests/test.h"
#include "tests/unit/folder.h"
#include "tests/unit/sweep.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

/* The lists of a walk as text: "kind path\n" for files, "path: reason\n" for the others. */
static fh_text files_of(const fh_walk *walk, fh_buffer *out)
{
    fh_buffer_clear(out);
    for (uint32_t i = 0; i < walk->files.count; i++)
        fh_buffer_add_format(out, "%s %.*s\n", fh_source_kind_name(walk->files.items[i].kind),
                             FH_TEXT_ARGS(walk->files.items[i].path));
    return fh_buffer_text(out);
}

static fh_text skipped_of(const fh_walk *walk, fh_buffer *out)
{
    fh_buffer_clear(out);
    for (uint32_t i = 0; i < walk->skipped.count; i++)
        fh_buffer_add_format(out, "%.*s: %.*s\n", FH_TEXT_ARGS(walk->skipped.items[i].path),
                             FH_TEXT_ARGS(walk->skipped.items[i].reason));
    return fh_buffer_text(out);
}

/* Walks folders and files of the test folder and compares both lists. */
static void check_walk_of(const char *const *names, size_t count, const fh_walk_options *options,
                          const char *files, const char *skipped)
{
    char paths[3][PATH_MAX];
    const char *targets[3];
    fh_walk walk = {0};
    fh_buffer out = {0};
    for (size_t i = 0; i < count; i++) {
        snprintf(paths[i], PATH_MAX, "%s", in_folder(names[i]));
        targets[i] = paths[i];
    }
    fh_status status = fh_walk_collect(&walk, targets, count, options);
    CHECK(status == FH_OK);
    if (status)
        printf("  %s\n", fh_error_message());
    CHECK_TEXT(files_of(&walk, &out), files);
    CHECK_TEXT(skipped_of(&walk, &out), skipped);
    fh_buffer_free(&out);
    fh_walk_free(&walk);
}

static void check_walk(const char *name, const fh_walk_options *options, const char *files,
                       const char *skipped)
{
    check_walk_of(&name, 1, options, files, skipped);
}

static void kinds_by_name(void)
{
    static const struct {
        const char *path;
        fh_source_kind kind;
    } cases[] = {
        {"a.py", FH_SOURCE_PYTHON},
        {"A.PY", FH_SOURCE_PYTHON},
        {"a.pyi", FH_SOURCE_NONE},
        {"a.pyc", FH_SOURCE_NONE},
        {"x/a.ipynb", FH_SOURCE_NOTEBOOK},
        {"a.cu", FH_SOURCE_CUDA},
        {"a.cuh", FH_SOURCE_CUDA},
        {"a.hpp", FH_SOURCE_CPP},
        {"a.c", FH_SOURCE_C},
        {"run.sh", FH_SOURCE_SHELL},
        {"a.yml", FH_SOURCE_YAML},
        {"ds_config.json", FH_SOURCE_JSON},
        {"pyproject.toml", FH_SOURCE_TOML},
        {"requirements.txt", FH_SOURCE_REQUIREMENTS},
        {"requirements-dev.txt", FH_SOURCE_REQUIREMENTS},
        {"x/requirements/gpu.txt", FH_SOURCE_REQUIREMENTS},
        {"dev-requirements.txt", FH_SOURCE_REQUIREMENTS},
        {"notes.txt", FH_SOURCE_NONE},
        {"setup.cfg", FH_SOURCE_INI},
        {"tox.ini", FH_SOURCE_INI},
        {"docker/Dockerfile", FH_SOURCE_DOCKERFILE},
        {"Dockerfile.gpu", FH_SOURCE_DOCKERFILE},
        {"gpu.dockerfile", FH_SOURCE_DOCKERFILE},
        {".env", FH_SOURCE_ENVIRONMENT},
        {".env.local", FH_SOURCE_ENVIRONMENT},
        {"README.md", FH_SOURCE_NONE},
        {"py", FH_SOURCE_NONE},
        {".py", FH_SOURCE_NONE},
        {"a.", FH_SOURCE_NONE},
        {"", FH_SOURCE_NONE},
        {"a.averylongextensionindeed", FH_SOURCE_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(fh_source_kind_of(fh_text_from(cases[i].path)) == cases[i].kind);
        if (fh_source_kind_of(fh_text_from(cases[i].path)) != cases[i].kind)
            printf("  %s\n", cases[i].path);
    }
}

static void kinds_by_first_line(void)
{
    static const struct {
        const char *content;
        fh_source_kind kind;
    } cases[] = {
        {"#!/usr/bin/python\n", FH_SOURCE_PYTHON},
        {"#!/usr/bin/env python3.11\n", FH_SOURCE_PYTHON},
        {"#!/usr/bin/env -S python3 -u", FH_SOURCE_PYTHON},
        {"#! /usr/bin/env X=1 python\r\n", FH_SOURCE_PYTHON},
        {"#!/bin/bash -e\n", FH_SOURCE_SHELL},
        {"#!/usr/bin/perl\npython", FH_SOURCE_NONE},
        {"#!", FH_SOURCE_NONE},
        {"#!\npython", FH_SOURCE_NONE},
        {"", FH_SOURCE_NONE},
        {"python", FH_SOURCE_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(fh_source_kind_of_script(fh_text_from(cases[i].content)) == cases[i].kind);
}

/* Expectations: git check-ignore with the pattern in a .gitignore file, but of the path itself,
 * not of the folders above it. */
static void patterns_as_git_reads_them(void)
{
    static const struct {
        const char *pattern, *path;
        bool matches;
    } cases[] = {
        {"a.py", "a.py", true},
        {"a.py", "x/y/a.py", true},
        {"/a.py", "a.py", true},
        {"/a.py", "x/a.py", false},
        {"x/a.py", "x/a.py", true},
        {"x/a.py", "y/x/a.py", false},
        {"*.py", "x/a.py", true},
        {"x/*.py", "x/y/a.py", false},
        {"x/**/*.py", "x/a.py", true},
        {"x/**/*.py", "x/y/z/a.py", true},
        {"**/a.py", "a.py", true},
        {"**/a.py", "x/y/a.py", true},
        {"x/**", "x/y/z", true},
        {"x/**", "x", false},
        {"**/x/**", "a/x/b", true},
        {"a**b", "axxb", true},
        {"a**b", "a/b", false},
        {"?.py", "a.py", true},
        {"a?b", "a/b", false},
        {"[a-c].py", "b.py", true},
        {"[!a-c].py", "b.py", false},
        {"[^a-c].py", "d.py", true},
        {"[]].py", "].py", true},
        {"[a", "[a", false},
        {"a[/]b", "a/b", false},
        {"\\*.py", "*.py", true},
        {"\\*.py", "a.py", false},
        {"*", "x/y", true},
        {"x/*", "x/y/z", false},
        {"*a*b*c", "xaxbxbxc", true},
        {"*a*b*c", "xaxcxb", false},
        {"x/", "x", false},
        {"", "a", false},
        {"/", "a", false},
        {"**", "a/b", true},
        {"a/**/b/**/c", "a/1/b/b/2/c", true},
        {"a/**/b/**/c", "a/1/b/2/d", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool matches =
            fh_glob_match(fh_text_from(cases[i].pattern), fh_text_from(cases[i].path), false);
        CHECK(matches == cases[i].matches);
        if (matches != cases[i].matches)
            printf("  %s against %s\n", cases[i].pattern, cases[i].path);
    }
    CHECK(fh_glob_match(FH_TEXT("x/"), FH_TEXT("a/x"), true));
    CHECK(fh_glob_covers(FH_TEXT("x/"), FH_TEXT("a/x/b.py"), false));
    CHECK(fh_glob_covers(FH_TEXT("/a"), FH_TEXT("a/x/b.py"), false));
    CHECK(!fh_glob_covers(FH_TEXT("/x"), FH_TEXT("a/x/b.py"), false));
    CHECK(fh_glob_names(FH_TEXT("build"), FH_TEXT("a/build")));
    CHECK(fh_glob_names(FH_TEXT("a/build/**"), FH_TEXT("a/build")));
    CHECK(fh_glob_names(FH_TEXT("a/build/x/*.py"), FH_TEXT("a")));
    CHECK(!fh_glob_names(FH_TEXT("a/build/x/*.py"), FH_TEXT("a/buil")));
    CHECK(!fh_glob_names(FH_TEXT("*.py"), FH_TEXT("build")));
    CHECK(!fh_glob_names(FH_TEXT("**/x"), FH_TEXT("build")));

    /* Would take until the end of time if it tried all ways. */
    fh_buffer path = {0}, pattern = {0};
    for (int i = 0; i < 300; i++) {
        fh_buffer_add_string(&path, "a/");
        fh_buffer_add_string(&pattern, "**/a*/");
    }
    fh_buffer_add_string(&pattern, "b");
    CHECK(!fh_glob_match(fh_buffer_text(&pattern), fh_buffer_text(&path), false));
    fh_buffer_free(&path);
    fh_buffer_free(&pattern);
}

static void one_list_in_order(void)
{
    put_file("order/b.py", "x");
    put_file("order/B.py", "x");
    put_file("order/a/z.py", "x");
    put_file("order/a-b.py", "x");
    put_file("order/a.png", "x");
    put_file("order/run", "#!/usr/bin/env python3\n");
    put_file("order/LICENSE", "text");
    put_file("order/empty", "");
    check_walk("order", NULL,
               "python B.py\npython a-b.py\npython a/z.py\npython b.py\npython run\n", "");
}

static void folders_that_are_left_out(void)
{
    put_file("left/.git/hooks/a.py", "");
    put_file("left/__pycache__/a.py", "");
    put_file("left/build/lib/a.py", "");
    put_file("left/sub/build/__init__.py", "");
    put_file("left/env/pyvenv.cfg", "");
    put_file("left/env/lib/a.py", "");
    put_file("left/conda/conda-meta/history", "");
    put_file("left/conda/a.py", "");
    put_file("left/node_modules/a.py", "");
    put_file("left/x.egg-info/a.json", "");
    check_walk("left", NULL, "python sub/build/__init__.py\n",
               "build: folder left out: build output\n"
               "conda: folder left out: a conda environment\n"
               "env: folder left out: a virtual environment\n"
               "node_modules: folder left out: installed packages\n");
    check_walk("left/build", NULL, "python lib/a.py\n", "");
    check_walk("left/env", NULL, "python lib/a.py\nini pyvenv.cfg\n", "");
    check_walk("left/.git", NULL, "python hooks/a.py\n", "");
    fh_text include[] = {FH_TEXT("build/**"), FH_TEXT(".git")};
    fh_walk_options options = {.include = include, .include_count = 2};
    check_walk("left", &options, "python .git/hooks/a.py\npython build/lib/a.py\n",
               "conda: folder left out: a conda environment\n"
               "env: folder left out: a virtual environment\n"
               "node_modules: folder left out: installed packages\n");
}

static void patterns_let_in_and_keep_out(void)
{
    put_file("pat/a.py", "");
    put_file("pat/tests/b.py", "");
    put_file("pat/x/tests/c.py", "");
    put_file("pat/x/d.cu", "");
    fh_text tests[] = {FH_TEXT("tests/")}, python[] = {FH_TEXT("*.py")},
            top[] = {FH_TEXT("/tests")};
    fh_walk_options options = {.exclude = tests, .exclude_count = 1};
    check_walk("pat", &options, "python a.py\ncuda x/d.cu\n", "");
    options = (fh_walk_options){.exclude = top, .exclude_count = 1};
    check_walk("pat", &options, "python a.py\ncuda x/d.cu\npython x/tests/c.py\n", "");
    options = (fh_walk_options){
        .include = python, .include_count = 1, .exclude = top, .exclude_count = 1};
    check_walk("pat", &options, "python a.py\npython x/tests/c.py\n", "");
    options = (fh_walk_options){.include = tests, .include_count = 1};
    check_walk("pat", &options, "python tests/b.py\npython x/tests/c.py\n", "");
}

static void links_are_followed_once(void)
{
    put_file("links/real/a.py", "");
    put_file("outside/o.py", "");
    put_file("outside/deep/p.py", "");
    CHECK(symlink("real", in_folder("links/alias")) == 0);
    CHECK(symlink("..", in_folder("links/real/up")) == 0);
    CHECK(symlink("self.py", in_folder("links/self.py")) == 0);
    CHECK(symlink("nowhere.py", in_folder("links/broken.py")) == 0);
    CHECK(symlink("real/a.py", in_folder("links/again.py")) == 0);
    CHECK(symlink(in_folder("outside"), in_folder("links/out")) == 0);
    CHECK(symlink("../outside/o.py", in_folder("links/one.py")) == 0);
    check_walk("links", NULL, "python one.py\npython out/deep/p.py\npython real/a.py\n",
               "again.py: the same file as real/a.py\n"
               "alias: the same folder as real\n"
               "broken.py: a link to nothing\n"
               "out/o.py: the same file as one.py\n"
               "real/up: the same folder as .\n"
               "self.py: a loop of links\n");
}

static void special_files_are_not_opened(void)
{
    put_file("special/a.py", "");
    CHECK(mkfifo(in_folder("special/fifo.py"), 0600) == 0);
    CHECK(symlink("fifo.py", in_folder("special/link.py")) == 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%.90s/special/s.py", folder_path);
    CHECK(bind(fd, (struct sockaddr *)&address, sizeof address) == 0);
    close(fd);
    check_walk("special", NULL, "python a.py\n",
               "fifo.py: a FIFO, socket or device\nlink.py: not a regular file\n"
               "s.py: a FIFO, socket or device\n");
    fh_walk walk = {0};
    const char *fifo = in_folder("special/fifo.py");
    CHECK(fh_walk_collect(&walk, &fifo, 1, NULL) == FH_UNSUPPORTED);
    fh_walk_free(&walk);
}

static void unreadable_files_and_folders(void)
{
    if (geteuid() == 0) {
        printf("  left out: root can read everything\n");
        return;
    }
    put_file("locked/dir/a.py", "");
    put_file("locked/b.py", "");
    chmod(in_folder("locked/dir"), 0);
    check_walk("locked", NULL, "python b.py\n", "dir: cannot be read: Permission denied\n");
    chmod(in_folder("locked/dir"), 0700);
}

static void large_files_are_skipped(void)
{
    put_file("large/a.py", "0123456789");
    put_file("large/b.py", "01234567890");
    fh_walk_options options = {.max_file_bytes = 10};
    check_walk("large", &options, "python a.py\n", "b.py: larger than 10 bytes (11 bytes)\n");
    int fd = open(in_folder("large/c.py"), O_WRONLY | O_CREAT, 0600);
    CHECK(fd >= 0 && ftruncate(fd, 100 << 20) == 0);
    close(fd);
    check_walk("large", NULL, "python a.py\npython b.py\n",
               "c.py: larger than 64 MB (104,857,600 bytes)\n");
}

static void names_that_are_not_utf8(void)
{
    put_file("odd/\xFF.py", "x");
    put_file("odd/\xE6\x95\xB0/a b\n.py", "x");
    check_walk("odd", NULL, "python \xE6\x95\xB0/a b\n.py\npython \xEF\xBF\xBD.py\n", "");
    fh_walk walk = {0};
    fh_buffer storage = {0};
    fh_text bytes = {0};
    const char *target = in_folder("odd");
    CHECK(fh_walk_collect(&walk, &target, 1, NULL) == FH_OK);
    CHECK(walk.notes.count == 1);
    CHECK_TEXT(walk.notes.items[0].reason, "the name is not UTF-8");
    CHECK(fh_walk_read(&walk, &walk.files.items[1], &storage, &bytes) == FH_OK);
    CHECK_TEXT(bytes, "x");
    fh_buffer_free(&storage);
    fh_walk_free(&walk);
}

static void several_targets(void)
{
    put_file("one/src/a.py", "");
    put_file("two/src/a.py", "");
    put_file("two/b.py", "");
    put_file("two/notes.txt", "");
    const char *apart[] = {"one", "two"};
    check_walk_of(apart, 2, NULL, "python one/src/a.py\npython two/b.py\npython two/src/a.py\n",
                  "");
    const char *overlapping[] = {"two", "two/src", "two/b.py"};
    check_walk_of(overlapping, 3, NULL, "python two/b.py\npython two/src/a.py\n",
                  "b.py: the same file as two/b.py\nsrc: the same folder as two/src\n");
    const char *file_first[] = {"two/b.py", "two"};
    check_walk_of(file_first, 2, NULL, "python b.py\npython two/src/a.py\n",
                  "two/b.py: the same file as b.py\n");
    check_walk("two/b.py", NULL, "python b.py\n", "");
    check_walk("two/notes.txt", NULL, "", "notes.txt: not a kind of file that is analysed\n");

    char expected[3 * PATH_MAX];
    const char *same[] = {"one/src", "two/src"};
    snprintf(expected, sizeof expected, "python %s/a.py\npython %s/a.py\n", in_folder("one/src"),
             in_folder("two/src"));
    check_walk_of(same, 2, NULL, expected, "");
}

static void targets_that_are_not_there(void)
{
    fh_walk walk = {0};
    const char *target = in_folder("nothing");
    CHECK(fh_walk_collect(&walk, &target, 1, NULL) == FH_NOT_FOUND);
    CHECK(strstr(fh_error_message(), "nothing: No such file or directory") != NULL);
    fh_walk_free(&walk);
}

static void interrupted_walks_keep_what_they_have(void)
{
    put_file("stop/a.py", "");
    put_file("stop/x/b.py", "");
    fh_walk walk = {0};
    const char *target = in_folder("stop");
    fh_interrupt_set(true);
    CHECK(fh_walk_collect(&walk, &target, 1, NULL) == FH_INTERRUPTED);
    fh_interrupt_set(false);
    CHECK(walk.files.count >= 1);
    fh_walk_free(&walk);
}

static fh_status walk_all(void *context)
{
    fh_walk walk = {0};
    const char *const targets[] = {context, context};
    fh_text exclude = FH_TEXT("nothing");
    fh_walk_options options = {.exclude = &exclude, .exclude_count = 1};
    fh_status status = fh_walk_collect(&walk, targets, 2, &options);
    fh_walk_free(&walk);
    return status;
}

static void memory_runs_out(void)
{
    char path[PATH_MAX];
    put_file("memory/\xFF.py", "");
    put_file("memory/run", "#!/bin/sh");
    put_file("memory/build/a.py", "");
    for (int i = 0; i < 20; i++) {
        char name[40];
        snprintf(name, sizeof name, "memory/d%d/f%d.py", i, i);
        put_file(name, "");
    }
    CHECK(symlink("d1", in_folder("memory/link")) == 0);
    snprintf(path, sizeof path, "%s", in_folder("memory"));
    CHECK(sweep(walk_all, path) > 20);
}

int main(void)
{
    make_folder();
    TEST(kinds_by_name);
    TEST(kinds_by_first_line);
    TEST(patterns_as_git_reads_them);
    TEST(one_list_in_order);
    TEST(folders_that_are_left_out);
    TEST(patterns_let_in_and_keep_out);
    TEST(links_are_followed_once);
    TEST(special_files_are_not_opened);
    TEST(unreadable_files_and_folders);
    TEST(large_files_are_skipped);
    TEST(names_that_are_not_utf8);
    TEST(several_targets);
    TEST(targets_that_are_not_there);
    TEST(interrupted_walks_keep_what_they_have);
    TEST(memory_runs_out);
    remove_folder();
    return test_report();
}
