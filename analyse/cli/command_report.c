#include "analyse/cli/commands.h"
#include "os/file.h"

enum { LARGEST_REPORT = 1 << 30 };

int fh_command_report(const fh_options *options)
{
    const char *file = options->arguments.items[0];
    fh_buffer json = {0};
    fh_result result = {0};
    int code = FH_EXIT_ERROR;
    fh_status status = fh_file_read(file, LARGEST_REPORT, &json);
    if (!status)
        status = fh_report_load(fh_buffer_text(&json), file, &result, NULL);
    if (status)
        fh_message("%s", fh_error_message());
    else
        code = fh_command_write_reports(options, &result);
    fh_result_free(&result);
    fh_buffer_free(&json);
    return code;
}
