#include "base/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const fh_allocator system_allocator = {realloc, free};
static fh_allocator current = {realloc, free};
static atomic_size_t failures;

void fh_memory_set_allocator(const fh_allocator *allocator)
{
    current = allocator ? *allocator : system_allocator;
}

size_t fh_memory_failures(void)
{
    return atomic_load(&failures);
}

void *fh_alloc(size_t size)
{
    return fh_resize(NULL, size);
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
    void *resized = current.resize(block, size ? size : 1);
    if (!resized)
        atomic_fetch_add(&failures, 1);
    return resized;
}

void fh_free(void *block)
{
    if (block)
        current.release(block);
}
