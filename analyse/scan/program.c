#include "analyse/scan/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void fh_unit_init(fh_unit *unit, fh_unit_kind kind, fh_text path)
{
    *unit = (fh_unit){.path = path, .kind = kind};
    fh_symbols_init(&unit->symbols);
#define X(type, name) fh_vector_push(&unit->name, (type){0});
    FH_UNIT_TABLES(X)
#undef X
}

void fh_unit_free(fh_unit *unit)
{
#define X(type, name) fh_vector_free(&unit->name);
    FH_UNIT_TABLES(X)
#undef X
    fh_positions_free(&unit->positions);
    fh_symbols_free(&unit->symbols);
}

bool fh_unit_failed(const fh_unit *unit)
{
    bool failed =
        unit->symbols.failed || unit->positions.lines.failed || unit->positions.wide.failed;
#define X(type, name) failed |= unit->name.failed;
    FH_UNIT_TABLES(X)
#undef X
    return failed;
}

const fh_cell *fh_unit_cell(const fh_unit *unit, uint32_t line)
{
    const fh_cell *found = NULL;
    for (uint32_t i = 1; i < unit->cells.count && unit->cells.items[i].first_line <= line; i++)
        found = &unit->cells.items[i];
    return found;
}

fh_place fh_unit_place(const fh_unit *unit, uint32_t offset)
{
    fh_place place = fh_positions_place(&unit->positions, offset);
    const fh_cell *cell = unit->kind == FH_UNIT_NOTEBOOK ? fh_unit_cell(unit, place.line) : NULL;
    if (cell)
        place.line -= cell->first_line - 1;
    return place;
}

void fh_unit_note(fh_unit *unit, uint32_t offset, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fh_symbol symbol = fh_symbols_add(&unit->symbols, fh_text_from(message));
    fh_vector_push(&unit->notes, (fh_note){offset, symbol});
}

int64_t fh_value_integer(const fh_value *value)
{
    return (int64_t)((uint64_t)value->b << 32 | value->a);
}

double fh_value_float(const fh_value *value)
{
    uint64_t bits = (uint64_t)value->b << 32 | value->a;
    double result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

fh_value_index fh_call_argument(const fh_unit *unit, const fh_call *call, int position,
                                const char *name)
{
    int positional = 0;
    fh_value_index found = 0;
    for (uint32_t i = 0; i < call->count; i++) {
        const fh_argument *argument = &unit->arguments.items[call->arguments + i];
        if (argument->name) {
            if (name && fh_text_is(fh_unit_text(unit, argument->name), name))
                return argument->value;
            continue;
        }
        /* What follows *args has no known position. */
        if (unit->values.items[argument->value].kind == FH_VALUE_STAR)
            positional = -0x10000;
        if (positional++ == position && position >= 0)
            found = argument->value;
    }
    return found;
}

fh_value_index fh_unit_binding(const fh_unit *unit, uint32_t first, uint32_t count, fh_symbol name)
{
    uint32_t low = first, high = first + count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (unit->bindings.items[middle].name < name)
            low = middle + 1;
        else
            high = middle;
    }
    return low < first + count && unit->bindings.items[low].name == name
               ? unit->bindings.items[low].value
               : 0;
}
