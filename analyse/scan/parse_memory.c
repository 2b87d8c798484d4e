#include "analyse/scan/parse_memory.h"
#include "base/memory.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(begin, size) ((void)(begin), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(begin, size) ((void)(begin), (void)(size))
#endif

/* Sizes of blocks, head included: every 16 bytes up to SMALL, powers of two above. */
enum { SMALL = 1024, SMALL_CLASSES = SMALL / 16 + 1, CLASSES = SMALL_CLASSES + 54 };
/* The region grows by chunks; as many bytes of them as a usual file needs are kept for the next. */
enum { CHUNK = 1 << 20, KEPT = 16 << 20 };

/* In front of each block, so that the block itself begins at a multiple of 16. */
typedef struct {
    uint64_t class : 8, size : 56; /* size as it was asked for */
} block_head;

typedef struct chunk {
    struct chunk *next;
    size_t size; /* in all */
} chunk;

struct fh_parse_memory {
    char *at, *end; /* what is left of the first of `used` */
    chunk *used, *spare;
    void *given_back[CLASSES]; /* by class; each block starts with the address of the next */
    jmp_buf exhausted;
};

static _Thread_local fh_parse_memory *current; /* NULL outside of fh_parse_memory_run */

static unsigned class_of(size_t size)
{
    if (size <= SMALL)
        return (unsigned)((size + 15) / 16);
    return SMALL_CLASSES + (unsigned)(63 - __builtin_clzll(size - 1)) - 10;
}

static size_t class_size(unsigned class)
{
    return class < SMALL_CLASSES ? (size_t) class * 16 : (size_t)2048 << (class - SMALL_CLASSES);
}

static void add_chunk(fh_parse_memory *memory, size_t need)
{
    enum { OVERHEAD = sizeof(chunk) + sizeof(block_head) };
    chunk *added = memory->spare;
    if (need <= CHUNK - OVERHEAD && added) {
        memory->spare = added->next;
    } else {
        size_t size = need <= CHUNK - OVERHEAD ? CHUNK : need + OVERHEAD;
        added = fh_alloc(size);
        if (!added)
            longjmp(memory->exhausted, 1);
        added->size = size;
    }
    added->next = memory->used;
    memory->used = added;
    memory->at = (char *)added + OVERHEAD;
    memory->end = (char *)added + added->size;
    ASAN_POISON_MEMORY_REGION(added + 1, added->size - sizeof *added);
}

static block_head *head_of(void *block)
{
    return (block_head *)block - 1;
}

/* Makes `size` bytes of a block, its head apart, the part that may be touched. */
static void set_size(void *block, unsigned class, size_t size)
{
    block_head *head = head_of(block);
    ASAN_UNPOISON_MEMORY_REGION(head, class_size(class));
    *head = (block_head){.class = class, .size = size};
    ASAN_POISON_MEMORY_REGION((char *)block + size, class_size(class) - sizeof *head - size);
}

static void *region_alloc(fh_parse_memory *memory, size_t size)
{
    if (size >> 40) /* no size of a block: there is no class for it */
        longjmp(memory->exhausted, 1);
    unsigned class = class_of(size + sizeof(block_head));
    void *block = memory->given_back[class];
    if (block) {
        ASAN_UNPOISON_MEMORY_REGION(block, sizeof block);
        memcpy(&memory->given_back[class], block, sizeof block);
    } else {
        size_t need = class_size(class);
        if ((size_t)(memory->end - memory->at) < need)
            add_chunk(memory, need);
        block = memory->at + sizeof(block_head);
        memory->at += need;
    }
    set_size(block, class, size);
    return block;
}

static void region_free(fh_parse_memory *memory, void *block)
{
    unsigned class = head_of(block)->class;
    ASAN_UNPOISON_MEMORY_REGION(block, sizeof block);
    memcpy(block, &memory->given_back[class], sizeof block);
    memory->given_back[class] = block;
    ASAN_POISON_MEMORY_REGION(block, class_size(class) - sizeof(block_head));
}

static void *region_resize(fh_parse_memory *memory, void *block, size_t size)
{
    const block_head head = *head_of(block);
    if (size <= class_size(head.class) - sizeof head) {
        set_size(block, head.class, size);
        return block;
    }
    void *moved = region_alloc(memory, size);
    memcpy(moved, block, head.size);
    region_free(memory, block);
    return moved;
}

/* What tree-sitter calls. Outside of a run it gets plain memory: no block crosses that border. */
static void *allocate(size_t size)
{
    return current ? region_alloc(current, size) : malloc(size);
}

static void *allocate_zero(size_t count, size_t size)
{
    if (!current)
        return calloc(count, size);
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        longjmp(current->exhausted, 1);
    return memset(region_alloc(current, bytes), 0, bytes);
}

static void *resize(void *block, size_t size)
{
    if (!current)
        return realloc(block, size);
    return block ? region_resize(current, block, size) : region_alloc(current, size);
}

static void release(void *block)
{
    if (!current)
        free(block);
    else if (block)
        region_free(current, block);
}

static void install(void)
{
    ts_set_allocator(allocate, allocate_zero, resize, release);
}

fh_parse_memory *fh_parse_memory_create(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    return fh_alloc_zero(1, sizeof(fh_parse_memory));
}

static void free_chunks(chunk *list)
{
    while (list) {
        chunk *next = list->next;
        ASAN_UNPOISON_MEMORY_REGION(list, list->size);
        fh_free(list);
        list = next;
    }
}

void fh_parse_memory_destroy(fh_parse_memory *memory)
{
    if (!memory)
        return;
    free_chunks(memory->spare);
    fh_free(memory);
}

/* Empties the region; some of its chunks are kept for the next run. */
static void empty(fh_parse_memory *memory)
{
    size_t kept = 0;
    for (const chunk *c = memory->spare; c; c = c->next)
        kept += CHUNK;
    while (memory->used) {
        chunk *c = memory->used;
        memory->used = c->next;
        c->next = NULL;
        if (c->size == CHUNK && kept < KEPT) {
            c->next = memory->spare;
            memory->spare = c;
            kept += CHUNK;
        } else {
            free_chunks(c);
        }
    }
    memory->at = memory->end = NULL;
    memset(memory->given_back, 0, sizeof memory->given_back);
}

static bool finishes(fh_parse_memory *memory, void (*work)(void *data), void *data)
{
    if (setjmp(memory->exhausted))
        return false;
    work(data);
    return true;
}

bool fh_parse_memory_run(fh_parse_memory *memory, void (*work)(void *data), void *data)
{
    current = memory;
    bool finished = finishes(memory, work, data);
    current = NULL;
    empty(memory);
    return finished;
}
