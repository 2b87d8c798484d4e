/* summary_line.h: the lines of the summary; each is put together from pieces and then ended. */
#ifndef FH_REPORT_SUMMARY_LINE_H
#define FH_REPORT_SUMMARY_LINE_H

#include "analyse/report/page.h"

/* How many lines each part of the summary may take at most. */
typedef struct {
    unsigned range, blocked, heavy, priorities, reason, read_on;
} fh_summary_limits;

typedef struct {
    fh_page page; /* only for the helpers that make spans: they add to the line */
    fh_buffer line;
    unsigned width;
    const fh_summary_limits *most;
} fh_summary;

/* The caller frees it. */
fh_summary fh_summary_to(fh_buffer *out, const fh_report_options *options, unsigned width);
void fh_summary_free(fh_summary *s);

void fh_summary_say(fh_summary *s, fh_ink ink, const char *words);

/* The line so far filled up to `column`, or cut to end two before it. */
void fh_summary_column(fh_summary *s, size_t column);

/* Adds `text` so that it ends at column `end`. */
void fh_summary_right(fh_summary *s, size_t end, fh_ink ink, fh_text text);

/* A path, or a place in a file, in at most `columns`; the front of a long one is cut off. */
void fh_summary_path(fh_summary *s, fh_ink ink, fh_text name, size_t columns);
void fh_summary_place(fh_summary *s, const fh_location *at, size_t columns);

/* The first place of an operator and how many others, where there is room. */
void fh_summary_first_place(fh_summary *s, const fh_operator *op);

/* Ends the line; cut where it is too long. */
void fh_summary_end_line(fh_summary *s);

/* Wraps the line, at column `indent`, to as many lines; what is more is left out. */
void fh_summary_end_lines(fh_summary *s, size_t indent, unsigned most);

void fh_summary_empty_line(fh_summary *s);

#endif
