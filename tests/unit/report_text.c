#include "analyse/report/clean.h"
#include "analyse/report/figures.h"
#include "analyse/report/line.h"
#include "analyse/report/width.h"
#include "base/utf8.h"
#include "tests/test.h"
#include "tests/unit/report_samples.h"

static fh_buffer text(const fh_result *result, unsigned width, bool color, bool details)
{
    fh_buffer out = {0};
    fh_report_options options = {.width = width, .color = color, .details = details};
    CHECK(fh_report_write(result, fh_report_format_find(FH_TEXT("text")), &options, &out) == FH_OK);
    return out;
}

/* Every sample in turn; false after the last. */
static bool sample(unsigned i, fh_result *result)
{
    if (i == 0)
        *result = sample_empty();
    else if (i == 1)
        *result = sample_bare();
    else if (i == 2)
        *result = sample_many(300);
    else if (i - 3 < SAMPLE_HOSTILE_COUNT)
        *result = sample_everywhere(sample_hostile[i - 3]);
    else
        return false;
    return true;
}

static void summary_fits_one_screen(void)
{
    static const unsigned widths[] = {1, 40, 72, 80, 100, 237};
    fh_result r;
    for (unsigned i = 0; sample(i, &r); i++) {
        for (size_t j = 0; j < sizeof widths / sizeof *widths; j++) {
            fh_buffer out = text(&r, widths[j], false, false);
            fh_text rest = fh_buffer_text(&out), line;
            unsigned lines = 0, most = widths[j] < 40 ? 40 : widths[j];
            for (; fh_text_next(&rest, '\n', &line) && rest.data; lines++)
                CHECK(fh_width(line) <= most);
            CHECK(lines >= 4 && lines <= 40);
            CHECK(line.length == 0); /* ends in a line break */
            fh_buffer_free(&out);
        }
        fh_result_free(&r);
    }
}

/* A terminal of fewer lines gets fewer, and always what it is about and where to read on. */
static void summary_fits_the_terminal(void)
{
    static const unsigned heights[] = {1, 12, 15, 18, 20, 23, 24, 29, 33, 49};
    fh_result r;
    for (unsigned i = 0; sample(i, &r); i++) {
        unsigned before = 0;
        for (size_t h = 0; h < sizeof heights / sizeof *heights; h++) {
            fh_buffer out = {0};
            fh_report_options options = {.width = 80, .height = heights[h]};
            CHECK(fh_report_write(&r, fh_report_format_find(FH_TEXT("text")), &options, &out) ==
                  FH_OK);
            fh_text rest = fh_buffer_text(&out), line;
            unsigned lines = 0;
            while (fh_text_next(&rest, '\n', &line) && rest.data)
                lines++;
            CHECK(lines <= heights[h] || heights[h] < 15);
            CHECK(lines >= before); /* more room is never worse */
            CHECK(fh_text_starts(fh_buffer_text(&out), "Foothold"));
            CHECK(fh_text_contains(fh_buffer_text(&out), "--details"));
            before = lines;
            fh_buffer_free(&out);
        }
        fh_result_free(&r);
    }
}

static bool is_harmless(fh_text all)
{
    size_t n;
    for (size_t i = 0; i < all.length; i += n) {
        uint32_t c = fh_width_decode(fh_text_slice(all, i, all.length), &n);
        if ((c < 0x20 && c != '\n') || (c >= 0x7F && c < 0xA0) || (c >= 0x2028 && c <= 0x202E) ||
            (c >= 0x2066 && c <= 0x2069))
            return false;
    }
    return fh_utf8_valid(all);
}

static fh_buffer without_colors(fh_text all)
{
    fh_buffer plain = {0};
    for (size_t i = 0; i < all.length; i++) {
        if (all.data[i] == '\033')
            while (all.data[i] != 'm')
                i++;
        else
            fh_buffer_add_char(&plain, all.data[i]);
    }
    return plain;
}

/* Nothing that the target holds acts on the terminal, and colours add nothing to the words. */
static void text_is_harmless_and_colors_are_extra(void)
{
    fh_result r;
    for (unsigned i = 0; sample(i, &r); i++) {
        for (int details = 0; details < 2; details++) {
            fh_buffer plain = text(&r, 100, false, details), colored = text(&r, 100, true, details);
            fh_buffer stripped = without_colors(fh_buffer_text(&colored));
            CHECK(is_harmless(fh_buffer_text(&plain)));
            CHECK(colored.length > plain.length);
            CHECK(fh_text_equal(fh_buffer_text(&stripped), fh_buffer_text(&plain)));
            fh_buffer_free(&plain);
            fh_buffer_free(&colored);
            fh_buffer_free(&stripped);
        }
        fh_result_free(&r);
    }
}

