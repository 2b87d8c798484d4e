#include "base/json.h"
#include "tests/test.h"
#include "tests/unit/report_samples.h"
#include "tests/unit/sweep.h"

static const fh_report_format *json_format(void)
{
    return fh_report_format_find(FH_TEXT("json"));
}

static fh_buffer written(const fh_result *result, const char *format,
                         const fh_report_options *options)
{
    fh_buffer out = {0};
    CHECK(fh_report_write(result, fh_report_format_find(fh_text_from(format)), options, &out) ==
          FH_OK);
    return out;
}

/* Result to JSON to result to JSON: the same bytes, twice. */
static void check_round_trip(const fh_result *result)
{
    fh_report_options options = {.version = "1.2.3"};
    fh_buffer first = written(result, "json", &options), second = {0};
    fh_result again;
    fh_text version;
    CHECK(fh_report_load(fh_buffer_text(&first), "t", &again, &version) == FH_OK);
    CHECK_TEXT(version, "1.2.3");
    second = written(&again, "json", &options);
    CHECK(fh_text_equal(fh_buffer_text(&first), fh_buffer_text(&second)));
    fh_result_free(&again);
    fh_buffer_free(&first);
    fh_buffer_free(&second);
}

static void reads_back_to_the_same_bytes(void)
{
    fh_result samples[] = {sample_empty(), sample_bare(), sample_many(50)};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        check_round_trip(&samples[i]);
        fh_result_free(&samples[i]);
    }
    for (int i = 0; i < SAMPLE_HOSTILE_COUNT; i++) {
        fh_result r = sample_everywhere(sample_hostile[i]);
        check_round_trip(&r);
        fh_result_free(&r);
    }
}

static fh_json_document *parsed(fh_buffer *json)
{
    fh_json_document *document = NULL;
    CHECK(fh_json_parse(fh_buffer_text(json), "t", &document) == FH_OK);
    return document;
}

static void leaves_out_what_is_not_known(void)
{
    fh_result r = sample_bare();
    fh_report_options options = {0};
    fh_buffer out = written(&r, "json", &options);
    fh_json_document *document = parsed(&out);
    fh_json_value root = fh_json_root(document);
    fh_json_value operator= fh_json_first(fh_json_member(root, "operators"));
    fh_json_value place = fh_json_first(fh_json_member(operator, "locations"));
    fh_json_value finding = fh_json_first(fh_json_member(root, "findings"));
    fh_json_value expected = fh_json_member(root, "expected");
    const char *of_root[] = {"torch", "soc", "baseline", "partial", "targets"};
    const char *of_operator[] = {"class",      "kernels", "limits", "source",
                                 "parameters", "flops",   "sized"};
    const char *of_place[] = {"function", "parameters", "flops", "per"};
    const char *of_finding[] = {"title",   "advice", "line",    "column",
                                "excerpt", "count",  "end_line"};
    const char *of_expected[] = {"chip", "baseline", "range"};
#define ABSENT(value, names) \
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) \
        CHECK(fh_json_kind_of(fh_json_member(value, names[i])) == FH_JSON_ABSENT);
    ABSENT(root, of_root)
    ABSENT(operator, of_operator)
    ABSENT(place, of_place)
    ABSENT(finding, of_finding)
    ABSENT(expected, of_expected)
    CHECK(!fh_text_contains(fh_buffer_text(&out), "null"));
    fh_json_free(document);
    fh_buffer_free(&out);
    fh_result_free(&r);
}

/* Numbers that are not finite, or negative, are not known; whole ones have no exponent. */
static void numbers(void)
{
    fh_result r = sample_bare();
    fh_report_options options = {0};
    r.range_low = 0;
    r.range_high = __builtin_inf();
    r.operators.items[0].parameters = 1e8;
    r.operators.items[0].flops = __builtin_nan("");
    r.operators.items[0].locations.items[0].parameters = 0.5;
    fh_buffer out = written(&r, "json", &options);
    CHECK(fh_text_contains(fh_buffer_text(&out), "\"parameters\": 100000000"));
    CHECK(fh_text_contains(fh_buffer_text(&out), "\"parameters\": 0.5"));
    CHECK(!fh_text_contains(fh_buffer_text(&out), "\"flops\""));
    CHECK(!fh_text_contains(fh_buffer_text(&out), "\"range\""));
    fh_buffer_free(&out);
    fh_result_free(&r);
}

