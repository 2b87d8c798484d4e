/* Assignments: what is bound to names, stored in attributes and elements, and unpacked. */
#include "analyse/scan/python_build.h"

/* x += 1. The target is evaluated once: what it calls is called once. */
static void augmented_assignment(fh_builder *b, uint32_t node)
{
    uint32_t left = fh_build_child(b, node, FH_FIELD_left);
    fh_syntax_kind kind = fh_syntax_kind_of(b->syntax, left);
    fh_value_index base = 0, before;
    fh_symbol name = 0;
    uint32_t offset = fh_build_node(b, left)->begin;
    if (kind == FH_SYNTAX_attribute) {
        uint32_t name_node = fh_build_child(b, left, FH_FIELD_attribute);
        base = fh_build_expression(b, fh_build_child(b, left, FH_FIELD_object));
        name = fh_build_symbol(b, name_node);
        before = fh_scope_get(&b->scopes, fh_scope_attribute_key(base, name));
        if (!before)
            before = fh_build_value(b, FH_VALUE_ATTRIBUTE, FH_OP_OTHER, base, name,
                                    fh_build_node(b, name_node)->begin);
    } else {
        before = fh_build_expression(b, left);
    }
    fh_value_index operand = fh_build_expression(b, fh_build_child(b, node, FH_FIELD_right));
    fh_value_index result = fh_build_binary(b, node, before, operand);
    b->unit->values.items[result].flags |= FH_VALUE_IN_PLACE;
    if (kind == FH_SYNTAX_attribute) {
        fh_scope_set(&b->scopes, fh_scope_attribute_key(base, name), result);
        fh_vector_push(&b->unit->stores, (fh_store){base, name, 0, result, offset, b->block});
    } else if (kind == FH_SYNTAX_subscript) {
        const fh_value *element = fh_unit_value(b->unit, before);
        fh_vector_push(&b->unit->stores,
                       (fh_store){element->a, 0, element->b, result, offset, b->block});
    } else {
        fh_build_assign(b, left, result);
    }
}

/* a = b = value: tree-sitter nests the second assignment on the right of the first. */
static fh_value_index assignment(fh_builder *b, uint32_t node)
{
    uint32_t left = fh_build_child(b, node, FH_FIELD_left),
             right = fh_build_child(b, node, FH_FIELD_right);
    uint32_t type = fh_build_child(b, node, FH_FIELD_type);
    fh_value_index annotation = type ? fh_build_expression(b, type) : 0;
    bool is_field = type && b->class && fh_syntax_kind_of(b->syntax, left) == FH_SYNTAX_identifier;
    if (!right && is_field)
        fh_vector_push(&b->fields, (fh_parameter){fh_build_symbol(b, left), 0, annotation, 0});
    if (!right) {
        /* `x: int` binds nothing, but in a class body it declares a field. */
        fh_build_expression(b,
                            fh_syntax_kind_of(b->syntax, left) == FH_SYNTAX_identifier ? 0 : left);
        return annotation;
    }
    fh_syntax_kind kind = fh_syntax_kind_of(b->syntax, right);
    fh_value_index value;
    if (kind == FH_SYNTAX_assignment) {
        value = assignment(b, right);
    } else if (kind == FH_SYNTAX_augmented_assignment) {
        augmented_assignment(b, right);
        value = 0;
    } else {
        value = fh_build_expression(b, right);
    }
    if (is_field)
        fh_vector_push(&b->fields, (fh_parameter){fh_build_symbol(b, left), value, annotation, 0});
    fh_build_assign(b, left, value);
    return value;
}

static bool is_target(const fh_builder *b, uint32_t node)
{
    return fh_build_node(b, node)->is_named && fh_build_node(b, node)->kind != FH_SYNTAX_comment;
}

/* The list that *rest takes: `count` elements of a literal from `position` on. */
static fh_value_index rest_of(fh_builder *b, const fh_value *literal, uint32_t position,
                              uint32_t count, uint32_t offset)
{
    uint32_t mark = b->work.count, taken;
    for (uint32_t i = 0; i < count; i++)
        fh_vector_push(&b->work, b->unit->lists.items[literal->a + position + i]);
    uint32_t first = fh_build_list(b, mark, &taken);
    return fh_build_value(b, FH_VALUE_LIST, FH_OP_OTHER, first, taken, offset);
}

