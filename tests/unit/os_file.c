#include "os/file.h"
#include "tests/test.h"
#include "tests/unit/folder.h"
#include "tests/unit/sweep.h"

#include <fcntl.h>

static void read_gives_what_was_written(void)
{
    fh_buffer content = {0};
    fh_text text = {"a\0b\n\xFF", 5};
    fh_buffer_add_string(&content, "before:");
    CHECK(fh_file_write_atomic(in_folder("f"), text) == FH_OK);
    CHECK(fh_file_read(in_folder("f"), 5, &content) == FH_OK);
    CHECK(fh_text_equal(fh_buffer_text(&content), (fh_text){"before:a\0b\n\xFF", 12}));
    CHECK(fh_file_read(in_folder("f"), 4, &content) == FH_LIMIT && content.length == 12);
    CHECK(fh_file_read_head(in_folder("f"), 2, &content) == FH_OK && content.length == 14);
    CHECK(fh_file_read_head(in_folder("f"), 99, &content) == FH_OK && content.length == 19);
    fh_buffer_clear(&content);
    CHECK(fh_file_write_atomic(in_folder("empty"), (fh_text){0}) == FH_OK);
    CHECK(fh_file_read(in_folder("empty"), 0, &content) == FH_OK && content.length == 0);
    CHECK(fh_file_read("/proc/self/status", UINT64_MAX, &content) == FH_OK && content.length > 100);
    fh_buffer_free(&content);
}

static void what_cannot_be_read(void)
{
    fh_buffer content = {0};
    CHECK(fh_file_read(in_folder("none"), 9, &content) == FH_NOT_FOUND);
    CHECK(strstr(fh_error_message(), "/none: No such file or directory") != NULL);
    CHECK(fh_file_read(in_folder("f/x"), 9, &content) == FH_NOT_FOUND);
    CHECK(fh_file_read(in_folder(""), 9, &content) == FH_UNSUPPORTED);
    CHECK(mkfifo(in_folder("fifo"), 0600) == 0);
    CHECK(fh_file_read(in_folder("fifo"), 9, &content) == FH_UNSUPPORTED);
    CHECK(fh_file_read("/dev/zero", 9, &content) == FH_UNSUPPORTED);
    CHECK(content.data == NULL);
}

static void stat_tells_links_apart(void)
{
    fh_file_info info, other;
    CHECK(symlink("f", in_folder("link")) == 0);
    CHECK(symlink("loop", in_folder("loop")) == 0);
    CHECK(fh_file_stat(in_folder("f"), true, &info) == FH_OK);
    CHECK(info.kind == FH_FILE_REGULAR && info.size == 5 && info.modified > 0);
    CHECK(fh_file_stat(in_folder("link"), true, &other) == FH_OK);
    CHECK(other.inode == info.inode && other.device == info.device);
    CHECK(fh_file_stat(in_folder("link"), false, &other) == FH_OK && other.kind == FH_FILE_LINK);
    CHECK(fh_file_stat(in_folder("loop"), true, &other) == FH_INVALID);
    CHECK(fh_file_stat(in_folder("none"), true, &other) == FH_NOT_FOUND);
    CHECK(fh_file_stat("/dev/null", true, &other) == FH_OK && other.kind == FH_FILE_SPECIAL);
    CHECK(fh_file_stat(in_folder(""), true, &other) == FH_OK && other.kind == FH_FILE_DIRECTORY);
}

static void writing_replaces_the_whole_file(void)
{
    fh_buffer content = {0};
    fh_directory directory;
    struct stat s;
    CHECK(chmod(in_folder("f"), 0640) == 0);
    CHECK(fh_file_write_atomic(in_folder("link"), FH_TEXT("new")) == FH_OK);
    CHECK(lstat(in_folder("link"), &s) == 0 && S_ISLNK(s.st_mode));
    CHECK(stat(in_folder("f"), &s) == 0 && (s.st_mode & 07777) == 0640 && s.st_size == 3);
    mode_t mask = umask(027);
    CHECK(fh_file_write_atomic(in_folder("masked"), FH_TEXT("x")) == FH_OK);
    umask(mask);
    CHECK(stat(in_folder("masked"), &s) == 0 && (s.st_mode & 07777) == 0640);
    CHECK(fh_file_write_atomic(in_folder("no/where"), FH_TEXT("x")) == FH_NOT_FOUND);
    CHECK(fh_file_write_atomic(in_folder(""), FH_TEXT("x")) == FH_INVALID);
    CHECK(fh_file_write_atomic("/dev/null", FH_TEXT("x")) == FH_OK);
    CHECK(fh_file_write_atomic("/dev/full", FH_TEXT("x")) == FH_IO);
    CHECK(strstr(fh_error_message(), "No space left") != NULL);

    /* No temporary file is left behind. */
    CHECK(fh_directory_list(in_folder(""), &directory) == FH_OK);
    for (uint32_t i = 0; i < directory.entries.count; i++)
        CHECK(!strchr(directory.entries.items[i].name, '.'));
    fh_directory_free(&directory);
    CHECK(fh_file_remove(in_folder("masked")) == FH_OK);
    CHECK(fh_file_remove(in_folder("masked")) == FH_OK);
    CHECK(fh_file_remove(in_folder("")) == FH_IO);
    fh_buffer_free(&content);
}