static void caps_locations_and_not_counts(void)
{
    fh_result r = sample_many(2);
    fh_report_options options = {.max_locations = 2};
    fh_buffer out = written(&r, "json", &options);
    fh_json_document *document = parsed(&out);
    fh_json_value operator= fh_json_first(fh_json_member(fh_json_root(document), "operators"));
    int64_t count;
    CHECK(fh_json_count(fh_json_member(operator, "locations")) == 2);
    CHECK(fh_json_integer(fh_json_member(operator, "count"), &count) && count == 312000);
    fh_json_free(document);
    fh_buffer_free(&out);
    fh_result_free(&r);
}

static void check_refused(const char *json, const char *part)
{
    fh_result r;
    memset(&r, 0x5A, sizeof r);
    CHECK(fh_report_load(fh_text_from(json), "old.json", &r, NULL) == FH_INVALID);
    CHECK(r.scanned == 0x5A5A5A5A); /* untouched */
    CHECK(fh_text_contains(fh_text_from(fh_error_message()), "old.json"));
    CHECK(fh_text_contains(fh_text_from(fh_error_message()), part));
}

static void refuses_what_is_no_report(void)
{
    check_refused("", "");
    check_refused("[]", "schema");
    check_refused("{}", "schema");
    check_refused("{\"schema\": 2}", "schema");
    check_refused("{\"schema\": \"1\"}", "schema");
    check_refused(
        "{\"schema\": 1, \"operators\": [{\"category\": \"compute\", \"support\": \"yes\"}]}",
        "\"support\"");
    check_refused("{\"schema\": 1, \"operators\": [1]}", "\"category\"");
    check_refused("{\"schema\": 1, \"findings\": [{\"category\": \"host\", \"severity\": null}]}",
                  "\"severity\"");
}

/* Wrong kinds where no word decides: nothing known, and no crash. */
static void reads_odd_reports(void)
{
    static const char *const odd[] = {
        "{\"schema\": 1}",
        "{\"schema\": 1, \"files\": [], \"operators\": {}, \"findings\": 3, \"summary\": \"x\"}",
        "{\"schema\": 1, \"files\": {\"scanned\": -4, \"bytes\": 1e400, \"kinds\": [1, 2]}}",
        "{\"schema\": 1, \"files\": {\"scanned\": 99999999999, \"skipped\": [null, [], \"a\"]}}",
        "{\"schema\": 1, \"expected\": {\"range\": {\"low\": \"0.5\"}, \"classes\": [{}], "
        "\"unknown\": [{}]}}",
        "{\"schema\": 1, \"findings\": [{\"category\": \"host\", \"severity\": \"note\", "
        "\"excerpt\": 3, "
        "\"count\": -1, \"line\": 4294967296}]}",
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        fh_result r;
        CHECK(fh_report_load(fh_text_from(odd[i]), "t", &r, NULL) == FH_OK);
        check_round_trip(&r);
        fh_result_free(&r);
    }
}

static void counts_what_the_summary_does_not_say(void)
{
    fh_result r;
    CHECK(fh_report_load(
              FH_TEXT("{\"schema\": 1, \"operators\": [{\"name\": \"a\", \"category\": \"host\","
                      "\"support\": \"limited\", \"count\": 7}], \"findings\": [{\"category\":"
                      "\"host\", \"severity\": \"error\", \"count\": 5}]}"),
              "t", &r, NULL) == FH_OK);
    CHECK(r.operator_sites == 7 && r.by_support[FH_SUPPORT_LIMITED] == 7);
    CHECK(r.by_severity[FH_SEVERITY_ERROR] == 5 && r.by_severity[FH_SEVERITY_NOTE] == 0);
    fh_result_free(&r);
}

/* Every prefix of a report is refused, and none leaks. */
static void refuses_cut_off_reports(void)
{
    fh_result r = sample_everywhere(FH_TEXT("x"));
    fh_report_options options = {0};
    fh_buffer out = written(&r, "json", &options);
    for (size_t i = 0; i + 1 < out.length; i += 7) {
        fh_result again;
        CHECK(fh_report_load(fh_text_slice(fh_buffer_text(&out), 0, i), "t", &again, NULL) ==
              FH_INVALID);
    }
    fh_buffer_free(&out);
    fh_result_free(&r);
}

