/* device_memory.h: the memory of one device.
 *
 * It is a sparse file of the size that the device claims. The host gives pages only where
 * something was written, and they stay with the file after a block is freed, so that the next
 * block there costs no page faults; fh_device_memory_trim() gives them back. Blocks come from the
 * low end of the file, pages (virtual_memory.h) from its high end.
 *
 * What another process imported (share.h) is not handed out again before it lets go or ends:
 * such a part counts as used.
 *
 * Any thread may call any function; each device has one lock. Addresses are client addresses.
 */
#ifndef FH_MEM_DEVICE_MEMORY_H
#define FH_MEM_DEVICE_MEMORY_H

#include "device/mem/space.h"

typedef struct fh_device_memory fh_device_memory;

typedef struct {
    uint64_t total, used, free; /* bytes; used + free = total */
    uint64_t largest;           /* the largest free part */
    uint64_t blocks;            /* parts in use, pages and lingering ones included */
} fh_device_memory_info;

/* What a part of device memory is used for. */
typedef enum {
    FH_PART_FREE,
    FH_PART_BLOCK,
    FH_PART_PAGES,
    FH_PART_LINGERING, /* freed here, but another process still has it */
} fh_part_kind;

typedef struct {
    fh_part_kind kind;
    uint32_t device;
    uintptr_t address; /* where it begins */
    uint64_t size;     /* bytes that were asked for; of a free part, all of it */
} fh_memory_part;

/* Makes the memory of device `index` (below the space's count), whole granules of `bytes`; the
 * caller destroys it. Fails with FH_INVALID when the device has one or is out of range, or the
 * size is 0 or more than a slot; FH_LIMIT, FH_NO_MEMORY or FH_IO when the host refuses. */
fh_status fh_device_memory_create(uint32_t index, uint64_t bytes, fh_device_memory **out);

/* Gives everything back, when no block is used and nobody looks any more; NULL is allowed. */
void fh_device_memory_destroy(fh_device_memory *memory);

/* The memory of a device, or NULL when it has none. */
fh_device_memory *fh_device_memory_of(uint32_t index);

/* Takes a block of at least `size` bytes whose address is a multiple of `alignment` (a power of
 * two; at least FH_GRANULE is given). Its content is whatever was there. With `padded` the block
 * has 32 bytes more behind the next multiple of 32 (aclrtMalloc in acl_rt.h of torch_npu 2.13.0,
 * 2026-11-30). Fails with FH_INVALID for size 0 or a wrong alignment, FH_NO_MEMORY when the
 * device is full: the message names what was wanted, what is free, and the largest free part. */
fh_status fh_device_memory_malloc(fh_device_memory *memory, uint64_t size, uint64_t alignment,
                                  bool padded, void **address);

/* Frees a block of any device by its address. Fails with FH_INVALID, and the message tells a
 * host address, an address within a block, a block freed before, and others apart. */
fh_status fh_device_memory_free(void *address);

fh_device_memory_info fh_device_memory_info_of(fh_device_memory *memory);

/* Gives the host's memory of all free parts back. Fails with FH_IO. */
fh_status fh_device_memory_trim(fh_device_memory *memory);

/* Frees all blocks (not pages) and trims: what resetting a device does. Fails with FH_IO. */
fh_status fh_device_memory_reset(fh_device_memory *memory);

/* The part that holds an address of a slot; false when it is not of a device that has memory,
 * or changed all the time. Takes no lock: also for signal handlers. */
bool fh_device_memory_find(const void *address, fh_memory_part *part);

/* For virtual_memory.c and ipc.c. */

/* The file, and where an address is in it. */
int fh_device_memory_file(const fh_device_memory *memory);
uint64_t fh_device_memory_offset(const fh_device_memory *memory, uintptr_t address);

/* Takes pages (`size` in whole granularity) at the high end; fails as fh_device_memory_malloc().
 * Frees them. Their address in the slot names them. */
fh_status fh_device_memory_take_pages(fh_device_memory *memory, uint64_t size, uintptr_t *address);
void fh_device_memory_free_pages(fh_device_memory *memory, uintptr_t address);

/* Notes that the block or pages that hold `address` are exported as `share` (share.h), which
 * is withdrawn when they are freed. Fails with FH_INVALID when nothing is used there,
 * FH_NO_MEMORY. */
fh_status fh_device_memory_note_share(fh_device_memory *memory, uintptr_t address, uint32_t share);

/* Withdraws an export; its part stays allocated. Nothing when it is none of this device. */
void fh_device_memory_end_share(fh_device_memory *memory, uint32_t share);

#endif
