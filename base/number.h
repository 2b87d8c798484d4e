/* number.h: numbers as text, whatever the locale. */
#ifndef FH_BASE_NUMBER_H
#define FH_BASE_NUMBER_H

#include "base/text.h"

/* Reads all of `text` as a decimal number ("-1.5e3"; no blanks, "+", "inf" or hexadecimal),
 * correctly rounded; infinite when it is too large, 0 when too small. False when it is none. */
bool fh_number_parse(fh_text text, double *value);

/* Appends the shortest digits that read back as `value`: "0.1", "1e-07", "5". "inf",
 * "-inf" and "nan" for what is no number. */
void fh_number_add(fh_buffer *buffer, double value);

#endif
