#include "device/mem/virtual_memory.h"
#include "base/vector.h"
#include "device/mem/extents.h"
#include "device/mem/pages.h"
#include "os/lock.h"

#include <inttypes.h>

/* What a device other than the pages' own may do, or the own one when it was changed. */
typedef struct {
    uint32_t device;
    fh_access access;
} permission;

typedef struct {
    fh_pages *pages; /* NULL: this place in the table is not used */
    FH_VECTOR(permission) permissions;
} mapping;

/* The virtual area, under `lock`; who only finds needs none. */
static struct {
    fh_lock lock;
    fh_extents *_Atomic reserved; /* tag: whether it is an import's */
    fh_extents *_Atomic mapped;   /* tag: as tag_of() */
    FH_VECTOR(mapping) mappings;
    FH_VECTOR(uint32_t) spare; /* unused places among them; has room for all */
    uintptr_t start;
    size_t size;
} area;

enum { TAG_DEVICE_BITS = 10, TAG_IMPORTED = 1 << TAG_DEVICE_BITS, TAG_SHIFT = TAG_DEVICE_BITS + 1 };
_Static_assert((int)FH_DEVICES_MOST <= (int)TAG_IMPORTED, "a device's index fits the tag");

static uint64_t tag_of(uint32_t index, const fh_pages *pages)
{
    return (uint64_t)index << TAG_SHIFT | (pages->imported ? TAG_IMPORTED : 0) | pages->device;
}

static fh_status fail_start(void)
{
    fh_virtual_stop();
    return fh_error(FH_NO_MEMORY, "out of memory for the tables of virtual memory");
}

fh_status fh_virtual_start(void)
{
    fh_extents *reserved, *mapped;
    area.start = fh_space_virtual(&area.size);
    if (!area.size) /* the host had room for the devices alone */
        return FH_OK;
    if (fh_extents_create(area.start, area.size, FH_GRANULARITY, &reserved))
        return fail_start();
    area.reserved = reserved;
    if (fh_extents_create(area.start, area.size, FH_GRANULARITY, &mapped))
        return fail_start();
    area.mapped = mapped;
    return FH_OK;
}

void fh_virtual_stop(void)
{
    fh_extents *reserved = area.reserved, *mapped = area.mapped;
    fh_extent each;
    for (uint64_t at = area.start; mapped && at < area.start + area.size;
         at = each.start + each.size) {
        if (!fh_extents_find(mapped, at, &each))
            break;
        if (each.used)
            fh_space_unmap((uintptr_t)each.start, (size_t)each.size);
    }
    for (uint32_t i = 0; i < area.mappings.count; i++) {
        if (area.mappings.items[i].pages)
            fh_pages_let_go(area.mappings.items[i].pages);
        fh_vector_free(&area.mappings.items[i].permissions);
    }
    area.reserved = area.mapped = NULL;
    fh_extents_destroy(reserved);
    fh_extents_destroy(mapped);
    fh_vector_free(&area.mappings);
    fh_vector_free(&area.spare);
    area.size = 0;
}

static fh_status no_addresses(uint64_t size)
{
    return fh_error(FH_LIMIT,
                    "no addresses are left to reserve %" PRIu64 " bytes; release some, or give "
                    "the devices less memory (FOOTHOLD_MEMORY): the room is a multiple of it",
                    size);
}

/* Reserves under the lock; `import` marks it as one of ipc.c. */
static fh_status reserve(uint64_t size, uint64_t alignment, void *hint, bool import, void **address)
{
    uint64_t start = (uint64_t)(uintptr_t)hint, whole;
    fh_status status;
    if (!area.size || size > area.size)
        return no_addresses(size);
    whole = (size + FH_GRANULARITY - 1) / FH_GRANULARITY * FH_GRANULARITY;
    if (!hint)
        status =
            fh_extents_allocate(area.reserved, whole, alignment, FH_EXTENTS_LOW, import, &start);
    else if (start - area.start >= area.size || area.size - (start - area.start) < whole)
        return fh_error(FH_UNSUPPORTED,
                        "cannot reserve %" PRIu64 " bytes at %p: only %#" PRIxPTR " to %#" PRIxPTR
                        " can be chosen; leave the address to the device (NULL)",
                        size, hint, area.start, area.start + area.size);
    else
        status = fh_extents_take(area.reserved, start, whole, import);
    if (status == FH_LIMIT && hint)
        return fh_error(FH_LIMIT, "cannot reserve %" PRIu64 " bytes at %p: a part is reserved",
                        size, hint);
    if (status == FH_LIMIT)
        return no_addresses(size);
    if (!status)
        *address = (void *)(uintptr_t)start;
    return status;
}

