#include "analyse/cli/complete.h"
#include "analyse/cli/help.h"
#include "analyse/cli/man.h"
#include "analyse/cli/options.h"
#include "tests/test.h"
#include "tests/unit/sweep.h"

#include <stdlib.h>

enum { MOST_WORDS = 32 };

/* A command line, split at blanks; "foothold" is put in front. */
typedef struct {
    char text[512];
    char *words[MOST_WORDS];
    int count;
} line;

static void split(line *command, const char *text)
{
    snprintf(command->text, sizeof command->text, "foothold %s", text);
    command->count = 0;
    for (char *word = strtok(command->text, " "); word; word = strtok(NULL, " "))
        command->words[command->count++] = word;
}

/* The words that `got` points into must outlive it. */
static line current;

static fh_status read_line(const char *text, fh_options *got)
{
    split(&current, text);
    return fh_options_read(current.count, current.words, got);
}

/* A command line that is refused; the message has to contain `part`. */
static void refused(const char *text, const char *part)
{
    fh_options got = {0};
    fh_status status = read_line(text, &got);
    test_checks++;
    if (status != FH_INVALID || !strstr(fh_error_message(), part)) {
        test_failures++;
        printf("\"%s\": status %d, \"%s\", which should contain \"%s\"\n", text, (int)status,
               status ? fh_error_message() : "", part);
    }
    fh_options_free(&got);
}

static void clear_environment(void)
{
    for (unsigned i = 0; i < fh_flag_count; i++)
        if (*fh_flags[i].environment)
            unsetenv(fh_flags[i].environment);
}

static void defaults(void)
{
    fh_options got = {0};
    CHECK(read_line("analyze x", &got) == FH_OK);
    CHECK(got.command == FH_COMMAND_ANALYZE);
    CHECK(got.arguments.count == 1 && !strcmp(got.arguments.items[0], "x"));
    CHECK(got.soc == fh_soc_default() && got.baseline == fh_soc_baseline());
    CHECK(fh_release_compare(got.torch, fh_release_default()) == 0);
    CHECK(got.fail_on == FH_FAIL_ON_NEVER && got.color == FH_COLOR_AUTO);
    CHECK(got.max_locations == 200 && got.max_file_bytes == 64 << 20);
    CHECK(got.jobs >= 1 && got.cache && got.progress);
    CHECK(!got.quiet && !got.details && !got.apply && !got.list && !got.facts);
    CHECK(got.outputs.count == 1 && !got.outputs.items[0].file);
    CHECK(!strcmp(got.outputs.items[0].format->name, "text"));
    fh_options_free(&got);
}

static void every_way_to_write_a_flag(void)
{
    static const char *const ways[] = {
        "analyze x -j 7",     "analyze x -j7",      "analyze x -j=7",
        "analyze x --jobs 7", "analyze --jobs=7 x", "--jobs=7 analyse x",
        "-j 7 analyze x",     "analyze -j3 x -j7",  "analyze -qj7 x"};
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        fh_options got = {0};
        CHECK(read_line(ways[i], &got) == FH_OK);
        CHECK(got.jobs == 7 && got.command == FH_COMMAND_ANALYZE && got.arguments.count == 1);
        fh_options_free(&got);
    }
}

static void what_follows_two_dashes_is_an_argument(void)
{
    fh_options got = {0};
    CHECK(read_line("analyze -- --jobs - -- -q", &got) == FH_OK);
    CHECK(got.arguments.count == 4 && !got.quiet);
    CHECK(!strcmp(got.arguments.items[0], "--jobs") && !strcmp(got.arguments.items[1], "-"));
    CHECK(!strcmp(got.arguments.items[2], "--") && !strcmp(got.arguments.items[3], "-q"));
    fh_options_free(&got);
}

static void repeated_flags(void)
{
    fh_options got = {0};
    CHECK(read_line("analyze x --include a,b --include c --exclude *.py --rules FH1,precision "
                    "--rules fh204 --fail-on note --fail-on error",
                    &got) == FH_OK);
    CHECK(got.include.count == 2 && got.exclude.count == 1 && got.rules.count == 3);
    CHECK_TEXT(got.include.items[0], "a,b");
    CHECK_TEXT(got.include.items[1], "c");
    CHECK_TEXT(got.rules.items[1], "precision");
    CHECK_TEXT(got.rules.items[2], "fh204");
    CHECK(got.fail_on == FH_FAIL_ON_ERROR);
    fh_options_free(&got);
}

