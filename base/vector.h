/* vector.h: growable arrays of any type.
 *
 * A vector that ran out of memory stays as it was and remembers it in
 * `failed`, so that a builder can push freely and check once at its end.
 * Indices are 32 bits: nothing here holds four billion things.
 *
 *     FH_VECTOR(int) numbers = {0};
 *     fh_vector_push(&numbers, 7);
 *     if (numbers.failed) ...
 *     fh_vector_free(&numbers);
 */
#ifndef FH_BASE_VECTOR_H
#define FH_BASE_VECTOR_H

#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

#define FH_VECTOR(type) \
    struct { \
        type *items; \
        uint32_t count, capacity; \
        bool failed; \
    }

/* The common head of every vector; only fh_vector_grow sees it. */
typedef FH_VECTOR(void) fh_vector_any;

/* Makes room for `more` items of `size` bytes; false (and `failed`) when
 * memory runs out or the count would pass 2^31. */
bool fh_vector_grow(void *vector, uint32_t more, size_t size);

#define fh_vector_reserve(v, more) \
    ((v)->capacity - (v)->count >= (uint32_t)(more) || \
     fh_vector_grow((v), (uint32_t)(more), sizeof *(v)->items))

/* Appends one item; false when memory ran out. */
#define fh_vector_push(v, ...) \
    (fh_vector_reserve((v), 1) ? ((v)->items[(v)->count++] = (__VA_ARGS__), true) : false)

#define fh_vector_last(v) ((v)->items[(v)->count - 1])
#define fh_vector_pop(v) ((v)->items[--(v)->count])
#define fh_vector_clear(v) ((v)->count = 0)

#define fh_vector_free(v) \
    (fh_free((v)->items), (v)->items = NULL, (v)->count = (v)->capacity = 0, (v)->failed = false)

#endif
