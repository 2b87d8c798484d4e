#include "base/text.h"
#include "tests/test.h"

static void next_splits_like_python(void)
{
    fh_text rest = FH_TEXT("a,,b"), part;
    CHECK(fh_text_next(&rest, ',', &part));
    CHECK_TEXT(part, "a");
    CHECK(fh_text_next(&rest, ',', &part));
    CHECK_TEXT(part, "");
    CHECK(fh_text_next(&rest, ',', &part));
    CHECK_TEXT(part, "b");
    CHECK(!fh_text_next(&rest, ',', &part));
}

static void parts_are_whole(void)
{
    CHECK(fh_text_has_part(FH_TEXT("view,cpu"), ',', "view"));
    CHECK(fh_text_has_part(FH_TEXT("view,cpu"), ',', "cpu"));
    CHECK(!fh_text_has_part(FH_TEXT("views"), ',', "view"));
    CHECK(!fh_text_has_part(FH_TEXT("view;cpu"), ',', "view"));
    CHECK(!fh_text_has_part((fh_text){0}, ',', ""));
}

static void integers_at_the_edges(void)
{
    int64_t value = 0;
    CHECK(fh_text_to_integer(FH_TEXT("9223372036854775807"), &value) && value == INT64_MAX);
    CHECK(!fh_text_to_integer(FH_TEXT("9223372036854775808"), &value));
    CHECK(!fh_text_to_integer(FH_TEXT(""), &value));
    CHECK(!fh_text_to_integer(FH_TEXT("-"), &value));
    CHECK(!fh_text_to_integer(FH_TEXT("1 "), &value));
    CHECK(fh_text_to_integer(FH_TEXT("-7"), &value) && value == -7);
}

static void bytes_at_the_edges(void)
{
    uint64_t bytes = 7;
    static const char *const none[] = {"",
                                       "0",
                                       "0K",
                                       "-1",
                                       "-1K",
                                       "K",
                                       "1KB",
                                       "1k",
                                       "1 K",
                                       "1.5G",
                                       "+1",
                                       "1P",
                                       "GG",
                                       "9223372036854775808",
                                       "9007199254740992K",
                                       "8388608T"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        CHECK(!fh_text_to_bytes(fh_text_from(none[i]), &bytes) && bytes == 7);
    CHECK(!fh_text_to_bytes((fh_text){"1\0", 2}, &bytes)); /* its last byte is no unit */
    CHECK(fh_text_to_bytes(FH_TEXT("1"), &bytes) && bytes == 1);
    CHECK(fh_text_to_bytes(FH_TEXT("3K"), &bytes) && bytes == 3072);
    CHECK(fh_text_to_bytes(FH_TEXT("512M"), &bytes) && bytes == 536870912);
    CHECK(fh_text_to_bytes(FH_TEXT("64G"), &bytes) && bytes == 68719476736);
    CHECK(fh_text_to_bytes(FH_TEXT("8388607T"), &bytes) && bytes == 9223370937343148032u);
    CHECK(fh_text_to_bytes(FH_TEXT("9223372036854775807"), &bytes) && bytes == INT64_MAX);
}

int main(void)
{
    TEST(next_splits_like_python);
    TEST(parts_are_whole);
    TEST(integers_at_the_edges);
    TEST(bytes_at_the_edges);
    return test_report();
}
