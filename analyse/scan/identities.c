#include "analyse/scan/identities.h"
#include "base/hash.h"

/* The slot that holds this device and inode, or the free one where they belong. */
static uint32_t *find_slot(const fh_identities *identities, uint64_t device, uint64_t inode)
{
    const uint64_t key[2] = {device, inode};
    for (uint32_t i = (uint32_t)fh_hash(key, sizeof key);; i++) {
        uint32_t *slot = &identities->slots[i & identities->slot_mask];
        if (!*slot)
            return slot;
        const fh_identity *item = &identities->items.items[*slot - 1];
        if (item->device == device && item->inode == inode)
            return slot;
    }
}

/* Keeps the table at most half full. */
static bool grow(fh_identities *identities)
{
    if (identities->slots && identities->items.count * 2 <= identities->slot_mask)
        return true;
    uint32_t size = identities->slots ? (identities->slot_mask + 1) * 2 : 256;
    uint32_t *slots = fh_alloc_zero(size, sizeof *slots);
    if (!slots)
        return false;
    fh_free(identities->slots);
    identities->slots = slots;
    identities->slot_mask = size - 1;
    for (uint32_t i = 0; i < identities->items.count; i++) {
        const fh_identity *item = &identities->items.items[i];
        *find_slot(identities, item->device, item->inode) = i + 1;
    }
    return true;
}

const fh_identity *fh_identities_add(fh_identities *identities, fh_identity identity)
{
    if (identities->failed || !grow(identities)) {
        identities->failed = true;
        return NULL;
    }
    uint32_t *slot = find_slot(identities, identity.device, identity.inode);
    if (*slot)
        return &identities->items.items[*slot - 1];
    if (fh_vector_push(&identities->items, identity))
        *slot = identities->items.count;
    else
        identities->failed = true;
    return NULL;
}

void fh_identities_free(fh_identities *identities)
{
    fh_vector_free(&identities->items);
    fh_free(identities->slots);
    *identities = (fh_identities){0};
}
