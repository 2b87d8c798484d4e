#include "analyse/scan/archive.h"
#include "analyse/scan/walk.h"
#include "tests/test.h"
#include "tests/unit/folder.h"
#include "tests/unit/sweep.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>

/* A member to write: a file, or a link when `link` is set ("=path" is a hard link). */
typedef struct {
    const char *path, *content, *link;
} member;

enum { MAX_MEMBERS = 8 };

/* Writes an archive of the given format and filter with libarchive. */
static const char *make_archive(const char *name, const char *format, const char *filter,
                                const char *options, const member *members)
{
    const char *path = in_folder(name);
    struct archive *writer = archive_write_new();
    CHECK(archive_write_set_format_by_name(writer, format) == ARCHIVE_OK);
    if (filter)
        CHECK(archive_write_add_filter_by_name(writer, filter) == ARCHIVE_OK);
    if (options)
        CHECK(archive_write_set_options(writer, options) == ARCHIVE_OK);
    archive_write_set_passphrase(writer, "secret");
    CHECK(archive_write_open_filename(writer, path) == ARCHIVE_OK);
    for (size_t i = 0; i < MAX_MEMBERS && members[i].path; i++) {
        const member *m = &members[i];
        struct archive_entry *entry = archive_entry_new();
        size_t size = m->content ? strlen(m->content) : 0;
        archive_entry_set_pathname(entry, m->path);
        archive_entry_set_perm(entry, 0644);
        archive_entry_set_filetype(entry, m->link && *m->link != '=' ? AE_IFLNK : AE_IFREG);
        if (m->link && *m->link == '=')
            archive_entry_set_hardlink(entry, m->link + 1);
        else if (m->link)
            archive_entry_set_symlink(entry, m->link);
        archive_entry_set_size(entry, (la_int64_t)size);
        CHECK(archive_write_header(writer, entry) == ARCHIVE_OK);
        if (size)
            CHECK(archive_write_data(writer, m->content, size) == (la_ssize_t)size);
        archive_entry_free(entry);
    }
    CHECK(archive_write_close(writer) == ARCHIVE_OK);
    archive_write_free(writer);
    return path;
}

static bool want_all(void *context, fh_text path, uint64_t size)
{
    (void)context, (void)path, (void)size;
    return true;
}

static bool want_python(void *context, fh_text path, uint64_t size)
{
    (void)context, (void)size;
    return fh_text_ends(path, ".py");
}

/* Reads with the default limits; the message must contain `part` on failure. */
static void check_refused(const char *path, fh_status expected, const char *part)
{
    fh_archive archive = {0};
    fh_status status = fh_archive_read(path, &fh_archive_default_limits, want_all, NULL, &archive);
    CHECK(status == expected);
    CHECK(strstr(fh_error_message(), part) != NULL);
    if (status != expected || !strstr(fh_error_message(), part))
        printf("  %s: %s\n", fh_status_text(status), fh_error_message());
    fh_archive_free(&archive);
}

static const struct {
    const char *name, *format, *filter;
} formats[] = {
    {"a.whl", "zip", NULL},       {"a.tar", "pax", NULL},          {"a.tar.gz", "pax", "gzip"},
    {"a.tgz", "gnutar", "gzip"},  {"a.tar.bz2", "ustar", "bzip2"}, {"a.tar.xz", "pax", "xz"},
    {"a.tar.zst", "pax", "zstd"},
};

static void every_format_is_read(void)
{
    const member members[MAX_MEMBERS] = {
        {"p/a.py", "import torch\n", NULL}, {"./p//b.py", "", NULL}, {"p/c.png", "binary", NULL}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        fh_archive archive = {0};
        const char *path =
            make_archive(formats[i].name, formats[i].format, formats[i].filter, NULL, members);
        CHECK(fh_archive_is_name(fh_text_from(path)));
        CHECK(fh_archive_read(path, &fh_archive_default_limits, want_python, NULL, &archive) ==
              FH_OK);
        CHECK(archive.members.count == 2);
        CHECK_TEXT(archive.members.items[0].path, "p/a.py");
        CHECK_TEXT(archive.members.items[0].bytes, "import torch\n");
        CHECK_TEXT(archive.members.items[1].path, "p/b.py");
        CHECK_TEXT(archive.members.items[1].bytes, "");
        fh_archive_free(&archive);
    }
    CHECK(!fh_archive_is_name(FH_TEXT("a.conda")) && !fh_archive_is_name(FH_TEXT("a.gz")));
}

