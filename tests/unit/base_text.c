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

int main(void)
{
    TEST(next_splits_like_python);
    TEST(parts_are_whole);
    TEST(integers_at_the_edges);
    return test_report();
}