fh_status fh_virtual_reserve(uint64_t size, uint64_t alignment, void *hint, void **address)
{
    uint64_t aligned = alignment ? alignment : FH_GRANULARITY;
    if (!size || (aligned & (aligned - 1)) || (uintptr_t)hint % FH_GRANULARITY ||
        (uintptr_t)hint & (aligned - 1))
        return fh_error(FH_INVALID,
                        "cannot reserve %" PRIu64 " bytes at %p aligned to %" PRIu64
                        ": the size must not be 0, the alignment a power of two that the address "
                        "keeps, as it keeps %d",
                        size, hint, alignment, FH_GRANULARITY);
    fh_lock_take(&area.lock);
    fh_status status = reserve(size, aligned, hint, false, address);
    fh_lock_release(&area.lock);
    return status;
}

/* What a set has at an address; a free extent of nothing when it has no such address. */
static fh_extent at(const fh_extents *set, const void *address)
{
    fh_extent extent = {0};
    if (set)
        fh_extents_find(set, (uint64_t)(uintptr_t)address, &extent);
    return extent;
}

/* Whether nothing is mapped in [start, start + size). */
static bool is_clear(uint64_t start, uint64_t size)
{
    fh_extent there = at(area.mapped, (void *)(uintptr_t)start);
    return !there.used && there.start + there.size - start >= size;
}

static fh_status release(const void *address)
{
    fh_extent reservation = at(area.reserved, address);
    uint64_t start = (uint64_t)(uintptr_t)address;
    if (!reservation.used || reservation.start != start || reservation.tag)
        return fh_error(FH_INVALID, "cannot release %p: %s", address,
                        !reservation.used ? "it is not a reserved address, or was released before"
                        : reservation.tag ? "it is imported memory, which aclrtIpcMemClose closes"
                                          : "it lies within a reservation, which begins earlier");
    if (!is_clear(start, reservation.size))
        return fh_error(FH_INVALID,
                        "cannot release %p: memory is mapped in it; unmap all of it first "
                        "(aclrtUnmapMem)",
                        address);
    return fh_extents_free(area.reserved, start);
}

fh_status fh_virtual_release(void *address)
{
    fh_lock_take(&area.lock);
    fh_status status = release(address);
    fh_lock_release(&area.lock);
    return status;
}

fh_status fh_pages_create(uint32_t device, uint64_t size, fh_pages **out)
{
    return fh_pages_make(device, size, out);
}

void fh_pages_drop(fh_pages *pages)
{
    fh_lock_take(&area.lock);
    fh_pages_let_go(pages);
    fh_lock_release(&area.lock);
}

uint64_t fh_pages_size(const fh_pages *pages)
{
    return pages->size;
}

uint32_t fh_pages_device(const fh_pages *pages)
{
    return pages->device;
}

/* Takes a place in the table of mappings, and sees to it that giving it back cannot fail. */
static fh_status take_place(uint32_t *index)
{
    if (area.spare.count) {
        *index = fh_vector_pop(&area.spare);
        return FH_OK;
    }
    if (!fh_vector_reserve(&area.spare, area.mappings.count + 1) ||
        !fh_vector_push(&area.mappings, (mapping){0})) {
        area.spare.failed = area.mappings.failed = false;
        return fh_error(FH_NO_MEMORY, "out of memory for a mapping");
    }
    *index = area.mappings.count - 1;
    return FH_OK;
}

static void give_place(uint32_t index)
{
    fh_vector_free(&area.mappings.items[index].permissions);
    area.mappings.items[index].pages = NULL;
    fh_vector_push(&area.spare, index);
}

/* Maps under the lock; the range is checked. */
static fh_status map(uint64_t start, uint64_t size, uint64_t offset, fh_pages *pages)
{
    uint32_t index = 0;
    fh_status status = take_place(&index);
    if (status)
        return status;
    status = fh_extents_take(area.mapped, start, size, tag_of(index, pages));
    if (!status) {
        status = fh_space_map((uintptr_t)start, (size_t)size, pages->file, pages->offset + offset);
        if (status)
            fh_extents_free(area.mapped, start);
    }
    if (status) {
        give_place(index);
        return status;
    }
    area.mappings.items[index].pages = pages;
    pages->holds++;
    return FH_OK;
}

