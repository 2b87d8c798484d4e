/* text.h: borrowed slices of text, and a buffer to build text in.
 *
 * fh_text is a pointer and a length, not terminated, never owned. Functions
 * never fail unless they say so. A NULL pointer with length 0 is the empty
 * text.
 */
#ifndef FH_BASE_TEXT_H
#define FH_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    const char *data;
    size_t length;
} fh_text;

/* A literal as fh_text, without strlen. */
#define FH_TEXT(literal) ((fh_text){"" literal, sizeof(literal) - 1})
/* For printf's "%.*s". */
#define FH_TEXT_ARGS(text) (int)(text).length, (text).data ? (text).data : ""

fh_text fh_text_from(const char *terminated); /* NULL gives the empty text */
bool fh_text_equal(fh_text a, fh_text b);
int fh_text_compare(fh_text a, fh_text b); /* bytewise: <0, 0, >0 */
bool fh_text_contains(fh_text text, const char *part);
fh_text fh_text_slice(fh_text text, size_t begin, size_t end); /* clamped */
fh_text fh_text_trim(fh_text text);                            /* ASCII white space */

/* Offset of the first (last) `c`, or text.length when there is none. */
size_t fh_text_find(fh_text text, char c);
size_t fh_text_find_last(fh_text text, char c);

/* The part behind the last dot of a dotted name; all of it when there is none. */
fh_text fh_text_last_part(fh_text path);

/* Cuts the part before the first `separator` off `*rest` and returns it. When
 * nothing is left, returns false. "a,,b" gives "a", "", "b". */
bool fh_text_next(fh_text *rest, char separator, fh_text *part);

/* True when one of the parts of `list` is `part`: "a,b" has "b". */
bool fh_text_has_part(fh_text list, char separator, const char *part);

/* True when `text` is one of the names, of which the last is NULL. */
bool fh_text_is_any(fh_text text, const char *const *names);

/* Inline, because nearly every caller compares with a literal whose length the compiler knows. */
static inline bool fh_text_is(fh_text a, const char *terminated)
{
    size_t length = strlen(terminated);
    return a.length == length && (length == 0 || memcmp(a.data, terminated, length) == 0);
}

static inline bool fh_text_starts(fh_text text, const char *prefix)
{
    size_t length = strlen(prefix);
    return text.length >= length && (length == 0 || memcmp(text.data, prefix, length) == 0);
}

static inline bool fh_text_ends(fh_text text, const char *suffix)
{
    size_t length = strlen(suffix);
    return text.length >= length &&
           (length == 0 || memcmp(text.data + text.length - length, suffix, length) == 0);
}

/* Reads all of `text` as a decimal integer; false when it is none or does not fit. */
bool fh_text_to_integer(fh_text text, int64_t *value);

/* Reads all of `text` as a number of bytes above 0: a whole number, or one with K, M, G or T for
 * the powers of 1,024; false when it is none or does not fit an int64_t. */
bool fh_text_to_bytes(fh_text text, uint64_t *bytes);

/* A text under construction. Running out of memory is remembered in `failed`
 * and later appends do nothing: check once, at the end. */
typedef struct {
    char *data;
    size_t length, capacity;
    bool failed;
} fh_buffer;

void fh_buffer_add(fh_buffer *buffer, fh_text text);
void fh_buffer_add_char(fh_buffer *buffer, char c);
void fh_buffer_add_repeated(fh_buffer *buffer, char c, size_t count);
void fh_buffer_add_integer(fh_buffer *buffer, int64_t value);
void fh_buffer_add_string(fh_buffer *buffer, const char *terminated);
void fh_buffer_add_format(fh_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void fh_buffer_add_arguments(fh_buffer *buffer, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
bool fh_buffer_reserve(fh_buffer *buffer, size_t more);
fh_text fh_buffer_text(const fh_buffer *buffer); /* borrowed until the next change */
void fh_buffer_clear(fh_buffer *buffer);         /* keeps the memory */
void fh_buffer_free(fh_buffer *buffer);

#endif
