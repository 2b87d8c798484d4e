#include "analyse/cli/options.h"
#include "analyse/cli/raw.h"
#include "analyse/cli/values.h"
#include "facts/nearest.h"
#include "os/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fh_status no_memory(void)
{
    return fh_error(FH_NO_MEMORY, "out of memory while reading the command line");
}

/* True for kinds whose `initial` is a value and not words. */
static bool has_initial_value(const fh_flag *flag)
{
    switch (flag->kind) {
    case FH_FLAG_CHOICE:
    case FH_FLAG_NUMBER:
    case FH_FLAG_SIZE:
    case FH_FLAG_ASCEND:
    case FH_FLAG_CHIP:
    case FH_FLAG_DEVICES:
    case FH_FLAG_TOGGLE:
        return true;
    default:
        return false;
    }
}

/* Defaults, then what the environment says of flags that this command has. */
static fh_status set_defaults(fh_options *options)
{
    fh_status status = FH_OK;
    options->torch = fh_release_default();
    for (unsigned i = 0; !status && i < fh_flag_count; i++) {
        const fh_flag *flag = &fh_flags[i];
        const char *variable = *flag->environment ? getenv(flag->environment) : NULL;
        if (flag->kind == FH_FLAG_SWITCH_OFF)
            *(bool *)((char *)options + flag->field) = true;
        if (has_initial_value(flag))
            status = fh_value_set(options, flag, flag->name, flag->initial);
        if (!status && variable && *variable && fh_flag_belongs(flag, options->command))
            status = fh_value_set(options, flag, flag->environment, variable);
    }
    return status;
}

static fh_status flag_of_other_command(const fh_flag *flag, const fh_command_record *command)
{
    fh_buffer owners = {0};
    for (unsigned i = FH_COMMAND_NONE + 1; i < FH_COMMAND_COUNT; i++) {
        if (!fh_flag_belongs(flag, (fh_command)i))
            continue;
        fh_buffer_add_format(&owners, "%s%s", owners.length ? ", " : "",
                             fh_command_of((fh_command)i)->name);
    }
    fh_status status = fh_error(FH_INVALID, "--%s is no flag of %s; it belongs to %.*s", flag->name,
                                command->name, (int)owners.length, owners.data ? owners.data : "");
    fh_buffer_free(&owners);
    return status;
}

static fh_status set_flags(const fh_raw *raw, fh_options *options)
{
    for (uint32_t i = 0; i < raw->flags.count; i++) {
        const fh_raw_flag *given = &raw->flags.items[i];
        char said[32];
        if (!fh_flag_belongs(given->flag, options->command))
            return flag_of_other_command(given->flag, fh_command_of(options->command));
        snprintf(said, sizeof said, "--%s", given->flag->name);
        fh_status status = fh_value_set(options, given->flag, said, given->value);
        if (status)
            return status;
    }
    return FH_OK;
}

static bool was_given(const fh_raw *raw, const char *name)
{
    for (uint32_t i = 0; i < raw->flags.count; i++)
        if (!strcmp(raw->flags.items[i].flag->name, name))
            return true;
    return false;
}

static fh_status unknown_command(const char *word)
{
    fh_nearest nearest = {0};
    fh_buffer hint = {0};
    for (unsigned i = FH_COMMAND_NONE + 1; i < FH_COMMAND_COUNT; i++)
        fh_nearest_offer(&nearest, fh_text_from(word),
                         fh_text_from(fh_command_of((fh_command)i)->name));
    fh_nearest_add(&hint, &nearest);
    fh_status status = fh_error(FH_INVALID, "there is no command \"%s\"%.*s", word,
                                FH_TEXT_ARGS(fh_buffer_text(&hint)));
    fh_buffer_free(&hint);
    if (nearest.count)
        return status;
    if (strpbrk(word, "/."))
        return fh_error(FH_INVALID,
                        "there is no command \"%s\"; to analyse a path, say foothold analyze %s",
                        word, word);
    return fh_error(FH_INVALID, "there is no command \"%s\"; foothold --help lists them", word);
}