static fh_status check_map(const void *address, uint64_t size, uint64_t offset,
                           const fh_pages *pages)
{
    uint64_t start = (uint64_t)(uintptr_t)address;
    if (!size || (size | offset | start) % FH_GRANULARITY)
        return fh_error(FH_INVALID,
                        "cannot map %" PRIu64 " bytes from offset %" PRIu64
                        " at %p: all three must be multiples of %d, and the size not 0",
                        size, offset, address, FH_GRANULARITY);
    if (offset > pages->size || size > pages->size - offset)
        return fh_error(FH_INVALID,
                        "cannot map %" PRIu64 " bytes from offset %" PRIu64
                        ": the physical memory has %" PRIu64,
                        size, offset, pages->size);
    fh_extent reservation = at(area.reserved, address), there = at(area.mapped, address);
    if (!reservation.used || reservation.tag ||
        size > reservation.size - (start - reservation.start))
        return fh_error(FH_INVALID,
                        "cannot map %" PRIu64 " bytes at %p: it is not within one range that "
                        "aclrtReserveMemAddress gave",
                        size, address);
    if (!is_clear(start, size))
        return fh_error(FH_LIMIT,
                        "cannot map %" PRIu64 " bytes at %p: memory is mapped from %#" PRIx64
                        " on; unmap it first (aclrtUnmapMem)",
                        size, address, there.used ? there.start : there.start + there.size);
    return FH_OK;
}

fh_status fh_virtual_map(void *address, uint64_t size, uint64_t offset, fh_pages *pages)
{
    fh_lock_take(&area.lock);
    fh_status status = check_map(address, size, offset, pages);
    if (!status)
        status = map((uint64_t)(uintptr_t)address, size, offset, pages);
    fh_lock_release(&area.lock);
    return status;
}

/* Unmaps a mapping under the lock, and lets its pages go. */
static fh_status unmap(const fh_extent *there)
{
    fh_status status = fh_space_unmap((uintptr_t)there->start, (size_t)there->size);
    if (status)
        return status;
    uint32_t index = (uint32_t)(there->tag >> TAG_SHIFT);
    fh_extents_free(area.mapped, there->start);
    fh_pages_let_go(area.mappings.items[index].pages);
    give_place(index);
    return FH_OK;
}

fh_status fh_virtual_unmap(void *address)
{
    fh_status status;
    fh_lock_take(&area.lock);
    fh_extent there = at(area.mapped, address);
    if (!there.used)
        status = fh_error(FH_INVALID, "cannot unmap %p: nothing is mapped there", address);
    else if (there.start != (uint64_t)(uintptr_t)address)
        status = fh_error(FH_INVALID,
                          "cannot unmap %p: it lies within a mapping of %" PRIu64
                          " bytes that begins at %#" PRIx64 ", which goes as a whole",
                          address, there.size, there.start);
    else if (at(area.reserved, address).tag)
        status = fh_error(FH_INVALID,
                          "cannot unmap %p: it is imported memory, which aclrtIpcMemClose closes",
                          address);
    else
        status = unmap(&there);
    fh_lock_release(&area.lock);
    return status;
}

/* The mapping that holds an address, or NULL, under the lock. */
static mapping *mapping_at(const void *address, fh_extent *there)
{
    *there = at(area.mapped, address);
    return there->used ? &area.mappings.items[there->tag >> TAG_SHIFT] : NULL;
}

static permission *permission_of(mapping *record, uint32_t device)
{
    for (uint32_t i = 0; i < record->permissions.count; i++)
        if (record->permissions.items[i].device == device)
            return &record->permissions.items[i];
    return NULL;
}

static fh_status set_access(const void *address, uint64_t size, uint32_t device, fh_access access)
{
    fh_extent there;
    mapping *record = mapping_at(address, &there);
    if (!record || there.start != (uint64_t)(uintptr_t)address || there.size != size)
        return fh_error(FH_INVALID,
                        "cannot set the access to %" PRIu64 " bytes at %p: that is not a mapping "
                        "as aclrtMapMem made it",
                        size, address);
    permission *known = permission_of(record, device);
    if (known) {
        known->access = access;
        return FH_OK;
    }
    if (!fh_vector_push(&record->permissions, (permission){device, access})) {
        record->permissions.failed = false;
        return fh_error(FH_NO_MEMORY, "out of memory for the access of a device");
    }
    return FH_OK;
}

