/* SARIF, Markdown and HTML: what the validators of tests/report do not look at. */
#include "analyse/report/sarif.h"
#include "base/json.h"
#include "base/utf8.h"
#include "tests/test.h"
#include "tests/unit/report_samples.h"

static fh_buffer written(const fh_result *result, const char *format,
                         const fh_report_options *options)
{
    fh_buffer out = {0};
    CHECK(fh_report_write(result, fh_report_format_find(fh_text_from(format)), options, &out) ==
          FH_OK);
    return out;
}

/* Five findings: two on equal lines of one function, one of another rule, one of another file. */
static fh_result five_findings(void)
{
    fh_result r = sample_empty();
    static const struct {
        const char *rule, *file;
        uint32_t line;
        const char *excerpt;
    } rows[] = {{"FH101", "a.py", 5, "x = y.cuda()\n"},
                {"FH101", "a.py", 9, "    x = y.cuda()\n"},
                {"FH101", "a.py", 12, "z = y.cuda()\n"},
                {"FH102", "a.py", 5, "x = y.cuda()\n"},
                {"FH101", "b.py", 5, "x = y.cuda()\n"}};
    for (size_t i = 0; i < 5; i++) {
        fh_finding f = {.rule = fh_text_from(rows[i].rule),
                        .message = FH_TEXT("m"),
                        .count = 1,
                        .excerpt = fh_text_from(rows[i].excerpt),
                        .excerpt_line = rows[i].line};
        f.place = sample_place(fh_text_from(rows[i].file), rows[i].line, 1);
        fh_vector_push(&r.findings, f);
    }
    return r;
}

static void fingerprints_hold_when_lines_move(void)
{
    fh_result r = five_findings(), moved = five_findings();
    for (uint32_t i = 0; i < 5; i++) {
        moved.findings.items[i].place.line += 100;
        moved.findings.items[i].place.column += 4;
        moved.findings.items[i].excerpt_line += 100;
    }
    fh_fingerprint *a = fh_fingerprints_make(&r, 5), *b = fh_fingerprints_make(&moved, 5);
    CHECK(a && b && memcmp(a, b, 5 * sizeof *a) == 0);
    CHECK(a[0].hash == a[1].hash && a[0].ordinal == 1 && a[1].ordinal == 2);
    CHECK(a[2].hash != a[0].hash && a[2].ordinal == 1);
    CHECK(a[3].hash != a[0].hash && a[4].hash != a[0].hash && a[3].hash != a[4].hash);
    fh_free(a);
    fh_free(b);
    CHECK(!fh_fingerprints_make(&r, 0));
    fh_result_free(&r);
    fh_result_free(&moved);
}

static fh_json_value run_of(fh_buffer *sarif, fh_json_document **document)
{
    CHECK(fh_json_parse(fh_buffer_text(sarif), "sarif", document) == FH_OK);
    return fh_json_first(fh_json_member(fh_json_root(*document), "runs"));
}

static void sarif_holds_what_github_takes(void)
{
    fh_json_document *document;
    fh_report_options options = {0};
    fh_result r = sample_many(25003);
    fh_buffer out = written(&r, "sarif", &options);
    fh_json_value run = run_of(&out, &document);
    CHECK(fh_json_count(fh_json_member(run, "results")) == 25000);
    CHECK(fh_text_contains(fh_buffer_text(&out), "3 findings are left out"));
    CHECK(fh_text_contains(fh_buffer_text(&out), "24003 notes on files are left out"));
    fh_json_free(document);
    fh_buffer_free(&out);
    fh_result_free(&r);
}

/* Code scanning shows the help beside a finding: no rule goes without. */
static void sarif_rules_have_help(void)
{
    fh_json_document *document;
    fh_report_options options = {.version = "1.0.0"};
    fh_result r = sample_empty();
    fh_buffer out = written(&r, "sarif", &options);
    fh_json_value driver =
        fh_json_member(fh_json_member(run_of(&out, &document), "tool"), "driver");
    uint32_t count = 0;
    for (fh_json_value v = fh_json_first(fh_json_member(driver, "rules")); v.document;
         v = fh_json_next(v), count++) {
        fh_json_value help = fh_json_member(v, "help");
        fh_text full = fh_json_text(fh_json_member(fh_json_member(v, "fullDescription"), "text"));
        CHECK(fh_json_text(fh_json_member(help, "text")).length > 20);
        CHECK(fh_text_contains(fh_json_text(fh_json_member(help, "markdown")), "**What to do:**"));
        CHECK(full.length > 20 && full.length <= 1024);
    }
    CHECK(count > 60);
    fh_json_free(document);
    fh_buffer_free(&out);
    fh_result_free(&r);
}

