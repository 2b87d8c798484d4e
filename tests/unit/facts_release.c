#include "facts/release.h"
#include "tests/test.h"

static fh_release at(uint16_t major, uint16_t minor)
{
    return (fh_release){major, minor};
}

static bool parses(const char *text, uint16_t major, uint16_t minor)
{
    fh_release release = {0};
    return fh_release_parse(fh_text_from(text), &release) == FH_OK &&
           fh_release_compare(release, at(major, minor)) == 0;
}

static void parsing(void)
{
    CHECK(parses("2.7", 2, 7) && parses("2.7.1", 2, 7) && parses("v2.13", 2, 13));
    CHECK(parses("V2.13.0+cpu", 2, 13) && parses(" 2.10.0.post7 ", 2, 10) &&
          parses("2.1rc1", 2, 1));
    static const char *const bad[] = {"",     "2",   "2.",      "v",       ".7",   "two.seven",
                                      "-2.7", "2.x", "99999.1", "2.99999", "vv2.7"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        fh_release release = at(9, 9);
        CHECK(fh_release_parse(fh_text_from(bad[i]), &release) == FH_INVALID);
        CHECK(release.major == 9);
    }
    CHECK(strstr(fh_error_message(), "write it like 2.7"));
}

static void order_is_by_number(void)
{
    CHECK(fh_release_compare(at(2, 10), at(2, 9)) > 0);
    CHECK(fh_release_compare(at(3, 0), at(2, 14)) > 0 && !fh_release_compare(at(2, 1), at(2, 1)));
}

static bool in(uint16_t minor, const char *range)
{
    return fh_release_in(at(2, minor), fh_text_from(range));
}

static void ranges(void)
{
    CHECK(in(1, "2.1-") && in(14, "2.1-") && !in(1, "2.3-"));
    CHECK(in(12, "2.1-2.12") && !in(13, "2.1-2.12") && in(9, "2.1-2.12") && in(1, "2.1-2.12"));
    CHECK(in(6, "2.6") && !in(7, "2.6") && !in(60, "2.6") && !in(1, "2.14"));
    CHECK(in(9, "2.6-2.9,2.11-") && !in(10, "2.6-2.9,2.11-") && in(11, "2.6-2.9,2.11-"));
    CHECK(in(7, "2.7/2.9-") && !in(8, "2.7/2.9-") && in(13, "2.7/2.9-"));
    CHECK(!in(7, "") && !in(7, "-") && !in(7, "unknown") && !in(7, ",") && !in(7, "2.1-x"));
    CHECK(!in(7, "2.9-2.1") && !in(7, "2") && in(7, " 2.7 , 2.8"));
}

static void cells(void)
{
    CHECK_TEXT(fh_release_cell(at(2, 5), FH_TEXT("composite")), "composite");
    CHECK_TEXT(fh_release_cell(at(2, 3), FH_TEXT("kernel@2.1-2.3|generic@2.4-")), "kernel");
    CHECK_TEXT(fh_release_cell(at(2, 10), FH_TEXT("kernel@2.1-2.3|generic@2.4-")), "generic");
    CHECK_TEXT(fh_release_cell(at(2, 9), FH_TEXT("kernel@2.10-2.13|via_out@2.14-")), "");
    CHECK_TEXT(fh_release_cell(at(2, 9), (fh_text){0}), "");
}

static void known_releases(void)
{
    fh_release release;
    CHECK(fh_release_count() >= 13);
    CHECK(fh_release_compare(fh_release_at(0), at(2, 1)) == 0);
    for (unsigned i = 1; i < fh_release_count(); i++)
        CHECK(fh_release_compare(fh_release_at(i - 1), fh_release_at(i)) < 0);
    CHECK(!fh_release_compare(fh_release_default(), fh_release_at(fh_release_count() - 1)));
    CHECK(fh_release_get(FH_TEXT(""), &release) == FH_OK);
    CHECK(!fh_release_compare(release, fh_release_default()));
    CHECK(fh_release_get(FH_TEXT("2.7.1"), &release) == FH_OK && release.minor == 7);
    CHECK(fh_release_get(FH_TEXT("1.13"), &release) == FH_NOT_FOUND && release.minor == 7);
    CHECK(strstr(fh_error_message(), "1.13") && strstr(fh_error_message(), "2.13"));
    CHECK(strstr(fh_error_message(), "the tables have 2.1, 2."));
    CHECK(fh_release_get(FH_TEXT("2.2"), &release) == FH_NOT_FOUND); /* none on PyPI */
    CHECK(fh_release_get(FH_TEXT("latest"), &release) == FH_INVALID);
    CHECK_TEXT(fh_release_torch_npu(at(2, 7)), "2.7.1.post11");
    CHECK_TEXT(fh_release_date(at(2, 7)), "2026-10-15");
    CHECK_TEXT(fh_release_torch_npu(at(2, 99)), "");
}

int main(void)
{
    TEST(parsing);
    TEST(order_is_by_number);
    TEST(ranges);
    TEST(cells);
    TEST(known_releases);
    return test_report();
}
