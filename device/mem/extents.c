/* A treap: a search tree by start, a heap by random priority, so that it is balanced whatever
 * the order of operations. Each node knows the largest free extent below it, which finds room.
 *
 * Nodes stand in chunks that are kept until the set is destroyed and are named by index, so a
 * reader that meets a change sees nodes of another time but never memory that is gone. A
 * sequence number, odd during a change, tells it to look again. All that a reader looks at is
 * atomic: stores release and loads acquire, so that the number's stores and loads stay outside. */
#include "device/mem/extents.h"
#include "base/memory.h"
#include "os/thread.h"

#include <stdatomic.h>

enum {
    FIRST_CHUNK_BITS = 6, /* chunk k has 64 << k nodes */
    CHUNKS = 25,          /* 2 billion extents */
    PEEK_SPINS = 64,      /* a change takes less than a microsecond, */
    PEEK_TRIES = 20000,   /* unless its thread lost the processor: then tries wait for it */
    PEEK_DEPTH = 256,     /* a treap of 2^31 nodes is this deep with probability zero */
};

typedef uint32_t index_of_node; /* 0: none */

typedef struct {
    _Atomic uint64_t start, size, tag;
    _Atomic uint64_t largest; /* free extent of this subtree */
    _Atomic index_of_node left, right;
    atomic_bool used;
    uint32_t priority;
} node;

struct fh_extents {
    atomic_uint sequence;
    _Atomic index_of_node root;
    node *_Atomic chunks[CHUNKS];
    uint64_t start, size, granule;
    uint64_t used, count;
    uint64_t random;
    index_of_node spare;                     /* unused nodes, linked by `left` */
    uint32_t spares, chunk_count, next_node; /* nodes from next_node on were never used */
};

#define GET(field) atomic_load_explicit(&(field), memory_order_acquire)
#define SET(field, value) atomic_store_explicit(&(field), (value), memory_order_release)

static node *at(const fh_extents *e, index_of_node i)
{
    uint32_t place = i + (1u << FIRST_CHUNK_BITS);
    unsigned chunk = 31 - (unsigned)__builtin_clz(place) - FIRST_CHUNK_BITS;
    return GET(e->chunks[chunk]) + (place - (1u << (chunk + FIRST_CHUNK_BITS)));
}

static uint64_t largest_of(const fh_extents *e, index_of_node i)
{
    return i ? GET(at(e, i)->largest) : 0;
}

/* The free bytes of one node itself. */
static uint64_t own_free(const node *n)
{
    return GET(n->used) ? 0 : GET(n->size);
}

/* Works out what a node says of its subtree. */
static void pull(const fh_extents *e, node *n)
{
    uint64_t largest = own_free(n);
    uint64_t left = largest_of(e, GET(n->left)), right = largest_of(e, GET(n->right));
    largest = left > largest ? left : largest;
    SET(n->largest, right > largest ? right : largest);
}

/* Cuts a tree into what begins before `key` and the rest. */
static void split(const fh_extents *e, index_of_node tree, uint64_t key, index_of_node *low,
                  index_of_node *high)
{
    if (!tree) {
        *low = *high = 0;
        return;
    }
    node *n = at(e, tree);
    index_of_node part;
    if (GET(n->start) < key) {
        split(e, GET(n->right), key, &part, high);
        SET(n->right, part);
        *low = tree;
    } else {
        split(e, GET(n->left), key, low, &part);
        SET(n->left, part);
        *high = tree;
    }
    pull(e, n);
}

/* Joins two trees; all of `low` begins before all of `high`. */
static index_of_node merge(const fh_extents *e, index_of_node low, index_of_node high)
{
    if (!low || !high)
        return low ? low : high;
    node *a = at(e, low), *b = at(e, high);
    if (a->priority > b->priority) {
        SET(a->right, merge(e, GET(a->right), high));
        pull(e, a);
        return low;
    }
    SET(b->left, merge(e, low, GET(b->left)));
    pull(e, b);
    return high;
}

static void insert(fh_extents *e, index_of_node i)
{
    index_of_node low, high;
    split(e, GET(e->root), GET(at(e, i)->start), &low, &high);
    SET(e->root, merge(e, merge(e, low, i), high));
}

