#include "analyse/scan/ignore.h"
#include "analyse/scan/python_backticks.h"
#include "analyse/scan/python_build.h"
#include "analyse/scan/requirements.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

fh_value_index fh_build_value(fh_builder *b, fh_value_kind kind, fh_op op, uint32_t a,
                              uint32_t second, uint32_t offset)
{
    fh_value value = {.kind = (uint8_t)kind,
                      .op = (uint8_t)op,
                      .a = a,
                      .b = second,
                      .offset = offset,
                      .block = b->block};
    return fh_vector_push(&b->unit->values, value) ? b->unit->values.count - 1 : 0;
}

uint32_t fh_build_list(fh_builder *b, uint32_t mark, uint32_t *count)
{
    uint32_t first = b->unit->lists.count;
    *count = b->work.count - mark;
    for (uint32_t i = mark; i < b->work.count; i++)
        fh_vector_push(&b->unit->lists, b->work.items[i]);
    b->work.count = mark;
    return first;
}

fh_value_index fh_build_one_or_tuple(fh_builder *b, uint32_t mark, uint32_t offset)
{
    if (b->work.count - mark == 1)
        return fh_vector_pop(&b->work);
    uint32_t count, first = fh_build_list(b, mark, &count);
    return fh_build_value(b, FH_VALUE_TUPLE, FH_OP_OTHER, first, count, offset);
}

enum { MAX_ALTERNATIVES = 16 };

/* Adds `value`, or its alternatives when it is a PHI, to `list`; returns the new count. */
static uint32_t add_alternatives(const fh_unit *unit, fh_value_index value, fh_value_index *list,
                                 uint32_t count)
{
    const fh_value *v = fh_unit_value(unit, value);
    uint32_t more = v->kind == FH_VALUE_PHI ? v->b : 1;
    for (uint32_t i = 0; i < more; i++) {
        fh_value_index one = v->kind == FH_VALUE_PHI ? unit->lists.items[v->a + i] : value;
        bool known = false;
        for (uint32_t j = 0; j < count; j++)
            known |= list[j] == one;
        if (!known && count < MAX_ALTERNATIVES)
            list[count++] = one;
    }
    return count;
}

fh_value_index fh_build_phi(fh_builder *b, fh_value_index first, fh_value_index second)
{
    if (first == second || !second)
        return first;
    if (!first)
        return second;
    fh_value_index list[MAX_ALTERNATIVES];
    uint32_t count = add_alternatives(b->unit, first, list, 0);
    uint32_t merged = add_alternatives(b->unit, second, list, count);
    if (merged == count && fh_unit_value(b->unit, first)->kind == FH_VALUE_PHI)
        return first;
    uint32_t begin = b->unit->lists.count;
    for (uint32_t i = 0; i < merged; i++)
        fh_vector_push(&b->unit->lists, list[i]);
    return fh_build_value(b, FH_VALUE_PHI, FH_OP_OTHER, begin, merged,
                          fh_unit_value(b->unit, second)->offset);
}

fh_symbol fh_build_symbol(fh_builder *b, uint32_t node)
{
    return fh_symbols_add(&b->unit->symbols, fh_syntax_text(b->syntax, node));
}

uint32_t fh_build_enter(fh_builder *b, fh_block_kind kind, fh_value_index value, uint32_t node)
{
    uint32_t before = b->block;
    const fh_syntax_node *n = &b->syntax->nodes.items[node];
    fh_block block = {.kind = kind,
                      .parent = before,
                      .value = value,
                      .function = b->function,
                      .offset = n->begin,
                      .end = n->end};
    if (fh_vector_push(&b->unit->blocks, block))
        b->block = b->unit->blocks.count - 1;
    return before;
}

void fh_build_bind(fh_builder *b, fh_symbol name, fh_value_index value)
{
    uint32_t scope = b->scope;
    for (uint32_t i = 0; i < b->globals.count; i++) {
        if (b->globals.items[i] != name)
            continue;
        /* Written from a function that may run or not: what it was stays possible. */
        scope = 1;
        for (uint32_t s = b->scopes.scopes.items[b->scope].outer; s > 1;
             s = b->scopes.scopes.items[s].outer)
            if (fh_scope_get(&b->scopes, fh_scope_name_key(s, name)))
                scope = s;
        value = fh_build_phi(b, fh_scope_get(&b->scopes, fh_scope_name_key(scope, name)), value);
        break;
    }
    fh_scope_set(&b->scopes, fh_scope_name_key(scope, name), value);
}

static int by_name(const void *left, const void *right)
{
    const fh_binding *a = left, *b = right;
    if (a->name != b->name)
        return a->name < b->name ? -1 : 1;
    return a->value < b->value ? -1 : a->value > b->value;
}

void fh_build_members(fh_builder *b, uint32_t mark, uint32_t scope, uint32_t *first,
                      uint32_t *count)
{
    fh_unit *unit = b->unit;
    uint32_t begin = unit->bindings.count;
    for (uint32_t i = mark; i < b->scopes.log.count; i++) {
        uint64_t key = b->scopes.log.items[i].key;
        if (key >> 32 == scope)
            fh_vector_push(&unit->bindings,
                           (fh_binding){(fh_symbol)key, fh_scope_get(&b->scopes, key)});
    }
    fh_binding *bindings = unit->bindings.items;
    if (unit->bindings.count - begin > 1)
        qsort(bindings + begin, unit->bindings.count - begin, sizeof *bindings, by_name);
    uint32_t kept = begin;
    for (uint32_t i = begin; i < unit->bindings.count; i++)
        if (i == begin || bindings[i].name != bindings[i - 1].name)
            bindings[kept++] = bindings[i];
    unit->bindings.count = kept;
    *first = begin;
    *count = kept - begin;
}

