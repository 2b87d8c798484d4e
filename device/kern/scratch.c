/* Scratch memory: a few places, each with a block or empty. Taking one is an exchange, so that
 * nobody waits; a block that is too small goes back. */
#include "device/kern/scratch.h"

#include "base/memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { PLACES = 16, ALIGNMENT = 64 };

/* Larger blocks are not kept: 16 of them would be a tenth of a small machine's memory. */
static const size_t kept_bytes = (size_t)64 << 20;

typedef struct {
    void *memory; /* as allocated */
    size_t bytes; /* that follow the header */
} header;

static _Atomic(header *) places[PLACES];

static header *header_of(void *block)
{
    return (header *)((char *)block - ALIGNMENT);
}

static header *create(size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    char *memory = fh_alloc(bytes + 2 * ALIGNMENT);
    if (!memory)
        return NULL;
    uintptr_t start = ((uintptr_t)memory + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
    header *h = (header *)start;
    *h = (header){memory, bytes};
    return h;
}

/* Puts a block in an empty place; false when there is none. */
static bool put(header *h)
{
    for (int i = 0; i < PLACES; i++) {
        header *none = NULL;
        if (!atomic_load_explicit(&places[i], memory_order_relaxed) &&
            atomic_compare_exchange_strong(&places[i], &none, h))
            return true;
    }
    return false;
}

static void give(header *h)
{
    if (h->bytes > kept_bytes || !put(h))
        fh_free(h->memory);
}

void *fh_scratch_take(size_t bytes)
{
    header *small = NULL;
    for (int i = 0; i < PLACES; i++) {
        if (!atomic_load_explicit(&places[i], memory_order_relaxed))
            continue;
        header *h = atomic_exchange(&places[i], NULL);
        if (h && h->bytes >= bytes) {
            if (small)
                give(small);
            return (char *)h + ALIGNMENT;
        }
        if (!h)
            continue;
        if (small)
            give(small);
        small = h; /* not back to its place yet, or it would be met again */
    }
    /* One that is too small makes room for the one that is needed, so that sizes grow to the need.
     */
    if (small)
        fh_free(small->memory);
    size_t rounded = bytes < 4096 ? 4096 : (bytes + 65535) / 65536 * 65536;
    header *h = create(rounded < bytes ? bytes : rounded);
    return h ? (char *)h + ALIGNMENT : NULL;
}

void fh_scratch_give(void *block)
{
    if (block)
        give(header_of(block));
}

void fh_scratch_trim(void)
{
    for (int i = 0; i < PLACES; i++) {
        header *h = atomic_exchange(&places[i], NULL);
        if (h)
            fh_free(h->memory);
    }
}