static void escapes_are_refused(void)
{
    static const struct {
        member member;
        const char *message;
    } cases[] = {
        {{"../x.py", "x", NULL}, "member \"../x.py\" has \"..\" in its path"},
        {{"a/../../x.py", "x", NULL}, "has \"..\" in its path"},
        {{"a/..", "x", NULL}, "has \"..\" in its path"},
        {{"a\\..\\..\\x.py", "x", NULL}, "has \"..\" in its path"},
        {{"/etc/x.py", "x", NULL}, "has an absolute path"},
        {{"C:/x.py", "x", NULL}, "has an absolute path"},
        {{"\\x.py", "x", NULL}, "has an absolute path"},
        {{"a/l", NULL, "/etc/passwd"}, "is a link that points out"},
        {{"a/l", NULL, "../../x"}, "is a link that points out"},
        {{"l", NULL, ".."}, "is a link that points out"},
        {{"l", NULL, "a/../../b"}, "is a link that points out"},
        {{"\xFF/../x", "x", NULL}, "has \"..\" in its path"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const member members[MAX_MEMBERS] = {{"good.py", "x", NULL}, cases[i].member};
        check_refused(make_archive("evil.zip", "zip", NULL, NULL, members), FH_INVALID,
                      cases[i].message);
        check_refused(make_archive("evil.tar.gz", "gnutar", "gzip", NULL, members), FH_INVALID,
                      cases[i].message);
    }
    const member hard[MAX_MEMBERS] = {{"a/l", NULL, "=../x"}};
    check_refused(make_archive("evil.tar", "gnutar", NULL, NULL, hard), FH_INVALID,
                  "is a link that points out");
}

static void links_inside_are_skipped(void)
{
    const member members[MAX_MEMBERS] = {{"a/x.py", "x", NULL},
                                         {"a/l.py", NULL, "../a/x.py"},
                                         {"a/..b/c.py", "y", NULL},
                                         {"h.py", NULL, "=a/x.py"}};
    fh_archive archive = {0};
    const char *path = make_archive("links.tar", "gnutar", NULL, NULL, members);
    CHECK(fh_archive_read(path, &fh_archive_default_limits, want_python, NULL, &archive) == FH_OK);
    CHECK(archive.members.count == 4);
    CHECK_TEXT(archive.members.items[1].skipped, "a link to ../a/x.py");
    CHECK_TEXT(archive.members.items[2].path, "a/..b/c.py");
    CHECK_TEXT(archive.members.items[3].skipped, "a link to a/x.py");
    fh_archive_free(&archive);
}

static void encrypted_archives_are_refused(void)
{
    const member members[MAX_MEMBERS] = {{"a.py", "x = 1", NULL}};
    check_refused(make_archive("secret.zip", "zip", NULL, "zip:encryption=aes256", members),
                  FH_INVALID, "is encrypted");
}

static void bombs_are_refused(void)
{
    size_t size = 3 << 20;
    char *zeros = malloc(size + 1);
    memset(zeros, '0', size);
    zeros[size] = 0;
    const member members[MAX_MEMBERS] = {{"a.py", zeros, NULL}, {"b.py", zeros, NULL}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        fh_archive_limits limits = fh_archive_default_limits;
        const char *path =
            make_archive(formats[i].name, formats[i].format, formats[i].filter, NULL, members);
        fh_archive archive = {0};
        CHECK(fh_archive_read(path, &limits, want_all, NULL, &archive) == FH_OK);
        CHECK(archive.members.count == 2 && archive.members.items[1].bytes.length == size);
        fh_archive_free(&archive);

        limits.total_bytes = size + 1;
        CHECK(fh_archive_read(path, &limits, want_all, NULL, &archive) == FH_LIMIT);
        CHECK(strstr(fh_error_message(), "larger than") != NULL);
        fh_archive_free(&archive);

        limits = fh_archive_default_limits;
        limits.member_bytes = 1000;
        CHECK(fh_archive_read(path, &limits, want_all, NULL, &archive) == FH_OK);
        CHECK(archive.members.count == 2 && archive.members.items[0].skipped.length);
        fh_archive_free(&archive);

        limits = fh_archive_default_limits;
        limits.members = 1;
        CHECK(fh_archive_read(path, &limits, want_all, NULL, &archive) == FH_LIMIT);
        fh_archive_free(&archive);

        limits = fh_archive_default_limits;
        limits.ratio_from = size + 1;
        bool packed = i != 1; /* a plain .tar has no ratio */
        CHECK(fh_archive_read(path, &limits, want_python, NULL, &archive) ==
              (packed ? FH_LIMIT : FH_OK));
        fh_archive_free(&archive);
    }
    free(zeros);
}

/* 110 MB of one character in 100 KB: what the default limits are there for. */
static void a_real_bomb(void)
{
    struct archive *writer = archive_write_new();
    struct archive_entry *entry = archive_entry_new();
    char block[64 * 1024] = {0};
    la_int64_t size = 110 * 1000 * 1000;
    archive_write_set_format_zip(writer);
    archive_write_open_filename(writer, in_folder("bomb.zip"));
    archive_entry_set_pathname(entry, "data.bin");
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, size);
    archive_write_header(writer, entry);
    for (la_int64_t left = size; left > 0; left -= (la_int64_t)sizeof block)
        archive_write_data(writer, block, sizeof block);
    archive_entry_free(entry);
    archive_write_close(writer);
    archive_write_free(writer);
    check_refused(in_folder("bomb.zip"), FH_LIMIT, "over 200 times its size");
}

