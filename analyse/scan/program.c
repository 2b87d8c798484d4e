#include "analyse/scan/program.h"
#include "base/search.h"

#include <stdarg.h>
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
    fh_buffer message = {0};
    va_list arguments;
    va_start(arguments, format);
    fh_buffer_add_arguments(&message, format, arguments);
    va_end(arguments);
    fh_symbol symbol = fh_symbols_add(&unit->symbols, fh_buffer_text(&message));
    unit->notes.failed |= message.failed;
    fh_buffer_free(&message);
    fh_vector_push(&unit->notes, (fh_note){offset, symbol});
}

/* The elements of *(a, b), the pairs of **{"a": b} or **dict(a=b); NULL when what the STAR holds
 * is no such literal. */
static const fh_value *starred_literal(const fh_unit *unit, const fh_value *star)
{
    const fh_value *inner = fh_unit_value(unit, star->a);
    if (star->op != FH_OP_POWER)
        return inner->kind == FH_VALUE_TUPLE || inner->kind == FH_VALUE_LIST ? inner : NULL;
    if (inner->kind == FH_VALUE_CALL)
        inner = fh_unit_value(unit, inner->b);
    return inner->kind == FH_VALUE_DICT ? inner : NULL;
}

/* The next element of a starred literal; false when there is none. */
static bool next_inner(fh_passed_walk *walk, const fh_value *literal, fh_passed *passed)
{
    const fh_unit *unit = walk->unit;
    bool pairs = literal->kind == FH_VALUE_DICT;
    while (walk->inner + pairs < literal->b) {
        const fh_value_index *at = &unit->lists.items[literal->a + walk->inner];
        walk->inner += 1 + pairs;
        if (!pairs) {
            if (fh_unit_value(unit, at[0])->kind == FH_VALUE_STAR)
                walk->position = -1;
            *passed = (fh_passed){0, at[0], walk->position};
            walk->position += walk->position >= 0;
            return true;
        }
        const fh_value *key = fh_unit_value(unit, at[0]);
        if (key->kind == FH_VALUE_STRING && key->a) {
            *passed = (fh_passed){key->a, at[1], -1};
            return true;
        }
    }
    return false;
}

bool fh_passed_next(fh_passed_walk *walk, fh_passed *passed)
{
    const fh_unit *unit = walk->unit;
    for (; walk->next < walk->call->count; walk->next++) {
        const fh_argument *argument = &unit->arguments.items[walk->call->arguments + walk->next];
        const fh_value *value = fh_unit_value(unit, argument->value);
        if (value->kind == FH_VALUE_STAR) {
            const fh_value *literal = starred_literal(unit, value);
            if (literal && next_inner(walk, literal, passed))
                return true;
            walk->inner = 0;
            if (literal)
                continue;
            /* What follows *args has no known position. */
            walk->position = value->op == FH_OP_POWER ? walk->position : -1;
            *passed = (fh_passed){0, argument->value, -1};
        } else if (argument->name) {
            *passed = (fh_passed){argument->name, argument->value, -1};
        } else {
            *passed = (fh_passed){0, argument->value, walk->position};
            walk->position += walk->position >= 0;
        }
        walk->next++;
        return true;
    }
    return false;
}

/* fh_call_argument of a call with stars. */
static fh_value_index starred_argument(const fh_unit *unit, const fh_call *call, int position,
                                       const char *name)
{
    fh_value_index found = 0;
    fh_passed_walk walk = fh_passed_of(unit, call);
    fh_passed passed;
    while (fh_passed_next(&walk, &passed)) {
        if (passed.name) {
            if (name && fh_text_is(fh_unit_text(unit, passed.name), name))
                return passed.value;
        } else if (passed.position == position && position >= 0) {
            found = passed.value;
        }
    }
    return found;
}

fh_value_index fh_call_argument(const fh_unit *unit, const fh_call *call, int position,
                                const char *name)
{
    int positional = 0;
    fh_value_index found = 0;
    const fh_argument *arguments = &unit->arguments.items[call->arguments];
    for (uint32_t i = 0; i < call->count; i++) {
        if (arguments[i].name) {
            if (name && fh_text_is(fh_unit_text(unit, arguments[i].name), name))
                return arguments[i].value;
        } else {
            if (unit->values.items[arguments[i].value].kind == FH_VALUE_STAR)
                return starred_argument(unit, call, position, name);
            if (positional++ == position)
                found = arguments[i].value;
        }
    }
    return found;
}

fh_value_index fh_unit_binding(const fh_unit *unit, uint32_t first, uint32_t count, fh_symbol name)
{
    uint32_t at;
    FH_BISECT(at, first, first + count, unit->bindings.items[at].name < name);
    return at < first + count && unit->bindings.items[at].name == name
               ? unit->bindings.items[at].value
               : 0;
}

uint32_t fh_unit_fills(const fh_unit *unit, fh_value_index base)
{
    uint32_t at;
    FH_BISECT(at, 1, unit->fills.count, unit->fills.items[at].base < base);
    return at;
}