/* `text` gives these outputs, written as "format:file ...", "-" for standard output. */
static void outputs_are(const char *text, const char *expected)
{
    fh_options got = {0};
    fh_buffer out = {0};
    CHECK(read_line(text, &got) == FH_OK);
    for (uint32_t i = 0; i < got.outputs.count; i++) {
        const fh_report_output *output = &got.outputs.items[i];
        fh_buffer_add_format(&out, "%s%s:%s", i ? " " : "",
                             output->format ? output->format->name : "calls",
                             output->file ? output->file : "-");
    }
    CHECK_TEXT(fh_buffer_text(&out), expected);
    fh_buffer_free(&out);
    fh_options_free(&got);
}

static void where_reports_go(void)
{
    outputs_are("analyze x", "text:-");
    outputs_are("analyze x --format json", "json:-");
    outputs_are("analyze x -q", "");
    outputs_are("analyze x -q --format json", "json:-");
    outputs_are("analyze x -o r.html", "html:r.html text:-");
    outputs_are("analyze x -o r.html -q", "html:r.html");
    outputs_are("analyze x -o a/r.html -o b.sarif -o c.json -o d.md -o e.txt -q",
                "html:a/r.html sarif:b.sarif json:c.json markdown:d.md text:e.txt");
    outputs_are("analyze x --format sarif -o results.json", "sarif:results.json text:-");
    outputs_are("analyze x --format json -o -", "json:-");
    outputs_are("analyze x -o -", "text:-");
    outputs_are("analyze x -o - -o r.html", "text:- html:r.html");
    outputs_are("report saved.json -o r.md -q", "markdown:r.md");
    outputs_are("dump-calls x", "calls:-");
    outputs_are("dump-calls x -q", "calls:-");
    outputs_are("dump-calls x -o calls", "calls:calls");
    outputs_are("fix x", "");
    refused("analyze x -o r.foo", "--output: the name r.foo");
    refused("analyze x -o r", "--output: the name r ");
    refused("analyze x -o - -o -", "--output: standard output is named twice");
    refused("dump-calls x -o a -o b", "--output: dump-calls writes one file");
}

static void formats_stand_in_the_order_of_the_reports(void)
{
    uint32_t count;
    const fh_report_format *formats = fh_report_formats(&count);
    fh_text rest = fh_text_from(fh_flag_find(FH_TEXT("format"))->argument), word;
    uint32_t i = 0;
    for (; fh_flag_next_choice(&rest, &word) && i < count; i++)
        CHECK_TEXT(word, formats[i].name);
    CHECK(i == count && !rest.data);
}

static void numbers_at_their_edges(void)
{
    fh_options got = {0};
    CHECK(read_line("analyze x --max-locations 0 --max-file-size 3G --jobs 1024", &got) == FH_OK);
    CHECK(got.max_locations == UINT32_MAX && got.max_file_bytes == (uint64_t)3 << 30);
    CHECK(got.jobs == 1024);
    fh_options_free(&got);
    static const char *const bad_jobs[] = {"0", "-1", "1025", "x", "1x", "99999999999999999999"};
    for (unsigned i = 0; i < sizeof bad_jobs / sizeof *bad_jobs; i++) {
        char text[64];
        snprintf(text, sizeof text, "analyze x --jobs %s", bad_jobs[i]);
        refused(text, "--jobs: ");
    }
    refused("analyze x --max-locations -1", "--max-locations: ");
    refused("analyze x --max-locations 4294967295", "--max-locations: ");
    static const char *const bad_sizes[] = {"0",  "K",  "1P", "1.5M", "9223372036854775807K",
                                            "-1", "1KK"};
    for (unsigned i = 0; i < sizeof bad_sizes / sizeof *bad_sizes; i++) {
        char text[64];
        snprintf(text, sizeof text, "analyze x --max-file-size %s", bad_sizes[i]);
        refused(text, "--max-file-size: ");
    }
}