static void copy_cut(const char *from, const char *to, size_t length)
{
    fh_buffer bytes = {0};
    CHECK(fh_file_read(from, 1 << 24, &bytes) == FH_OK);
    CHECK(fh_file_write_atomic(to, fh_text_slice(fh_buffer_text(&bytes), 0, length)) == FH_OK);
    fh_buffer_free(&bytes);
}

/* Every prefix of every format: refused, or what came before the cut, with a word. */
static void archives_that_are_cut_off(void)
{
    char noise[4001]; /* what no compressor makes small */
    unsigned seed = 7;
    for (size_t i = 0; i < sizeof noise - 1; i++) {
        seed = seed * 1103515245 + 12345;
        noise[i] = (char)(1 + (seed >> 16) % 255);
    }
    noise[sizeof noise - 1] = 0;
    const member members[MAX_MEMBERS] = {{"a.py", noise, NULL}, {"b.py", noise, NULL}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        fh_file_info info;
        char path[PATH_MAX], cut[PATH_MAX];
        snprintf(
            path, sizeof path, "%s",
            make_archive(formats[i].name, formats[i].format, formats[i].filter, NULL, members));
        snprintf(cut, sizeof cut, "%s", in_folder("cut"));
        CHECK(fh_file_stat(path, true, &info) == FH_OK);
        for (size_t length = 0; length < info.size; length += 97) {
            fh_archive archive = {0};
            copy_cut(path, cut, length);
            fh_status status =
                fh_archive_read(cut, &fh_archive_default_limits, want_all, NULL, &archive);
            CHECK(status == FH_OK || status == FH_INVALID);
            if (status == FH_OK && length < 3000)
                CHECK(archive.members.count &&
                      archive.members.items[archive.members.count - 1].skipped.length);
            fh_archive_free(&archive);
        }
    }
}

static void damaged_bytes_do_no_harm(void)
{
    const member members[MAX_MEMBERS] = {{"a.py", "import torch\n", NULL},
                                         {"dir/b.py", "x = 1\n", NULL}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        fh_buffer bytes = {0};
        char path[PATH_MAX];
        snprintf(
            path, sizeof path, "%s",
            make_archive(formats[i].name, formats[i].format, formats[i].filter, NULL, members));
        CHECK(fh_file_read(path, 1 << 24, &bytes) == FH_OK);
        size_t length = bytes.length < 1600 ? bytes.length : 1600;
        for (size_t at = 0; at < length; at += 3) {
            fh_archive archive = {0};
            bytes.data[at] ^= 0x55;
            CHECK(fh_file_write_atomic(path, fh_buffer_text(&bytes)) == FH_OK);
            fh_status status =
                fh_archive_read(path, &fh_archive_default_limits, want_all, NULL, &archive);
            CHECK(status == FH_OK || status == FH_INVALID || status == FH_LIMIT);
            fh_archive_free(&archive);
            bytes.data[at] ^= 0x55;
        }
        fh_buffer_free(&bytes);
    }
}

