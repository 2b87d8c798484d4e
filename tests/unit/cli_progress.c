#include "analyse/cli/progress.h"
#include "os/thread.h"
#include "tests/test.h"

#include <fcntl.h>
#include <pty.h>
#include <time.h>
#include <unistd.h>

static void line_is(uint64_t done, uint64_t of, unsigned width, const char *expected)
{
    fh_buffer out = {0};
    fh_progress_add_line(&out, "reading", done, of, width);
    CHECK_TEXT(fh_buffer_text(&out), expected);
    CHECK(out.length < width);
    fh_buffer_free(&out);
}

static void lines_fit_the_terminal(void)
{
    line_is(1234, 2912, 60, "reading [===========>               ]  42 %  1,234 of 2,912");
    line_is(0, 5, 40, "reading [>              ]   0 %  0 of 5");
    line_is(5, 5, 40, "reading [===============] 100 %  5 of 5");
    line_is(7, 5, 40, "reading [===============] 100 %  5 of 5");
    line_is(1000000, 2000000, 32, "50 %  1,000,000 of 2,000,000");
    line_is(1000000, 2000000, 20, "50 %  1,000,000 of ");
    line_is(0, 0, 40, "reading [===============] 100 %  0 of 0");
}

/* Runs `work` with a terminal, or a pipe, as standard error; returns what it wrote there. */
static size_t capture(bool terminal, void (*work)(void), char *text, size_t capacity)
{
    int ends[2], before = dup(2);
    size_t length = 0;
    CHECK((terminal ? openpty(&ends[0], &ends[1], NULL, NULL, NULL) : pipe(ends)) == 0);
    dup2(ends[1], 2);
    work();
    dup2(before, 2);
    close(before);
    close(ends[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    for (ssize_t got; (got = read(ends[0], text + length, capacity - 1 - length)) > 0;)
        length += (size_t)got;
    close(ends[0]);
    text[length] = 0;
    return length;
}

static void pause_for(long milliseconds)
{
    struct timespec time = {.tv_sec = milliseconds / 1000,
                            .tv_nsec = milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void tell_one(void *progress, size_t index, unsigned worker)
{
    (void)worker;
    fh_progress_tell(progress, index + 1, 100000);
}

static void short_work(void)
{
    fh_progress progress;
    fh_progress_start(&progress, "reading", true);
    CHECK(fh_parallel_for(4, 100, tell_one, &progress) == FH_OK);
    fh_progress_finish(&progress);
}

static void long_work(void)
{
    fh_progress progress;
    fh_progress_start(&progress, "reading", true);
    pause_for(1050);
    CHECK(fh_parallel_for(4, 100000, tell_one, &progress) == FH_OK);
    pause_for(120);
    fh_progress_tell(&progress, 100000, 100000);
    fh_progress_finish(&progress);
}

static void unwanted_work(void)
{
    fh_progress progress;
    fh_progress_start(&progress, "reading", false);
    pause_for(1050);
    fh_progress_tell(&progress, 1, 2);
    fh_progress_finish(&progress);
}

static void appears_after_a_second_and_goes(void)
{
    static char text[65536];
    size_t length = capture(true, long_work, text, sizeof text);
    CHECK(length > 0 && !strncmp(text, "\rreading [", 10));
    CHECK(strstr(text, "100 %  100,000 of 100,000"));
    CHECK(length >= 4 && !strcmp(text + length - 4, "\r\033[K"));
    CHECK(capture(true, unwanted_work, text, sizeof text) == 0);
}

static void nothing_for_short_work_and_for_pipes(void)
{
    static char text[65536];
    CHECK(capture(true, short_work, text, sizeof text) == 0);
    CHECK(capture(false, long_work, text, sizeof text) == 0);
}

int main(void)
{
    TEST(lines_fit_the_terminal);
    TEST(appears_after_a_second_and_goes);
    TEST(nothing_for_short_work_and_for_pipes);
    return test_report();
}