static void mistakes_are_named(void)
{
    refused("", "no command");
    refused("anlyze x", "did you mean analyze?");
    refused("some/path.py", "foothold analyze some/path.py");
    refused("analyze", "foothold analyze PATH...");
    refused("analyze x --formt json", "did you mean --format?");
    refused("analyze x --formt=json", "no flag --formt; did you mean --format?");
    refused("analyze x -soc 910B", "did you mean --soc?");
    refused("analyze x -z", "no flag -z");
    refused("analyze x --format yaml", "--format: \"yaml\" is none of text|json|");
    refused("analyze x --fail-on warn", "did you mean warning?");
    refused("analyze x --format", "--format needs a value");
    refused("analyze x --format=", "--format: the value is empty");
    refused("analyze x -o", "--output needs a value");
    refused("analyze x --output --quiet", "--output=--quiet");
    refused("analyze x --quiet=1", "--quiet takes no value");
    refused("analyze x --apply", "--apply is no flag of analyze; it belongs to fix");
    refused("soc --jobs 2", "it belongs to analyze, fix, dump-calls");
    refused("analyze x --soc 910B33", "did you mean 910B3");
    refused("analyze x --soc A100", "no Ascend chip");
    refused("analyze x --baseline A1000", "--baseline: ");
    refused("analyze x --torch 1.0", "--torch: ");
    refused("analyze x --torch new", "--torch: ");
    refused("analyze x --rules FH101,,FH102", "--rules: a name is missing");
    refused("analyze x --rules precison", "did you mean precision?");
    refused("analyze x --rules FH999", "--rules: \"FH999\"");
    refused("report a b", "\"b\"");
    refused("man x", "one argument too many");
    refused("ops", "ops needs a name");
    refused("ops --list x", "not both");
    refused("facts export", "facts import FILE...");
    refused("facts import", "facts import needs a file");
    refused("facts list x", "no further argument");
    refused("completion tcsh", "bash|zsh|fish");
    refused("help analyse-it", "there is no command");
}

static void command_is(const char *text, fh_command command, const char *argument, fh_help help)
{
    fh_options got = {0};
    CHECK(read_line(text, &got) == FH_OK);
    CHECK(got.command == command && got.help == help);
    CHECK(argument ? got.arguments.count == 1 && !strcmp(got.arguments.items[0], argument)
                   : got.arguments.count == 0);
    fh_options_free(&got);
}

static void help_and_version_stand_for_commands(void)
{
    command_is("--help", FH_COMMAND_HELP, NULL, FH_HELP_LONG);
    command_is("-h", FH_COMMAND_HELP, NULL, FH_HELP_SHORT);
    command_is("help", FH_COMMAND_HELP, NULL, FH_HELP_LONG);
    command_is("help fix", FH_COMMAND_HELP, "fix", FH_HELP_LONG);
    command_is("fix --help", FH_COMMAND_HELP, "fix", FH_HELP_LONG);
    command_is("fix a b -h --format x", FH_COMMAND_HELP, "fix", FH_HELP_SHORT);
    command_is("--version", FH_COMMAND_VERSION, NULL, FH_HELP_NONE);
    command_is("-V", FH_COMMAND_VERSION, NULL, FH_HELP_NONE);
    command_is("version", FH_COMMAND_VERSION, NULL, FH_HELP_NONE);
}

static void environment_gives_defaults_where_stated(void)
{
    fh_options got = {0};
    setenv("FOOTHOLD_SOC", "310P", 1);
    setenv("FOOTHOLD_TORCH", "2.7", 1);
    setenv("FOOTHOLD_JOBS", "3", 1);
    setenv("FOOTHOLD_BASELINE", "", 1);
    CHECK(read_line("analyze x --jobs 5", &got) == FH_OK);
    CHECK(!strcmp(got.soc->name, "Ascend310P3") && got.baseline == fh_soc_baseline());
    CHECK(got.torch.major == 2 && got.torch.minor == 7 && got.jobs == 5);
    fh_options_free(&got);
    setenv("FOOTHOLD_JOBS", "many", 1);
    refused("analyze x", "FOOTHOLD_JOBS: \"many\"");
    CHECK(read_line("soc", &got) == FH_OK); /* which has no such flag */
    fh_options_free(&got);
    clear_environment();
}

static void fail_on_compares_severities(void)
{
    static const struct {
        const char *word;
        bool note, warning, error;
    } rows[] = {{"never", false, false, false},
                {"error", false, false, true},
                {"warning", false, true, true},
                {"note", true, true, true}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64];
        fh_options got = {0};
        snprintf(text, sizeof text, "analyze x --fail-on %s", rows[i].word);
        CHECK(read_line(text, &got) == FH_OK);
        CHECK(fh_options_fails(&got, FH_SEVERITY_NOTE) == rows[i].note);
        CHECK(fh_options_fails(&got, FH_SEVERITY_WARNING) == rows[i].warning);
        CHECK(fh_options_fails(&got, FH_SEVERITY_ERROR) == rows[i].error);
        fh_options_free(&got);
    }
}

