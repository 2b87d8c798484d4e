/* json.h: reading JSON (RFC 8259), with simdjson underneath.
 *
 * A document is parsed as a whole; its values are then looked at in any order,
 * from any number of threads. Absent values are values too: asking one for a
 * member or for its text gives an absent value or the empty text again, so that
 * a path can be written in one expression and checked once.
 *
 * Memory: a copy of the text and 24 bytes for each value, and while parsing
 * about 4 bytes for each byte of text besides. Files of several GB are lists of
 * small objects at their top: they are to be cut there into batches, each
 * parsed by itself, rather than parsed at once.
 *
 * What the standard leaves open: the last of equal keys counts, and iteration
 * shows them all; a lone surrogate (\ud800) becomes U+FFFD; \u0000 is a byte of
 * the text; numbers keep their digits, so that 2^64 and 1e400 are numbers
 * although fh_json_integer and fh_json_double say no to them; a UTF-8 byte
 * order mark is passed over.
 */
#ifndef FH_BASE_JSON_H
#define FH_BASE_JSON_H

#include "base/status.h"
#include "base/text.h"

typedef struct fh_json_document fh_json_document;

/* A value of a document, or absent: document is NULL. Copied freely; valid as
 * long as the document. */
typedef struct {
    const fh_json_document *document;
    uint32_t index;
} fh_json_value;

typedef enum {
    FH_JSON_ABSENT,
    FH_JSON_NULL,
    FH_JSON_BOOLEAN,
    FH_JSON_NUMBER,
    FH_JSON_STRING,
    FH_JSON_ARRAY,
    FH_JSON_OBJECT,
} fh_json_kind;

enum { FH_JSON_MAX_DEPTH = 512 };

/* Parses `text`, which may be freed afterwards; the caller frees the document.
 * Fails with FH_INVALID ("NAME:3:17: what is wrong"; `name` is only for this),
 * FH_LIMIT from 2 GiB on or when nested deeper than FH_JSON_MAX_DEPTH,
 * FH_NO_MEMORY. */
fh_status fh_json_parse(fh_text text, const char *name, fh_json_document **document);
void fh_json_free(fh_json_document *document); /* NULL is allowed */

fh_json_value fh_json_root(const fh_json_document *document);

fh_json_kind fh_json_kind_of(fh_json_value value);

/* Members of an object, elements of an array; 0 for anything else. */
uint32_t fh_json_count(fh_json_value value);

/* The first member or element, and the one behind another; absent when there is none. */
fh_json_value fh_json_first(fh_json_value container);
fh_json_value fh_json_next(fh_json_value value);

/* A loop over the members or elements, in the order of the text. */
#define FH_JSON_EACH(v, container) \
    for (fh_json_value v = fh_json_first(container); v.document; v = fh_json_next(v))

/* The key of a member of an object; empty for anything else. */
fh_text fh_json_key(fh_json_value value);

/* The member of that key, or absent. Takes time in proportion to the members. */
fh_json_value fh_json_member(fh_json_value object, const char *key);

/* The text of a string, or the digits of a number as they were written; empty
 * for anything else. Valid UTF-8, borrowed from the document. */
fh_text fh_json_text(fh_json_value value);

/* True when the value is a number without '.' and exponent that fits. */
bool fh_json_integer(fh_json_value value, int64_t *result);

/* True when the value is a number that is finite as a double; correctly rounded. */
bool fh_json_double(fh_json_value value, double *result);

/* The value when it is true or false, `otherwise` when it is neither. */
bool fh_json_boolean(fh_json_value value, bool otherwise);

/* Where the value, or its key, begins in the text that was parsed: byte offsets,
 * a string's at its quote. */
size_t fh_json_offset(fh_json_value value);
size_t fh_json_key_offset(fh_json_value value);

#endif