/* Takes the node that begins at `key` out of a tree; returns the tree without it. */
static index_of_node without(const fh_extents *e, index_of_node tree, uint64_t key)
{
    node *n = at(e, tree);
    uint64_t start = GET(n->start);
    if (start == key)
        return merge(e, GET(n->left), GET(n->right));
    if (key < start)
        SET(n->left, without(e, GET(n->left), key));
    else
        SET(n->right, without(e, GET(n->right), key));
    pull(e, n);
    return tree;
}

/* Brings the nodes above the one that begins at `key` up to date after it changed. */
static void refresh(const fh_extents *e, index_of_node tree, uint64_t key)
{
    node *n = at(e, tree);
    uint64_t start = GET(n->start);
    if (key != start)
        refresh(e, key < start ? GET(n->left) : GET(n->right), key);
    pull(e, n);
}

/* Makes sure that two nodes can be had without failing, the most that one change needs. */
static bool reserve_nodes(fh_extents *e)
{
    const uint32_t first = 1u << FIRST_CHUNK_BITS;
    uint32_t capacity = (first << e->chunk_count) - first;
    if (e->spares + capacity >= e->next_node + 2)
        return true;
    if (e->chunk_count == CHUNKS)
        return false;
    node *chunk = fh_alloc_zero((size_t)first << e->chunk_count, sizeof *chunk);
    if (!chunk)
        return false;
    SET(e->chunks[e->chunk_count], chunk);
    e->chunk_count++;
    return true;
}

static index_of_node new_node(fh_extents *e, uint64_t start, uint64_t size, bool used, uint64_t tag)
{
    index_of_node i = e->spare;
    if (i) {
        e->spare = GET(at(e, i)->left);
        e->spares--;
    } else {
        i = e->next_node++;
    }
    node *n = at(e, i);
    e->random ^= e->random << 13; /* xorshift64: Marsaglia, "Xorshift RNGs", 2003 */
    e->random ^= e->random >> 7;
    e->random ^= e->random << 17;
    n->priority = (uint32_t)(e->random >> 32);
    SET(n->left, 0);
    SET(n->right, 0);
    SET(n->start, start);
    SET(n->size, size);
    SET(n->tag, tag);
    SET(n->used, used);
    pull(e, n);
    return i;
}

static void drop_node(fh_extents *e, index_of_node i)
{
    SET(at(e, i)->left, e->spare);
    e->spare = i;
    e->spares++;
}

static void begin_change(fh_extents *e)
{
    SET(e->sequence, e->sequence + 1);
}

static void end_change(fh_extents *e)
{
    SET(e->sequence, e->sequence + 1);
}

fh_status fh_extents_create(uint64_t start, uint64_t size, uint64_t granule, fh_extents **out)
{
    if (!size || !granule || (granule & (granule - 1)) || start % granule || size % granule ||
        size > UINT64_MAX - start)
        return fh_error(
            FH_INVALID, "a range of %llu bytes at %#llx cannot be kept in granules of %llu",
            (unsigned long long)size, (unsigned long long)start, (unsigned long long)granule);
    fh_extents *e = fh_alloc_zero(1, sizeof *e);
    if (!e)
        return fh_error(FH_NO_MEMORY, "out of memory for a table of memory ranges");
    e->start = start;
    e->size = size;
    e->granule = granule;
    e->random = 0x9e3779b97f4a7c15u;
    e->next_node = 1;
    if (!reserve_nodes(e)) {
        fh_free(e);
        return fh_error(FH_NO_MEMORY, "out of memory for a table of memory ranges");
    }
    SET(e->root, new_node(e, start, size, false, 0));
    *out = e;
    return FH_OK;
}

void fh_extents_destroy(fh_extents *e)
{
    if (!e)
        return;
    for (uint32_t i = 0; i < e->chunk_count; i++)
        fh_free(e->chunks[i]);
    fh_free(e);
}

/* The node whose extent holds `position`, or 0. */
static index_of_node holder(const fh_extents *e, uint64_t position)
{
    index_of_node i = GET(e->root);
    while (i) {
        const node *n = at(e, i);
        uint64_t start = GET(n->start);
        if (position < start)
            i = GET(n->left);
        else if (position - start < GET(n->size))
            return i;
        else
            i = GET(n->right);
    }
    return 0;
}

static fh_extent extent_of(const node *n)
{
    return (fh_extent){GET(n->start), GET(n->size), GET(n->tag), GET(n->used)};
}

