/* The rules' cases: tests/cases/NAME.txt, text beside what is to be found in it.
 *
 *     rules FH3 FH410            only these are compared; a beginning of an id names all that
 *                                start with it. Without this line: all rules
 *     == title
 *     import torch               the file a.py
 *     >>> pkg/b.py               further files, each behind such a line
 *     ...
 *     ---
 *     FH301 note 4 certain GELU  rule, severity, line, certainty, and a part of the message,
 *                                which may be left out; in another file: pkg/b.py:4; $ behind
 *                                the part: the message ends there
 *
 * Every finding must be expected, and every expectation met once. An expectation is the rest of
 * a line; what is between the `---` and the next `==` may hold empty lines.
 */
#include "analyse/rules/analyse.h"
#include "tests/unit/folder.h"

typedef struct {
    fh_text line;
    bool met;
} expectation;

static bool enabled[FH_RULE_COUNT];

static void enable(fh_text list)
{
    uint32_t count;
    const fh_rule *rules = fh_rules(&count);
    fh_text part;
    memset(enabled, 0, sizeof enabled);
    while (fh_text_next(&list, ' ', &part))
        for (uint32_t i = 0; part.length && i < count; i++)
            enabled[i] |= strncmp(rules[i].id, part.data, part.length) == 0;
}

/* The next line of *rest, without its end; false at the end of the text. */
static bool next_line(fh_text *rest, fh_text *line)
{
    return rest->length && fh_text_next(rest, '\n', line);
}

static void put_text(fh_text name, const fh_buffer *content)
{
    char path[256];
    snprintf(path, sizeof path, "case/%.*s", FH_TEXT_ARGS(name));
    fh_buffer copy = {0};
    fh_buffer_add(&copy, fh_buffer_text(content));
    fh_buffer_add_char(&copy, 0);
    put_file(path, copy.data);
    fh_buffer_free(&copy);
}

/* "RULE severity [file:]line certainty message" of a finding. */
static void describe(const fh_finding *finding, fh_buffer *text)
{
    fh_buffer_clear(text);
    fh_buffer_add_format(text, "%.*s %s ", FH_TEXT_ARGS(finding->rule),
                         fh_severity_name(finding->severity));
    if (!fh_text_is(finding->place.file, "a.py"))
        fh_buffer_add_format(text, "%.*s:", FH_TEXT_ARGS(finding->place.file));
    fh_buffer_add_format(text, "%u %.*s %.*s", finding->place.line,
                         FH_TEXT_ARGS(finding->place.certainty), FH_TEXT_ARGS(finding->message));
}

/* The first four words are equal, and the message holds the rest. */
static bool meets(fh_text finding, fh_text expected)
{
    fh_text have, want;
    for (unsigned i = 0; i < 4; i++)
        if (!fh_text_next(&finding, ' ', &have) || !fh_text_next(&expected, ' ', &want) ||
            !fh_text_equal(have, want))
            return false;
    char part[512];
    fh_text rest = fh_text_trim(expected);
    bool is_end = fh_text_ends(rest, "$");
    snprintf(part, sizeof part, "%.*s", (int)(rest.length - is_end), rest.data);
    return is_end ? fh_text_ends(finding, part) : fh_text_contains(finding, part);
}

static void compare(const char *file, fh_text title, const fh_result *result, expectation *expected,
                    uint32_t count)
{
    bool failed = false;
    fh_buffer text = {0};
    for (uint32_t i = 0; i < result->findings.count; i++) {
        bool met = false;
        describe(&result->findings.items[i], &text);
        for (uint32_t k = 0; k < count && !met; k++)
            if (!expected[k].met && meets(fh_buffer_text(&text), expected[k].line))
                met = expected[k].met = true;
        if (met)
            continue;
        failed = true;
        printf("%s: %.*s\n  + %.*s\n", file, FH_TEXT_ARGS(title),
               FH_TEXT_ARGS(fh_buffer_text(&text)));
    }
    for (uint32_t k = 0; k < count; k++)
        if (!expected[k].met) {
            failed = true;
            printf("%s: %.*s\n  - %.*s\n", file, FH_TEXT_ARGS(title),
                   FH_TEXT_ARGS(expected[k].line));
        }
    fh_buffer_free(&text);
    CHECK(!failed);
}

