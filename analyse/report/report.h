/* report.h: an analysis as text, JSON, SARIF, Markdown or an HTML page.
 *
 * A report is a pure function of the result and the options: the same two give
 * the same bytes. Texts of the result may hold any bytes; what is written is
 * valid UTF-8, and nothing in it can steer a terminal, a page or a Markdown
 * reader. Counts are exact, also where lists are cut.
 */
#ifndef FH_REPORT_REPORT_H
#define FH_REPORT_REPORT_H

#include "analyse/rules/result.h"
#include "base/status.h"

typedef struct {
    unsigned width;         /* text: columns; 0 means 80 */
    unsigned height;        /* text: lines that the summary may take; 0: as many as it has */
    bool color;             /* text: ANSI colours */
    bool details;           /* text: everything, instead of one screen */
    uint32_t max_locations; /* places listed for each operator; 0: all there are */
    fh_text prefix;      /* not JSON, HTML: before every file, so that it can be opened from here */
    const char *version; /* of the tool; NULL: of this one */
    const char *rules_uri; /* SARIF: a rule's page is this and its id; NULL: it has none */
} fh_report_options;

typedef void fh_report_writer(const fh_result *result, const fh_report_options *options,
                              fh_buffer *out);

typedef struct {
    const char *name;
    const char *extension; /* of a file of this format: "html" */
    const char *media_type;
    fh_report_writer *write;
} fh_report_format;

/* All formats; the first is the default on a terminal. */
const fh_report_format *fh_report_formats(uint32_t *count);

/* The format of that name, or NULL. */
const fh_report_format *fh_report_format_find(fh_text name);

/* The format that a file's name asks for ("out.sarif", "x.json"), or NULL. */
const fh_report_format *fh_report_format_of_file(fh_text path);

/* Appends the report to `out`. Fails with FH_NO_MEMORY. */
fh_status fh_report_write(const fh_result *result, const fh_report_format *format,
                          const fh_report_options *options, fh_buffer *out);

/* Reads a report that was written as JSON; `name` is for messages. Writing it as JSON again
 * gives the same bytes, with the same version and all locations. `version`, when it is not
 * NULL, becomes the version of the tool that wrote it, in the result's memory. The caller
 * frees the result. Fails with FH_INVALID ("NAME: what is wrong where"), FH_NO_MEMORY. */
fh_status fh_report_load(fh_text json, const char *name, fh_result *result, fh_text *version);

#endif
