#include "device/mem/device_memory.h"
#include "base/vector.h"
#include "device/mem/extents.h"
#include "device/mem/share.h"
#include "os/lock.h"
#include "os/map.h"
#include "os/memory_file.h"

#include <inttypes.h>
#include <stdio.h>

/* An export of a part; it stays here, withdrawn, until no importer has it. */
typedef struct {
    uintptr_t part;
    uint32_t share;
    bool withdrawn;
} exported;

struct fh_device_memory {
    fh_lock lock;
    fh_extents *parts; /* client addresses; tags as below */
    FH_VECTOR(exported) exports;
    uintptr_t base;
    uint64_t bytes;
    uint32_t index, withdrawn; /* how many exports are withdrawn and still held */
    int file;
};

static fh_device_memory *_Atomic devices[FH_DEVICES_MOST];

/* The tag of a used part: its kind, whether it is exported, the bytes that were asked for. */
enum { TAG_KIND = 3, TAG_EXPORTED = 4, TAG_SHIFT = 3 };

static uint64_t tag_of(fh_part_kind kind, uint64_t size)
{
    return size << TAG_SHIFT | kind;
}

static fh_part_kind kind_of(uint64_t tag)
{
    return (fh_part_kind)(tag & TAG_KIND);
}

static uint64_t file_size(uint64_t bytes)
{
    return (bytes + FH_GRANULARITY - 1) / FH_GRANULARITY * FH_GRANULARITY;
}

static fh_status open_memory(fh_device_memory *m)
{
    char name[64];
    snprintf(name, sizeof name, "foothold-device-%u", m->index);
    fh_status status = fh_extents_create(m->base, m->bytes, FH_GRANULE, &m->parts);
    if (!status)
        status = fh_memory_file_create(name, file_size(m->bytes), &m->file);
    if (!status)
        status = fh_space_map(m->base, file_size(m->bytes), m->file, 0);
    return status;
}

/* Frees what open_memory() made, but not the mapping. */
static void close_memory(fh_device_memory *m)
{
    fh_memory_file_close(m->file);
    fh_extents_destroy(m->parts);
    fh_vector_free(&m->exports);
    fh_free(m);
}

fh_status fh_device_memory_create(uint32_t index, uint64_t bytes, fh_device_memory **out)
{
    if (index >= fh_space.devices)
        return fh_error(FH_INVALID, "there is no device %u: devices are 0 to %u", index,
                        fh_space.devices ? fh_space.devices - 1 : 0);
    if (bytes < FH_GRANULE || bytes > fh_space.slot)
        return fh_error(FH_INVALID, "device %u cannot have %" PRIu64 " bytes of memory (%d to %zu)",
                        index, bytes, FH_GRANULE, fh_space.slot);
    if (atomic_load(&devices[index]))
        return fh_error(FH_INVALID, "device %u has memory already", index);
    fh_device_memory *m = fh_alloc_zero(1, sizeof *m);
    if (!m)
        return fh_error(FH_NO_MEMORY, "out of memory for device %u", index);
    m->index = index;
    m->file = -1;
    m->base = fh_space_slot(index);
    m->bytes = bytes / FH_GRANULE * FH_GRANULE;
    fh_status status = open_memory(m);
    if (status) {
        close_memory(m);
        return status;
    }
    atomic_store(&devices[index], m);
    *out = m;
    return FH_OK;
}

void fh_device_memory_destroy(fh_device_memory *m)
{
    if (!m)
        return;
    atomic_store(&devices[m->index], NULL);
    for (uint32_t i = 0; i < m->exports.count; i++)
        if (!m->exports.items[i].withdrawn)
            fh_share_withdraw(m->exports.items[i].share);
    fh_space_unmap(m->base, file_size(m->bytes));
    close_memory(m);
}

fh_device_memory *fh_device_memory_of(uint32_t index)
{
    return index < FH_DEVICES_MOST ? atomic_load(&devices[index]) : NULL;
}

/* Drops the i-th export from the list. */
static void forget(fh_device_memory *m, uint32_t i)
{
    m->exports.items[i] = fh_vector_last(&m->exports);
    m->exports.count--;
}

static bool is_exported(const fh_device_memory *m, uintptr_t part)
{
    for (uint32_t i = 0; i < m->exports.count; i++)
        if (m->exports.items[i].part == part)
            return true;
    return false;
}

/* Forgets the exports that no importer has any more, and frees parts that lingered for them.
 * Under the lock. */
static void free_lingering(fh_device_memory *m)
{
    fh_extent part;
    for (uint32_t i = m->withdrawn ? m->exports.count : 0; i-- > 0;) {
        exported each = m->exports.items[i];
        if (!each.withdrawn || fh_share_held(each.share))
            continue;
        forget(m, i);
        m->withdrawn--;
        if (fh_extents_find(m->parts, each.part, &part) && kind_of(part.tag) == FH_PART_LINGERING &&
            !is_exported(m, each.part))
            fh_extents_free(m->parts, each.part);
    }
}

