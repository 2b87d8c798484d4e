#include "os/clock.h"
#include "os/interrupt.h"
#include "os/process.h"
#include "tests/test.h"

#include <stdlib.h>

static fh_buffer output;
static int exit_code;

static fh_status run(unsigned milliseconds, uint64_t max_bytes, const char *const *arguments)
{
    fh_buffer_clear(&output);
    exit_code = -1;
    return fh_process_run(arguments, max_bytes, milliseconds, &output, &exit_code);
}

#define RUN(milliseconds, max_bytes, ...) \
    run((milliseconds), (max_bytes), (const char *const[]){__VA_ARGS__, NULL})

static void output_and_exit_code(void)
{
    CHECK(RUN(10000, 100, "printf", "%s|%s", "a b", "*;$(x)") == FH_OK);
    CHECK_TEXT(fh_buffer_text(&output), "a b|*;$(x)"); /* no shell looked at it */
    CHECK(exit_code == 0);
    CHECK(RUN(10000, 100, "sh", "-c", "exit 7") == FH_OK && exit_code == 7);
    CHECK(RUN(10000, 100, "sh", "-c", "kill -TERM $$") == FH_OK && exit_code == 128 + 15);
    CHECK(RUN(10000, 100, "cat") == FH_OK && output.length == 0); /* its input is empty */
    CHECK(RUN(10000, 100, "sh", "-c", "echo lost >&2") == FH_OK && output.length == 0);
}

static void what_was_there_stays(void)
{
    fh_buffer_clear(&output);
    fh_buffer_add_string(&output, "before ");
    CHECK(fh_process_run((const char *const[]){"echo", "x", NULL}, 100, 10000, &output,
                         &exit_code) == FH_OK);
    CHECK_TEXT(fh_buffer_text(&output), "before x\n");
    CHECK(fh_process_run((const char *const[]){"echo", "12345", NULL}, 3, 10000, &output,
                         &exit_code) == FH_LIMIT);
    CHECK_TEXT(fh_buffer_text(&output), "before x\n");
}

static void limits_end_it(void)
{
    uint64_t before = fh_clock_now();
    CHECK(RUN(300, 100, "sleep", "30") == FH_LIMIT);
    CHECK(RUN(300, 100, "sh", "-c", "sleep 30 & sleep 30") == FH_LIMIT); /* its children too */
    CHECK(RUN(300, 100, "sh", "-c", "exec >&-; sleep 30") == FH_LIMIT);
    CHECK(RUN(10000, 100000, "yes") == FH_LIMIT);
    CHECK(fh_clock_now() - before < 10000000000u);
    CHECK(strstr(fh_error_message(), "yes wrote more than 100000 bytes"));
    fh_interrupt_set(true);
    CHECK(RUN(10000, 100, "sleep", "30") == FH_INTERRUPTED);
    fh_interrupt_set(false);
}

static void no_such_program(void)
{
    CHECK(RUN(1000, 100, "no-such-program-here") == FH_NOT_FOUND);
    CHECK(strstr(fh_error_message(), "no-such-program-here"));
    CHECK(RUN(1000, 100, "/no/such/folder/program") == FH_NOT_FOUND);
    CHECK(RUN(1000, 100, "/") == FH_IO);
}

static void in_the_place_of_this_one(void)
{
    CHECK(fh_process_replace((const char *const[]){"no-such-program-here", NULL}) == FH_NOT_FOUND);
    CHECK(strstr(fh_error_message(), "no-such-program-here"));
    CHECK(fh_process_replace((const char *const[]){"/", NULL}) == FH_IO);
    CHECK(fh_process_replace((const char *const[]){"/dev/null", NULL}) == FH_IO);
}

static void large_output(void)
{
    CHECK(RUN(20000, 1 << 24, "head", "-c", "8000000", "/dev/zero") == FH_OK);
    CHECK(output.length == 8000000);
}

int main(void)
{
    TEST(output_and_exit_code);
    TEST(what_was_there_stays);
    TEST(limits_end_it);
    TEST(no_such_program);
    TEST(in_the_place_of_this_one);
    TEST(large_output);
    fh_buffer_free(&output);
    return test_report();
}
