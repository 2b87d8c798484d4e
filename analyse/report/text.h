/* text.h: the terminal's page, and the summary that fits a screen. */
#ifndef FH_REPORT_TEXT_H
#define FH_REPORT_TEXT_H

#include "analyse/report/page.h"

/* The options' width, or 80; at least 40. */
unsigned fh_text_width(const fh_report_options *options);

/* At most 40 lines, whatever the result; 100 columns show all that is meant to be seen. */
void fh_text_summary(const fh_result *result, const fh_report_options *options, fh_buffer *out);

/* Everything. */
void fh_text_details(const fh_result *result, const fh_report_options *options, fh_buffer *out);

#endif