/* --help and --version stand for commands; they win over what else is on the line. */
static fh_status choose_command(const fh_raw *raw, fh_options *options)
{
    fh_command command =
        raw->command ? fh_command_find(fh_text_from(raw->command)) : FH_COMMAND_NONE;
    if (raw->command && command == FH_COMMAND_NONE)
        return unknown_command(raw->command);
    for (uint32_t i = 0; i < raw->flags.count; i++)
        if (raw->flags.items[i].flag->kind == FH_FLAG_HELP)
            options->help = raw->flags.items[i].is_short ? FH_HELP_SHORT : FH_HELP_LONG;
    if (options->help && command != FH_COMMAND_HELP) {
        options->command = FH_COMMAND_HELP;
        if (raw->command && !fh_vector_push(&options->arguments, raw->command))
            return no_memory();
        return FH_OK;
    }
    if (was_given(raw, "version"))
        command = FH_COMMAND_VERSION;
    if (command == FH_COMMAND_NONE)
        return fh_error(FH_INVALID, "no command is given; foothold --help lists them");
    if (command == FH_COMMAND_HELP && !options->help)
        options->help = FH_HELP_LONG;
    options->command = command;
    return FH_OK;
}

static fh_status take_arguments(const fh_raw *raw, fh_options *options)
{
    for (uint32_t i = 0; i < raw->arguments.count; i++)
        if (!fh_vector_push(&options->arguments, raw->arguments.items[i]))
            return no_memory();
    const fh_command_record *command = fh_command_of(options->command);
    unsigned count = options->arguments.count;
    if (count < command->least)
        return fh_error(FH_INVALID, "%s needs an argument: foothold %s %s", command->name,
                        command->name, command->arguments);
    if (count > command->most)
        return fh_error(FH_INVALID, "%s was given \"%s\", which is one argument too many",
                        command->name, options->arguments.items[command->most]);
    return FH_OK;
}

static fh_status check_facts(const fh_options *options)
{
    const char *verb = options->arguments.count ? options->arguments.items[0] : "list";
    if (!strcmp(verb, "list") && options->arguments.count <= 1)
        return FH_OK;
    if (!strcmp(verb, "list"))
        return fh_error(FH_INVALID, "facts list takes no further argument");
    if (strcmp(verb, "import"))
        return fh_error(FH_INVALID, "facts %s: there is only facts list and facts import FILE...",
                        verb);
    if (options->arguments.count < 2)
        return fh_error(FH_INVALID, "facts import needs a file: foothold facts import FILE...");
    return FH_OK;
}

static fh_status check_completion(const char *shell)
{
    fh_text rest = fh_text_from(fh_command_of(FH_COMMAND_COMPLETION)->arguments), word;
    while (fh_flag_next_choice(&rest, &word))
        if (fh_text_is(word, shell))
            return FH_OK;
    return fh_error(FH_INVALID, "completion: \"%s\" is none of %s", shell,
                    fh_command_of(FH_COMMAND_COMPLETION)->arguments);
}

/* The program that run runs may be given empty arguments. */
static bool may_be_empty(const fh_options *options, unsigned argument)
{
    return options->command == FH_COMMAND_RUN && argument > 0;
}

/* What the records cannot say about the arguments of single commands. */
static fh_status check_arguments(const fh_options *options)
{
    unsigned count = options->arguments.count;
    for (unsigned i = 0; i < count; i++)
        if (!*options->arguments.items[i] && !may_be_empty(options, i))
            return fh_error(FH_INVALID, "%s: argument %u is empty",
                            fh_command_of(options->command)->name, i + 1);
    switch (options->command) {
    case FH_COMMAND_FACTS:
        return check_facts(options);
    case FH_COMMAND_OPS:
        if (options->list == (count == 0))
            return FH_OK;
        return fh_error(FH_INVALID, count ? "ops takes names or --list, not both"
                                          : "ops needs a name, or --list for all");
    case FH_COMMAND_COMPLETION:
        return check_completion(options->arguments.items[0]);
    case FH_COMMAND_HELP:
        if (count && !fh_command_find(fh_text_from(options->arguments.items[0])))
            return unknown_command(options->arguments.items[0]);
        return FH_OK;
    default:
        return FH_OK;
    }
}

