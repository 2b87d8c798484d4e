#include "os/paths.h"
#include "os/terminal.h"
#include "tests/test.h"
#include "tests/unit/sweep.h"

#include <fcntl.h>
#include <pty.h>
#include <stdlib.h>
#include <unistd.h>

static void clear_environment(void)
{
    static const char *const names[] = {"COLUMNS", "NO_COLOR", "CLICOLOR_FORCE", "TERM"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

/* Standard error becomes `fd` until it is put back. */
static int replace_stderr(int fd)
{
    int saved = dup(STDERR_FILENO);
    CHECK(saved >= 0 && dup2(fd, STDERR_FILENO) >= 0);
    return saved;
}

static void restore_stderr(int saved)
{
    dup2(saved, STDERR_FILENO);
    close(saved);
}

static void a_pipe_that_nobody_reads(void)
{
    int ends[2];
    char data[8];
    CHECK(pipe(ends) == 0);
    int saved = replace_stderr(ends[1]);
    CHECK(fh_output_write(FH_STDERR, FH_TEXT("abc")) == FH_OK);
    CHECK(read(ends[0], data, sizeof data) == 3 && !fh_output_closed());
    close(ends[0]);
    CHECK(fh_output_write(FH_STDERR, (fh_text){0}) == FH_OK);
    CHECK(fh_output_write(FH_STDERR, FH_TEXT("abc")) == FH_IO);
    CHECK(fh_output_closed());
    close(ends[1]);
    restore_stderr(saved);
}

static void a_full_disk_is_another_matter(void)
{
    int full = open("/dev/full", O_WRONLY);
    int saved = replace_stderr(full);
    CHECK(fh_output_write(FH_STDERR, FH_TEXT("abc")) == FH_IO);
    CHECK(!fh_output_closed());
    CHECK_TEXT(fh_text_from(fh_error_message()),
               "cannot write to standard error: No space left on device");
    restore_stderr(saved);
    close(full);
}

static void width_and_colour(void)
{
    int master, slave;
    struct winsize size = {.ws_row = 24, .ws_col = 133};
    clear_environment();
    CHECK(openpty(&master, &slave, NULL, NULL, &size) == 0);
    int saved = replace_stderr(slave);
    CHECK(fh_terminal_is(FH_STDERR) && fh_terminal_width(FH_STDERR) == 133);
    CHECK(fh_terminal_height(FH_STDERR) == 24);
    CHECK(!fh_terminal_color(FH_STDERR)); /* no TERM */
    setenv("TERM", "xterm", 1);
    CHECK(fh_terminal_color(FH_STDERR));
    setenv("TERM", "dumb", 1);
    CHECK(!fh_terminal_color(FH_STDERR));
    setenv("CLICOLOR_FORCE", "1", 1);
    CHECK(fh_terminal_color(FH_STDERR));
    setenv("NO_COLOR", "1", 1);
    CHECK(!fh_terminal_color(FH_STDERR));
    clear_environment();
    setenv("TERM", "xterm", 1);
    setenv("NO_COLOR", "", 1);
    CHECK(fh_terminal_color(FH_STDERR)); /* an empty NO_COLOR says nothing */

    static const struct {
        const char *columns;
        unsigned width;
    } cases[] = {{"100", 100}, {"0", 133}, {"-5", 133},    {"x", 133},
                 {"", 133},    {"5", 20},  {"99999", 1000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("COLUMNS", cases[i].columns, 1);
        CHECK(fh_terminal_width(FH_STDERR) == cases[i].width);
    }
    restore_stderr(saved);
    close(slave);
    close(master);

    int null = open("/dev/null", O_WRONLY);
    clear_environment();
    setenv("TERM", "xterm", 1);
    saved = replace_stderr(null);
    CHECK(!fh_terminal_is(FH_STDERR) && fh_terminal_width(FH_STDERR) == 80);
    CHECK(fh_terminal_height(FH_STDERR) == 0);
    CHECK(!fh_terminal_color(FH_STDERR));
    setenv("CLICOLOR_FORCE", "0", 1);
    CHECK(!fh_terminal_color(FH_STDERR));
    restore_stderr(saved);
    close(null);
}

static fh_status cache_path(void *context)
{
    fh_buffer path = {0};
    fh_status status = fh_paths_cache(&path);
    if (!status && context)
        CHECK_TEXT(fh_buffer_text(&path), context);
    if (!status)
        CHECK(path.data[path.length] == 0);
    fh_buffer_free(&path);
    return status;
}

static fh_status program_folder(void *context)
{
    fh_buffer path = {0};
    char file[4096];
    ssize_t length = readlink("/proc/self/exe", file, sizeof file);
    (void)context;
    fh_status status = fh_paths_program_folder(&path);
    if (!status && length > 0) {
        fh_text folder = fh_text_slice((fh_text){file, (size_t)length}, 0, path.length);
        CHECK(fh_text_equal(fh_buffer_text(&path), folder) && path.data[path.length] == 0);
        CHECK(file[path.length] == '/' &&
              !memchr(file + path.length + 1, '/', (size_t)length - path.length - 1));
    }
    fh_buffer_free(&path);
    return status;
}

static void own_directories(void)
{
    setenv("HOME", "/home/u", 1);
    setenv("XDG_CACHE_HOME", "/x", 1);
    setenv("FOOTHOLD_CACHE_DIR", "/own", 1);
    CHECK(cache_path("/own") == FH_OK);
    setenv("FOOTHOLD_CACHE_DIR", "", 1);
    CHECK(cache_path("/x/foothold") == FH_OK);
    setenv("XDG_CACHE_HOME", "relative", 1);
    CHECK(cache_path("/home/u/.cache/foothold") == FH_OK);
    unsetenv("XDG_CACHE_HOME");
    CHECK(cache_path("/home/u/.cache/foothold") == FH_OK);
    fh_buffer path = {0};
    unsetenv("FOOTHOLD_CONFIG_DIR");
    setenv("XDG_CONFIG_HOME", "/c", 1);
    CHECK(fh_paths_config(&path) == FH_OK);
    CHECK_TEXT(fh_buffer_text(&path), "/c/foothold");
    unsetenv("XDG_CONFIG_HOME");
    CHECK(fh_paths_config(&path) == FH_OK);
    CHECK_TEXT(fh_buffer_text(&path), "/home/u/.config/foothold");
    fh_buffer_free(&path);
    CHECK(sweep(cache_path, NULL) >= 1);
    CHECK(sweep(program_folder, NULL) >= 1);
    unsetenv("HOME"); /* the password file knows, or nobody does; no crash */
    CHECK(cache_path(NULL) == FH_OK || strstr(fh_error_message(), "set FOOTHOLD_CACHE_DIR"));
}

int main(void)
{
    TEST(a_pipe_that_nobody_reads);
    TEST(a_full_disk_is_another_matter);
    TEST(width_and_colour);
    TEST(own_directories);
    return test_report();
}