static void counts_are_exact(void)
{
    fh_result r = sample_many(300);
    fh_report_options options = {.details = true, .max_locations = 2, .prefix = FH_TEXT("repo/")};
    fh_buffer summary = text(&r, 100, false, false), details = {0};
    CHECK(fh_report_write(&r, fh_report_format_find(FH_TEXT("text")), &options, &details) == FH_OK);
    CHECK(fh_text_contains(fh_buffer_text(&summary), "93,600,000 sites"));
    CHECK(fh_text_contains(fh_buffer_text(&summary), "300,299 notes"));
    CHECK(fh_text_contains(fh_buffer_text(&details), "and 311,998 more"));
    CHECK(fh_text_contains(fh_buffer_text(&details),
                           "repo/src/models/a/long/path/modeling_one.py:1:1"));
    CHECK(!fh_text_contains(fh_buffer_text(&details), "modeling_one.py:1:3"));
    fh_buffer_free(&summary);
    fh_buffer_free(&details);
    fh_result_free(&r);
}

static void all_sections_are_there(void)
{
    static const char *const titles[] = {
        "Computation-Intensive Operators",
        "CANN Support Analysis",
        "Natively supported",
        "CPU fallback (performance risk)",
        "Optimization Recommendations",
        "Automatic mixed precision",
        "Graph optimization",
        "Distributed training",
        "Device code",
        "Host-bound code",
        "Memory and input",
        "Performance Profiling",
        "Expected Performance on Ascend",
        "What static reading cannot know",
        "Files",
        "Expected gain over the CPU",
        "workaround: x",
        "impact: x",
    };
    fh_result r = sample_everywhere(FH_TEXT("x"));
    fh_buffer out = text(&r, 100, false, true);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        CHECK(fh_text_contains(fh_buffer_text(&out), titles[i]));
    fh_buffer_free(&out);
    fh_result_free(&r);
}

static void figures(void)
{
    static const struct {
        double value;
        const char *shown;
    } shorts[] = {{0, "0"},
                  {0.004, "0"},
                  {0.625, "0.63"},
                  {5, "5"},
                  {45.67, "45.7"},
                  {312.4, "312"},
                  {999.5, "1,000"},
                  {9999, "9,999"},
                  {99.96, "100"},
                  {10000, "10 k"},
                  {999499, "999 k"},
                  {999600, "1 M"},
                  {1.234e6, "1.23 M"},
                  {5.898e9, "5.9 G"},
                  {3.2e15, "3.2 P"},
                  {1e20, "100,000 P"},
                  {195.625, "196"}};
    fh_buffer b = {0};
    for (size_t i = 0; i < sizeof shorts / sizeof *shorts; i++) {
        fh_buffer_clear(&b);
        fh_figure_short(&b, shorts[i].value);
        CHECK_TEXT(fh_buffer_text(&b), shorts[i].shown);
    }
#define SHOWN(call, expected) \
    fh_buffer_clear(&b); \
    call; \
    CHECK_TEXT(fh_buffer_text(&b), expected);
    SHOWN(fh_figure_count(&b, 1234567890123ull), "1,234,567,890,123")
    SHOWN(fh_figure_plural(&b, 1, "site"), "1 site")
    SHOWN(fh_figure_plural(&b, 1000, "site"), "1,000 sites")
    SHOWN(fh_figure_bytes(&b, 999), "999 bytes")
    SHOWN(fh_figure_bytes(&b, 53600000), "53.6 MB")
    SHOWN(fh_figure_bytes(&b, 999600), "1 MB")
    SHOWN(fh_figure_percent(&b, 0.714), "71 %")
    SHOWN(fh_figure_percent(&b, 0.0001), "< 1 %")
    SHOWN(fh_figure_percent(&b, 0.9999), "> 99 %")
    SHOWN(fh_figure_percent(&b, 1), "100 %")
    SHOWN(fh_figure_range(&b, 0.6, 0.95), "0.6–0.95×")
    SHOWN(fh_figure_range(&b, 2, 2), "2×")
    SHOWN(fh_figure_place(&b, FH_TEXT("a.py"), 3, 0), "a.py:3")
    SHOWN(fh_figure_place(&b, FH_TEXT("a.py"), 0, 4), "a.py")
#undef SHOWN
    fh_buffer_free(&b);
}