static fh_status add_output(fh_options *options, const char *file, const fh_report_format *format)
{
    bool to_standard_output = !file || !strcmp(file, "-");
    for (uint32_t i = 0; to_standard_output && i < options->outputs.count; i++)
        if (!options->outputs.items[i].file)
            return fh_error(FH_INVALID, "--output: standard output is named twice");
    if (!fh_vector_push(&options->outputs,
                        (fh_report_output){to_standard_output ? NULL : file, format}))
        return no_memory();
    return FH_OK;
}

static fh_status add_output_file(fh_options *options, const char *file,
                                 const fh_report_format *format, bool format_given)
{
    if (!format_given && strcmp(file, "-")) {
        format = fh_report_format_of_file(fh_text_from(file));
        if (!format)
            return fh_error(FH_INVALID,
                            "--output: the name %s does not tell a format; end it in .txt, .json, "
                            ".sarif, .md or .html, or give --format",
                            file);
    }
    return add_output(options, file, format);
}

static bool writes_to_standard_output(const fh_options *options)
{
    for (uint32_t i = 0; i < options->outputs.count; i++)
        if (!options->outputs.items[i].file)
            return true;
    return false;
}

/* dump-calls has one output and no formats. */
static fh_status choose_output_of_calls(fh_options *options)
{
    if (options->output_files.count > 1)
        return fh_error(FH_INVALID, "--output: dump-calls writes one file");
    return add_output(
        options, options->output_files.count ? options->output_files.items[0].data : NULL, NULL);
}

static fh_status choose_outputs(const fh_raw *raw, fh_options *options)
{
    uint32_t count;
    const fh_report_format *formats = fh_report_formats(&count),
                           *format = formats + options->format;
    bool format_given = was_given(raw, "format");
    fh_status status = FH_OK;
    if (options->command == FH_COMMAND_DUMP_CALLS)
        return choose_output_of_calls(options);
    if (options->command != FH_COMMAND_ANALYZE && options->command != FH_COMMAND_REPORT)
        return FH_OK;
    for (uint32_t i = 0; !status && i < options->output_files.count; i++)
        status =
            add_output_file(options, options->output_files.items[i].data, format, format_given);
    if (status)
        return status;
    if (!options->output_files.count && (format_given || !options->quiet))
        return add_output(options, NULL, format);
    if (options->output_files.count && !options->quiet && !writes_to_standard_output(options))
        return add_output(options, NULL, formats);
    return FH_OK;
}

static fh_status check(const fh_raw *raw, fh_options *options)
{
    fh_status status = choose_command(raw, options);
    if (status)
        return status;
    if (options->command == FH_COMMAND_VERSION)
        return FH_OK;
    if ((status = set_defaults(options)))
        return status;
    if (options->command != FH_COMMAND_HELP && (status = set_flags(raw, options)))
        return status;
    if (options->arguments.count == 0 && (status = take_arguments(raw, options)))
        return status;
    if ((status = check_arguments(options)) || (status = choose_outputs(raw, options)))
        return status;
    if (!options->max_locations)
        options->max_locations = UINT32_MAX;
    if (!options->jobs)
        options->jobs = fh_processor_count();
    if (options->quiet)
        options->progress = false;
    return FH_OK;
}

fh_status fh_options_read(int argc, char *const *argv, fh_options *options)
{
    fh_raw raw = {0};
    fh_status status = fh_raw_read(argc, argv, &raw);
    if (!status)
        status = check(&raw, options);
    fh_raw_free(&raw);
    return status;
}

void fh_options_free(fh_options *options)
{
    fh_vector_free(&options->arguments);
    fh_vector_free(&options->outputs);
    fh_vector_free(&options->include);
    fh_vector_free(&options->exclude);
    fh_vector_free(&options->rules);
    fh_vector_free(&options->output_files);
}

bool fh_options_fails(const fh_options *options, fh_severity severity)
{
    switch (options->fail_on) {
    case FH_FAIL_ON_ERROR:
        return severity >= FH_SEVERITY_ERROR;
    case FH_FAIL_ON_WARNING:
        return severity >= FH_SEVERITY_WARNING;
    case FH_FAIL_ON_NOTE:
        return true;
    case FH_FAIL_ON_NEVER:
        return false;
    }
    return false;
}

bool fh_options_color(const fh_options *options, fh_output output)
{
    if (options->color == FH_COLOR_AUTO)
        return fh_terminal_color(output);
    return options->color == FH_COLOR_ALWAYS;
}