/* Ends the i-th export; it stays in the list while an importer has it. Under the lock. */
static void withdraw(fh_device_memory *m, uint32_t i)
{
    exported *each = &m->exports.items[i];
    if (each->withdrawn)
        return;
    if (fh_share_withdraw(each->share)) {
        each->withdrawn = true;
        m->withdrawn++;
    } else {
        forget(m, i);
    }
}

/* Frees a used part, or lets it linger while importers have it. Under the lock. */
static void free_part(fh_device_memory *m, const fh_extent *part)
{
    for (uint32_t i = part->tag & TAG_EXPORTED ? m->exports.count : 0; i-- > 0;)
        if (m->exports.items[i].part == part->start)
            withdraw(m, i);
    if (part->tag & TAG_EXPORTED && is_exported(m, (uintptr_t)part->start))
        fh_extents_set_tag(m->parts, part->start,
                           tag_of(FH_PART_LINGERING, part->tag >> TAG_SHIFT));
    else
        fh_extents_free(m->parts, part->start);
}

static fh_status full(const fh_device_memory *m, uint64_t wanted)
{
    fh_extents_counts counts = fh_extents_count(m->parts);
    return fh_error(FH_NO_MEMORY,
                    "device %u is out of memory: wanted %" PRIu64 " bytes, free are %" PRIu64
                    " of %" PRIu64 ", the largest free part has %" PRIu64
                    "; free some, or give the device more (FOOTHOLD_MEMORY)",
                    m->index, wanted, counts.free, m->bytes, counts.largest);
}

/* Takes a part; what lingered is looked at when the device seems full. */
static fh_status take(fh_device_memory *m, uint64_t size, uint64_t alignment, fh_extents_end end,
                      uint64_t tag, uint64_t *start)
{
    fh_lock_take(&m->lock);
    fh_status status = fh_extents_allocate(m->parts, size, alignment, end, tag, start);
    if (status == FH_LIMIT && m->withdrawn) {
        free_lingering(m);
        status = fh_extents_allocate(m->parts, size, alignment, end, tag, start);
    }
    if (status == FH_LIMIT)
        status = full(m, size);
    fh_lock_release(&m->lock);
    return status;
}

fh_status fh_device_memory_malloc(fh_device_memory *m, uint64_t size, uint64_t alignment,
                                  bool padded, void **address)
{
    uint64_t start, whole = size, tag = tag_of(FH_PART_BLOCK, size);
    if (size && size <= m->bytes && padded) /* a size past the device's need not be padded */
        whole = (size + 31) / 32 * 32 + 32;
    fh_status status = take(m, whole, alignment, FH_EXTENTS_LOW, tag, &start);
    if (!status)
        *address = (void *)(uintptr_t)start;
    return status;
}

/* Why an address cannot be freed; `part` is what is there. */
static fh_status not_a_block(const void *address, const fh_device_memory *m, const fh_extent *part)
{
    uint64_t offset = (uint64_t)(uintptr_t)address - part->start;
    switch (part->used ? kind_of(part->tag) : FH_PART_FREE) {
    case FH_PART_BLOCK:
        return fh_error(FH_INVALID,
                        "cannot free %p: it is %" PRIu64 " bytes into a block of %" PRIu64
                        " bytes that begins at %#" PRIx64,
                        address, offset, part->tag >> TAG_SHIFT, part->start);
    case FH_PART_PAGES:
        return fh_error(FH_INVALID,
                        "cannot free %p: it is physical memory of device %u, which "
                        "aclrtFreePhysical frees by its handle",
                        address, m->index);
    default:
        return fh_error(FH_INVALID,
                        "cannot free %p: nothing is allocated there on device %u; it was freed "
                        "before, or never allocated",
                        address, m->index);
    }
}

/* The device in whose slot a client address lies, or NULL. */
static fh_device_memory *holder(const void *address)
{
    if (!fh_space_holds(address))
        return NULL;
    size_t index = ((uintptr_t)address - fh_space.client) / fh_space.slot;
    return index < fh_space.devices ? atomic_load(&devices[index]) : NULL;
}

fh_status fh_device_memory_free(void *address)
{
    fh_device_memory *m = holder(address);
    fh_extent part;
    fh_status status = FH_OK;
    if (!m)
        return fh_error(
            FH_INVALID, "cannot free %p: it is not memory that aclrtMalloc gave%s", address,
            fh_space_holds(address) ? ", but of a reserved range" : " (a host address)");
    fh_lock_take(&m->lock);
    if (!fh_extents_find(m->parts, (uintptr_t)address, &part))
        status = fh_error(FH_INVALID, "cannot free %p: it is past the memory of device %u", address,
                          m->index);
    else if (!part.used || part.start != (uintptr_t)address || kind_of(part.tag) != FH_PART_BLOCK)
        status = not_a_block(address, m, &part);
    else
        free_part(m, &part);
    free_lingering(m);
    fh_lock_release(&m->lock);
    return status;
}