static void analyse(const char *file, fh_text title, expectation *expected, uint32_t count)
{
    fh_load load = {0};
    fh_result result = {0};
    fh_load_options options = {.jobs = 1};
    const char *target = in_folder("case");
    fh_analysis_options analysis = {
        .release = fh_release_default(),
        .soc = fh_soc_default(),
        .baseline = fh_soc_baseline(),
        .enabled = enabled,
        .jobs = 1,
        .max_locations = 1000,
    };
    CHECK(fh_load_find(&load, &target, 1, &options) == FH_OK);
    CHECK(fh_load_read(&load, &options, NULL) == FH_OK);
    CHECK(fh_analyse(&load, &analysis, &result) == FH_OK);
    compare(file, title, &result, expected, count);
    fh_result_free(&result);
    fh_load_free(&load);
}

/* Runs the case whose title has been read; *rest ends up at the next title. */
static void run_case(const char *file, fh_text title, fh_text *rest)
{
    fh_text line, name = FH_TEXT("a.py");
    fh_buffer content = {0};
    FH_VECTOR(expectation) expected = {0};
    bool in_text = true;
    make_folder();
    while (rest->length && !fh_text_starts(*rest, "== ") && next_line(rest, &line)) {
        if (in_text && fh_text_starts(line, ">>> ")) {
            if (content.length)
                put_text(name, &content);
            fh_buffer_clear(&content);
            name = fh_text_slice(line, 4, line.length);
        } else if (in_text && fh_text_is(line, "---")) {
            put_text(name, &content);
            in_text = false;
        } else if (in_text) {
            fh_buffer_add(&content, line);
            fh_buffer_add_char(&content, '\n');
        } else if (fh_text_trim(line).length) {
            fh_vector_push(&expected, (expectation){fh_text_trim(line), false});
        }
    }
    CHECK(!in_text); /* the case has a line `---` */
    analyse(file, title, expected.items, expected.count);
    remove_folder();
    fh_buffer_free(&content);
    fh_vector_free(&expected);
}

static unsigned run_file(const char *path)
{
    fh_buffer content = {0};
    fh_text line;
    unsigned cases = 0;
    CHECK(fh_file_read(path, 16 << 20, &content) == FH_OK);
    fh_text rest = fh_buffer_text(&content);
    memset(enabled, true, sizeof enabled);
    while (next_line(&rest, &line)) {
        if (fh_text_starts(line, "rules "))
            enable(fh_text_slice(line, 6, line.length));
        else if (fh_text_starts(line, "== ")) {
            run_case(path, fh_text_slice(line, 3, line.length), &rest);
            cases++;
        }
    }
    fh_buffer_free(&content);
    return cases;
}

/* One file alone: test_rules_cases tests/cases/fusion.txt */
int main(int count, char **arguments)
{
    fh_directory directory = {0};
    if (count > 1) {
        printf("%u cases\n", run_file(arguments[1]));
        return test_report();
    }
    CHECK(fh_directory_list("tests/cases", &directory) == FH_OK);
    for (uint32_t i = 0; i < directory.entries.count; i++) {
        char path[512];
        fh_text name = fh_text_from(directory.entries.items[i].name);
        if (!fh_text_ends(name, ".txt"))
            continue;
        snprintf(path, sizeof path, "tests/cases/%.*s", FH_TEXT_ARGS(name));
        printf("%s: %u cases\n", path, run_file(path));
    }
    fh_directory_free(&directory);
    return test_report();
}
