#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "tests/test.h"
#include "tests/unit/sweep.h"

static void parts_are_appended(void)
{
    fh_buffer buffer = {0};
    fh_buffer_add(&buffer, (fh_text){0});
    CHECK(buffer.data == NULL);
    fh_buffer_add_string(&buffer, "a");
    fh_buffer_add_char(&buffer, 0);
    fh_buffer_add_format(&buffer, "%d%s", 12, "");
    fh_buffer_add_format(&buffer, "%s", "");
    CHECK(fh_text_equal(fh_buffer_text(&buffer), (fh_text){"a\0"
                                                           "12",
                                                           4}));
    for (int i = 0; i < 1000; i++)
        fh_buffer_add_format(&buffer, "%05d", i);
    CHECK(buffer.length == 5004 && !buffer.failed);
    CHECK(!memcmp(buffer.data + 4999, "00999", 5));
    fh_buffer_clear(&buffer);
    CHECK(buffer.length == 0 && buffer.capacity >= 5004);
    fh_buffer_free(&buffer);
    CHECK(!buffer.data && !buffer.capacity);
}

static void sizes_that_cannot_be(void)
{
    fh_buffer buffer = {0};
    fh_buffer_add_string(&buffer, "kept");
    CHECK(!fh_buffer_reserve(&buffer, SIZE_MAX) && buffer.failed);
    fh_buffer_add_string(&buffer, "lost");
    CHECK_TEXT(fh_buffer_text(&buffer), "kept");
    fh_buffer_free(&buffer);
    CHECK(!buffer.failed);
}

static void integers(void)
{
    static const int64_t values[] = {0, 7, -1, 10, -100, 4294967296, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        fh_buffer buffer = {0};
        char expected[32];
        int64_t back = 0;
        snprintf(expected, sizeof expected, "%lld", (long long)values[i]);
        fh_buffer_add_integer(&buffer, values[i]);
        CHECK_TEXT(fh_buffer_text(&buffer), expected);
        if (values[i] != INT64_MIN)
            CHECK(fh_text_to_integer(fh_buffer_text(&buffer), &back) && back == values[i]);
        fh_buffer_free(&buffer);
    }
}

static void slices_and_searches(void)
{
    fh_text text = FH_TEXT(" a/b/c \n");
    CHECK_TEXT(fh_text_slice(text, 1, 3), "a/");
    CHECK_TEXT(fh_text_slice(text, 7, 99), "\n");
    CHECK_TEXT(fh_text_slice(text, 9, 3), "");
    CHECK_TEXT(fh_text_slice((fh_text){0}, 1, 3), "");
    CHECK_TEXT(fh_text_trim(text), "a/b/c");
    CHECK_TEXT(fh_text_trim(FH_TEXT(" \t\r\n\v\f")), "");
    CHECK(fh_text_find(text, '/') == 2 && fh_text_find_last(text, '/') == 4);
    CHECK(fh_text_find(text, 'x') == 8 && fh_text_find_last((fh_text){0}, 'x') == 0);
    CHECK(fh_text_compare(FH_TEXT("a"), FH_TEXT("ab")) < 0);
    CHECK(fh_text_compare(FH_TEXT("\xFF"), FH_TEXT("a")) > 0);
    CHECK(fh_text_compare((fh_text){0}, FH_TEXT("")) == 0);
    CHECK(fh_text_contains(text, "b/c") && !fh_text_contains((fh_text){0}, "x"));
    CHECK(fh_text_contains((fh_text){0}, ""));
    CHECK(fh_text_starts(text, " a") && fh_text_ends(text, " \n") &&
          !fh_text_ends(text, "  a/b/c \n"));
}