/* Reports with a few bytes changed: refused, or read and shown in every format. */
static void survives_damaged_reports(void)
{
    fh_result r = sample_everywhere(FH_TEXT("a|b \xe2\x80\xae"));
    fh_report_options options = {.details = true};
    fh_buffer json = written(&r, "json", &options), damaged = {0};
    uint32_t count, state = 1, accepted = 0;
    const fh_report_format *formats = fh_report_formats(&count);
    static const char bytes[] = "\"\\{}[],:0-e1n \xff\x00u9";
    for (int i = 0; i < 3000; i++) {
        fh_buffer_clear(&damaged);
        fh_buffer_add(&damaged, fh_buffer_text(&json));
        for (int j = 0; j <= i % 3; j++) {
            state = state * 1664525 + 1013904223;
            damaged.data[(state >> 8) % damaged.length] = bytes[(state >> 3) % (sizeof bytes - 1)];
        }
        fh_result again;
        if (fh_report_load(fh_buffer_text(&damaged), "t", &again, NULL))
            continue;
        fh_buffer out = {0};
        CHECK(fh_report_write(&again, &formats[accepted++ % count], &options, &out) == FH_OK);
        fh_buffer_free(&out);
        fh_result_free(&again);
    }
    CHECK(accepted > 100);
    fh_buffer_free(&json);
    fh_buffer_free(&damaged);
    fh_result_free(&r);
}

static void finds_formats(void)
{
    uint32_t count;
    const fh_report_format *formats = fh_report_formats(&count);
    CHECK(count == 5);
    CHECK_TEXT(fh_text_from(formats[0].name), "text");
    CHECK(fh_report_format_find(FH_TEXT("html")) ==
          fh_report_format_of_file(FH_TEXT("a/report.html")));
    CHECK(fh_report_format_of_file(FH_TEXT("x.md")) == fh_report_format_find(FH_TEXT("markdown")));
    CHECK(fh_report_format_of_file(FH_TEXT("x.json")) == json_format());
    CHECK(!fh_report_format_find(FH_TEXT("xml")) && !fh_report_format_find(FH_TEXT("")));
    CHECK(!fh_report_format_of_file(FH_TEXT("report")) &&
          !fh_report_format_of_file(FH_TEXT("html/x.")));
}

/* Every format, and reading back, when the n-th allocation fails. */
static fh_status write_all(void *context)
{
    uint32_t count;
    const fh_report_format *formats = fh_report_formats(&count);
    fh_report_options options = {.details = true, .color = true};
    fh_status status = FH_OK;
    for (uint32_t i = 0; i < count && !status; i++) {
        fh_buffer out = {0};
        status = fh_report_write(context, &formats[i], &options, &out);
        fh_buffer_free(&out);
    }
    options.details = false;
    fh_buffer out = {0};
    if (!status)
        status = fh_report_write(context, formats, &options, &out);
    fh_buffer_free(&out);
    return status;
}

static fh_status load_one(void *context)
{
    fh_result r;
    fh_status status = fh_report_load(fh_buffer_text(context), "t", &r, NULL);
    if (!status)
        fh_result_free(&r);
    return status;
}

static void survives_running_out_of_memory(void)
{
    fh_result r = sample_everywhere(FH_TEXT("a|b"));
    fh_report_options options = {0};
    CHECK(sweep(write_all, &r) > 20);
    fh_buffer json = written(&r, "json", &options);
    CHECK(sweep(load_one, &json) > 10);
    fh_buffer_free(&json);
    fh_result_free(&r);
}

int main(void)
{
    TEST(reads_back_to_the_same_bytes);
    TEST(leaves_out_what_is_not_known);
    TEST(numbers);
    TEST(caps_locations_and_not_counts);
    TEST(refuses_what_is_no_report);
    TEST(reads_odd_reports);
    TEST(counts_what_the_summary_does_not_say);
    TEST(refuses_cut_off_reports);
    TEST(survives_damaged_reports);
    TEST(finds_formats);
    TEST(survives_running_out_of_memory);
    return test_report();
}