static fh_text uri_in(fh_buffer *sarif, const char *file, const char *prefix)
{
    static char found[256];
    fh_json_document *document;
    fh_result r = sample_bare();
    fh_report_options options = {.prefix = fh_text_from(prefix)};
    r.findings.items[0].place.file = fh_text_from(file);
    fh_buffer_free(sarif);
    *sarif = written(&r, "sarif", &options);
    fh_json_value result = fh_json_first(fh_json_member(run_of(sarif, &document), "results"));
    fh_json_value place = fh_json_first(fh_json_member(result, "locations"));
    fh_json_value artifact =
        fh_json_member(fh_json_member(place, "physicalLocation"), "artifactLocation");
    fh_text uri = fh_json_text(fh_json_member(artifact, "uri"));
    bool is_relative = fh_json_member(artifact, "uriBaseId").document != NULL;
    CHECK(is_relative != fh_text_starts(uri, "file://"));
    snprintf(found, sizeof found, "%.*s", FH_TEXT_ARGS(uri));
    fh_json_free(document);
    fh_result_free(&r);
    return fh_text_from(found);
}

/* Right answers: Python's urllib.parse.quote with safe="/". */
static void sarif_uris(void)
{
    fh_buffer sarif = {0};
    CHECK_TEXT(uri_in(&sarif, "a/b.py", ""), "a/b.py");
    CHECK_TEXT(uri_in(&sarif, "a b#c?d%e.py", "x y/"), "x%20y/a%20b%23c%3Fd%25e.py");
    CHECK_TEXT(uri_in(&sarif, "c:d.py", ""), "c%3Ad.py");
    CHECK_TEXT(uri_in(&sarif, "数.py", ""), "%E6%95%B0.py");
    CHECK_TEXT(uri_in(&sarif, "\xff.py", ""), "%FF.py");
    CHECK_TEXT(uri_in(&sarif, "a\\b~-_.py", ""), "a%5Cb~-_.py");
    CHECK_TEXT(uri_in(&sarif, "m.py", "/home/me/r/"), "file:///home/me/r/m.py");
    fh_buffer_free(&sarif);
}

/* Whatever is in it, the JSON cannot end its element, and the page has each element once. */
static void html_holds_the_report(void)
{
    static const char mark[] = "<script type=\"application/json\" id=\"report\">";
    for (int i = 0; i < SAMPLE_HOSTILE_COUNT; i++) {
        fh_result r = sample_everywhere(sample_hostile[i]), again;
        fh_report_options options = {0};
        fh_buffer out = written(&r, "html", &options), json = {0}, direct = {0};
        fh_text page = fh_buffer_text(&out);
        const char *begin = memmem(page.data, page.length, mark, strlen(mark));
        CHECK(begin);
        size_t at = (size_t)(begin - page.data) + strlen(mark);
        const char *end = memmem(page.data + at, page.length - at, "<", 1);
        CHECK(end && !strncmp(end, "</script>", 9));
        CHECK(fh_utf8_valid(page));
        fh_text inside = fh_text_slice(page, at, (size_t)(end - page.data));
        CHECK(fh_report_load(inside, "page", &again, NULL) == FH_OK);
        json = written(&again, "json", &options);
        direct = written(&r, "json", &options);
        CHECK(fh_text_equal(fh_buffer_text(&json), fh_buffer_text(&direct)));
        fh_result_free(&again);
        fh_result_free(&r);
        fh_buffer_free(&out);
        fh_buffer_free(&json);
        fh_buffer_free(&direct);
    }
}

static void markdown_is_bounded(void)
{
    fh_report_options options = {0};
    fh_result r = sample_many(20000);
    fh_buffer out = written(&r, "markdown", &options);
    CHECK(out.length < 200000);
    CHECK(fh_text_contains(fh_buffer_text(&out), "and 19,900 more"));
    CHECK(fh_utf8_valid(fh_buffer_text(&out)));
    fh_buffer_free(&out);
    fh_result_free(&r);
}

/* The same result gives the same bytes, and a buffer with something in it keeps that. */
static void every_format_repeats(void)
{
    uint32_t count;
    const fh_report_format *formats = fh_report_formats(&count);
    fh_report_options options = {.details = true};
    for (uint32_t i = 0; i < count; i++) {
        fh_result r = sample_everywhere(FH_TEXT("x"));
        fh_buffer a = written(&r, formats[i].name, &options), b = {0};
        fh_buffer_add_string(&b, "before");
        CHECK(fh_report_write(&r, &formats[i], &options, &b) == FH_OK);
        if (strcmp(formats[i].name, "markdown") != 0)
            CHECK(
                fh_text_equal(fh_buffer_text(&a), fh_text_slice(fh_buffer_text(&b), 6, b.length)));
        CHECK(fh_text_starts(fh_buffer_text(&b), "before"));
        fh_buffer_free(&a);
        fh_buffer_free(&b);
        fh_result_free(&r);
    }
}

int main(void)
{
    TEST(fingerprints_hold_when_lines_move);
    TEST(sarif_holds_what_github_takes);
    TEST(sarif_rules_have_help);
    TEST(sarif_uris);
    TEST(html_holds_the_report);
    TEST(markdown_is_bounded);
    TEST(every_format_repeats);
    return test_report();
}
