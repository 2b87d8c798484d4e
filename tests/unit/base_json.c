#include "base/json.h"
#include "base/json_write.h"
#include "base/memory.h"
#include "base/number.h"
#include "tests/test.h"
#include "tests/unit/sweep.h"

#include <math.h>
#include <stdlib.h>

static fh_json_document *parse(fh_text text)
{
    fh_json_document *document = NULL;
    fh_status status = fh_json_parse(text, "t", &document);
    CHECK(status == FH_OK);
    if (status)
        printf("  %s\n", fh_error_message());
    return document;
}

static void check_refused(fh_text text, const char *message)
{
    fh_json_document *document = NULL;
    CHECK(fh_json_parse(text, "t", &document) == FH_INVALID);
    CHECK(document == NULL);
    CHECK_TEXT(fh_text_from(fh_error_message()), message);
    fh_json_free(document);
}

static void values_of_every_kind(void)
{
    fh_text text = FH_TEXT("{\"a\": [1, -2.5e1, \"x\\n\", true, false, null], \"\": {}}");
    fh_json_document *document = parse(text);
    fh_json_value root = fh_json_root(document), list = fh_json_member(root, "a");
    int64_t integer;
    double real;
    CHECK(fh_json_kind_of(root) == FH_JSON_OBJECT && fh_json_count(root) == 2);
    CHECK(fh_json_kind_of(list) == FH_JSON_ARRAY && fh_json_count(list) == 6);
    fh_json_value v = fh_json_first(list);
    CHECK(fh_json_integer(v, &integer) && integer == 1);
    CHECK(fh_json_double(v, &real) && real == 1);
    v = fh_json_next(v);
    CHECK(!fh_json_integer(v, &integer));
    CHECK(fh_json_double(v, &real) && real == -25);
    CHECK_TEXT(fh_json_text(v), "-2.5e1");
    v = fh_json_next(v);
    CHECK_TEXT(fh_json_text(v), "x\n");
    CHECK(fh_json_offset(v) == 18 && text.data[18] == '"');
    v = fh_json_next(v);
    CHECK(fh_json_kind_of(v) == FH_JSON_BOOLEAN && fh_json_boolean(v, false));
    v = fh_json_next(v);
    CHECK(!fh_json_boolean(v, true));
    v = fh_json_next(v);
    CHECK(fh_json_kind_of(v) == FH_JSON_NULL && fh_json_boolean(v, true));
    CHECK(!fh_json_next(v).document);
    v = fh_json_next(list);
    CHECK(fh_json_kind_of(v) == FH_JSON_OBJECT && !fh_json_first(v).document);
    CHECK_TEXT(fh_json_key(v), "");
    CHECK(fh_json_key_offset(v) == 45 && text.data[45] == '"');
    CHECK(!fh_json_next(v).document);
    fh_json_free(document);
}

static void absent_values_are_harmless(void)
{
    fh_json_document *document = parse(FH_TEXT("{\"a\": 1}"));
    fh_json_value none = fh_json_member(fh_json_member(fh_json_root(document), "a"), "b");
    int64_t integer = 7;
    double real = 7;
    CHECK(!none.document && fh_json_kind_of(none) == FH_JSON_ABSENT);
    CHECK(!fh_json_member(none, "x").document && !fh_json_first(none).document);
    CHECK(!fh_json_next(none).document && !fh_json_count(none) && !fh_json_offset(none));
    CHECK(!fh_json_integer(none, &integer) && !fh_json_double(none, &real));
    CHECK(integer == 7 && real == 7 && fh_json_boolean(none, true));
    CHECK(fh_json_text(none).length == 0 && fh_json_key(none).length == 0);
    fh_json_free(document);
    fh_json_free(NULL);
}

static void equal_keys_the_last_counts(void)
{
    fh_json_document *document = parse(FH_TEXT("{\"a\":1,\"a\":{\"a\":3},\"\\u0061\":2,\"b\":4}"));
    int64_t integer = 0;
    CHECK(fh_json_count(fh_json_root(document)) == 4);
    CHECK(fh_json_integer(fh_json_member(fh_json_root(document), "a"), &integer) && integer == 2);
    fh_json_free(document);
}

