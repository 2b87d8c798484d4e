/* What of other units was looked at, by name: what is found depends on no more of them. */
#include "analyse/scan/resolve_build.h"

#include <string.h>

void fh_resolver_track(fh_resolver *resolver)
{
    if (!resolver->looks.tracks)
        fh_symbols_init(&resolver->looks.names);
    resolver->looks.tracks = true;
}

void fh_looks_free(fh_looks *looks)
{
    fh_symbols_free(&looks->names);
    fh_vector_free(&looks->items);
    fh_free(looks->slots);
}

static uint32_t *find_slot(fh_looks *looks, fh_look look)
{
    uint64_t hash = ((uint64_t)look.unit << 32 | look.name) * 0x9e3779b97f4a7c15u;
    for (uint32_t i = (uint32_t)(hash >> 32);; i++) {
        uint32_t *slot = &looks->slots[i & (looks->slot_count - 1)];
        const fh_look *there = *slot ? &looks->items.items[*slot - 1] : NULL;
        if (!there || (there->unit == look.unit && there->name == look.name))
            return slot;
    }
}

static bool make_room(fh_looks *looks)
{
    if (looks->items.count * 2 < looks->slot_count)
        return true;
    uint32_t count = looks->slot_count ? looks->slot_count * 2 : 256;
    uint32_t *slots = fh_alloc_zero(count, sizeof *slots);
    if (!slots)
        return false;
    fh_free(looks->slots);
    looks->slots = slots;
    looks->slot_count = count;
    for (uint32_t i = 0; i < looks->items.count; i++)
        *find_slot(looks, looks->items.items[i]) = i + 1;
    return true;
}

void fh_looks_clear(fh_looks *looks)
{
    if (looks->items.count)
        memset(looks->slots, 0, looks->slot_count * sizeof *looks->slots);
    looks->items.count = 0;
    looks->items.failed = false;
}

void fh_looks_add(fh_looks *looks, uint32_t unit, fh_text name)
{
    fh_look look = {unit, fh_symbols_add(&looks->names, name)};
    if ((name.length && !look.name) || !make_room(looks)) {
        looks->items.failed = true;
        return;
    }
    uint32_t *slot = find_slot(looks, look);
    if (!*slot && fh_vector_push(&looks->items, look))
        *slot = looks->items.count;
}

const fh_unit *fh_resolver_look_whole(fh_resolver *resolver, uint32_t unit)
{
    if (resolver->looks.tracks && unit != resolver->own_unit)
        fh_looks_add(&resolver->looks, unit, (fh_text){0});
    return fh_resolver_unit(resolver, unit);
}

bool fh_resolver_looks(const fh_resolver *resolver, const fh_look **looks, uint32_t *count)
{
    *looks = resolver->looks.items.items;
    *count = resolver->looks.items.count;
    return !resolver->looks.items.failed && !resolver->looks.names.failed;
}

fh_text fh_resolver_looked_name(const fh_resolver *resolver, fh_symbol name)
{
    return fh_symbols_text(&resolver->looks.names, name);
}
