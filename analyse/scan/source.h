/* source.h: a decoded source text and places in it.
 *
 * Lines and columns count from 1, columns in code points. A line ends at LF,
 * CR LF or a lone CR, as for CPython; form feed ends none. After init a source
 * is only read, from any number of threads.
 */
#ifndef FH_ANALYSE_SCAN_SOURCE_H
#define FH_ANALYSE_SCAN_SOURCE_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"

typedef FH_VECTOR(uint32_t) fh_offsets;

typedef struct {
    fh_text path, text; /* borrowed; text is valid UTF-8 */
    bool ascii;
    fh_offsets lines;  /* where each line begins; at least one */
    fh_offsets counts; /* code points before every 1,024th byte; empty when ascii */
} fh_source;

typedef struct {
    uint32_t line, column;
} fh_position;

/* Finds the lines of `text`, which must outlive the source.
 * Fails with FH_LIMIT from 2 GiB on, FH_NO_MEMORY. */
fh_status fh_source_init(fh_source *source, fh_text path, fh_text text);
void fh_source_free(fh_source *source);

/* The place of a byte; an offset behind the end means the end. O(log lines). */
fh_position fh_source_position(const fh_source *source, size_t offset);

/* The byte at a place; behind the end of the line, the line's end. */
size_t fh_source_offset(const fh_source *source, fh_position position);

/* A line without its end; empty when there is none of that number. */
fh_text fh_source_line(const fh_source *source, uint32_t line);

/* Appends the lines first..last (clamped), a '\n' after each; a line longer
 * than `width` code points is cut and ends with U+2026. */
void fh_source_add_excerpt(const fh_source *source, uint32_t first, uint32_t last, uint32_t width,
                           fh_buffer *buffer);

#endif