static void strings_at_the_edges(void)
{
    /* Escapes as Python's json.loads gives them; lone surrogates as its "replace" would. */
    static const struct {
        const char *text, *expected;
        size_t length;
    } cases[] = {
        {"\"\"", "", 0},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8},
        {"\"\\u0000x\"", "\0x", 2},
        {"\"\\u00e9\\u20AC\\ud83d\\uDE00\"", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 9},
        {"\"\\ud800\"", "\xEF\xBF\xBD", 3},
        {"\"\\udc00\\ud800\"", "\xEF\xBF\xBD\xEF\xBF\xBD", 6},
        {"\"\\ud800\\ud83d\\ude00\"", "\xEF\xBF\xBD\xF0\x9F\x98\x80", 7},
        {"\"\\ud800\\n\"", "\xEF\xBF\xBD\n", 4},
        {"\"\\\\\"", "\\", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fh_json_document *document = parse(fh_text_from(cases[i].text));
        CHECK(fh_text_equal(fh_json_text(fh_json_root(document)),
                            (fh_text){cases[i].expected, cases[i].length}));
        fh_json_free(document);
    }
    check_refused(FH_TEXT("\"a\nb\""), "t:1:3: a control character in a string; it must be "
                                       "written as an escape");
    check_refused(FH_TEXT("[1,\n \"a"), "t:2:2: a string that does not end");
    check_refused(FH_TEXT("[\"\\n\\n\\x\"]"), "t:1:7: an escape that JSON does not have");
    check_refused(FH_TEXT("[\"\\u12g4\"]"), "t:1:3: an escape that JSON does not have");
    check_refused(FH_TEXT("[\"\\u12"), "t:1:2: a string that does not end");
    check_refused(FH_TEXT("[\"\\u12\"]"), "t:1:3: an escape that JSON does not have");
    check_refused(FH_TEXT("[\"\xC3\xA9\xFF\"]"), "t:1:4: not UTF-8");
    check_refused(FH_TEXT("{\"\\q\":1}"), "t:1:3: an escape that JSON does not have");
}