static void parts_of_paths(void)
{
    fh_buffer joined = {0};
    CHECK_TEXT(fh_path_name(FH_TEXT("a/b.py")), "b.py");
    CHECK_TEXT(fh_path_name(FH_TEXT("b.py")), "b.py");
    CHECK_TEXT(fh_path_name(FH_TEXT("a/")), "");
    CHECK_TEXT(fh_path_directory(FH_TEXT("a/b/c")), "a/b");
    CHECK_TEXT(fh_path_directory(FH_TEXT("c")), "");
    CHECK_TEXT(fh_path_extension(FH_TEXT("a.b/c.tar.gz")), "gz");
    CHECK_TEXT(fh_path_extension(FH_TEXT("a.b/c")), "");
    CHECK_TEXT(fh_path_extension(FH_TEXT("a/.bashrc")), "");
    CHECK_TEXT(fh_path_extension(FH_TEXT("a.")), "");
    CHECK_TEXT(fh_path_tidy(FH_TEXT("./a/b//")), "a/b");
    CHECK_TEXT(fh_path_tidy(FH_TEXT("./")), "");
    CHECK_TEXT(fh_path_tidy(FH_TEXT(".")), "");
    CHECK_TEXT(fh_path_tidy(FH_TEXT("/")), "/");
    CHECK_TEXT(fh_path_tidy(FH_TEXT("..")), "..");
    CHECK_TEXT(fh_path_tidy((fh_text){0}), "");
    fh_path_join(&joined, FH_TEXT("a"), FH_TEXT("b"));
    fh_path_join(&joined, FH_TEXT("/"), FH_TEXT("c"));
    fh_path_join(&joined, FH_TEXT(""), FH_TEXT("d"));
    CHECK_TEXT(fh_buffer_text(&joined), "a/b/cd");
    fh_buffer_free(&joined);
}

/* Unicode standard 15, table 3-7 and the cases of its chapter 3.9. */
static void utf8_at_the_edges(void)
{
    static const struct {
        const char *text;
        size_t first_error;
    } cases[] = {
        {"", 0},
        {"a", 1},
        {"\x7F", 1},
        {"\x80", 0},
        {"\xC2\x80", 2},
        {"\xC1\xBF", 0},
        {"\xC2", 0},
        {"\xE0\xA0\x80", 3},
        {"\xE0\x9F\xBF", 0},
        {"\xED\x9F\xBF", 3},
        {"\xED\xA0\x80", 0},
        {"\xEF\xBF\xBF", 3},
        {"\xF0\x90\x80\x80", 4},
        {"\xF0\x8F\xBF\xBF", 0},
        {"\xF4\x8F\xBF\xBF", 4},
        {"\xF4\x90\x80\x80", 0},
        {"\xF5\x80\x80\x80", 0},
        {"a\xC3\xA9\xFF", 3},
        {"\xE2\x82", 0},
        {"\xE2\x82"
         "a",
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fh_text text = fh_text_from(cases[i].text);
        CHECK(fh_utf8_first_error(text) == cases[i].first_error);
        CHECK(fh_utf8_valid(text) == (cases[i].first_error == text.length));
    }
    fh_buffer out = {0};
    static const uint32_t points[] = {0x41,   0x7FF,   0x800,    0xD800,
                                      0xFFFF, 0x10000, 0x10FFFF, 0x110000};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        fh_utf8_add(&out, points[i]);
    CHECK_TEXT(fh_buffer_text(&out), "A\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBD\xEF\xBF\xBF\xF0\x90\x80\x80"
                                     "\xF4\x8F\xBF\xBF\xEF\xBF\xBD");
    CHECK(fh_utf8_count(fh_buffer_text(&out)) == 8);
    fh_buffer_clear(&out);
    fh_utf8_add_repaired(&out, FH_TEXT("a\xFF\xC3\xA9\xE2\x82"));
    CHECK_TEXT(fh_buffer_text(&out), "a\xEF\xBF\xBD\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD");
    fh_buffer_free(&out);
}

static fh_status build(void *context)
{
    fh_buffer buffer = {0};
    (void)context;
    for (int i = 0; i < 100; i++) {
        fh_buffer_add_format(&buffer, "%d,", i);
        fh_buffer_add(&buffer, FH_TEXT("text"));
        fh_utf8_add_repaired(&buffer, FH_TEXT("\xFF"
                                              "a"));
    }
    fh_status status = buffer.failed ? FH_NO_MEMORY : FH_OK;
    fh_buffer_free(&buffer);
    return status;
}

static void memory_runs_out(void)
{
    CHECK(sweep(build, NULL) > 3);
}

int main(void)
{
    TEST(parts_are_appended);
    TEST(sizes_that_cannot_be);
    TEST(integers);
    TEST(slices_and_searches);
    TEST(parts_of_paths);
    TEST(utf8_at_the_edges);
    TEST(memory_runs_out);
    return test_report();
}
