/* extents.h: who owns which part of a range of numbers.
 *
 * A set of extents cuts the range [start, start + size) into extents, each used or free;
 * free neighbours are always one extent. Numbers are addresses or offsets in a file: nothing
 * here touches what they stand for. Starts and sizes are multiples of the granule, a power of
 * two. Each used extent carries a tag, 64 bits that mean something to the owner of the set.
 *
 * Every operation takes O(log n) steps of n extents, except an aligned allocation that no
 * longer fits but in an extent smaller than size plus alignment: that one may look at all.
 *
 * One thread at a time may change a set: its owner has a lock. Any thread may peek at any
 * time, also in a signal handler and without the lock.
 */
#ifndef FH_MEM_EXTENTS_H
#define FH_MEM_EXTENTS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct fh_extents fh_extents;

typedef struct {
    uint64_t start, size, tag;
    bool used;
} fh_extent;

/* Which end of the range an allocation prefers: things of different kinds that share a set
 * fragment it less when they grow towards each other. */
typedef enum { FH_EXTENTS_LOW, FH_EXTENTS_HIGH } fh_extents_end;

typedef struct {
    uint64_t used, free, largest; /* bytes; largest: the largest free extent */
    uint64_t count;               /* used extents */
} fh_extents_counts;

/* Makes a set with one free extent; the caller destroys it, when nobody peeks any more. The
 * range may end at 2^64 - 1 but not wrap. Fails with FH_INVALID, FH_NO_MEMORY. */
fh_status fh_extents_create(uint64_t start, uint64_t size, uint64_t granule, fh_extents **out);
void fh_extents_destroy(fh_extents *extents); /* NULL is allowed */

/* Takes a free part of `size` bytes, rounded up to granules, that starts at a multiple of
 * `alignment`, a power of two. Fails with FH_INVALID (also for size 0), FH_LIMIT when no free
 * extent can hold it, FH_NO_MEMORY when the host has no memory for the set itself. */
fh_status fh_extents_allocate(fh_extents *extents, uint64_t size, uint64_t alignment,
                              fh_extents_end end, uint64_t tag, uint64_t *start);

/* Takes exactly [start, start + size). Fails with FH_INVALID when it is empty, not whole
 * granules or not within the set, FH_LIMIT when a part of it is used, FH_NO_MEMORY. */
fh_status fh_extents_take(fh_extents *extents, uint64_t start, uint64_t size, uint64_t tag);

/* Frees the used extent that begins at `start`. Fails with FH_INVALID when there is none;
 * never for want of memory. */
fh_status fh_extents_free(fh_extents *extents, uint64_t start);

/* Changes the tag of the used extent that begins at `start`; false when there is none. */
bool fh_extents_set_tag(fh_extents *extents, uint64_t start, uint64_t tag);

/* The extent, used or free, that holds `position`; false when it is outside of the set. The
 * next one begins where this one ends: so a set is walked. Only for who may change the set. */
bool fh_extents_find(const fh_extents *extents, uint64_t position, fh_extent *extent);

/* The same for everybody else, without a lock. It waits for a change that it meets, but not for
 * ever, so that a handler that interrupted the change itself comes back (with false). */
bool fh_extents_peek(const fh_extents *extents, uint64_t position, fh_extent *extent);

fh_extents_counts fh_extents_count(const fh_extents *extents); /* only for who may change it */

#endif