/* `self.x = value` in any method makes x an attribute of the class: collects them, one
 * binding per name, with a PHI of all values. */
typedef struct {
    uint32_t class;
    fh_symbol name;
    fh_value_index value;
} self_store;

static int by_class_and_name(const void *left, const void *right)
{
    const self_store *a = left, *b = right;
    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    if (a->name != b->name)
        return a->name < b->name ? -1 : 1;
    return a->value < b->value ? -1 : a->value > b->value;
}

static void collect_attributes(fh_builder *b)
{
    fh_unit *unit = b->unit;
    FH_VECTOR(self_store) stores = {0};
    for (uint32_t i = 1; i < unit->stores.count; i++) {
        const fh_store *store = &unit->stores.items[i];
        const fh_value *base = fh_unit_value(unit, store->base);
        if (!store->name || base->kind != FH_VALUE_PARAMETER || base->b != 0)
            continue;
        const fh_function *function = &unit->functions.items[base->a];
        if (function->class && !(function->flags & FH_FUNCTION_STATIC))
            fh_vector_push(&stores, (self_store){function->class, store->name, store->value});
    }
    if (stores.failed)
        unit->bindings.failed = true;
    if (stores.count > 1)
        qsort(stores.items, stores.count, sizeof *stores.items, by_class_and_name);
    for (uint32_t i = 0; i < stores.count;) {
        fh_class *class = &unit->classes.items[stores.items[i].class];
        uint32_t owner = stores.items[i].class;
        class->attributes = unit->bindings.count;
        while (i < stores.count && stores.items[i].class == owner) {
            fh_symbol name = stores.items[i].name;
            fh_value_index value = 0;
            for (;
                 i < stores.count && stores.items[i].class == owner && stores.items[i].name == name;
                 i++)
                value = fh_build_phi(b, value, stores.items[i].value);
            fh_vector_push(&unit->bindings, (fh_binding){name, value});
        }
        unit->classes.items[owner].attribute_count =
            unit->bindings.count - unit->classes.items[owner].attributes;
    }
    fh_vector_free(&stores);
}

static int by_base(const void *left, const void *right)
{
    const fh_fill *a = left, *b = right;
    if (a->base != b->base)
        return a->base < b->base ? -1 : 1;
    return a->value < b->value ? -1 : a->value > b->value;
}

static void collect_ignores(fh_builder *b)
{
    for (uint32_t i = 1; i < b->syntax->nodes.count; i++)
        if (b->syntax->nodes.items[i].kind == FH_SYNTAX_comment)
            fh_ignores_add(b->unit, fh_syntax_text(b->syntax, i), b->syntax->nodes.items[i].begin);
}

static void note_errors(fh_builder *b)
{
    enum { MOST = 5 };
    for (uint32_t i = 0; i < b->syntax->errors.count && i < MOST; i++)
        fh_unit_note(b->unit, b->syntax->errors.items[i],
                     "syntax error: this part is not understood");
    if (b->syntax->errors.count > MOST)
        fh_unit_note(b->unit, FH_NO_OFFSET, "%u more syntax errors",
                     b->syntax->errors.count - MOST);
}

fh_status fh_python_read(fh_parser *parser, fh_text text, fh_unit *unit)
{
    fh_syntax syntax;
    fh_buffer replaced = {0};
    fh_status status = fh_syntax_parse(parser, text, &syntax);
    if (status)
        return status;
    status = fh_python_read_backticks(parser, &syntax, &replaced);
    if (status) {
        fh_syntax_free(&syntax);
        fh_buffer_free(&replaced);
        return status;
    }
    fh_positions_build(&unit->positions, text);
    unit->bytes = text.length;

    fh_builder b = {.unit = unit, .syntax = &syntax};
    fh_scopes_init(&b.scopes);
    b.scope = fh_scope_open(&b.scopes, 0, false);
    fh_build_enter(&b, FH_BLOCK_MODULE, 0, 0);
    fh_build_statements(&b, 0);
    fh_build_members(&b, 0, b.scope, &unit->members, &unit->member_count);
    fh_build_pending(&b);
    if (!b.interrupted)
        collect_attributes(&b);
    if (unit->fills.count > 2)
        qsort(unit->fills.items + 1, unit->fills.count - 1, sizeof *unit->fills.items, by_base);
    collect_ignores(&b);
    fh_setup_requirements(unit);
    note_errors(&b);

    bool failed = fh_unit_failed(unit) || b.scopes.failed || b.work.failed ||
                  b.argument_work.failed || b.pending.failed || b.returns.failed ||
                  b.globals.failed || b.fields.failed || syntax.errors.failed;
    fh_scopes_free(&b.scopes);
    fh_vector_free(&b.pending);
    fh_vector_free(&b.returns);
    fh_vector_free(&b.work);
    fh_vector_free(&b.argument_work);
    fh_vector_free(&b.globals);
    fh_vector_free(&b.fields);
    fh_syntax_free(&syntax);
    fh_buffer_free(&replaced);
    if (failed)
        return fh_error(FH_NO_MEMORY, "out of memory while reading it");
    return b.interrupted ? fh_error(FH_INTERRUPTED, "interrupted") : FH_OK;
}
