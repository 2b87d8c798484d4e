#include "base/arena.h"
#include "base/memory.h"

#include <string.h>

enum { BLOCK_SIZE = 64 << 10, ALIGNMENT = 16 };

struct fh_arena_block {
    fh_arena_block *older;
    _Alignas(ALIGNMENT) char bytes[];
};

void *fh_arena_alloc(fh_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2) {
        arena->failed = true;
        return NULL;
    }
    if (size == 0)
        size = 1; /* NULL means that memory ran out */
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if ((size_t)(arena->end - arena->next) < size) {
        size_t room = size > BLOCK_SIZE / 4 ? size : BLOCK_SIZE;
        fh_arena_block *block = fh_alloc(sizeof *block + room);
        if (!block) {
            arena->failed = true;
            return NULL;
        }
        block->older = arena->blocks;
        arena->blocks = block;
        arena->next = block->bytes;
        arena->end = block->bytes + room;
    }
    void *result = arena->next;
    arena->next += size;
    arena->used += size;
    return result;
}

fh_text fh_arena_copy(fh_arena *arena, fh_text text)
{
    char *copy = fh_arena_alloc(arena, text.length + 1);
    if (!copy)
        return (fh_text){0};
    if (text.length)
        memcpy(copy, text.data, text.length);
    copy[text.length] = 0;
    return (fh_text){copy, text.length};
}

void fh_arena_free(fh_arena *arena)
{
    for (fh_arena_block *block = arena->blocks; block;) {
        fh_arena_block *older = block->older;
        fh_free(block);
        block = older;
    }
    *arena = (fh_arena){0};
}
