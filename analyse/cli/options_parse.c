#include "analyse/cli/complete.h"
#include "analyse/cli/help.h"
#include "analyse/cli/man.h"
#include "analyse/cli/options.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

void fh_message(const char *format, ...)
{
    char message[2048];
    fh_buffer line = {0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fh_buffer_add_string(&line, "foothold: ");
    fh_utf8_add_repaired(&line, fh_text_from(message));
    fh_buffer_add_char(&line, '\n');
    fh_output_write(FH_STDERR, fh_buffer_text(&line));
    fh_buffer_free(&line);
}

static fh_parsed write_out(fh_buffer *text, fh_output output)
{
    fh_status status = text->failed ? fh_error(FH_NO_MEMORY, "out of memory")
                                    : fh_output_write(output, fh_buffer_text(text));
    bool closed = status == FH_IO && fh_output_closed();
    if (status && !closed)
        fh_message("%s", fh_error_message());
    fh_buffer_free(text);
    return status && !closed ? FH_PARSED_BAD : FH_PARSED_DONE;
}

fh_parsed fh_options_parse(int argc, char *const *argv, fh_options *options)
{
    fh_buffer text = {0};
    if (argc < 2) {
        fh_help_add(&text, FH_COMMAND_NONE, false, fh_terminal_width(FH_STDERR));
        write_out(&text, FH_STDERR);
        return FH_PARSED_BAD;
    }
    if (fh_options_read(argc, argv, options)) {
        fh_message("%s", fh_error_message());
        return FH_PARSED_BAD;
    }
    const char *argument = options->arguments.count ? options->arguments.items[0] : NULL;
    switch (options->command) {
    case FH_COMMAND_HELP:
        fh_help_add(&text, fh_command_find(fh_text_from(argument)), options->help == FH_HELP_LONG,
                    fh_terminal_width(FH_STDOUT));
        break;
    case FH_COMMAND_VERSION:
        fh_buffer_add_string(&text, "foothold " FOOTHOLD_VERSION "\n");
        break;
    case FH_COMMAND_MAN:
        fh_man_add(&text);
        break;
    case FH_COMMAND_COMPLETION:
        fh_complete_add(&text, fh_text_from(argument));
        break;
    default:
        return FH_PARSED_RUN;
    }
    return write_out(&text, FH_STDOUT);
}
