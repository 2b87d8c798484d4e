#include "analyse/cli/accepted.h"
#include "analyse/cli/commands.h"
#include "analyse/cli/progress.h"
#include "analyse/cli/result_cache.h"
#include "analyse/cli/select_rules.h"
#include "analyse/cli/user_facts.h"
#include "analyse/rules/analyse.h"
#include "os/paths.h"

static bool has_failed(const fh_options *options, const fh_result *result)
{
    for (int severity = 0; severity < FH_SEVERITY_COUNT; severity++)
        if (result->by_severity[severity] && fh_options_fails(options, (fh_severity)severity))
            return true;
    return false;
}

/* Runs the rules, or finds that an earlier run did for the same input and options. */
static fh_status find_result(const fh_options *options, const fh_load_options *load_options,
                             fh_load *load, const bool *enabled, const fh_user_facts *user,
                             const char *cache_directory, fh_result *result)
{
    if (cache_directory && !load->partial &&
        fh_result_cache_load(cache_directory, load, options, result))
        return FH_OK;
    fh_cache *cache =
        cache_directory ? fh_cache_open(cache_directory, fh_text_from(options->arguments.items[0]))
                        : NULL;
    fh_status status = fh_load_read(load, load_options, cache);
    if (!status && cache)
        fh_cache_save(cache);
    fh_cache_close(cache);
    fh_analysis_options analysis = {
        .release = options->torch,
        .soc = options->soc,
        .baseline = options->baseline,
        .user = user,
        .enabled = enabled,
        .jobs = options->jobs,
        .max_locations = options->max_locations,
    };
    for (uint32_t i = 0; i < options->arguments.count; i++)
        fh_vector_push(&result->targets, fh_text_from(options->arguments.items[i]));
    result->target = result->targets.items[0];
    if (!status)
        status = fh_analyse(load, &analysis, result);
    if (!status && cache_directory && !result->partial)
        fh_result_cache_save(cache_directory, load, options, result);
    return status;
}

/* Where to keep what was read, or an empty buffer: not wanted, or there is no such place. */
static void find_cache_directory(const fh_options *options, fh_buffer *path)
{
    if (!options->cache)
        return;
    if (options->cache_directory)
        fh_buffer_add_format(path, "%s%c", options->cache_directory, 0);
    else if (fh_paths_cache(path) != FH_OK)
        fh_buffer_clear(path);
}

/* --write-accepted comes first: it takes everything that the report would show without
 * --accepted. */
static fh_status use_accepted(const fh_options *options, fh_result *result)
{
    uint32_t count;
    fh_status status = FH_OK;
    if (options->write_accepted) {
        status = fh_accepted_write(options->write_accepted, result, &count);
        if (!status && !options->quiet)
            fh_message("%u findings are accepted in %s", count, options->write_accepted);
    }
    if (!status && options->accepted) {
        status = fh_accepted_hide(options->accepted, result, &count);
        if (!status && count && !options->quiet)
            fh_message("%u finding%s hidden, accepted in %s", count, count == 1 ? "" : "s",
                       options->accepted);
    }
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
    if (result->partial)
        fh_message("interrupted: the report covers the %u files read by then", result->scanned);
    return code;
}

int fh_command_analyze(const fh_options *options)
{
    bool enabled[FH_RULE_COUNT];
    if (!fh_select_rules(options, enabled))
        return FH_EXIT_ERROR;
    fh_progress bar;
    fh_progress_start(&bar, "reading", options->progress);
    fh_load_options load_options = {
        .jobs = options->jobs,
        .walk = fh_command_walk_options(options),
        .progress = fh_progress_tell,
        .progress_context = &bar,
    };
    fh_load load = {0};
    fh_result result = {0};
    fh_buffer cache_directory = {0};
    find_cache_directory(options, &cache_directory);
    fh_user_facts *user = NULL;
    fh_status status = fh_user_facts_open(options, &user);
    if (!status)
        status =
            fh_load_find(&load, options->arguments.items, options->arguments.count, &load_options);
    if (!status)
        status = find_result(options, &load_options, &load, enabled, user,
                             cache_directory.length ? cache_directory.data : NULL, &result);
    fh_progress_finish(&bar);
    int code = FH_EXIT_ERROR;
    if (status)
        fh_message("%s", fh_error_message());
    else
        code = report_result(options, &result);
    fh_result_free(&result);
    fh_load_free(&load);
    fh_user_facts_free(user);
    fh_buffer_free(&cache_directory);
    return code;
}
