/* positions.h: from byte offsets of a text to lines and columns, without the text.
 *
 * Lines end with LF, CR LF or CR, as CPython counts them. Columns count code
 * points from 1. Built once per text; lookups are two binary searches.
 */
#ifndef FH_SCAN_POSITIONS_H
#define FH_SCAN_POSITIONS_H

#include "base/text.h"
#include "base/vector.h"

typedef struct {
    uint32_t line, column; /* from 1 */
} fh_place;

/* After byte `offset`, `extra` bytes so far were not the first of a code point. */
typedef struct {
    uint32_t offset, extra;
} fh_wide;

typedef struct {
    FH_VECTOR(uint32_t) lines; /* offset of each line's first byte */
    FH_VECTOR(fh_wide) wide;   /* one entry per code point of two or more bytes */
} fh_positions;

/* Fills an empty `positions` from UTF-8 text of at most 4 GiB; false when memory ran out. */
bool fh_positions_build(fh_positions *positions, fh_text text);
void fh_positions_free(fh_positions *positions);

/* The place of a byte offset; offsets past the end are on the last line. */
fh_place fh_positions_place(const fh_positions *positions, uint32_t offset);

#endif
