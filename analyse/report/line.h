/* line.h: a line for the terminal while it is made up: clean UTF-8 with inks in between.
 *
 * Clean text has no control characters, so bytes below 0x10 stand for "from here on in this ink"
 * and 0x1F for a blank at which no line is broken.
 */
#ifndef FH_REPORT_LINE_H
#define FH_REPORT_LINE_H

#include "analyse/report/page.h"

/* Appends `text`, cleaned, in `ink`. */
void fh_line_add(fh_buffer *line, fh_ink ink, fh_text text);

/* Columns. */
size_t fh_line_width(fh_text line);

/* Writes the line, with colours or without, and without line break. When it is wider than
 * `columns`, it is cut there and ends in an ellipsis; with `keep_end` the front is cut off. */
void fh_line_write(fh_buffer *out, fh_text line, size_t columns, bool keep_end, bool color);

/* Appends the first `columns` columns of the line to another line, the last an ellipsis when
 * some are left out. */
void fh_line_cut(fh_buffer *to, fh_text line, size_t columns);

/* Writes the line broken at blanks to fit `columns`, with a line break at the end. What comes
 * first is expected to stand at column `indent` already; the other lines are indented to there.
 * Places are never broken; words only between wide characters, or when they have more than 64
 * columns. What does not fit then sticks out. */
void fh_line_wrap(fh_buffer *out, fh_text line, size_t columns, size_t indent, bool color);

/* The same with words broken anywhere, where a screen has to hold it. */
void fh_line_fit(fh_buffer *out, fh_text line, size_t columns, size_t indent, bool color);

void fh_line_blanks(fh_buffer *out, size_t count);

#endif
