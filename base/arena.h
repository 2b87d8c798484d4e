/* arena.h: memory that is released all at once.
 *
 * Pointers stay valid until the arena is freed or reset. Not thread-safe: one
 * arena belongs to one thread at a time. Running out of memory returns NULL
 * and is remembered in `failed`.
 */
#ifndef FH_BASE_ARENA_H
#define FH_BASE_ARENA_H

#include "base/text.h"

typedef struct fh_arena_block fh_arena_block;

typedef struct {
    fh_arena_block *blocks; /* newest first */
    char *next, *end;       /* free part of the newest block */
    size_t used;            /* bytes handed out, for reports of memory use */
    bool failed;
} fh_arena;

/* `size` bytes, aligned to 16, not cleared. */
void *fh_arena_alloc(fh_arena *arena, size_t size);

/* A copy of `text` followed by a 0 byte; the empty text when memory ran out. */
fh_text fh_arena_copy(fh_arena *arena, fh_text text);

void fh_arena_free(fh_arena *arena);

#endif
