/* convert.h: text of other encodings as UTF-8, through the C library's iconv. */
#ifndef FH_BASE_CONVERT_H
#define FH_BASE_CONVERT_H

#include "base/text.h"

typedef struct {
    void *state; /* iconv's, or NULL */
} fh_converter;

/* False when this machine's iconv does not know `encoding`. */
bool fh_converter_open(fh_converter *converter, const char *encoding);
void fh_converter_close(fh_converter *converter);

/* Appends `bytes` as UTF-8 to `out`; returns how many bytes mean nothing in the
 * encoding: each became U+FFFD. */
size_t fh_converter_add(fh_converter *converter, fh_text bytes, fh_buffer *out);

#endif
