#include "device/rt/handle.h"
#include "os/lock.h"
#include "os/map.h"

typedef struct {
    const char *name;
    unsigned slot_bits, count_bits;
    _Atomic(char *) base;   /* of the range; NULL until the first handle */
    _Atomic uint32_t fresh; /* slots from here on were never used */
    _Atomic uint32_t live;
    /* Number plus 1 of the first free slot, and above it a count of changes: a slot that left and
     * came back while another thread was looking at it does not look the same. */
    _Atomic uint64_t free;
} pool;

static pool pools[] = {
#define X(enumerator, text, slot, slots) \
    [enumerator] = {.name = text, .slot_bits = slot, .count_bits = slots},
    FH_HANDLE_MAP(X)
#undef X
};

static char *range_of(pool *self)
{
    static fh_lock lock;
    char *base = atomic_load_explicit(&self->base, memory_order_acquire);
    if (base)
        return base;
    fh_lock_take(&lock);
    base = atomic_load_explicit(&self->base, memory_order_acquire);
    void *made;
    if (!base &&
        fh_map_private((size_t)1 << (self->slot_bits + self->count_bits), &made) == FH_OK) {
        base = made;
        atomic_store_explicit(&self->base, base, memory_order_release);
    }
    fh_lock_release(&lock);
    return base;
}

static fh_handle *slot_of(const pool *self, char *base, uint32_t number)
{
    return (fh_handle *)(base + ((size_t)number << self->slot_bits));
}

/* A slot that was given back, or NULL. */
static fh_handle *take_free(pool *self, char *base)
{
    uint64_t head = atomic_load_explicit(&self->free, memory_order_acquire);
    while ((uint32_t)head) {
        fh_handle *slot = slot_of(self, base, (uint32_t)head - 1);
        uint32_t next = atomic_load_explicit(&slot->next, memory_order_relaxed);
        uint64_t after = ((head >> 32) + 1) << 32 | next;
        if (atomic_compare_exchange_weak_explicit(&self->free, &head, after, memory_order_acquire,
                                                  memory_order_acquire))
            return slot;
    }
    return NULL;
}

void *fh_handle_take(fh_handle_kind kind, size_t size)
{
    pool *self = &pools[kind];
    char *base = range_of(self);
    if (!base)
        return NULL;
    if (size > (size_t)1 << self->slot_bits) {
        fh_error(FH_LIMIT, "%s: %zu bytes do not fit a slot", self->name, size);
        return NULL;
    }
    fh_handle *slot = take_free(self, base);
    if (!slot) {
        uint32_t number = atomic_load_explicit(&self->fresh, memory_order_relaxed);
        do {
            if (number >> self->count_bits) {
                fh_error(FH_LIMIT,
                         "%u handles of kind %s are in use, and there are no more; "
                         "destroy those that are not needed",
                         number, self->name);
                return NULL;
            }
        } while (!atomic_compare_exchange_weak_explicit(
            &self->fresh, &number, number + 1, memory_order_relaxed, memory_order_relaxed));
        slot = slot_of(self, base, number);
    }
    atomic_fetch_add_explicit(&self->live, 1, memory_order_relaxed);
    atomic_store_explicit(&slot->live, 1, memory_order_release);
    return slot;
}

bool fh_handle_give(fh_handle_kind kind, void *handle)
{
    pool *self = &pools[kind];
    fh_handle *slot = handle;
    if (!atomic_exchange_explicit(&slot->live, 0, memory_order_acq_rel))
        return false;
    char *base = atomic_load_explicit(&self->base, memory_order_relaxed);
    uint32_t number = (uint32_t)((size_t)((char *)handle - base) >> self->slot_bits) + 1;
    atomic_fetch_sub_explicit(&self->live, 1, memory_order_relaxed);
    uint64_t head = atomic_load_explicit(&self->free, memory_order_relaxed), after;
    do {
        atomic_store_explicit(&slot->next, (uint32_t)head, memory_order_relaxed);
        after = ((head >> 32) + 1) << 32 | number;
    } while (!atomic_compare_exchange_weak_explicit(&self->free, &head, after, memory_order_release,
                                                    memory_order_relaxed));
    return true;
}

bool fh_handle_is(fh_handle_kind kind, const void *handle)
{
    pool *self = &pools[kind];
    char *base = atomic_load_explicit(&self->base, memory_order_acquire);
    size_t offset = (size_t)((uintptr_t)handle - (uintptr_t)base);
    if (!base || offset >> (self->slot_bits + self->count_bits) ||
        offset & (((size_t)1 << self->slot_bits) - 1))
        return false;
    return atomic_load_explicit(&((fh_handle *)(uintptr_t)handle)->live, memory_order_acquire) == 1;
}

const char *fh_handle_name(const void *handle)
{
    if (!handle)
        return "NULL";
    for (int kind = 0; kind < FH_HANDLE_KINDS; kind++)
        if (fh_handle_is((fh_handle_kind)kind, handle))
            return pools[kind].name;
    return "no live handle";
}

uint32_t fh_handle_count(fh_handle_kind kind)
{
    return atomic_load_explicit(&pools[kind].live, memory_order_relaxed);
}
