#include "analyse/cli/accepted.h"
#include "analyse/cli/commands.h"
#include "analyse/cli/result_cache.h"
#include "analyse/cli/select_rules.h"
#include "analyse/cli/target.h"
#include "analyse/cli/user_facts.h"
#include "analyse/rules/analyse.h"

#include <stdio.h>

static bool has_failed(const fh_options *options, const fh_result *result)
{
    for (int severity = 0; severity < FH_SEVERITY_COUNT; severity++)
        if (result->by_severity[severity] && fh_options_fails(options, (fh_severity)severity))
            return true;
    return false;
}

/* Runs the rules, or finds that an earlier run did for the same input and options. */
static fh_status find_result(const fh_options *options, fh_target *target, const bool *enabled,
                             const fh_user_facts *user, fh_result *result)
{
    const char *directory = fh_target_cache(target);
    if (directory && !target->load.partial &&
        fh_result_cache_load(directory, &target->load, options, result))
        return FH_OK;
    fh_status status = fh_target_read(target);
    fh_buffer units = {0};
    fh_analysis_options analysis = {
        .release = options->torch,
        .soc = options->soc,
        .baseline = options->baseline,
        .host_tflops = options->host_tflops,
        .host_gbps = options->host_gbps,
        .user = user,
        .enabled = enabled,
        .jobs = options->jobs,
        .max_locations = options->max_locations,
    };
    if (directory && fh_result_cache_units(directory, options, &units, &analysis.choices))
        analysis.kept = units.data;
    for (uint32_t i = 0; i < options->arguments.count; i++)
        fh_vector_push(&result->targets, fh_text_from(options->arguments.items[i]));
    result->target = result->targets.items[0];
    if (!status)
        status = fh_analyse(&target->load, &analysis, result);
    if (!status && directory && !result->partial && !target->load.moved)
        fh_result_cache_save(directory, &target->load, options, result);
    fh_buffer_free(&units);
    return status;
}

/* What an interrupted run has not found may still be there: an old file would lose it. */
static fh_status write_accepted(const fh_options *options, const fh_result *result)
{
    uint32_t count;
    if (result->partial) {
        fh_message("interrupted: %s is not written", options->write_accepted);
        return FH_OK;
    }
    fh_status status = fh_accepted_write(options->write_accepted, result, &count);
    if (!status && !options->quiet)
        fh_message("%u finding%s accepted in %s", count, count == 1 ? " is" : "s are",
                   options->write_accepted);
    return status;
}

/* Whether all of the target was looked at for everything, so that an accepted finding that is not
 * among the result's is gone. */
static bool is_whole(const fh_options *options, const fh_result *result)
{
    return !result->partial && !options->rules.count && !options->include.count &&
           !options->exclude.count && !options->write_accepted;
}

/* Which accepted findings the result does not have. */
static void tell_missing(const char *path, const fh_accepted_match *match)
{
    enum { MOST_TOLD = 10 };
    uint32_t left = match->stale;
    fh_message("%u accepted finding%s in %s %s not found here; when gone for good, write the "
               "list anew: --write-accepted %s",
               match->stale, match->stale == 1 ? "" : "s", path, match->stale == 1 ? "was" : "were",
               path);
    for (uint32_t i = 0; i < match->missing.count && i < MOST_TOLD; i++) {
        const fh_accepted_missing *missing = &match->missing.items[i];
        char times[24] = "";
        if (missing->count > 1)
            snprintf(times, sizeof times, " x%u", missing->count);
        fh_message("  not found: %.*s in %.*s%s", FH_TEXT_ARGS(missing->rule),
                   FH_TEXT_ARGS(missing->file), times);
        left -= missing->count < left ? missing->count : left;
    }
    if (left)
        fh_message("  not found: %u more", left);
}

static void tell_accepted(const fh_options *options, const fh_result *result,
                          const fh_accepted_match *match)
{
    const char *path = options->accepted;
    if (match->hidden)
        fh_message("%u finding%s hidden, accepted in %s", match->hidden,
                   match->hidden == 1 ? "" : "s", path);
    if (match->there.length)
        fh_message("nothing is hidden: %s counts paths from another folder, %.*s there is %.*s "
                   "here; analyse the folder that it was written for, or write a list for this one",
                   path, FH_TEXT_ARGS(match->there), FH_TEXT_ARGS(match->here));
    else if (match->stale && is_whole(options, result))
        tell_missing(path, match);
}

static fh_status hide_accepted(const fh_options *options, fh_result *result)
{
    fh_accepted_match match;
    fh_status status = fh_accepted_hide(options->accepted, result, &match);
    if (!status && !options->quiet)
        tell_accepted(options, result, &match);
    fh_accepted_match_free(&match);
    return status;
}

/* --write-accepted comes first: it takes everything that the report would show without
 * --accepted. */
static fh_status use_accepted(const fh_options *options, fh_result *result)
{
    fh_status status = options->write_accepted ? write_accepted(options, result) : FH_OK;
    if (!status && options->accepted)
        status = hide_accepted(options, result);
    return status;
}

static int report_result(const fh_options *options, fh_result *result)
{
    if (use_accepted(options, result)) {
        fh_message("%s", fh_error_message());
        return FH_EXIT_ERROR;
    }
    int code = fh_command_write_reports(options, result);
    if (code == FH_EXIT_OK && has_failed(options, result))
        code = FH_EXIT_FINDINGS;
    if (result->partial) {
        fh_message("interrupted: the report covers the %u files read by then", result->scanned);
        if (code != FH_EXIT_ERROR)
            code = fh_command_interrupted();
    }
    return code;
}

int fh_command_analyze(const fh_options *options)
{
    bool enabled[FH_RULE_COUNT];
    if (!fh_select_rules(options, enabled))
        return FH_EXIT_ERROR;
    fh_target target = {0};
    fh_result result = {0};
    fh_user_facts *user = NULL;
    fh_status status = fh_user_facts_open(options, &user);
    if (!status)
        status = fh_target_find(options, &target);
    if (!status)
        status = find_result(options, &target, enabled, user, &result);
    fh_target_finish(&target);
    int code = FH_EXIT_ERROR;
    if (status)
        fh_message("%s", fh_error_message());
    else
        code = report_result(options, &result);
    fh_result_free(&result);
    fh_target_free(&target);
    fh_user_facts_free(user);
    return code;
}
