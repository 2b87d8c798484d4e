/* A unit as bytes: all tables in the order of FH_UNIT_TABLES, then symbols and positions. */
#include "analyse/scan/cache.h"

#include <string.h>

static void put(fh_buffer *out, const void *data, size_t size)
{
    fh_buffer_add(out, (fh_text){data, size});
}

static void put_table(fh_buffer *out, const void *items, uint32_t count, size_t size)
{
    put(out, &count, sizeof count);
    put(out, items, count * size);
}

void fh_unit_write(const fh_unit *unit, fh_buffer *out)
{
    uint32_t head[] = {unit->kind, unit->is_package, unit->members, unit->member_count};
    put(out, head, sizeof head);
    put(out, &unit->bytes, sizeof unit->bytes);
#define X(type, name) put_table(out, unit->name.items, unit->name.count, sizeof(type));
    FH_UNIT_TABLES(X)
#undef X
    put_table(out, unit->positions.lines.items, unit->positions.lines.count, sizeof(uint32_t));
    put_table(out, unit->positions.wide.items, unit->positions.wide.count, sizeof(fh_wide));
    put_table(out, unit->symbols.offsets.items, unit->symbols.offsets.count, sizeof(uint32_t));
    put_table(out, unit->symbols.bytes.data, (uint32_t)unit->symbols.bytes.length, 1);
}

static bool take(fh_text *bytes, void *data, size_t size)
{
    if (bytes->length < size)
        return false;
    memcpy(data, bytes->data, size);
    *bytes = fh_text_slice(*bytes, size, bytes->length);
    return true;
}

/* Reads a table into a vector that holds its null entry already. */
static bool take_table(fh_text *bytes, void *vector, size_t size)
{
    fh_vector_any *any = vector;
    uint32_t count;
    if (!take(bytes, &count, sizeof count) || bytes->length / size < count)
        return false;
    any->count = 0;
    if (any->capacity < count && !fh_vector_grow(vector, count, size))
        return false;
    any->count = count;
    return count == 0 || take(bytes, any->items, count * size);
}

/* Texts and their offsets; the table to look texts up in is built again. */
static bool take_symbols(fh_text *bytes, fh_symbols *symbols)
{
    fh_offset_vector offsets = {0};
    uint32_t length = 0;
    bool good = take_table(bytes, &offsets, sizeof(uint32_t)) &&
                take(bytes, &length, sizeof length) && bytes->length >= length &&
                offsets.count >= 2 && offsets.items[0] == 0 && offsets.items[1] == 0 &&
                fh_vector_last(&offsets) == length;
    for (uint32_t i = 1; good && i < offsets.count; i++)
        good = offsets.items[i] >= offsets.items[i - 1];
    if (good)
        good = fh_symbols_load(symbols, fh_text_slice(*bytes, 0, length), &offsets);
    if (good)
        *bytes = fh_text_slice(*bytes, length, bytes->length);
    fh_vector_free(&offsets);
    return good;
}

fh_status fh_unit_read(fh_text bytes, fh_unit *unit)
{
    uint32_t head[4];
    bool good = take(&bytes, head, sizeof head) && take(&bytes, &unit->bytes, sizeof unit->bytes);
#define X(type, name) \
    good = good && take_table(&bytes, &unit->name, sizeof(type)) && unit->name.count > 0;
    FH_UNIT_TABLES(X)
#undef X
    good = good && take_table(&bytes, &unit->positions.lines, sizeof(uint32_t)) &&
           take_table(&bytes, &unit->positions.wide, sizeof(fh_wide)) &&
           take_symbols(&bytes, &unit->symbols) && bytes.length == 0;
    if (!good)
        return fh_error(FH_INVALID, "not a unit as this build writes it");
    unit->kind = head[0];
    unit->is_package = head[1];
    unit->members = head[2];
    unit->member_count = head[3];
    return FH_OK;
}