static void assign_items(fh_builder *b, uint32_t pattern, fh_value_index value)
{
    const fh_value source = *fh_unit_value(b->unit, value);
    bool literal = source.kind == FH_VALUE_TUPLE || source.kind == FH_VALUE_LIST, after = false;
    uint32_t position = 0, targets = 0;
    for (uint32_t i = 0; literal && i < source.b; i++)
        literal = fh_unit_value(b->unit, b->unit->lists.items[source.a + i])->kind != FH_VALUE_STAR;
    for (uint32_t c = fh_syntax_first(b->syntax, pattern); c; c = fh_syntax_next(b->syntax, c))
        targets += is_target(b, c);
    for (uint32_t c = fh_syntax_first(b->syntax, pattern); c; c = fh_syntax_next(b->syntax, c)) {
        if (!is_target(b, c))
            continue;
        bool rest = fh_syntax_kind_of(b->syntax, c) == FH_SYNTAX_list_splat_pattern ||
                    fh_syntax_kind_of(b->syntax, c) == FH_SYNTAX_list_splat;
        fh_value_index item;
        if (literal && rest && source.b + 1 >= targets) {
            item =
                rest_of(b, &source, position, source.b + 1 - targets, fh_build_node(b, c)->begin);
            position += source.b - targets; /* together with the one below */
        } else if (literal && !rest && position < source.b) {
            item = b->unit->lists.items[source.a + position];
        } else {
            uint32_t which = rest    ? (uint32_t)FH_ITEM_REST
                             : after ? (uint32_t)FH_ITEM_AFTER
                                     : position;
            item = fh_build_value(b, FH_VALUE_ITEM, FH_OP_OTHER, value, which,
                                  fh_build_node(b, c)->begin);
        }
        after |= rest;
        fh_build_assign(b, c, item);
        position++;
    }
}

void fh_build_assign(fh_builder *b, uint32_t target, fh_value_index value)
{
    if (!target)
        return;
    uint32_t begin = fh_build_node(b, target)->begin;
    switch (fh_syntax_kind_of(b->syntax, target)) {
    case FH_SYNTAX_identifier:
        fh_build_bind(b, fh_build_symbol(b, target), value);
        return;
    case FH_SYNTAX_attribute: {
        fh_value_index base = fh_build_expression(b, fh_build_child(b, target, FH_FIELD_object));
        uint32_t name_node = fh_build_child(b, target, FH_FIELD_attribute);
        fh_symbol name = fh_build_symbol(b, name_node);
        fh_scope_set(&b->scopes, fh_scope_attribute_key(base, name), value);
        fh_vector_push(&b->unit->stores, (fh_store){base, name, 0, value, begin, b->block});
        return;
    }
    case FH_SYNTAX_subscript: {
        fh_value_index element = fh_build_expression(b, target);
        const fh_value *v = fh_unit_value(b->unit, element);
        fh_build_fill(b, v->a, v->b, value);
        fh_vector_push(&b->unit->stores, (fh_store){v->a, 0, v->b, value, begin, b->block});
        return;
    }
    case FH_SYNTAX_pattern_list:
    case FH_SYNTAX_tuple_pattern:
    case FH_SYNTAX_list_pattern:
    case FH_SYNTAX_tuple:
    case FH_SYNTAX_list:
    case FH_SYNTAX_expression_list:
        assign_items(b, target, value);
        return;
    case FH_SYNTAX_list_splat_pattern:
    case FH_SYNTAX_list_splat:
    case FH_SYNTAX_parenthesized_expression:
        fh_build_assign(b, fh_syntax_first(b->syntax, target), value);
        return;
    default:
        fh_build_children(b, target);
    }
}

void fh_build_assignment(fh_builder *b, uint32_t node)
{
    if (fh_syntax_kind_of(b->syntax, node) == FH_SYNTAX_augmented_assignment)
        augmented_assignment(b, node);
    else
        assignment(b, node);
}
