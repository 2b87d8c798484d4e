#include "analyse/report/report.h"
#include "analyse/report/formats.h"
#include "base/path.h"

// clang-format off
/*    name        extension  media type                 function */
#define FORMATS(X) \
    X("text",     "txt",     "text/plain",              fh_report_text) \
    X("json",     "json",    "application/json",        fh_report_json) \
    X("sarif",    "sarif",   "application/sarif+json",  fh_report_sarif) \
    X("markdown", "md",      "text/markdown",           fh_report_markdown) \
    X("html",     "html",    "text/html",               fh_report_html)
// clang-format on

static const fh_report_format formats[] = {
#define X(name, extension, media_type, function) {name, extension, media_type, function},
    FORMATS(X)
#undef X
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

const fh_report_format *fh_report_formats(uint32_t *count)
{
    *count = FORMAT_COUNT;
    return formats;
}

const fh_report_format *fh_report_format_find(fh_text name)
{
    for (uint32_t i = 0; i < FORMAT_COUNT; i++)
        if (fh_text_is(name, formats[i].name))
            return &formats[i];
    return NULL;
}

const fh_report_format *fh_report_format_of_file(fh_text path)
{
    fh_text extension = fh_path_extension(path);
    for (uint32_t i = 0; i < FORMAT_COUNT; i++)
        if (fh_text_is(extension, formats[i].extension))
            return &formats[i];
    return NULL;
}

const char *fh_report_version(const fh_report_options *options)
{
    return options->version ? options->version : FOOTHOLD_VERSION;
}

uint32_t fh_report_listed(const fh_report_options *options, const fh_operator *operator)
{
    uint32_t all = operator->locations.count;
    return options->max_locations && options->max_locations < all ? options->max_locations : all;
}

fh_status fh_report_write(const fh_result *result, const fh_report_format *format,
                          const fh_report_options *options, fh_buffer *out)
{
    format->write(result, options, out);
    if (out->failed)
        return fh_error(FH_NO_MEMORY, "out of memory while writing the report as %s", format->name);
    return FH_OK;
}
