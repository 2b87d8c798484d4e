#include "base/symbols.h"
#include "base/hash.h"
#include "base/search.h"

#include <string.h>

void fh_symbols_init(fh_symbols *symbols)
{
    *symbols = (fh_symbols){0};
    fh_vector_push(&symbols->offsets, 0);
    fh_vector_push(&symbols->offsets, 0);
    symbols->failed = symbols->offsets.failed;
}

void fh_symbols_free(fh_symbols *symbols)
{
    fh_buffer_free(&symbols->bytes);
    fh_vector_free(&symbols->offsets);
    fh_free(symbols->slots);
    *symbols = (fh_symbols){0};
}

uint32_t fh_symbols_count(const fh_symbols *symbols)
{
    return symbols->offsets.count ? symbols->offsets.count - 1 : 0;
}

fh_text fh_symbols_text(const fh_symbols *symbols, fh_symbol symbol)
{
    if (symbol >= fh_symbols_count(symbols))
        return (fh_text){0};
    uint32_t begin = symbols->offsets.items[symbol], end = symbols->offsets.items[symbol + 1];
    return (fh_text){symbols->bytes.data ? symbols->bytes.data + begin : "", end - begin};
}

/* The slot that holds `text`, or the free one where it belongs. */
static uint32_t *find_slot(const fh_symbols *symbols, fh_text text)
{
    uint32_t i = (uint32_t)fh_hash(text.data, text.length);
    for (;; i++) {
        uint32_t *slot = &symbols->slots[i & symbols->slot_mask];
        if (!*slot || fh_text_equal(fh_symbols_text(symbols, *slot - 1), text))
            return slot;
    }
}

static bool grow_slots(fh_symbols *symbols)
{
    uint32_t size = symbols->slots ? (symbols->slot_mask + 1) * 2 : 64;
    uint32_t *slots = fh_alloc_zero(size, sizeof *slots);
    if (!slots)
        return false;
    fh_free(symbols->slots);
    symbols->slots = slots;
    symbols->slot_mask = size - 1;
    for (fh_symbol s = 1; s < fh_symbols_count(symbols); s++)
        *find_slot(symbols, fh_symbols_text(symbols, s)) = s + 1;
    return true;
}

fh_symbol fh_symbols_find(const fh_symbols *symbols, fh_text text)
{
    if (!text.length || !symbols->slots)
        return 0;
    uint32_t slot = *find_slot(symbols, text);
    return slot ? slot - 1 : 0;
}

/* The symbol whose text byte `at` belongs to. */
static fh_symbol symbol_at(const fh_symbols *symbols, uint32_t at)
{
    fh_symbol next;
    FH_BISECT(next, 2, fh_symbols_count(symbols), symbols->offsets.items[next] <= at);
    return next - 1;
}

fh_symbol fh_symbols_with(const fh_symbols *symbols, fh_text part, fh_symbol from)
{
    if (!part.length || from >= fh_symbols_count(symbols))
        return 0;
    const char *all = symbols->bytes.data, *end = all + symbols->bytes.length;
    const char *at = all + symbols->offsets.items[from];
    while ((at = memmem(at, (size_t)(end - at), part.data, part.length))) {
        fh_symbol symbol = symbol_at(symbols, (uint32_t)(at - all));
        if ((size_t)(at - all) + part.length <= symbols->offsets.items[symbol + 1])
            return symbol;
        at++; /* the end of one text and the beginning of the next */
    }
    return 0;
}

fh_symbol fh_symbols_add(fh_symbols *symbols, fh_text text)
{
    if (!text.length || symbols->failed)
        return 0;
    uint32_t count = fh_symbols_count(symbols);
    /* At most half full, so that probing stays short. */
    if ((!symbols->slots || count * 2 > symbols->slot_mask) && !grow_slots(symbols))
        goto failed;
    uint32_t *slot = find_slot(symbols, text);
    if (*slot)
        return *slot - 1;
    fh_buffer_add(&symbols->bytes, text);
    if (symbols->bytes.failed || symbols->bytes.length > UINT32_MAX ||
        !fh_vector_push(&symbols->offsets, (uint32_t)symbols->bytes.length))
        goto failed;
    *slot = count + 1;
    return count;

failed:
    symbols->failed = true;
    return 0;
}

bool fh_symbols_load(fh_symbols *symbols, fh_text bytes, const fh_offset_vector *offsets)
{
    uint32_t slots = 64;
    fh_symbols_free(symbols);
    fh_buffer_add(&symbols->bytes, bytes);
    if (!fh_vector_reserve(&symbols->offsets, offsets->count))
        return false;
    memcpy(symbols->offsets.items, offsets->items, offsets->count * sizeof *offsets->items);
    symbols->offsets.count = offsets->count;
    while (slots < offsets->count * 2)
        slots *= 2;
    symbols->slots = fh_alloc_zero(slots, sizeof *symbols->slots);
    symbols->slot_mask = slots - 1;
    if (!symbols->slots || symbols->bytes.failed)
        return false;
    for (fh_symbol s = 1; s < fh_symbols_count(symbols); s++) {
        uint32_t *slot = find_slot(symbols, fh_symbols_text(symbols, s));
        if (*slot)
            return false;
        *slot = s + 1;
    }
    return true;
}