/* What an allocation asks for. */
typedef struct {
    uint64_t size, alignment;
    fh_extents_end end;
} request;

/* Where in a free extent the request would lie; false when it does not fit. */
static bool fits(const node *n, const request *r, uint64_t *start)
{
    uint64_t first = GET(n->start), size = own_free(n);
    if (size < r->size)
        return false;
    if (r->end == FH_EXTENTS_HIGH) {
        *start = (first + (size - r->size)) & ~(r->alignment - 1);
        return *start >= first;
    }
    uint64_t skip = -first & (r->alignment - 1);
    *start = first + skip;
    return skip <= size - r->size;
}

/* The free extent nearest to the wished end that has at least `size` bytes, or 0. */
static index_of_node nearest(const fh_extents *e, uint64_t size, fh_extents_end end)
{
    index_of_node i = GET(e->root);
    if (largest_of(e, i) < size)
        return 0;
    for (;;) {
        const node *n = at(e, i);
        bool low = end == FH_EXTENTS_LOW;
        index_of_node near = low ? GET(n->left) : GET(n->right);
        if (largest_of(e, near) >= size)
            i = near;
        else if (own_free(n) >= size)
            return i;
        else
            i = low ? GET(n->right) : GET(n->left);
    }
}

/* Any free extent that the request fits, where only some of the large enough ones do. */
static index_of_node any(const fh_extents *e, index_of_node i, const request *r, uint64_t *start)
{
    if (largest_of(e, i) < r->size)
        return 0;
    const node *n = at(e, i);
    index_of_node found = any(e, GET(n->left), r, start);
    if (found)
        return found;
    return fits(n, r, start) ? i : any(e, GET(n->right), r, start);
}

static index_of_node find_room(const fh_extents *e, const request *r, uint64_t *start)
{
    index_of_node i = nearest(e, r->size, r->end);
    if (!i || fits(at(e, i), r, start))
        return i;
    /* Extents with room for any position come next. */
    uint64_t slack = r->alignment - e->granule;
    i = r->size <= UINT64_MAX - slack ? nearest(e, r->size + slack, r->end) : 0;
    if (i && fits(at(e, i), r, start))
        return i;
    return any(e, GET(e->root), r, start);
}

/* Makes [start, start + size) of the free extent `i` a used one. Two nodes are reserved. */
static void carve(fh_extents *e, index_of_node i, uint64_t start, uint64_t size, uint64_t tag)
{
    node *n = at(e, i);
    uint64_t first = GET(n->start), end = first + GET(n->size);
    begin_change(e);
    if (end > start + size)
        insert(e, new_node(e, start + size, end - start - size, false, 0));
    if (start > first) {
        SET(n->size, start - first);
        refresh(e, GET(e->root), first);
        insert(e, new_node(e, start, size, true, tag));
    } else {
        SET(n->size, size);
        SET(n->tag, tag);
        SET(n->used, true);
        refresh(e, GET(e->root), first);
    }
    e->used += size;
    e->count++;
    end_change(e);
}

static fh_status no_nodes(void)
{
    return fh_error(FH_NO_MEMORY, "out of host memory for a table of memory ranges");
}

fh_status fh_extents_allocate(fh_extents *e, uint64_t size, uint64_t alignment, fh_extents_end end,
                              uint64_t tag, uint64_t *start)
{
    if (!size || !alignment || (alignment & (alignment - 1)))
        return fh_error(FH_INVALID,
                        "%llu bytes aligned to %llu: the size must not be 0, the alignment must be "
                        "a power of two",
                        (unsigned long long)size, (unsigned long long)alignment);
    if (size > e->size)
        return fh_error(FH_LIMIT, "%llu bytes are more than there are (%llu)",
                        (unsigned long long)size, (unsigned long long)e->size);
    request r = {(size + e->granule - 1) & ~(e->granule - 1),
                 alignment < e->granule ? e->granule : alignment, end};
    uint64_t place;
    index_of_node i = find_room(e, &r, &place);
    if (!i)
        return fh_error(FH_LIMIT, "no free range of %llu bytes (largest: %llu)",
                        (unsigned long long)r.size,
                        (unsigned long long)largest_of(e, GET(e->root)));
    if (!reserve_nodes(e))
        return no_nodes();
    carve(e, i, place, r.size, tag);
    *start = place;
    return FH_OK;
}

