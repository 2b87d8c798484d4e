/* figures.h: numbers and places as people read them. */
#ifndef FH_REPORT_FIGURES_H
#define FH_REPORT_FIGURES_H

#include "base/text.h"

void fh_figure_count(fh_buffer *out, uint64_t count);                    /* "12,345" */
void fh_figure_plural(fh_buffer *out, uint64_t count, const char *noun); /* "1 site", "3 sites" */
void fh_figure_short(fh_buffer *out, double value);                      /* "1.23 M" */
void fh_figure_bytes(fh_buffer *out, uint64_t bytes);                    /* "53.6 MB" */
void fh_figure_percent(fh_buffer *out, double share);                    /* 0.714: "71 %" */
void fh_figure_range(fh_buffer *out, double low, double high);           /* "0.6–0.95×" */

/* "model.py:35:20"; without column and line where they are 0. */
void fh_figure_place(fh_buffer *out, fh_text file, uint32_t line, uint32_t column);

#endif
