#include "facts/pep440.h"
#include "facts/table.h"
#include "os/file.h"
#include "tests/test.h"

static fh_text column(fh_text row, unsigned index)
{
    fh_text rest = row, part = {0};
    for (unsigned i = 0; i <= index; i++)
        if (!fh_text_next(&rest, '\t', &part))
            return (fh_text){0};
    return part;
}

static int sign(int value)
{
    return value > 0 ? 1 : value < 0 ? -1 : 0;
}

static bool agrees(fh_text row)
{
    fh_text kind = column(row, 0), left = column(row, 1), right = column(row, 2);
    fh_version a, b;
    int64_t expected = -9;
    bool is_number = fh_text_to_integer(column(row, 3), &expected);
    bool is_parsed = fh_version_parse(left, &a);
    if (fh_text_is(kind, "parse"))
        return is_parsed == (expected == 1);
    if (fh_text_is(kind, "compare"))
        return is_parsed && fh_version_parse(right, &b) && is_number &&
               sign(fh_version_compare(&a, &b)) == expected;
    fh_specifier_answer answer = fh_specifier_contains(right, &a);
    if (fh_text_is(kind, "specifier"))
        return (answer == FH_SPECIFIER_INVALID) == fh_text_is(column(row, 3), "invalid");
    return answer == (expected == 1 ? FH_SPECIFIER_YES : FH_SPECIFIER_NO);
}

/* The file says what Python's packaging library says. */
static void as_packaging_says(void)
{
    fh_buffer content = {0};
    unsigned rows = 0, differing = 0;
    CHECK(fh_file_read("tests/facts_data/pep440.tsv", 1 << 20, &content) == FH_OK);
    fh_text rest = fh_buffer_text(&content), row;
    while (fh_table_next(&rest, &row)) {
        if (fh_text_starts(row, "#") || fh_text_starts(row, "kind\t"))
            continue;
        rows++;
        if (!agrees(row)) {
            differing++;
            printf("  differs: %.*s\n", FH_TEXT_ARGS(row));
        }
    }
    CHECK(rows > 3000 && differing == 0);
    fh_buffer_free(&content);
}

static void edges(void)
{
    fh_version version;
    CHECK(fh_version_parse(FH_TEXT("99999999999999999999.0"), &version));
    CHECK(version.parts[0] == UINT32_MAX);
    CHECK(!fh_version_parse(FH_TEXT("1.1.1.1.1.1.1.1.1.1.1.1.1"), &version)); /* 13 parts */
    CHECK(fh_specifier_contains(FH_TEXT(""), &version) == FH_SPECIFIER_YES);
    CHECK(fh_specifier_contains(FH_TEXT(" , ,"), &version) == FH_SPECIFIER_YES);
    CHECK(fh_specifier_is_exact(FH_TEXT("==2.7.1")) && fh_specifier_is_exact(FH_TEXT(">1, ==2.7")));
    CHECK(!fh_specifier_is_exact(FH_TEXT("==2.7.*")) && !fh_specifier_is_exact(FH_TEXT(">=2.7")));
}

int main(void)
{
    TEST(as_packaging_says);
    TEST(edges);
    return test_report();
}
