#include "analyse/cli/commands.h"
#include "analyse/cli/progress.h"
#include "analyse/rules/analyse.h"
#include "analyse/scan/load.h"

#include <strings.h>

/* --rules: ids, beginnings of ids ("FH3"), or categories. False with a message when one names
 * nothing. */
static bool select_rules(const fh_options *options, bool enabled[FH_RULE_COUNT])
{
    uint32_t count;
    const fh_rule *rules = fh_rules(&count);
    for (uint32_t i = 0; i < count; i++)
        enabled[i] = options->rules.count == 0;
    for (uint32_t k = 0; k < options->rules.count; k++) {
        fh_text wanted = options->rules.items[k];
        bool found = false;
        for (uint32_t i = 0; i < count; i++) {
            bool matches =
                (wanted.length <= 5 && strncasecmp(rules[i].id, wanted.data, wanted.length) == 0) ||
                fh_text_is(wanted, fh_category_name(rules[i].category));
            enabled[i] |= matches;
            found |= matches;
        }
        if (!found) {
            fh_message(
                "--rules: there is no rule or category \"%.*s\"; `foothold rules` lists them",
                FH_TEXT_ARGS(wanted));
            return false;
        }
    }
    return true;
}

static bool has_failed(const fh_options *options, const fh_result *result)
{
    for (int severity = 0; severity < FH_SEVERITY_COUNT; severity++)
        if (result->by_severity[severity] && fh_options_fails(options, (fh_severity)severity))
            return true;
    return false;
}

static int analyse_loaded(const fh_options *options, fh_load *load, const bool *enabled)
{
    fh_analysis_options analysis = {
        .release = options->torch,
        .soc = options->soc,
        .baseline = options->baseline,
        .enabled = enabled,
        .jobs = options->jobs,
        .max_locations = options->max_locations,
    };
    fh_result result = {0};
    for (uint32_t i = 0; i < options->arguments.count; i++)
        fh_vector_push(&result.targets, fh_text_from(options->arguments.items[i]));
    result.target = result.targets.items[0];
    int code = FH_EXIT_ERROR;
    if (fh_analyse(load, &analysis, &result) != FH_OK) {
        fh_message("%s", fh_error_message());
    } else {
        code = fh_command_write_reports(options, &result);
        if (code == FH_EXIT_OK && has_failed(options, &result))
            code = FH_EXIT_FINDINGS;
        if (result.partial)
            fh_message("interrupted: the report covers the %u files read by then", result.scanned);
    }
    fh_result_free(&result);
    return code;
}

int fh_command_analyze(const fh_options *options)
{
    bool enabled[FH_RULE_COUNT];
    if (!select_rules(options, enabled))
        return FH_EXIT_ERROR;
    fh_progress bar;
    fh_progress_start(&bar, "reading", options->progress);
    fh_load_options load_options = {
        .jobs = options->jobs,
        .walk = {.include = options->include.items,
                 .include_count = options->include.count,
                 .exclude = options->exclude.items,
                 .exclude_count = options->exclude.count,
                 .max_file_bytes = options->max_file_bytes},
        .progress = fh_progress_tell,
        .progress_context = &bar,
    };
    fh_load load = {0};
    int code = FH_EXIT_ERROR;
    fh_status status =
        fh_load_targets(&load, options->arguments.items, options->arguments.count, &load_options);
    fh_progress_finish(&bar);
    if (status)
        fh_message("%s", fh_error_message());
    else
        code = analyse_loaded(options, &load, enabled);
    fh_load_free(&load);
    return code;
}
