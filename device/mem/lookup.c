#include "device/mem/lookup.h"
#include "device/mem/device_memory.h"
#include "device/mem/host_memory.h"
#include "device/mem/virtual_memory.h"

static fh_place of_part(const fh_memory_part *part)
{
    static const fh_place_kind kinds[] = {
        [FH_PART_FREE] = FH_PLACE_FREE,
        [FH_PART_BLOCK] = FH_PLACE_BLOCK,
        [FH_PART_PAGES] = FH_PLACE_PAGES,
        [FH_PART_LINGERING] = FH_PLACE_FREE,
    };
    return (fh_place){.kind = kinds[part->kind],
                      .device = part->device,
                      .address = part->address,
                      .size = part->size};
}

static fh_place of_virtual(const fh_virtual_place *found)
{
    fh_place_kind kind = found->imported ? FH_PLACE_IMPORTED
                         : found->mapped ? FH_PLACE_MAPPED
                                         : FH_PLACE_RESERVED;
    return (fh_place){
        .kind = kind, .device = found->device, .address = found->address, .size = found->size};
}

static fh_place of_client(const void *address)
{
    fh_memory_part part;
    fh_virtual_place found;
    if (fh_device_memory_find(address, &part))
        return of_part(&part);
    if (fh_virtual_find(address, &found))
        return of_virtual(&found);
    return (fh_place){.kind = FH_PLACE_UNUSED};
}

static fh_place of_host(const void *address)
{
    fh_host_range range;
    if (!fh_host_find(address, &range))
        return (fh_place){.kind = FH_PLACE_UNKNOWN};
    return (fh_place){.kind = range.kind == FH_HOST_PINNED ? FH_PLACE_PINNED : FH_PLACE_REGISTERED,
                      .address = range.address,
                      .size = range.size};
}

fh_place fh_lookup(const void *address)
{
    fh_place place = fh_space_holds(address) ? of_client(address) : of_host(address);
    if (place.address)
        place.offset = (uintptr_t)address - place.address;
    return place;
}

const char *fh_place_name(fh_place_kind kind)
{
    static const char *const names[] = {
#define X(each, name) name,
        FH_PLACE_MAP(X)
#undef X
    };
    return names[kind];
}
