/* map.h: address ranges of this process.
 *
 * A range is *reserved* (addresses that nothing else gets and nobody may touch,
 * at no cost of memory), or *mapped* (to a memory file or to private memory).
 * Sizes and addresses are multiples of the page size unless a comment says
 * otherwise. Nothing here takes a lock; any thread may call any function. On
 * failure no mapping has changed.
 */
#ifndef FH_OS_MAP_H
#define FH_OS_MAP_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { FH_MAP_NONE, FH_MAP_READ, FH_MAP_READ_WRITE } fh_map_access;

/* Bytes of a page, a power of two. */
size_t fh_page_size(void);

/* Reserves `size` bytes that begin at a multiple of `alignment`, a power of two; the caller
 * releases them. Fails with FH_INVALID, or FH_NO_MEMORY when the address space or its limit
 * (ulimit -v) has no room. */
fh_status fh_map_reserve(size_t size, size_t alignment, void **base);

/* Gives a range back, whatever is mapped in it. */
void fh_map_release(void *base, size_t size);

/* Maps `size` bytes of `file` from `offset` on at `address`, shared with all who map it; the
 * caller owns what was there. With `populate` all pages are there when it returns. Fails with
 * FH_NO_MEMORY when the number of mappings is at its limit or memory is out, FH_IO. */
fh_status fh_map_file(void *address, size_t size, int file, uint64_t offset, fh_map_access access,
                      bool populate);

/* Makes a mapped range reserved again. Fails with FH_NO_MEMORY at the limit of mappings. */
fh_status fh_map_unmap(void *address, size_t size);

/* Maps private memory, zero, that a forked child may read; fh_map_release() frees it. `size`
 * need not be whole pages. Fails with FH_NO_MEMORY. */
fh_status fh_map_private(size_t size, void **address);

/* Forked children do not get this range. Fails with FH_IO, or FH_NO_MEMORY. */
fh_status fh_map_hide_from_children(void *address, size_t size);

#endif