static void names_are_unique(void)
{
    for (unsigned i = 0; i < fh_flag_count; i++) {
        CHECK(fh_flag_find(fh_text_from(fh_flags[i].name)) == &fh_flags[i]);
        CHECK(!fh_flags[i].letter || fh_flag_find_letter(fh_flags[i].letter) == &fh_flags[i]);
        CHECK(fh_flag_takes_value(&fh_flags[i]) == (*fh_flags[i].argument != 0));
    }
    for (unsigned i = FH_COMMAND_NONE + 1; i < FH_COMMAND_COUNT; i++)
        CHECK(fh_command_find(fh_text_from(fh_command_of((fh_command)i)->name)) == i);
}

static void longest_line_is(fh_text text, size_t most)
{
    fh_text line_of_text;
    while (fh_text_next(&text, '\n', &line_of_text))
        if (line_of_text.length > most) {
            CHECK(!"line too long");
            printf("  %.*s\n", FH_TEXT_ARGS(line_of_text));
        }
}

static void help_shows_every_flag_of_a_command(void)
{
    for (unsigned command = 0; command < FH_COMMAND_COUNT; command++) {
        for (int is_long = 0; is_long < 2; is_long++) {
            fh_buffer out = {0};
            fh_help_add(&out, (fh_command)command, is_long, 72);
            for (unsigned i = 0; i < fh_flag_count; i++) {
                char label[64];
                snprintf(label, sizeof label, " --%s%s%s\n", fh_flags[i].name,
                         *fh_flags[i].argument ? " " : "", fh_flags[i].argument);
                if (!is_long)
                    label[strlen(label) - 1] = 0;
                CHECK(fh_text_contains(fh_buffer_text(&out), label) ==
                      fh_flag_belongs(&fh_flags[i], (fh_command)command));
            }
            longest_line_is(fh_buffer_text(&out), 72);
            CHECK(fh_text_ends(fh_buffer_text(&out), "\n"));
            CHECK(!fh_text_contains(fh_buffer_text(&out), " \n"));
            fh_buffer_free(&out);
        }
    }
}

static void man_page_and_completions_have_every_flag(void)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};
    fh_buffer man = {0}, script = {0};
    fh_man_add(&man);
    for (unsigned s = 0; s < 3; s++) {
        fh_buffer_clear(&script);
        fh_complete_add(&script, fh_text_from(shells[s]));
        for (unsigned i = 0; i < fh_flag_count; i++) {
            char name[64];
            snprintf(name, sizeof name, "%s%s", s == 2 ? "-l " : "--", fh_flags[i].name);
            CHECK(fh_text_contains(fh_buffer_text(&script), name));
        }
        for (unsigned i = FH_COMMAND_NONE + 1; i < FH_COMMAND_COUNT; i++)
            CHECK(fh_text_contains(fh_buffer_text(&script), fh_command_of((fh_command)i)->name));
    }
    for (unsigned i = FH_COMMAND_NONE + 1; i < FH_COMMAND_COUNT; i++)
        CHECK(fh_text_contains(fh_buffer_text(&man), fh_command_of((fh_command)i)->summary) ||
              strchr(fh_command_of((fh_command)i)->summary, '-'));
    CHECK(fh_text_contains(fh_buffer_text(&man), ".SH EXIT STATUS"));
    fh_buffer_free(&man);
    fh_buffer_free(&script);
}

static fh_status read_all(void *context)
{
    fh_options got = {0};
    fh_status status = read_line(context, &got);
    fh_options_free(&got);
    return status;
}

static void survives_any_failed_allocation(void)
{
    char text[] = "analyze a b c --include x --exclude y --rules FH1 -o a.html -o b.json";
    CHECK(sweep(read_all, text) > 0);
}

int main(void)
{
    clear_environment();
    TEST(defaults);
    TEST(every_way_to_write_a_flag);
    TEST(what_follows_two_dashes_is_an_argument);
    TEST(repeated_flags);
    TEST(where_reports_go);
    TEST(formats_stand_in_the_order_of_the_reports);
    TEST(numbers_at_their_edges);
    TEST(mistakes_are_named);
    TEST(help_and_version_stand_for_commands);
    TEST(environment_gives_defaults_where_stated);
    TEST(fail_on_compares_severities);
    TEST(names_are_unique);
    TEST(help_shows_every_flag_of_a_command);
    TEST(man_page_and_completions_have_every_flag);
    TEST(survives_any_failed_allocation);
    return test_report();
}