fh_status fh_virtual_set_access(void *address, uint64_t size, uint32_t device, fh_access access)
{
    if (device >= fh_space.devices || access > FH_ACCESS_READ_WRITE)
        return fh_error(FH_INVALID, "access %d for device %u: no such access or device", access,
                        device);
    fh_lock_take(&area.lock);
    fh_status status = set_access(address, size, device, access);
    fh_lock_release(&area.lock);
    return status;
}

fh_status fh_virtual_get_access(const void *address, uint32_t device, fh_access *access)
{
    fh_extent there;
    fh_lock_take(&area.lock);
    mapping *record = mapping_at(address, &there);
    if (record) {
        const permission *known = permission_of(record, device);
        *access = known                             ? known->access
                  : record->pages->device == device ? FH_ACCESS_READ_WRITE
                                                    : FH_ACCESS_NONE;
    }
    fh_lock_release(&area.lock);
    return record ? FH_OK : fh_error(FH_INVALID, "nothing is mapped at %p", address);
}

fh_status fh_pages_at(const void *address, fh_pages **pages)
{
    fh_extent there;
    fh_lock_take(&area.lock);
    mapping *record = mapping_at(address, &there);
    if (record) {
        record->pages->holds++;
        *pages = record->pages;
    }
    fh_lock_release(&area.lock);
    return record ? FH_OK : fh_error(FH_INVALID, "nothing is mapped at %p", address);
}

fh_status fh_pages_export(fh_pages *pages, bool anyone, uint64_t *handle)
{
    fh_lock_take(&area.lock);
    fh_status status = fh_pages_publish(pages, anyone, handle);
    fh_lock_release(&area.lock);
    return status;
}

fh_status fh_pages_import(uint64_t handle, uint32_t device, fh_pages **out)
{
    fh_pages *pages = NULL;
    fh_status status = fh_pages_make_import(handle, device, &pages);
    if (status)
        return status;
    if (pages->skip || pages->import.range.size != pages->size) {
        fh_pages_let_go(pages);
        return fh_error(FH_INVALID,
                        "the shareable handle %#" PRIx64 " is the key of an allocated block, which "
                        "aclrtIpcMemImportByKey imports",
                        handle);
    }
    *out = pages;
    return FH_OK;
}

bool fh_virtual_find(const void *address, fh_virtual_place *place)
{
    const fh_extents *mapped = area.mapped, *reserved = area.reserved;
    uint64_t position = (uint64_t)(uintptr_t)address;
    fh_extent there;
    if (!mapped || !reserved)
        return false;
    bool found = fh_extents_peek(mapped, position, &there) && there.used;
    if (found)
        *place = (fh_virtual_place){true, there.tag & TAG_IMPORTED,
                                    (uint32_t)there.tag & (TAG_IMPORTED - 1),
                                    (uintptr_t)there.start, there.size};
    else if ((found = fh_extents_peek(reserved, position, &there) && there.used))
        *place = (fh_virtual_place){.address = (uintptr_t)there.start, .size = there.size};
    return found;
}

fh_status fh_virtual_open_import(uint64_t handle, uint32_t device, void **address)
{
    fh_pages *pages = NULL;
    void *base = NULL;
    fh_status status = fh_pages_make_import(handle, device, &pages);
    if (status)
        return status;
    fh_lock_take(&area.lock);
    status = reserve(pages->size, FH_GRANULARITY, NULL, true, &base);
    if (!status) {
        status = map((uint64_t)(uintptr_t)base, pages->size, 0, pages);
        if (status)
            fh_extents_free(area.reserved, (uint64_t)(uintptr_t)base);
        else
            *address = (char *)base + pages->skip;
    }
    fh_pages_let_go(pages); /* the mapping has the hold now */
    fh_lock_release(&area.lock);
    return status;
}

void fh_virtual_close_import(void *address)
{
    fh_lock_take(&area.lock);
    fh_extent there = at(area.mapped, address);
    if (there.used && !unmap(&there))
        fh_extents_free(area.reserved, there.start);
    fh_lock_release(&area.lock);
}