fh_device_memory_info fh_device_memory_info_of(fh_device_memory *m)
{
    fh_lock_take(&m->lock);
    free_lingering(m);
    fh_extents_counts counts = fh_extents_count(m->parts);
    fh_lock_release(&m->lock);
    return (fh_device_memory_info){m->bytes, counts.used, counts.free, counts.largest,
                                   counts.count};
}

/* Calls `visit` for every part until it fails. Under the lock; a visit may free its part. */
static fh_status each_part(fh_device_memory *m,
                           fh_status (*visit)(fh_device_memory *m, const fh_extent *part))
{
    fh_extent part;
    fh_status status = FH_OK;
    for (uint64_t at = m->base; !status && at < m->base + m->bytes; at = part.start + part.size) {
        if (!fh_extents_find(m->parts, at, &part))
            break;
        status = visit(m, &part);
    }
    return status;
}

/* Punches whole pages only: a free part's ends may share a page with its neighbours. */
static fh_status punch(fh_device_memory *m, const fh_extent *part)
{
    uint64_t page = fh_page_size(), first = part->start - m->base, end = first + part->size;
    first = (first + page - 1) / page * page;
    end = end == m->bytes ? file_size(m->bytes) : end / page * page;
    return part->used || end <= first ? FH_OK : fh_memory_file_punch(m->file, first, end - first);
}

static fh_status free_block(fh_device_memory *m, const fh_extent *part)
{
    if (part->used && kind_of(part->tag) == FH_PART_BLOCK)
        free_part(m, part);
    return FH_OK;
}

fh_status fh_device_memory_trim(fh_device_memory *m)
{
    fh_lock_take(&m->lock);
    free_lingering(m);
    fh_status status = each_part(m, punch);
    fh_lock_release(&m->lock);
    return status;
}

fh_status fh_device_memory_reset(fh_device_memory *m)
{
    fh_lock_take(&m->lock);
    fh_status status = each_part(m, free_block);
    fh_lock_release(&m->lock);
    return status ? status : fh_device_memory_trim(m);
}

bool fh_device_memory_find(const void *address, fh_memory_part *part)
{
    const fh_device_memory *m = holder(address);
    fh_extent extent;
    if (!m || !fh_extents_peek(m->parts, (uintptr_t)address, &extent))
        return false;
    *part = (fh_memory_part){.kind = extent.used ? kind_of(extent.tag) : FH_PART_FREE,
                             .device = m->index,
                             .address = (uintptr_t)extent.start,
                             .size = extent.used ? extent.tag >> TAG_SHIFT : extent.size};
    return true;
}

int fh_device_memory_file(const fh_device_memory *m)
{
    return m->file;
}

uint64_t fh_device_memory_offset(const fh_device_memory *m, uintptr_t address)
{
    return address - m->base;
}

fh_status fh_device_memory_take_pages(fh_device_memory *m, uint64_t size, uintptr_t *address)
{
    uint64_t start;
    fh_status status =
        take(m, size, FH_GRANULARITY, FH_EXTENTS_HIGH, tag_of(FH_PART_PAGES, size), &start);
    if (!status)
        *address = (uintptr_t)start;
    return status;
}

void fh_device_memory_free_pages(fh_device_memory *m, uintptr_t address)
{
    fh_extent part;
    fh_lock_take(&m->lock);
    if (fh_extents_find(m->parts, address, &part) && kind_of(part.tag) == FH_PART_PAGES)
        free_part(m, &part);
    free_lingering(m);
    fh_lock_release(&m->lock);
}

fh_status fh_device_memory_note_share(fh_device_memory *m, uintptr_t address, uint32_t share)
{
    fh_extent part;
    fh_status status = FH_OK;
    fh_lock_take(&m->lock);
    if (!fh_extents_find(m->parts, address, &part) || !part.used ||
        kind_of(part.tag) == FH_PART_LINGERING)
        status = fh_error(FH_INVALID, "nothing is allocated at %#" PRIxPTR " of device %u", address,
                          m->index);
    else if (!fh_vector_push(&m->exports, (exported){(uintptr_t)part.start, share, false}))
        status = fh_error(FH_NO_MEMORY, "out of memory for exporting device memory");
    else
        fh_extents_set_tag(m->parts, part.start, part.tag | TAG_EXPORTED);
    fh_lock_release(&m->lock);
    return status;
}

void fh_device_memory_end_share(fh_device_memory *m, uint32_t share)
{
    fh_lock_take(&m->lock);
    for (uint32_t i = m->exports.count; i-- > 0;)
        if (m->exports.items[i].share == share)
            withdraw(m, i);
    free_lingering(m);
    fh_lock_release(&m->lock);
}
