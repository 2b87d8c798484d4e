/* formats.h: one function for each format, as in the table of report.c. Running out of memory is
 * remembered by the buffer. */
#ifndef FH_REPORT_FORMATS_H
#define FH_REPORT_FORMATS_H

#include "analyse/report/report.h"

void fh_report_text(const fh_result *result, const fh_report_options *options, fh_buffer *out);
void fh_report_json(const fh_result *result, const fh_report_options *options, fh_buffer *out);
void fh_report_sarif(const fh_result *result, const fh_report_options *options, fh_buffer *out);
void fh_report_markdown(const fh_result *result, const fh_report_options *options, fh_buffer *out);
void fh_report_html(const fh_result *result, const fh_report_options *options, fh_buffer *out);

/* The JSON report on one line with '<', '>' and '&' as escapes, to stand inside a page. */
void fh_report_json_for_html(const fh_result *result, const fh_report_options *options,
                             fh_buffer *out);

/* `version` of the options, or this tool's. */
const char *fh_report_version(const fh_report_options *options);

/* How many of an operator's locations are to be listed. */
uint32_t fh_report_listed(const fh_report_options *options, const fh_operator *operator);

#endif
