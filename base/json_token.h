/* json_token.h: numbers and the escapes of strings; for json_read.cpp only. */
#ifndef FH_BASE_JSON_TOKEN_H
#define FH_BASE_JSON_TOKEN_H

#include "base/text.h"

/* RFC 8259: -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? */
bool fh_json_is_number(fh_text token);

/* Decodes the escapes of a string in its place, and sets its new length, which is never more; a
 * lone surrogate becomes U+FFFD. Returns NULL, or where an escape stands that JSON does not have;
 * then what is in `data` is of no use. */
const char *fh_json_unescape(char *data, size_t *length);

#endif