static void what_is_no_archive(void)
{
    put_file("text.zip", "this is no archive");
    put_file("empty.zip", "");
    put_file("empty.tar.gz", "");
    check_refused(in_folder("text.zip"), FH_INVALID, "is not an archive that can be read");
    check_refused(in_folder("empty.zip"), FH_INVALID, "is not an archive that can be read");
    check_refused(in_folder("empty.tar.gz"), FH_INVALID, "is not an archive that can be read");
    check_refused(in_folder("none.zip"), FH_NOT_FOUND, "No such file");
    check_refused(in_folder(""), FH_UNSUPPORTED, "is not a regular file");
}

static void archives_as_targets(void)
{
    const member members[MAX_MEMBERS] = {
        {"p/b.py", "new", NULL},   {"p/build/c.py", "", NULL},     {"node_modules/a.py", "", NULL},
        {"p/.git/a.py", "", NULL}, {"p/run", "#!/bin/sh\n", NULL}, {"p/LICENSE", "text", NULL},
        {"p/b.py", "newer", NULL}, {"p/l.py", NULL, "b.py"}};
    fh_walk walk = {0};
    fh_buffer storage = {0};
    fh_text bytes = {0};
    const char *target = make_archive("t-1.0.tar.gz", "gnutar", "gzip", NULL, members);
    CHECK(fh_walk_collect(&walk, &target, 1, NULL) == FH_OK);
    CHECK(walk.files.count == 3);
    CHECK_TEXT(walk.files.items[0].path, "p/b.py");
    CHECK_TEXT(walk.files.items[1].path, "p/build/c.py");
    CHECK_TEXT(walk.files.items[2].path, "p/run");
    CHECK(walk.files.items[2].kind == FH_SOURCE_SHELL && !walk.files.items[2].disk);
    CHECK(fh_walk_read(&walk, &walk.files.items[0], &storage, &bytes) == FH_OK);
    CHECK_TEXT(bytes, "newer");
    CHECK(walk.skipped.count == 2 && walk.notes.count == 1);
    CHECK_TEXT(walk.skipped.items[0].path, "node_modules");
    CHECK_TEXT(walk.skipped.items[1].reason, "a link to b.py");
    CHECK_TEXT(walk.notes.items[0].reason, "more than once in the archive; the last counts");
    fh_walk_free(&walk);
    fh_buffer_free(&storage);
}

static fh_status walk_one(void *context)
{
    fh_walk walk = {0};
    const char *target = context;
    fh_status status = fh_walk_collect(&walk, &target, 1, NULL);
    fh_walk_free(&walk);
    return status;
}

static void memory_runs_out(void)
{
    const member members[MAX_MEMBERS] = {{"p/b.py", "new", NULL},
                                         {"p/\xFF.py", "", NULL},
                                         {"node_modules/a.py", "", NULL},
                                         {"p/b.py", "newer", NULL},
                                         {"p/l.py", NULL, "b.py"}};
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s",
             make_archive("memory.tar.gz", "gnutar", "gzip", NULL, members));
    CHECK(sweep(walk_one, path) > 10);
}

int main(void)
{
    make_folder();
    TEST(every_format_is_read);
    TEST(escapes_are_refused);
    TEST(links_inside_are_skipped);
    TEST(encrypted_archives_are_refused);
    TEST(bombs_are_refused);
    TEST(a_real_bomb);
    TEST(archives_that_are_cut_off);
    TEST(damaged_bytes_do_no_harm);
    TEST(what_is_no_archive);
    TEST(archives_as_targets);
    TEST(memory_runs_out);
    remove_folder();
    return test_report();
}