fh_status fh_extents_take(fh_extents *e, uint64_t start, uint64_t size, uint64_t tag)
{
    uint64_t offset = start - e->start;
    if (!size || start < e->start || offset > e->size || size > e->size - offset ||
        (start | size) & (e->granule - 1))
        return fh_error(
            FH_INVALID, "%llu bytes at %#llx: not whole granules of %llu within %#llx to %#llx",
            (unsigned long long)size, (unsigned long long)start, (unsigned long long)e->granule,
            (unsigned long long)e->start, (unsigned long long)(e->start + e->size));
    index_of_node i = holder(e, start);
    node *n = at(e, i);
    if (own_free(n) < start - GET(n->start) + size)
        return fh_error(FH_LIMIT, "%llu bytes at %#llx: a part is used already",
                        (unsigned long long)size, (unsigned long long)start);
    if (!reserve_nodes(e))
        return no_nodes();
    carve(e, i, start, size, tag);
    return FH_OK;
}

/* The used node that begins at `start`, or 0. */
static index_of_node used_at(const fh_extents *e, uint64_t start)
{
    index_of_node i = holder(e, start);
    return i && GET(at(e, i)->used) && GET(at(e, i)->start) == start ? i : 0;
}

/* Takes a node away whose extent another one is about to hold. */
static void swallow(fh_extents *e, index_of_node i)
{
    SET(e->root, without(e, GET(e->root), GET(at(e, i)->start)));
    drop_node(e, i);
}

fh_status fh_extents_free(fh_extents *e, uint64_t start)
{
    index_of_node i = used_at(e, start);
    if (!i)
        return fh_error(FH_INVALID, "no used range begins at %#llx", (unsigned long long)start);
    node *n = at(e, i);
    uint64_t size = GET(n->size);
    index_of_node before = start > e->start ? holder(e, start - 1) : 0;
    index_of_node after = holder(e, start + size);
    e->used -= size;
    e->count--;
    begin_change(e);
    SET(n->used, false);
    SET(n->tag, 0);
    if (after && !GET(at(e, after)->used)) {
        size += GET(at(e, after)->size);
        swallow(e, after);
    }
    if (before && !GET(at(e, before)->used)) {
        swallow(e, i);
        n = at(e, before);
        size += GET(n->size);
    }
    SET(n->size, size);
    refresh(e, GET(e->root), GET(n->start));
    end_change(e);
    return FH_OK;
}

bool fh_extents_set_tag(fh_extents *e, uint64_t start, uint64_t tag)
{
    index_of_node i = used_at(e, start);
    if (!i)
        return false;
    begin_change(e);
    SET(at(e, i)->tag, tag);
    end_change(e);
    return true;
}

bool fh_extents_find(const fh_extents *e, uint64_t position, fh_extent *extent)
{
    index_of_node i = holder(e, position);
    if (i)
        *extent = extent_of(at(e, i));
    return i != 0;
}

/* One look at the tree; false when nothing was found or too deep, which a change explains. */
static bool look(const fh_extents *e, uint64_t position, fh_extent *extent)
{
    index_of_node i = GET(e->root);
    for (unsigned depth = 0; i && depth < PEEK_DEPTH; depth++) {
        const node *n = at(e, i);
        fh_extent seen = extent_of(n);
        if (position < seen.start) {
            i = GET(n->left);
        } else if (position - seen.start < seen.size) {
            *extent = seen;
            return true;
        } else {
            i = GET(n->right);
        }
    }
    return false;
}

bool fh_extents_peek(const fh_extents *e, uint64_t position, fh_extent *extent)
{
    fh_extent seen;
    if (position < e->start || position - e->start >= e->size)
        return false;
    for (unsigned tries = 0; tries < PEEK_TRIES; tries++) {
        if (tries >= PEEK_SPINS)
            fh_thread_yield();
        unsigned before = GET(e->sequence);
        if (before & 1 || !look(e, position, &seen) ||
            atomic_load_explicit(&e->sequence, memory_order_relaxed) != before)
            continue;
        *extent = seen;
        return true;
    }
    return false;
}

fh_extents_counts fh_extents_count(const fh_extents *e)
{
    return (fh_extents_counts){.used = e->used,
                               .free = e->size - e->used,
                               .largest = largest_of(e, GET(e->root)),
                               .count = e->count};
}