static void numbers_at_the_edges(void)
{
    static const struct {
        const char *text;
        bool is_integer;
        int64_t integer;
        bool is_finite;
        double real;
    } cases[] = {
        {"0", true, 0, true, 0},
        {"-0", true, 0, true, 0},
        {"9223372036854775807", true, INT64_MAX, true, 9223372036854775807.0},
        {"-9223372036854775808", true, INT64_MIN, true, -9223372036854775808.0},
        {"9223372036854775808", false, 0, true, 9223372036854775808.0},
        {"18446744073709551616", false, 0, true, 18446744073709551616.0},
        {"55426082093320372223", false, 0, true, 55426082093320372223.0},
        {"1e400", false, 0, false, 0},
        {"-1e400", false, 0, false, 0},
        {"1e-400", false, 0, true, 0},
        {"0.0001e-9999999999999999999999", false, 0, true, 0},
        {"1e9999999999999999999999", false, 0, false, 0},
        {"1.0", false, 0, true, 1},
        {"1E2", false, 0, true, 100},
        {"0.1", false, 0, true, 0.1},
        {"5e-324", false, 0, true, 5e-324},
        {"1.7976931348623157e308", false, 0, true, 1.7976931348623157e308},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fh_json_document *document = parse(fh_text_from(cases[i].text));
        fh_json_value root = fh_json_root(document);
        int64_t integer = 0;
        double real = 0;
        CHECK_TEXT(fh_json_text(root), cases[i].text);
        CHECK(fh_json_integer(root, &integer) == cases[i].is_integer);
        CHECK(integer == cases[i].integer);
        CHECK(fh_json_double(root, &real) == cases[i].is_finite);
        CHECK(real == cases[i].real);
        fh_json_free(document);
    }
    static const char *const bad[] = {"01",  "-",   "+1",  ".5",   "1.",  "1e",    "1e+", "0x1",
                                      "1_0", "NaN", "Inf", "1.e1", "--1", "1e1.5", "-a",  "1a"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_refused(fh_text_from(bad[i]), "t:1:1: not a value");
}

static void structure_must_be_whole(void)
{
    static const char *const bad[] = {
        "[",
        "]",
        "{",
        "}",
        "[1",
        "[1,",
        "[,1]",
        "[1,]",
        "[1 2]",
        "[1}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1",
        "{\"a\":1,}",
        "{1:2}",
        "{,}",
        "[1]]",
        "1 2",
        "1,2",
        "[1],[2]",
        "1],[2",
        "{}{}",
        "[\"a\":1]",
        "{\"a\" 1}",
        "[1:2]",
        "{\"a\":1]",
        "true false",
        "tru",
        "truex",
        "nul",
        "'a'",
        "{a:1}",
        "[1]//",
        "/**/1",
        "]][[",
        "\"a\"\"b\"",
        "[[[[",
        "{\"a\":{\"b\":[",
        ":",
        ",",
        "{\"a\":1 \"b\":2}",
        "[[],[]",
        "{\"a\":1,\"b\"}",
        "{\"a\"::1}",
        "[,]",
        "[1,,2]",
        "\\u0031",
        "{\"a\":\"b\":1}",
        "[}",
        "{]",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fh_json_document *document = NULL;
        fh_status status = fh_json_parse(fh_text_from(bad[i]), "t", &document);
        CHECK(status == FH_INVALID);
        if (status != FH_INVALID)
            printf("  accepted: %s\n", bad[i]);
        CHECK(strncmp(fh_error_message(), "t:1:", 4) == 0);
        fh_json_free(document);
    }
    check_refused(FH_TEXT(""), "t:1:1: there is no JSON value: the text is empty");
    check_refused((fh_text){0}, "t:1:1: there is no JSON value: the text is empty");
    check_refused(FH_TEXT(" \n\t\r\n"), "t:3:1: there is no JSON value: the text is empty");
    check_refused(FH_TEXT("\xEF\xBB\xBF"), "t:1:1: there is no JSON value: the text is empty");
    check_refused(FH_TEXT("{\n\"a\": 1\n"), "t:3:1: the text ends in the middle of a value");
    check_refused((fh_text){"1\0", 2}, "t:1:1: not a value");
    check_refused((fh_text){"[\0]", 3}, "t:1:2: not a value");
}

static void byte_order_mark_is_passed_over(void)
{
    fh_json_document *document = parse(FH_TEXT("\xEF\xBB\xBF {\"a\": 5}"));
    fh_json_value a = fh_json_member(fh_json_root(document), "a");
    CHECK(fh_json_offset(fh_json_root(document)) == 4);
    CHECK(fh_json_offset(a) == 10 && fh_json_key_offset(a) == 5);
    fh_json_free(document);
}

static void depth_is_limited(void)
{
    char text[2 * (FH_JSON_MAX_DEPTH + 1)];
    fh_json_document *document = NULL;
    size_t depth = FH_JSON_MAX_DEPTH;
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    document = parse((fh_text){text, 2 * depth});
    fh_json_free(document);
    document = NULL;
    memset(text, '[', depth + 1);
    memset(text + depth + 1, ']', depth + 1);
    CHECK(fh_json_parse((fh_text){text, 2 * depth + 2}, "t", &document) == FH_LIMIT);
    CHECK(document == NULL);
    fh_json_free(document);

    /* A million opening brackets neither overflow the stack nor take long. */
    char *deep = malloc(1000000);
    memset(deep, '[', 1000000);
    CHECK(fh_json_parse((fh_text){deep, 1000000}, "t", &document) != FH_OK);
    free(deep);
}

static void writer_writes_what_reader_reads(void)
{
    fh_buffer out = {0};
    fh_json_writer w = fh_json_writer_to(&out, 0, false);
    fh_json_write_object(&w, NULL);
    fh_json_write_text(&w, "t", (fh_text){"a\"\\\n\0\x01\x7F\xFF</s>", 12});
    fh_json_write_array(&w, "l");
    fh_json_write_integer(&w, NULL, INT64_MIN);
    fh_json_write_double(&w, NULL, 0.1);
    fh_json_write_double(&w, NULL, HUGE_VAL);
    fh_json_write_double(&w, NULL, 1e300);
    fh_json_write_end(&w);
    fh_json_write_object(&w, "o");
    fh_json_write_end(&w);
    fh_json_write_boolean(&w, "b", true);
    fh_json_write_null(&w, "n");
    fh_json_write_end(&w);
    CHECK_TEXT(fh_buffer_text(&out),
               "{\"t\": \"a\\\"\\\\\\n\\u0000\\u0001\\u007f\xEF\xBF\xBD</s>\", \"l\": "
               "[-9223372036854775808, 0.1, null, 1e+300], \"o\": {}, \"b\": true, \"n\": null}");
    fh_json_document *document = parse(fh_buffer_text(&out));
    CHECK(fh_text_equal(fh_json_text(fh_json_member(fh_json_root(document), "t")),
                        (fh_text){"a\"\\\n\0\x01\x7F\xEF\xBF\xBD</s>", 14}));
    fh_json_free(document);
    fh_buffer_free(&out);
}

static void writer_indents(void)
{
    fh_buffer out = {0};
    fh_json_writer w = fh_json_writer_to(&out, 2, true);
    fh_json_write_object(&w, NULL);
    fh_json_write_array(&w, "a");
    fh_json_write_text(&w, NULL, FH_TEXT("</script>&"));
    fh_json_write_integer(&w, NULL, 2);
    fh_json_write_end(&w);
    fh_json_write_array(&w, "e");
    fh_json_write_end(&w);
    fh_json_write_end(&w);
    CHECK_TEXT(fh_buffer_text(&out),
               "{\n  \"a\": [\n    \"\\u003c/script\\u003e\\u0026\",\n    2\n  "
               "],\n  \"e\": []\n}");
    fh_buffer_free(&out);
}

static void doubles_are_short_and_exact(void)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"},    {1.0 / 3, "0.3333333333333333"},  {5, "5"},          {-0.0, "-0"},
                 {1e-7, "1e-07"}, {123456789.125, "123456789.125"}, {5e-324, "5e-324"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fh_buffer out = {0};
        double back = 1;
        fh_number_add(&out, cases[i].value);
        CHECK_TEXT(fh_buffer_text(&out), cases[i].text);
        CHECK(fh_number_parse(fh_buffer_text(&out), &back) && back == cases[i].value);
        fh_buffer_free(&out);
    }
    double value = 3;
    CHECK(!fh_number_parse(FH_TEXT("inf"), &value) && !fh_number_parse(FH_TEXT("nan"), &value));
    CHECK(!fh_number_parse(FH_TEXT(" 1"), &value) && !fh_number_parse(FH_TEXT("1 "), &value));
    CHECK(!fh_number_parse(FH_TEXT(""), &value) && !fh_number_parse(FH_TEXT("0x10"), &value));
    CHECK(!fh_number_parse(FH_TEXT("."), &value) && value == 3);
}

