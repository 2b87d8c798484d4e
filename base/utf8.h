/* utf8.h: UTF-8, as strict as RFC 3629: no surrogates, nothing overlong. */
#ifndef FH_BASE_UTF8_H
#define FH_BASE_UTF8_H

#include "base/text.h"

/* Whether all of `text` is valid; simdjson's check, several GB/s. */
bool fh_utf8_valid(fh_text text);

/* Whether all bytes are below 128. */
bool fh_utf8_ascii(fh_text text);

/* Length in bytes of the valid character at the start of `text`, 1 to 4; 0
 * when there is none, or `text` is empty. */
size_t fh_utf8_length(fh_text text);

/* Offset of the first byte that is not part of valid UTF-8; text.length when
 * there is none. */
size_t fh_utf8_first_error(fh_text text);

/* Code points in valid UTF-8. */
size_t fh_utf8_count(fh_text text);

/* Appends one code point; U+FFFD for surrogates and values above 0x10FFFF. */
void fh_utf8_add(fh_buffer *buffer, uint32_t code_point);

/* Appends `text` with U+FFFD for every byte that is not part of valid UTF-8. */
void fh_utf8_add_repaired(fh_buffer *buffer, fh_text text);

#endif
