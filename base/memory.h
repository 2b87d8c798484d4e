/* memory.h: the allocator everything in this project uses.
 *
 * All functions return NULL when memory runs out, without a message: the
 * caller knows what it was for. Blocks are aligned for any type. The
 * functions can be replaced, so that tests can make the n-th allocation fail
 * and count what was not freed.
 */
#ifndef FH_BASE_MEMORY_H
#define FH_BASE_MEMORY_H

#include <stddef.h>

typedef struct {
    void *(*resize)(void *block, size_t size); /* as realloc; block may be NULL */
    void (*release)(void *block);              /* as free */
} fh_allocator;

/* Replaces the allocator; NULL restores malloc. Not thread-safe: call it
 * before the first allocation, or when everything has been released. */
void fh_memory_set_allocator(const fh_allocator *allocator);

/* How often memory ran out up to now, in all threads. What is built by many hands, each of which
 * goes on with less, is complete when this has not changed. */
size_t fh_memory_failures(void);

void *fh_alloc(size_t size) __attribute__((malloc, alloc_size(1)));
void *fh_alloc_zero(size_t count, size_t size);
void *fh_resize(void *block, size_t size);
void fh_free(void *block);

#endif
