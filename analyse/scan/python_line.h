/* python_line.h: where in Python's grammar a line begins, told by the lines before it, unparsed. */
#ifndef FH_SCAN_PYTHON_LINE_H
#define FH_SCAN_PYTHON_LINE_H

#include "base/text.h"

/* Zero before the first line. */
typedef struct {
    char open[64];  /* closing brackets that are waited for */
    unsigned depth; /* how many; deeper ones are only counted */
    char quote;     /* of the string we are in, or 0 */
    bool triple;    /* it is a long one */
    bool continued; /* the line before ended in a backslash */
} fh_python_line;

/* True when a statement begins with the next line. */
bool fh_python_line_is_fresh(const fh_python_line *state);

/* Follows one line of Python, without its end. */
void fh_python_line_follow(fh_python_line *state, fh_text line);

/* Appends what closes the string and the brackets that are open, and a line end. */
void fh_python_line_close(const fh_python_line *state, fh_buffer *out);

#endif