static void widths(void)
{
    CHECK(fh_width(FH_TEXT("abc")) == 3);
    CHECK(fh_width(FH_TEXT("数据")) == 4);
    CHECK(fh_width(FH_TEXT("e\xcc\x81")) == 1); /* e and a combining acute accent */
    CHECK(fh_width(FH_TEXT("🦄")) == 2);
    CHECK(fh_width(FH_TEXT("ＦＷ")) == 4);
    CHECK(fh_width(FH_TEXT("–×…")) == 3);
    CHECK(fh_width((fh_text){0}) == 0);
}

static fh_buffer line_of(const char *plain, const char *place)
{
    fh_buffer line = {0};
    fh_line_add(&line, FH_INK_BAD, fh_text_from(plain));
    fh_line_add(&line, FH_INK_PLACE, fh_text_from(place));
    return line;
}

static void check_cut(const char *plain, size_t columns, bool keep_end, const char *expected)
{
    fh_buffer line = line_of(plain, ""), out = {0};
    fh_line_write(&out, fh_buffer_text(&line), columns, keep_end, false);
    CHECK_TEXT(fh_buffer_text(&out), expected);
    fh_buffer_free(&line);
    fh_buffer_free(&out);
}

static void lines_are_cut(void)
{
    check_cut("abcdef", 6, false, "abcdef");
    check_cut("abcdef", 5, false, "abcd…");
    check_cut("abcdef", 5, true, "…cdef");
    check_cut("abcdef", 1, false, "…");
    check_cut("abcdef", 0, false, "");
    check_cut("数据模型", 8, false, "数据模型");
    check_cut("数据模型", 7, false, "数据模…");
    check_cut("数据模型", 6, false, "数据…");
    check_cut("数据模型", 6, true, "…模型");
    check_cut("", 3, false, "");
}

static void check_wrapped(const char *plain, const char *place, size_t columns, size_t indent,
                          const char *expected)
{
    fh_buffer line = line_of(plain, place), out = {0};
    fh_line_wrap(&out, fh_buffer_text(&line), columns, indent, false);
    CHECK_TEXT(fh_buffer_text(&out), expected);
    fh_buffer_free(&line);
    fh_buffer_free(&out);
}

static void lines_are_wrapped(void)
{
    check_wrapped("", "", 20, 0, "\n");
    check_wrapped("one two three four", "", 13, 0, "one two three\nfour\n");
    check_wrapped("one two three four", "", 14, 2, "one two\n  three four\n");
    check_wrapped("a  b", "", 20, 0, "a  b\n");
    check_wrapped("aaaaaaaaaaaaaaaaaaaaaaaaa", "", 12, 0, "aaaaaaaaaaaaaaaaaaaaaaaaa\n");
    check_wrapped("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "", 40,
                  0, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\naaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n");
    check_wrapped("数据triton-ascend模型", "", 12, 0, "数据\ntriton-ascend\n模型\n");
    check_wrapped("from triton-ascend-readme, a/long/path.json", "", 14, 2,
                  "from\n  triton-ascend-readme,\n  a/long/path.json\n");
    check_wrapped("aaaaaaaaaa数据模型", "", 12, 0, "aaaaaaaaaa数\n据模型\n");
    check_wrapped("数据模型数据模型", "", 11, 0, "数据模型数\n据模型\n");
    check_wrapped("at ", "a folder/of mine/a.py:1:2", 14, 2, "at\n  a folder/of mine/a.py:1:2\n");
}

static void strings_of_any_length(void)
{
    static char long_text[1 << 20];
    memset(long_text, 'a', sizeof long_text);
    fh_result r = sample_everywhere((fh_text){long_text, sizeof long_text});
    fh_buffer out = text(&r, 100, false, false);
    CHECK(out.length < 10000);
    fh_buffer_free(&out);
    fh_result_free(&r);
}

int main(void)
{
    TEST(summary_fits_one_screen);
    TEST(summary_fits_the_terminal);
    TEST(text_is_harmless_and_colors_are_extra);
    TEST(counts_are_exact);
    TEST(all_sections_are_there);
    TEST(figures);
    TEST(widths);
    TEST(lines_are_cut);
    TEST(lines_are_wrapped);
    TEST(strings_of_any_length);
    return test_report();
}
