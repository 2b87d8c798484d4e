#include "analyse/scan/python_scope.h"

#include <stdlib.h>

void fh_scopes_init(fh_scopes *scopes)
{
    *scopes = (fh_scopes){0};
    fh_vector_push(&scopes->scopes, (fh_scope){0});
}

void fh_scopes_free(fh_scopes *scopes)
{
    fh_vector_free(&scopes->scopes);
    fh_vector_free(&scopes->log);
    fh_vector_free(&scopes->aside);
    fh_vector_free(&scopes->sides);
    fh_free(scopes->slots);
    *scopes = (fh_scopes){0};
}

uint32_t fh_scope_open(fh_scopes *scopes, uint32_t outer, bool is_class)
{
    if (!fh_vector_push(&scopes->scopes, (fh_scope){outer, is_class, false})) {
        scopes->failed = true;
        return 0;
    }
    return scopes->scopes.count - 1;
}

static fh_scope_change *find_slot(fh_scope_change *slots, uint32_t slot_count, uint64_t key)
{
    /* Fibonacci hashing: the high bits of the product are well mixed. */
    uint32_t i = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32);
    for (;; i++) {
        fh_scope_change *slot = &slots[i & (slot_count - 1)];
        if (slot->key == key || slot->key == 0)
            return slot;
    }
}

static bool grow(fh_scopes *scopes)
{
    uint32_t slot_count = scopes->slot_count ? scopes->slot_count * 2 : 256;
    fh_scope_change *slots = fh_alloc_zero(slot_count, sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t i = 0; i < scopes->slot_count; i++)
        if (scopes->slots[i].key)
            *find_slot(slots, slot_count, scopes->slots[i].key) = scopes->slots[i];
    fh_free(scopes->slots);
    scopes->slots = slots;
    scopes->slot_count = slot_count;
    return true;
}

fh_value_index fh_scope_get(const fh_scopes *scopes, uint64_t key)
{
    return scopes->slots ? find_slot(scopes->slots, scopes->slot_count, key)->value : 0;
}

/* Binds without logging; returns the value before. */
static fh_value_index replace(fh_scopes *scopes, uint64_t key, fh_value_index value)
{
    if (scopes->used * 2 >= scopes->slot_count && !grow(scopes)) {
        scopes->failed = true;
        return 0;
    }
    fh_scope_change *slot = find_slot(scopes->slots, scopes->slot_count, key);
    fh_value_index before = slot->value;
    scopes->used += slot->key == 0;
    *slot = (fh_scope_change){key, value, 0};
    return before;
}

void fh_scope_set(fh_scopes *scopes, uint64_t key, fh_value_index value)
{
    fh_value_index before = replace(scopes, key, value);
    if (!fh_vector_push(&scopes->log, (fh_scope_change){key, before, 0}))
        scopes->failed = true;
}

fh_value_index fh_scope_lookup(const fh_scopes *scopes, uint32_t scope, fh_symbol name)
{
    bool first = true;
    for (; scope; scope = scopes->scopes.items[scope].outer, first = false) {
        /* Names of a class body are seen from the body itself, not from inside its methods. */
        if (!first && scopes->scopes.items[scope].is_class)
            continue;
        fh_value_index value = fh_scope_get(scopes, fh_scope_name_key(scope, name));
        if (value)
            return value;
    }
    return 0;
}

uint32_t fh_scope_mark(const fh_scopes *scopes)
{
    return scopes->log.count;
}

static int by_key_then_order(const void *left, const void *right)
{
    const fh_scope_change *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

void fh_scope_set_aside(fh_scopes *scopes, uint32_t mark)
{
    uint32_t begin = scopes->aside.count;
    if (!fh_vector_push(&scopes->sides, begin)) {
        scopes->failed = true;
        return;
    }
    for (uint32_t order = 0; scopes->log.count > mark; order++) {
        fh_scope_change change = fh_vector_pop(&scopes->log);
        fh_value_index now = replace(scopes, change.key, change.value);
        if (!fh_vector_push(&scopes->aside, (fh_scope_change){change.key, now, order}))
            scopes->failed = true;
    }

    /* Undoing the newest change of a key yields its final value: keep that one. */
    fh_scope_change *changes = scopes->aside.items;
    if (scopes->aside.count - begin > 1)
        qsort(changes + begin, scopes->aside.count - begin, sizeof *changes, by_key_then_order);
    uint32_t kept = begin;
    for (uint32_t i = begin; i < scopes->aside.count; i++)
        if (i == begin || changes[i].key != changes[i - 1].key)
            changes[kept++] = changes[i];
    scopes->aside.count = kept;
}

void fh_scope_drop(fh_scopes *scopes)
{
    if (scopes->sides.count)
        scopes->aside.count = fh_vector_pop(&scopes->sides);
}

/* Each side is a run of `aside` sorted by key; they are read in step. */
void fh_scope_merge(fh_scopes *scopes, uint32_t count, bool with_current, fh_scope_phi phi,
                    void *context)
{
    if (!count || scopes->sides.count < count || count > FH_SCOPE_MOST_SIDES)
        return;
    uint32_t first = scopes->sides.count - count;
    uint32_t at[FH_SCOPE_MOST_SIDES], end[FH_SCOPE_MOST_SIDES];
    for (uint32_t s = 0; s < count; s++) {
        at[s] = scopes->sides.items[first + s];
        end[s] = s + 1 < count ? scopes->sides.items[first + s + 1] : scopes->aside.count;
    }
    uint32_t begin = at[0];

    for (;;) {
        uint64_t key = UINT64_MAX;
        for (uint32_t s = 0; s < count; s++)
            if (at[s] < end[s] && scopes->aside.items[at[s]].key < key)
                key = scopes->aside.items[at[s]].key;
        if (key == UINT64_MAX)
            break;
        fh_value_index current = fh_scope_get(scopes, key);
        fh_value_index merged = with_current ? current : 0;
        for (uint32_t s = 0; s < count; s++) {
            bool changed = at[s] < end[s] && scopes->aside.items[at[s]].key == key;
            merged = phi(context, merged, changed ? scopes->aside.items[at[s]++].value : current);
        }
        if (merged != current)
            fh_scope_set(scopes, key, merged);
    }
    scopes->aside.count = begin;
    scopes->sides.count = first;
}
