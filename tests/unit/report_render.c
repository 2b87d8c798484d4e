/* Golden reports: tests/report/golden/NAME.json is read back, is byte-equal when it is written
 * again, and gives NAME.*. With FOOTHOLD_UPDATE set, those files are written instead.
 *
 * With arguments it shows any report in any format, for tests/report/validate and for looking;
 * "sample:N" in place of a file is a result of report_samples.h, and "widths" lists how wide
 * characters are:
 *     test_report_render FILE.json FORMAT [width=N] [color] [details] [max=N] [prefix=TEXT]
 * [uri=TEXT]
 */
#include "analyse/report/report.h"
#include "analyse/report/width.h"
#include "tests/test.h"
#include "tests/unit/report_samples.h"

#include <stdlib.h>

static bool read_all(const char *path, fh_buffer *out)
{
    char block[65536];
    size_t got;
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    while ((got = fread(block, 1, sizeof block, file)) > 0)
        fh_buffer_add(out, (fh_text){block, got});
    fclose(file);
    return !out->failed;
}

static void option(fh_report_options *options, const char *argument)
{
    if (!strncmp(argument, "width=", 6))
        options->width = (unsigned)atoi(argument + 6);
    else if (!strncmp(argument, "max=", 4))
        options->max_locations = (uint32_t)atoi(argument + 4);
    else if (!strncmp(argument, "prefix=", 7))
        options->prefix = fh_text_from(argument + 7);
    else if (!strncmp(argument, "uri=", 4))
        options->rules_uri = argument + 4;
    else if (!strcmp(argument, "color"))
        options->color = true;
    else if (!strcmp(argument, "details"))
        options->details = true;
}

static bool sample(unsigned i, fh_result *result)
{
    if (i >= 3 + SAMPLE_HOSTILE_COUNT)
        return false;
    *result = i == 0   ? sample_empty()
              : i == 1 ? sample_bare()
              : i == 2 ? sample_many(300)
                       : sample_everywhere(sample_hostile[i - 3]);
    return true;
}

static bool get_result(const char *path, fh_result *result)
{
    fh_buffer json = {0};
    if (!strncmp(path, "sample:", 7))
        return sample((unsigned)atoi(path + 7), result);
    bool ok = false;
    if (!read_all(path, &json))
        fprintf(stderr, "%s: cannot be read\n", path);
    else if (fh_report_load(fh_buffer_text(&json), path, result, NULL))
        fprintf(stderr, "%s\n", fh_error_message());
    else
        ok = true;
    fh_buffer_free(&json);
    return ok;
}

static int render(int count, char **arguments)
{
    fh_buffer out = {0};
    fh_result result;
    fh_report_options options = {0};
    const fh_report_format *format = fh_report_format_find(fh_text_from(arguments[2]));
    for (int i = 3; i < count; i++)
        option(&options, arguments[i]);
    if (!format || !get_result(arguments[1], &result))
        return 2;
    int code = fh_report_write(&result, format, &options, &out) ? 1 : 0;
    fwrite(out.length ? out.data : "", 1, out.length, stdout);
    fh_result_free(&result);
    fh_buffer_free(&out);
    return code;
}

/* "FIRST LAST WIDTH" for every run of characters of one width. */
static int show_widths(void)
{
    uint32_t begin = 0x20;
    for (uint32_t c = begin; c <= 0x110000; c++)
        if (c == 0x110000 || fh_width_of(c) != fh_width_of(begin)) {
            printf("%u %u %u\n", begin, c - 1, fh_width_of(begin));
            begin = c;
        }
    return 0;
}

/* What differs first, for the person who has to find out why. */
static void show_difference(const char *path, fh_text got, fh_text want)
{
    fh_text a = {0}, b = {0};
    for (unsigned line = 1; got.data || want.data; line++) {
        bool more_got = fh_text_next(&got, '\n', &a), more_want = fh_text_next(&want, '\n', &b);
        if (more_got && more_want && fh_text_equal(a, b))
            continue;
        printf("  %s:%u: got \"%.*s\", expected \"%.*s\"; FOOTHOLD_UPDATE=1 takes what is new\n",
               path, line, FH_TEXT_ARGS(a), FH_TEXT_ARGS(b));
        return;
    }
}

static void check_golden(const fh_result *result, const char *name, const char *ending,
                         const char *format, bool details)
{
    char path[256];
    fh_buffer got = {0}, want = {0};
    fh_report_options options = {.width = 100, .details = details, .version = "0.1.0"};
    snprintf(path, sizeof path, "tests/report/golden/%s%s", name, ending);
    CHECK(fh_report_write(result, fh_report_format_find(fh_text_from(format)), &options, &got) ==
          FH_OK);
    if (getenv("FOOTHOLD_UPDATE")) {
        FILE *file = fopen(path, "wb");
        CHECK(file && fwrite(got.data, 1, got.length, file) == got.length && fclose(file) == 0);
    } else {
        CHECK(read_all(path, &want));
        bool equal = fh_text_equal(fh_buffer_text(&got), fh_buffer_text(&want));
        CHECK(equal);
        if (!equal)
            show_difference(path, fh_buffer_text(&got), fh_buffer_text(&want));
    }
    fh_buffer_free(&got);
    fh_buffer_free(&want);
}

static void check_report(const char *name)
{
    char path[256];
    fh_buffer json = {0};
    fh_result result;
    snprintf(path, sizeof path, "tests/report/golden/%s.json", name);
    CHECK(read_all(path, &json));
    bool loaded = fh_report_load(fh_buffer_text(&json), path, &result, NULL) == FH_OK;
    CHECK(loaded);
    if (loaded) {
        check_golden(&result, name, ".json", "json", false);
        check_golden(&result, name, ".summary.txt", "text", false);
        check_golden(&result, name, ".details.txt", "text", true);
        check_golden(&result, name, ".md", "markdown", false);
        fh_result_free(&result);
    }
    fh_buffer_free(&json);
}

static void golden_reports(void)
{
    check_report("minigpt");
    check_report("empty");
}

int main(int count, char **arguments)
{
    if (count == 2 && !strcmp(arguments[1], "widths"))
        return show_widths();
    if (count > 2)
        return render(count, arguments);
    TEST(golden_reports);
    return test_report();
}
