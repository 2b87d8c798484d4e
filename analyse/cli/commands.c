#include "analyse/cli/commands.h"
#include "analyse/scan/archive.h"
#include "os/file.h"
#include "os/interrupt.h"
#include "os/terminal.h"

fh_walk_options fh_command_walk_options(const fh_options *options)
{
    return (fh_walk_options){
        .include = options->include.items,
        .include_count = options->include.count,
        .exclude = options->exclude.items,
        .exclude_count = options->exclude.count,
        .max_file_bytes = options->max_file_bytes,
    };
}

int fh_command_print(fh_text text)
{
    if (fh_output_write(FH_STDOUT, text) == FH_OK || fh_output_closed())
        return FH_EXIT_OK;
    fh_message("%s", fh_error_message());
    return FH_EXIT_ERROR;
}

/* Whether a target is a folder. One that is not here, since a saved report may come from
 * elsewhere, is judged by its name. */
static bool is_folder(fh_text target)
{
    fh_file_info info;
    fh_buffer path = {0};
    fh_buffer_add_format(&path, "%.*s", FH_TEXT_ARGS(target));
    fh_buffer_add_char(&path, 0);
    bool is_here = !path.failed && fh_file_stat(path.data, true, &info) == FH_OK;
    fh_buffer_free(&path);
    if (is_here)
        return info.kind == FH_FILE_DIRECTORY;
    return fh_source_kind_of(target) == FH_SOURCE_NONE && !fh_archive_is_name(target);
}

/* What stands before the report's paths, so that they can be opened from here: the target when it
 * is a folder, the folder of a target that is a file. Several targets have their names in the
 * paths, and members of an archive cannot be opened. */
static void add_prefix(const fh_result *result, fh_buffer *prefix)
{
    fh_text target = result->target;
    if (result->targets.count > 1 || !target.length)
        return;
    if (is_folder(target)) {
        if (!fh_text_is(target, ".") && !fh_text_is(target, "./"))
            fh_buffer_add_format(prefix, "%.*s%s", FH_TEXT_ARGS(target),
                                 fh_text_ends(target, "/") ? "" : "/");
    } else {
        size_t slash = fh_text_find_last(target, '/');
        if (slash < target.length && fh_source_kind_of(target) != FH_SOURCE_NONE)
            fh_buffer_add(prefix, fh_text_slice(target, 0, slash + 1));
    }
}

enum { LONGEST_PREFIX = 24 };

static int write_report(const fh_options *options, const fh_result *result,
                        const fh_report_output *output)
{
    fh_buffer prefix = {0};
    add_prefix(result, &prefix);
    /* On a terminal a long prefix would leave no room for the findings. */
    if (!output->file && prefix.length > LONGEST_PREFIX &&
        fh_text_is(fh_text_from(output->format->name), "text"))
        fh_buffer_clear(&prefix);
    unsigned rows = fh_terminal_height(FH_STDOUT);
    fh_report_options report = {
        .prefix = fh_buffer_text(&prefix),
        .width = fh_terminal_width(FH_STDOUT),
        .height = output->file || !rows ? 0 : rows - 1, /* the prompt comes below */
        .color = !output->file && fh_options_color(options, FH_STDOUT),
        .details = options->details || output->file,
        .max_locations = options->max_locations,
    };
    fh_buffer text = {0};
    int code = FH_EXIT_OK;
    fh_status status = fh_report_write(result, output->format, &report, &text);
    if (!status && output->file)
        status = fh_file_write_atomic(output->file, fh_buffer_text(&text));
    if (status) {
        fh_message("%s", fh_error_message());
        code = FH_EXIT_ERROR;
    } else if (!output->file) {
        code = fh_command_print(fh_buffer_text(&text));
    }
    fh_buffer_free(&text);
    fh_buffer_free(&prefix);
    return code;
}

int fh_command_write_reports(const fh_options *options, const fh_result *result)
{
    int code = FH_EXIT_OK;
    for (uint32_t i = 0; i < options->outputs.count; i++)
        if (write_report(options, result, &options->outputs.items[i]) != FH_EXIT_OK)
            code = FH_EXIT_ERROR;
    return code;
}

int fh_command_interrupted(void)
{
    return FH_EXIT_SIGNAL + fh_interrupt_signal();
}

static int run(const fh_options *options)
{
    switch (options->command) {
    case FH_COMMAND_ANALYZE:
        return fh_command_analyze(options);
    case FH_COMMAND_DUMP_CALLS:
        return fh_command_dump_calls(options);
    case FH_COMMAND_RULES:
        return fh_command_rules(options);
    case FH_COMMAND_REPORT:
        return fh_command_report(options);
    case FH_COMMAND_FIX:
        return fh_command_fix(options);
    case FH_COMMAND_OPS:
        return fh_command_ops(options);
    case FH_COMMAND_SOC:
        return fh_command_soc(options);
    case FH_COMMAND_FACTS:
        return fh_command_facts(options);
    case FH_COMMAND_DOCTOR:
        return fh_command_doctor(options);
    case FH_COMMAND_RUN:
        return fh_command_run(options);
    default:
        fh_message("%s is not built yet", fh_command_of(options->command)->name);
        return FH_EXIT_ERROR;
    }
}

int fh_command_main(int argc, char **argv)
{
    fh_options options = {0};
    int code = FH_EXIT_ERROR;
    fh_interrupt_install();
    switch (fh_options_parse(argc, argv, &options)) {
    case FH_PARSED_RUN:
        code = run(&options);
        break;
    case FH_PARSED_DONE:
        code = FH_EXIT_OK;
        break;
    case FH_PARSED_BAD:
        break;
    }
    fh_options_free(&options);
    return code;
}
