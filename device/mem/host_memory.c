#include "device/mem/host_memory.h"
#include "device/mem/extents.h"
#include "device/mem/space.h"
#include "os/lock.h"
#include "os/map.h"

#include <inttypes.h>

/* All addresses but 0, in bytes; a tag is a kind. */
static struct {
    fh_lock lock;
    fh_extents *_Atomic ranges;
} host;

fh_status fh_host_start(void)
{
    fh_extents *ranges;
    fh_status status = fh_extents_create(1, UINT64_MAX - 1, 1, &ranges);
    if (!status)
        host.ranges = ranges;
    return status;
}

void fh_host_stop(void)
{
    fh_extents *ranges = host.ranges;
    fh_extent each;
    for (uint64_t at = 1; ranges && at < UINT64_MAX; at = each.start + each.size) {
        if (!fh_extents_find(ranges, at, &each))
            break;
        if (each.used && each.tag == FH_HOST_PINNED)
            fh_map_release((void *)(uintptr_t)each.start, (size_t)each.size);
    }
    host.ranges = NULL;
    fh_extents_destroy(ranges);
}

/* Forgets what is registered in a range that the system has just mapped afresh: its client gave
 * the memory back without telling. */
static void forget_stale(uint64_t start, uint64_t size)
{
    fh_extent each;
    for (uint64_t at = start; at < start + size; at = each.start + each.size) {
        if (!fh_extents_find(host.ranges, at, &each))
            return;
        if (each.used)
            fh_extents_free(host.ranges, each.start);
    }
}

fh_status fh_host_malloc(uint64_t size, void **address)
{
    void *block;
    if (!size)
        return fh_error(FH_INVALID, "cannot allocate 0 bytes of pinned host memory");
    fh_status status = fh_map_private((size_t)size, &block);
    if (status)
        return fh_error(FH_NO_MEMORY, "the host has no %" PRIu64 " bytes for pinned memory", size);
    uint64_t start = (uint64_t)(uintptr_t)block;
    fh_lock_take(&host.lock);
    status = fh_extents_take(host.ranges, start, size, FH_HOST_PINNED);
    if (status == FH_LIMIT) {
        forget_stale(start, size);
        status = fh_extents_take(host.ranges, start, size, FH_HOST_PINNED);
    }
    fh_lock_release(&host.lock);
    if (status)
        fh_map_release(block, (size_t)size);
    else
        *address = block;
    return status;
}

/* Forgets the range of a kind that begins at an address; `what` cannot be done else. */
static fh_status forget(const void *address, fh_host_kind kind, const char *what, uint64_t *size)
{
    fh_extent there;
    uint64_t start = (uint64_t)(uintptr_t)address;
    fh_lock_take(&host.lock);
    bool known = fh_extents_find(host.ranges, start, &there) && there.used;
    bool good = known && there.start == start && there.tag == (uint64_t)kind;
    if (good) {
        *size = there.size;
        fh_extents_free(host.ranges, start);
    }
    fh_lock_release(&host.lock);
    if (good)
        return FH_OK;
    if (!known)
        return fh_error(FH_INVALID,
                        "cannot %s %p: it is neither pinned nor registered memory, or not any more",
                        what, address);
    return fh_error(FH_INVALID,
                    "cannot %s %p: it lies in %s memory of %" PRIu64 " bytes that begins at "
                    "%#" PRIx64,
                    what, address, there.tag == FH_HOST_PINNED ? "pinned" : "registered",
                    there.size, there.start);
}

fh_status fh_host_free(void *address)
{
    uint64_t size = 0;
    fh_status status = forget(address, FH_HOST_PINNED, "free", &size);
    if (!status)
        fh_map_release(address, (size_t)size);
    return status;
}

fh_status fh_host_register(void *address, uint64_t size)
{
    uint64_t start = (uint64_t)(uintptr_t)address;
    if (!start || !size || size > UINT64_MAX - start)
        return fh_error(FH_INVALID,
                        "cannot register %" PRIu64 " bytes at %p: not a range of memory", size,
                        address);
    if (fh_space.size && start < fh_space.client + fh_space.size && start + size > fh_space.client)
        return fh_error(FH_INVALID,
                        "cannot register %" PRIu64 " bytes at %p: that is device memory", size,
                        address);
    fh_lock_take(&host.lock);
    fh_status status = fh_extents_take(host.ranges, start, size, FH_HOST_REGISTERED);
    fh_lock_release(&host.lock);
    if (status == FH_LIMIT)
        return fh_error(FH_LIMIT,
                        "cannot register %" PRIu64 " bytes at %p: a part is pinned or registered "
                        "already",
                        size, address);
    return status;
}

fh_status fh_host_unregister(void *address)
{
    uint64_t size;
    return forget(address, FH_HOST_REGISTERED, "unregister", &size);
}

bool fh_host_find(const void *address, fh_host_range *range)
{
    const fh_extents *ranges = host.ranges;
    fh_extent there;
    if (!ranges || !fh_extents_peek(ranges, (uint64_t)(uintptr_t)address, &there) || !there.used)
        return false;
    *range = (fh_host_range){(fh_host_kind)there.tag, (uintptr_t)there.start, there.size};
    return true;
}
