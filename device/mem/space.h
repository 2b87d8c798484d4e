/* space.h: the addresses of device memory in this process.
 *
 * Words used in device/mem:
 *   space            the one range of addresses reserved for device memory, made of two halves
 *                    of equal size, client and kernel
 *   client address   what programs get from aclrtMalloc and hand back: nothing is mapped there,
 *                    so that a host access is caught, as on hardware (fault.h)
 *   kernel address   where kernels and copies touch the same byte: the client address plus one
 *                    offset. Without isolation the offset is 0 and there is one half
 *   slot             the part of a half that belongs to one device: its memory as a whole
 *   virtual area     the rest of a half: what aclrtReserveMemAddress and imports hand out
 *   device memory    a device's sparse memory file, mapped whole in the kernel half of its slot
 *   block            a part of device memory that aclrtMalloc gave (device_memory.h)
 *   pages            a part of device memory without an address: a physical handle, to be mapped
 *                    in the virtual area (virtual_memory.h)
 *   granule          what blocks are multiples of, 512 bytes
 *   granularity      what pages and mappings are multiples of, 2 MiB, as on the chips
 *   host address     any address outside of the client half
 *
 * Files here, lowest first: extents, space, share, device_memory, virtual_memory, ipc,
 * host_memory, lookup, fault. Locks are taken in the reverse order of that list, and
 * never while a lower one is held.
 *
 * A forked child does not get device memory: whoever serves a client asks fh_space_is_ours()
 * first and refuses.
 */
#ifndef FH_MEM_SPACE_H
#define FH_MEM_SPACE_H

#include "base/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FH_GRANULE = 512,
    FH_GRANULARITY = 2 << 20, /* aclrtMallocPhysical: 2 MiB, hiascend.com, CANN 8.0 (2026-11-30) */
    FH_DEVICES_MOST = 1024,
};

typedef struct {
    uint32_t devices;      /* 1 to FH_DEVICES_MOST */
    uint64_t device_bytes; /* of the largest device */
    bool isolation;        /* whether clients' addresses differ from kernels' */
    uint64_t most;         /* bytes of one half at most; 0: 32 TiB */
} fh_space_options;

/* What is reserved; size 0 when nothing is. Read-only outside of space.c. */
typedef struct {
    uintptr_t client; /* where the client half begins */
    size_t size;      /* bytes of one half */
    uintptr_t offset; /* from a client address to its kernel address */
    size_t slot;      /* bytes of a device's slot */
    uint32_t devices;
    const atomic_bool *ours; /* false in a forked child */
} fh_space_range;

extern fh_space_range fh_space;

/* Whether an address is of the client half, mapped or not. */
static inline bool fh_space_holds(const void *address)
{
    return (uintptr_t)address - fh_space.client < fh_space.size;
}

/* Where kernels touch what a client calls `address`; a host address comes back unchanged. */
static inline void *fh_space_kernel(const void *address)
{
    uintptr_t number = (uintptr_t)address;
    return (void *)(fh_space_holds(address) ? number + fh_space.offset : number);
}

/* What a client calls the byte at a kernel address; any other address comes back unchanged. */
static inline void *fh_space_client(const void *address)
{
    uintptr_t number = (uintptr_t)address - fh_space.offset;
    return (void *)(fh_space_holds((void *)number) ? number : (uintptr_t)address);
}

/* False before the space is made and in every child forked since. */
static inline bool fh_space_is_ours(void)
{
    return fh_space.ours && atomic_load_explicit(fh_space.ours, memory_order_relaxed);
}

/* Reserves the space: four times what the devices need, less (halved, down to just that) when
 * the host has no room. Call it once, before any other thread knows of device memory. Fails
 * with FH_INVALID for options out of range or a space that exists, FH_LIMIT when the host has
 * not even room for the devices (the message says what to change), FH_NO_MEMORY. */
fh_status fh_space_create(const fh_space_options *options);

/* Gives the addresses back, when nobody uses them; nothing when there is no space. */
void fh_space_destroy(void);

/* The client addresses of a device's slot, and of the virtual area (whose size may be 0). */
uintptr_t fh_space_slot(uint32_t device);
uintptr_t fh_space_virtual(size_t *size);

/* Maps a part of a memory file at the kernel address of `client`, hidden from children; the
 * reverse. `size` is whole pages. Fail as fh_map_file() and fh_map_unmap(); a mapping that
 * failed left nothing. */
fh_status fh_space_map(uintptr_t client, size_t size, int file, uint64_t offset);
fh_status fh_space_unmap(uintptr_t client, size_t size);

#endif