/* The bytes of every prefix and every single damaged byte of a document: whatever
 * comes of it, it must not crash, and what is accepted must be readable. */
static void damaged_documents(void)
{
    static const char whole[] =
        "{\"a\": [1, -2.5e1, \"x\\n\\u00e9\", true, null], \"b\": {\"c\": []}}";
    char text[sizeof whole];
    static const unsigned char damage[] = {0,   '"', '\\', '{', '}',  '[',
                                           ']', ',', ':',  '1', 0xFF, ' '};
    for (size_t length = 0; length < sizeof whole; length++)
        for (size_t d = 0; d < sizeof damage; d++) {
            fh_json_document *document = NULL;
            memcpy(text, whole, sizeof whole);
            text[length] = (char)damage[d];
            size_t used = d & 1 ? length + 1 : sizeof whole - 1;
            if (fh_json_parse((fh_text){text, used}, "t", &document) == FH_OK)
                CHECK(fh_json_kind_of(fh_json_root(document)) != FH_JSON_ABSENT);
            fh_json_free(document);
        }
    test_checks++;
}

static fh_status parse_and_write(void *context)
{
    fh_json_document *document = NULL;
    fh_buffer out = {0};
    (void)context;
    fh_status status =
        fh_json_parse(FH_TEXT("[1,2,[3,{\"a\":\"\\n\"}],4,5,6,7,8,9,10]"), "t", &document);
    if (status)
        return status;
    fh_json_writer w = fh_json_writer_to(&out, 2, false);
    fh_json_write_array(&w, NULL);
    for (int i = 0; i < 100; i++)
        fh_json_write_text(&w, NULL, fh_json_text(fh_json_root(document)));
    fh_json_write_end(&w);
    status = out.failed ? FH_NO_MEMORY : FH_OK;
    fh_buffer_free(&out);
    fh_json_free(document);
    return status;
}

static void memory_runs_out(void)
{
    CHECK(sweep(parse_and_write, NULL) > 5);
}

int main(void)
{
    TEST(values_of_every_kind);
    TEST(absent_values_are_harmless);
    TEST(equal_keys_the_last_counts);
    TEST(strings_at_the_edges);
    TEST(numbers_at_the_edges);
    TEST(structure_must_be_whole);
    TEST(byte_order_mark_is_passed_over);
    TEST(depth_is_limited);
    TEST(writer_writes_what_reader_reads);
    TEST(writer_indents);
    TEST(doubles_are_short_and_exact);
    TEST(damaged_documents);
    TEST(memory_runs_out);
    return test_report();
}
