/* test.h: what a unit test needs.
 *
 * A test program lists its cases in main with TEST(name) and ends with
 * `return test_report();`. A failed CHECK prints place and expression and the
 * program goes on, so that one run shows all that is wrong.
 */
#ifndef FH_TESTS_TEST_H
#define FH_TESTS_TEST_H

#include <stdio.h>
#include <string.h>

static int test_checks, test_failures;

#define CHECK(condition) \
    (test_checks++, (condition) ? (void)0 \
                                : (test_failures++, (void)printf("%s:%d: failed: %s\n", __FILE__, \
                                                                 __LINE__, #condition)))

/* Compares an fh_text with a C string, and shows both when they differ. */
#define CHECK_TEXT(text, expected) \
    do { \
        fh_text got_ = (text); \
        const char *want_ = (expected); \
        test_checks++; \
        if (got_.length != strlen(want_) || \
            (got_.length && memcmp(got_.data, want_, got_.length))) { \
            test_failures++; \
            printf("%s:%d: got \"%.*s\", expected \"%s\"\n", __FILE__, __LINE__, (int)got_.length, \
                   got_.data ? got_.data : "", want_); \
        } \
    } while (0)

/* What loops over long lists add to their counter: under the thread sanitizer, some ten times
 * slower, they take samples. */
#define TEST_EVERY 1
#if defined __has_feature
#if __has_feature(thread_sanitizer)
#undef TEST_EVERY
#define TEST_EVERY 7
#endif
#endif

#define TEST(name) (printf("%s\n", #name), name())

/* The exit code: 1 when a check failed, or when there was none. */
static int test_report(void)
{
    printf("%d checks, %d failed\n", test_checks, test_failures);
    return test_failures || !test_checks;
}

#endif
