#include "analyse/report/text.h"
#include "analyse/report/formats.h"

enum { WIDTH_DEFAULT = 80, WIDTH_LEAST = 40 };

unsigned fh_text_width(const fh_report_options *options)
{
    unsigned width = options->width ? options->width : WIDTH_DEFAULT;
    return width < WIDTH_LEAST ? WIDTH_LEAST : width;
}

void fh_report_text(const fh_result *result, const fh_report_options *options, fh_buffer *out)
{
    if (options->details)
        fh_text_details(result, options, out);
    else
        fh_text_summary(result, options, out);
}