static void directories_are_made_with_parents(void)
{
    fh_file_info info;
    CHECK(fh_directory_make(in_folder("p/q/r")) == FH_OK);
    CHECK(fh_directory_make(in_folder("p/q/r")) == FH_OK);
    CHECK(fh_directory_make(in_folder("p//s/")) == FH_OK);
    CHECK(fh_file_stat(in_folder("p/s"), false, &info) == FH_OK && info.kind == FH_FILE_DIRECTORY);
    CHECK(fh_directory_make(in_folder("f/x")) == FH_NOT_FOUND);
    CHECK(fh_directory_make(in_folder("f")) == FH_NOT_FOUND);
    CHECK(fh_directory_make("/") == FH_OK);
    CHECK(fh_directory_make(".") == FH_OK);
    CHECK(fh_directory_make("") != FH_OK);
}

static void listing_is_bytewise(void)
{
    static const char *const names[] = {"B", "a", "a-b", "a.b", "a/", "ab", "\xC3\xA9", "\xFF"};
    fh_directory directory = {0};
    CHECK(fh_directory_make(in_folder("list/a\x01")) == FH_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strchr(names[i], '/')) {
            char path[64];
            snprintf(path, sizeof path, "list/%s", names[i]);
            put_file(path, "");
        }
    CHECK(fh_directory_list(in_folder("list"), &directory) == FH_OK);
    CHECK(directory.entries.count == 8);
    for (uint32_t i = 1; i < directory.entries.count; i++)
        CHECK(strcmp(directory.entries.items[i - 1].name, directory.entries.items[i].name) < 0);
    CHECK(directory.entries.items[2].kind == FH_FILE_DIRECTORY);
    fh_directory_free(&directory);
    CHECK(fh_directory_list(in_folder("none"), &directory) == FH_NOT_FOUND);
    CHECK(fh_directory_list(in_folder("f"), &directory) == FH_NOT_FOUND);
}

static void streams_read_in_pieces(void)
{
    fh_file_stream *stream = NULL;
    char data[4];
    size_t got = 9;
    CHECK(fh_file_stream_open(in_folder("none"), &stream) == FH_NOT_FOUND && !stream);
    CHECK(fh_file_write_atomic(in_folder("s"), FH_TEXT("abcdef")) == FH_OK);
    CHECK(fh_file_stream_open(in_folder("s"), &stream) == FH_OK);
    CHECK(fh_file_stream_read(stream, data, 4, &got) == FH_OK && got == 4);
    CHECK(fh_file_stream_read(stream, data, 4, &got) == FH_OK && got == 2 && data[1] == 'f');
    CHECK(fh_file_stream_read(stream, data, 4, &got) == FH_OK && got == 0);
    fh_file_stream_close(stream);
    fh_file_stream_close(NULL);
    CHECK(fh_file_stream_open(in_folder(""), &stream) == FH_OK);
    CHECK(fh_file_stream_read(stream, data, 4, &got) == FH_IO);
    fh_file_stream_close(stream);
}

static fh_status everything(void *context)
{
    fh_buffer content = {0};
    fh_directory directory = {0};
    fh_file_stream *stream = NULL;
    const char *path = context;
    fh_status status = fh_directory_make(path);
    if (!status)
        status = fh_directory_list(path, &directory);
    if (!status)
        status = fh_file_write_atomic(in_folder("m/file"), FH_TEXT("x"));
    if (!status)
        status = fh_file_read(in_folder("m/file"), 9, &content);
    if (!status)
        status = fh_file_stream_open(in_folder("m/file"), &stream);
    fh_file_stream_close(stream);
    fh_directory_free(&directory);
    fh_buffer_free(&content);
    return status;
}

static void memory_runs_out(void)
{
    char path[PATH_MAX];
    put_file("m/other", "");
    snprintf(path, sizeof path, "%s", in_folder("m"));
    CHECK(sweep(everything, path) >= 6);
}

int main(void)
{
    make_folder();
    TEST(read_gives_what_was_written);
    TEST(what_cannot_be_read);
    TEST(stat_tells_links_apart);
    TEST(writing_replaces_the_whole_file);
    TEST(directories_are_made_with_parents);
    TEST(listing_is_bytewise);
    TEST(streams_read_in_pieces);
    TEST(memory_runs_out);
    remove_folder();
    return test_report();
}
