/* Calls: their arguments, and what some calls do to what they are called on. */
#include "analyse/scan/python_build.h"

#include <string.h>

void fh_build_arguments(fh_builder *b, uint32_t node)
{
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        fh_argument argument = {0};
        if (fh_build_node(b, c)->kind == FH_SYNTAX_comment)
            continue;
        if (fh_build_node(b, c)->kind == FH_SYNTAX_keyword_argument) {
            argument.name = fh_build_symbol(b, fh_build_child(b, c, FH_FIELD_name));
            argument.value = fh_build_expression(b, fh_build_child(b, c, FH_FIELD_value));
        } else {
            argument.value = fh_build_expression(b, c);
        }
        fh_vector_push(&b->argument_work, argument);
    }
}

uint32_t fh_build_argument_list(fh_builder *b, uint32_t mark, uint32_t *count)
{
    uint32_t first = b->unit->arguments.count;
    *count = b->argument_work.count - mark;
    for (uint32_t i = mark; i < b->argument_work.count; i++)
        fh_vector_push(&b->unit->arguments, b->argument_work.items[i]);
    b->argument_work.count = mark;
    return first;
}

/* True for a.b.c: names and dots only. */
static bool is_dotted_name(const fh_builder *b, uint32_t node)
{
    while (fh_syntax_kind_of(b->syntax, node) == FH_SYNTAX_attribute)
        node = fh_build_child(b, node, FH_FIELD_object);
    return fh_syntax_kind_of(b->syntax, node) == FH_SYNTAX_identifier;
}

/* True when the callee is that name, and nothing in the file binds it. */
static bool is_builtin(const fh_builder *b, const fh_call *call, const char *name)
{
    const fh_value *callee = fh_unit_value(b->unit, call->callee);
    return callee->kind == FH_VALUE_NAME && fh_text_is(fh_unit_text(b->unit, callee->a), name);
}

static void push_pair(fh_builder *b, fh_value_index key, fh_value_index value)
{
    fh_vector_push(&b->work, key);
    fh_vector_push(&b->work, value);
}

/* dict([("a", b), ...]): the pairs; false when they are not all written there. */
static bool push_pairs(fh_builder *b, const fh_value *pairs)
{
    const fh_unit *unit = b->unit;
    if (pairs->kind != FH_VALUE_LIST && pairs->kind != FH_VALUE_TUPLE)
        return false;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < pairs->b; i++) {
            const fh_value *pair = fh_unit_value(unit, unit->lists.items[pairs->a + i]);
            if ((pair->kind != FH_VALUE_TUPLE && pair->kind != FH_VALUE_LIST) || pair->b != 2)
                return false;
            if (pass)
                push_pair(b, unit->lists.items[pair->a], unit->lists.items[pair->a + 1]);
        }
    return true;
}

/* What dict(a=b, **c) holds, as the DICT {"a": b, **c}. */
static fh_value_index dict_of_call(fh_builder *b, const fh_call *call)
{
    uint32_t mark = b->work.count, count;
    for (uint32_t i = 0; i < call->count; i++) {
        const fh_argument argument = b->unit->arguments.items[call->arguments + i];
        const fh_value v = *fh_unit_value(b->unit, argument.value);
        if (argument.name)
            push_pair(b,
                      fh_build_value(b, FH_VALUE_STRING, FH_OP_OTHER, argument.name, 0, v.offset),
                      argument.value);
        else if (v.kind == FH_VALUE_STAR)
            push_pair(b, 0, argument.value);
        else if (!push_pairs(b, &v))
            push_pair(b, 0,
                      fh_build_value(b, FH_VALUE_STAR, FH_OP_POWER, argument.value, 0, v.offset));
    }
    uint32_t first = fh_build_list(b, mark, &count);
    return fh_build_value(b, FH_VALUE_DICT, FH_OP_OTHER, first, count, call->offset);
}

/* base.name = value, where the name is a string that is written there. */
static void store_attribute(fh_builder *b, fh_value_index base, fh_value_index key,
                            fh_value_index value, uint32_t offset)
{
    const fh_value *name = fh_unit_value(b->unit, key);
    if (!base || !value || name->kind != FH_VALUE_STRING || !name->a)
        return;
    fh_scope_set(&b->scopes, fh_scope_attribute_key(base, name->a), value);
    fh_vector_push(&b->unit->stores, (fh_store){base, name->a, 0, value, offset, b->block});
}

/* setattr(x, "name", value) is x.name = value. */
static void store_of_call(fh_builder *b, const fh_call *call)
{
    const fh_argument *arguments = &b->unit->arguments.items[call->arguments];
    if (call->count == 3 && !arguments[0].name && !arguments[1].name && !arguments[2].name)
        store_attribute(b, arguments[0].value, arguments[1].value, arguments[2].value,
                        call->offset);
}

