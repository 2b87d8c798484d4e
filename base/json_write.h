/* json_write.h: writing JSON, one value after the other.
 *
 * The writer puts commas, line breaks and brackets; it does not check that
 * members have keys and elements none. `key` is NULL for elements and for the
 * document itself; nesting goes to FH_JSON_WRITE_DEPTH. Running out of memory
 * is remembered by the buffer.
 *
 *     fh_json_writer w = fh_json_writer_to(&buffer, 2, false);
 *     fh_json_write_object(&w, NULL);
 *     fh_json_write_text(&w, "name", FH_TEXT("foothold"));
 *     fh_json_write_end(&w);
 */
#ifndef FH_BASE_JSON_WRITE_H
#define FH_BASE_JSON_WRITE_H

#include "base/text.h"

enum { FH_JSON_WRITE_DEPTH = 63 };

typedef struct {
    fh_buffer *out;
    unsigned indent; /* blanks for each level; 0 writes everything on one line */
    bool for_html;   /* '<', '>' and '&' as escapes, so that no tag can be closed */
    unsigned depth;
    uint64_t is_object, has_members; /* a bit for each level */
} fh_json_writer;

fh_json_writer fh_json_writer_to(fh_buffer *out, unsigned indent, bool for_html);

void fh_json_write_object(fh_json_writer *writer, const char *key);
void fh_json_write_array(fh_json_writer *writer, const char *key);
void fh_json_write_end(fh_json_writer *writer); /* closes the innermost of the two */

/* Bytes that are not UTF-8 become U+FFFD. */
void fh_json_write_text(fh_json_writer *writer, const char *key, fh_text text);
void fh_json_write_integer(fh_json_writer *writer, const char *key, int64_t value);
void fh_json_write_double(fh_json_writer *writer, const char *key,
                          double value); /* null when not finite */
void fh_json_write_boolean(fh_json_writer *writer, const char *key, bool value);
void fh_json_write_null(fh_json_writer *writer, const char *key);

/* Appends `text` as a JSON string with its quotes, outside of any writer. */
void fh_json_add_string(fh_buffer *out, fh_text text, bool for_html);

#endif
