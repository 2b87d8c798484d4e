#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const fh_allocator system_allocator = {realloc, free};
static fh_allocator current = {realloc, free};

void fh_memory_set_allocator(const fh_allocator *allocator)
{
    current = allocator ? *allocator : system_allocator;
}

void *fh_alloc(size_t size)
{
    return current.resize(NULL, size ? size : 1);
}

void *fh_alloc_zero(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    void *block = fh_alloc(count * size);
    if (block)
        memset(block, 0, count * size);
    return block;
}

void *fh_resize(void *block, size_t size)
{
    return current.resize(block, size ? size : 1);
}

void fh_free(void *block)
{
    if (block)
        current.release(block);
}
