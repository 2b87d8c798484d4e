/* virtual_memory.h: addresses and memory apart, as aclrtReserveMemAddress and aclrtMapMem have it.
 *
 *   reservation  client addresses of the virtual area, in whole granularity (FH_GRANULARITY)
 *   pages        memory of a device, or of another process (imported); no address of its own
 *   mapping      pages, or a part of them, at a part of one reservation
 *
 * Pages are counted: their creator has one hold, each mapping another; they go with the last.
 * Access is a note for each mapping and device, which whoever launches work looks at; the
 * device that the pages were created or imported for may read and write from the start.
 *
 * Any thread may call any function; one lock guards all. A pages pointer is one that
 * fh_pages_create() or another function here gave and whose hold was not dropped.
 */
#ifndef FH_MEM_VIRTUAL_MEMORY_H
#define FH_MEM_VIRTUAL_MEMORY_H

#include "device/mem/space.h"

typedef struct fh_pages fh_pages;

typedef enum { FH_ACCESS_NONE, FH_ACCESS_READ, FH_ACCESS_READ_WRITE } fh_access;

/* Before any other function here, when the space and shares are there; and after all, when no
 * kernel runs: what is still mapped is unmapped. Fails with FH_NO_MEMORY. */
fh_status fh_virtual_start(void);
void fh_virtual_stop(void);

/* Reserves addresses for `size` bytes, rounded up; `alignment` is a power of two, or 0 for the
 * granularity. With `hint` it must be exactly there. Fails with FH_INVALID, FH_UNSUPPORTED for a
 * hint outside of the virtual area (the message names the area), FH_LIMIT when the hint is taken or
 * no addresses are left, FH_NO_MEMORY. */
fh_status fh_virtual_reserve(uint64_t size, uint64_t alignment, void *hint, void **address);

/* Gives a reservation back. Fails with FH_INVALID when none begins there, or something is
 * mapped in it. */
fh_status fh_virtual_release(void *address);

/* Takes `size` bytes, whole granularity, of a device; fh_pages_drop() gives the hold back. Fails
 * with FH_INVALID, FH_NO_MEMORY when the device is full. */
fh_status fh_pages_create(uint32_t device, uint64_t size, fh_pages **out);

/* Drops the creator's hold: the memory is free when it is mapped nowhere. */
void fh_pages_drop(fh_pages *pages);

uint64_t fh_pages_size(const fh_pages *pages);
uint32_t fh_pages_device(const fh_pages *pages);

/* Maps `size` bytes of pages from `offset` on, all whole granularity. Fails with FH_INVALID when
 * the range is not within one reservation or not within the pages, FH_LIMIT when something is
 * mapped there (the message says what), FH_NO_MEMORY. */
fh_status fh_virtual_map(void *address, uint64_t size, uint64_t offset, fh_pages *pages);

/* Takes a whole mapping away, by its first address. Fails with FH_INVALID, FH_NO_MEMORY. */
fh_status fh_virtual_unmap(void *address);

/* Sets and tells what a device may do with the mapping that begins at `address` and has `size`
 * bytes (setting), or holds `address` (telling). Fail with FH_INVALID, FH_NO_MEMORY. */
fh_status fh_virtual_set_access(void *address, uint64_t size, uint32_t device, fh_access access);
fh_status fh_virtual_get_access(const void *address, uint32_t device, fh_access *access);

/* The pages mapped at an address, with a hold more. Fails with FH_INVALID. */
fh_status fh_pages_at(const void *address, fh_pages **pages);

/* Exports pages (share.h); once, as in CANN. Fails with FH_INVALID when they are exported already,
 * FH_UNSUPPORTED when they are imported, and as fh_share_publish(). Who may import is told by
 * fh_share_allow(). The export ends with the pages. */
fh_status fh_pages_export(fh_pages *pages, bool anyone, uint64_t *handle);

/* Imports pages for a device of this process, with one hold. Fails with FH_INVALID, and as
 * fh_share_attach(). */
fh_status fh_pages_import(uint64_t handle, uint32_t device, fh_pages **out);

/* What the virtual area has at an address. Takes no lock: also for signal handlers. */
typedef struct {
    bool mapped;       /* else only reserved */
    bool imported;     /* memory of another process */
    uint32_t device;   /* of the pages, when mapped */
    uintptr_t address; /* of the mapping, or the reservation */
    uint64_t size;
} fh_virtual_place;

bool fh_virtual_find(const void *address, fh_virtual_place *place);

/* For ipc.c: imports a range of any alignment at an address chosen here; the close. Only
 * this close takes it away. */
fh_status fh_virtual_open_import(uint64_t handle, uint32_t device, void **address);
void fh_virtual_close_import(void *address);

#endif
