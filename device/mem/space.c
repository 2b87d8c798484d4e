#include "device/mem/space.h"
#include "os/identity.h"
#include "os/map.h"

#include <inttypes.h>

/* Room beside the devices' own memory: PyTorch reserves 1 1/8 of a device's memory for each
 * stream and pool when its segments are expandable (NPUCachingAllocator.cpp, 2026-11-30). */
enum { ROOM = 4 };

#define TIB ((uint64_t)1 << 40)
#define GIB ((uint64_t)1 << 30)

#if defined(__SANITIZE_THREAD__)
#define MOST (GIB * 64)
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MOST (GIB * 64)
#endif
#endif
/* The thread sanitizer ends a program that maps below its 1.5 TiB at the top of x86-64's
 * addresses, of which the kernel leaves up to 1 TiB out at random; elsewhere a quarter of the usual
 * 47 bits goes to each half at most. */
#ifndef MOST
#define MOST (TIB * 32)
#endif

fh_space_range fh_space;

static uint64_t round_up(uint64_t value, uint64_t to)
{
    return (value + to - 1) & ~(to - 1);
}

static fh_status check(const fh_space_options *o)
{
    if (fh_space.size)
        return fh_error(FH_INVALID, "the addresses of device memory are reserved already");
    if (!o->devices || o->devices > FH_DEVICES_MOST)
        return fh_error(FH_INVALID, "%u devices: there can be 1 to %d", o->devices,
                        FH_DEVICES_MOST);
    if (!o->device_bytes || o->device_bytes > MOST)
        return fh_error(FH_INVALID,
                        "devices of %" PRIu64 " bytes of memory: there can be 1 byte to %" PRIu64,
                        o->device_bytes, MOST);
    return FH_OK;
}

/* Reserves both halves; addresses are aligned so that any alignment up to 1 GiB of a small
 * offset holds for the address too. */
static fh_status reserve(uint64_t half, bool isolation, void **base)
{
    uint64_t alignment = half >= 64 * GIB ? GIB : FH_GRANULARITY;
    if (half > SIZE_MAX / 4)
        return fh_error(FH_NO_MEMORY, "too large");
    return fh_map_reserve((size_t)(isolation ? 2 * half : half), (size_t)alignment, base);
}

fh_status fh_space_create(const fh_space_options *o)
{
    fh_status status = check(o);
    if (status)
        return status;
    const atomic_bool *ours;
    status = fh_fork_mark(&ours);
    if (status)
        return status;
    uint64_t slot = round_up(o->device_bytes, FH_GRANULARITY);
    uint64_t least = slot * o->devices, most = o->most ? o->most : MOST;
    uint64_t half = least > most / ROOM ? round_up(most, FH_GRANULARITY) : least * ROOM;
    if (half < least)
        half = least;
    void *base;
    while ((status = reserve(half, o->isolation, &base)) && half > least) {
        half = round_up(half / 2, FH_GRANULARITY);
        if (half < least)
            half = least;
    }
    if (status)
        return fh_error(FH_LIMIT,
                        "the host has no room for the addresses of %u devices with %" PRIu64
                        " bytes each (%" PRIu64 " in all%s); choose fewer devices or less memory "
                        "(FOOTHOLD_DEVICES, FOOTHOLD_MEMORY), or raise ulimit -v",
                        o->devices, slot, least, o->isolation ? ", twice for isolation" : "");
    fh_space = (fh_space_range){.client = (uintptr_t)base,
                                .size = (size_t)half,
                                .offset = o->isolation ? (uintptr_t)half : 0,
                                .slot = (size_t)slot,
                                .devices = o->devices,
                                .ours = ours};
    return FH_OK;
}

void fh_space_destroy(void)
{
    fh_map_release((void *)fh_space.client, fh_space.size + fh_space.offset);
    fh_space = (fh_space_range){0};
}

uintptr_t fh_space_slot(uint32_t device)
{
    return fh_space.client + device * fh_space.slot;
}

uintptr_t fh_space_virtual(size_t *size)
{
    *size = fh_space.size - fh_space.devices * fh_space.slot;
    return fh_space_slot(fh_space.devices);
}

fh_status fh_space_map(uintptr_t client, size_t size, int file, uint64_t offset)
{
    void *address = (void *)(client + fh_space.offset);
    fh_status status = fh_map_file(address, size, file, offset, FH_MAP_READ_WRITE, false);
    if (!status && (status = fh_map_hide_from_children(address, size)))
        fh_map_unmap(address, size);
    return status;
}

fh_status fh_space_unmap(uintptr_t client, size_t size)
{
    return fh_map_unmap((void *)(client + fh_space.offset), size);
}