void fh_build_fill(fh_builder *b, fh_value_index base, fh_value_index index, fh_value_index value)
{
    const fh_value *v = fh_unit_value(b->unit, base);
    if (v->kind == FH_VALUE_CALL && v->b)
        base = v->b;
    else if (v->kind != FH_VALUE_CALL && v->kind != FH_VALUE_LIST && v->kind != FH_VALUE_DICT &&
             v->kind != FH_VALUE_SET)
        return;
    if (value)
        fh_vector_push(&b->unit->fills, (fh_fill){base, index, value});
}

/* x.append(value) and its like put something into x, x.register_buffer("name", value) and its like
 * give x an attribute. */
static void method_effect(fh_builder *b, const fh_call *call)
{
    static const struct {
        const char *name;
        uint8_t arguments, value; /* number of arguments, and which of them is the value */
        bool spread, attribute, key;
    } effects[] = {
        {"append", 1, 0, .spread = false},
        {"add", 1, 0, .spread = false},
        {"appendleft", 1, 0, .spread = false},
        {"insert", 2, 1, .spread = false},
        {"extend", 1, 0, .spread = true},
        {"update", 1, 0, .spread = true},
        {"setdefault", 2, 1, .key = true},
        {"add_module", 2, 1, .attribute = true},
        {"register_module", 2, 1, .attribute = true},
        {"register_buffer", 2, 1, .attribute = true},
        {"register_parameter", 2, 1, .attribute = true},
    };
    const fh_value *callee = fh_unit_value(b->unit, call->callee);
    if (callee->kind != FH_VALUE_ATTRIBUTE || !call->count || call->count > 3)
        return;
    fh_text name = fh_unit_text(b->unit, callee->b);
    const fh_argument *arguments = &b->unit->arguments.items[call->arguments];
    if (!name.length || !strchr("aeirsu", name.data[0]))
        return;
    for (size_t i = 0; i < sizeof effects / sizeof *effects; i++) {
        uint32_t needed = effects[i].arguments;
        if (!fh_text_is(name, effects[i].name) || call->count < needed ||
            (call->count > needed && !effects[i].attribute))
            continue;
        for (uint32_t k = 0; k < needed; k++)
            if (fh_unit_value(b->unit, arguments[k].value)->kind == FH_VALUE_STAR)
                return;
        fh_value_index value = arguments[effects[i].value].value, key = arguments[0].value;
        if (effects[i].attribute)
            store_attribute(b, callee->a, key, value, call->offset);
        else if (effects[i].spread)
            fh_build_fill(b, callee->a, 0,
                          fh_build_value(b, FH_VALUE_STAR, FH_OP_OTHER, value, 0, call->offset));
        else
            fh_build_fill(b, callee->a, effects[i].key ? key : 0, value);
        return;
    }
}

fh_value_index fh_build_call(fh_builder *b, uint32_t node)
{
    uint32_t function = fh_build_child(b, node, FH_FIELD_function),
             arguments = fh_build_child(b, node, FH_FIELD_arguments);
    fh_call call = {.offset = fh_build_node(b, node)->begin,
                    .end = fh_build_node(b, node)->end,
                    .function = b->function};
    call.anchor = call.offset;
    if (fh_syntax_kind_of(b->syntax, function) == FH_SYNTAX_attribute &&
        !is_dotted_name(b, function))
        call.anchor = fh_build_node(b, fh_build_child(b, function, FH_FIELD_attribute))->begin;
    call.callee = fh_build_expression(b, function);
    uint32_t mark = b->argument_work.count;
    if (fh_syntax_kind_of(b->syntax, arguments) == FH_SYNTAX_argument_list) {
        fh_build_arguments(b, arguments);
    } else if (arguments) {
        fh_value_index generator = fh_build_expression(b, arguments);
        fh_vector_push(&b->argument_work, (fh_argument){0, generator});
    }
    call.arguments = fh_build_argument_list(b, mark, &call.count);
    call.block = b->block;
    fh_value_index dict = is_builtin(b, &call, "dict") ? dict_of_call(b, &call) : 0;
    if (is_builtin(b, &call, "setattr"))
        store_of_call(b, &call);
    method_effect(b, &call);
    fh_value_index value =
        fh_build_value(b, FH_VALUE_CALL, FH_OP_OTHER, b->unit->calls.count, dict, call.offset);
    call.value = value;
    if (!fh_vector_push(&b->unit->calls, call))
        return 0;
    return value;
}
