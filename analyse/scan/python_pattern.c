/* Patterns of `match`: what a case clause binds. */
#include "analyse/scan/python_build.h"

static fh_value_index part(fh_builder *b, fh_value_kind kind, fh_value_index of, uint32_t second,
                           uint32_t node)
{
    return fh_build_value(b, kind, FH_OP_OTHER, of, second, fh_build_node(b, node)->begin);
}

static void bind_name(fh_builder *b, uint32_t node, fh_value_index value)
{
    if (!fh_text_is(fh_syntax_text(b->syntax, node), "_"))
        fh_build_bind(b, fh_build_symbol(b, node), value);
}

/* A dotted name is compared; a plain one takes whatever is there. */
static bool is_plain_name(const fh_builder *b, uint32_t node)
{
    return fh_syntax_kind_of(b->syntax, node) == FH_SYNTAX_dotted_name &&
           fh_text_find(fh_syntax_text(b->syntax, node), '.') ==
               fh_build_node(b, node)->end - fh_build_node(b, node)->begin;
}

/* (pattern) is that pattern, (pattern,) a sequence of one. */
static bool is_group(const fh_builder *b, uint32_t node)
{
    uint32_t first = fh_syntax_first(b->syntax, node);
    if (fh_syntax_kind_of(b->syntax, node) != FH_SYNTAX_tuple_pattern || !first ||
        fh_syntax_next(b->syntax, first))
        return false;
    fh_text rest = {b->syntax->text.data + fh_build_node(b, first)->end,
                    fh_build_node(b, node)->end - fh_build_node(b, first)->end};
    return fh_text_find(rest, ',') == rest.length;
}

/* The item of a sequence that stands at `position`: of one that is written out the value itself.
 * Behind a *rest (`after`) no position is known. */
static fh_value_index item_of(fh_builder *b, fh_value_index value, uint32_t position, bool after,
                              uint32_t node)
{
    const fh_value *v = fh_unit_value(b->unit, value);
    if (after)
        return part(b, FH_VALUE_ITEM, value, FH_ITEM_AFTER, node);
    if ((v->kind == FH_VALUE_TUPLE || v->kind == FH_VALUE_LIST) && position < v->b &&
        fh_unit_value(b->unit, b->unit->lists.items[v->a + position])->kind != FH_VALUE_STAR)
        return b->unit->lists.items[v->a + position];
    return part(b, FH_VALUE_ITEM, value, position, node);
}

static void bind_sequence(fh_builder *b, uint32_t first, fh_value_index value)
{
    uint32_t position = 0;
    bool after = false;
    for (uint32_t c = first; c; c = fh_syntax_next(b->syntax, c)) {
        if (fh_syntax_kind_of(b->syntax, c) != FH_SYNTAX_case_pattern)
            continue;
        uint32_t inner = fh_syntax_first(b->syntax, c);
        if (fh_syntax_kind_of(b->syntax, inner) == FH_SYNTAX_splat_pattern) {
            uint32_t name = fh_syntax_first(b->syntax, inner);
            if (name)
                bind_name(b, name, part(b, FH_VALUE_ITEM, value, FH_ITEM_REST, name));
            after = true;
        } else {
            fh_build_pattern(b, c, item_of(b, value, position++, after, c));
        }
    }
}

/* {"key": pattern, **rest}: keys and patterns take turns. */
static void bind_dict(fh_builder *b, uint32_t node, fh_value_index value)
{
    fh_value_index key = 0;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        if (fh_build_node(b, c)->field == FH_FIELD_key)
            key = fh_build_expression(b, c);
        else if (fh_build_node(b, c)->field == FH_FIELD_value)
            fh_build_pattern(b, c, part(b, FH_VALUE_SUBSCRIPT, value, key, c));
        else if (fh_syntax_kind_of(b->syntax, c) == FH_SYNTAX_splat_pattern)
            bind_name(b, fh_syntax_first(b->syntax, c), part(b, FH_VALUE_UNKNOWN, 0, 0, c));
    }
}

/* Point(x=pattern): the attributes of the subject by name; those by position are not known. */
static void bind_class(fh_builder *b, uint32_t node, fh_value_index value)
{
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        if (fh_syntax_kind_of(b->syntax, c) != FH_SYNTAX_case_pattern)
            continue;
        uint32_t inner = fh_syntax_first(b->syntax, c);
        if (fh_syntax_kind_of(b->syntax, inner) != FH_SYNTAX_keyword_pattern) {
            fh_build_pattern(b, c, part(b, FH_VALUE_UNKNOWN, 0, 0, c));
            continue;
        }
        uint32_t name = fh_syntax_first(b->syntax, inner), pattern = 0;
        if (name)
            pattern = fh_syntax_next(b->syntax, name);
        if (pattern)
            fh_build_pattern(b, pattern,
                             part(b, FH_VALUE_ATTRIBUTE, value, fh_build_symbol(b, name), name));
    }
}

void fh_build_pattern(fh_builder *b, uint32_t node, fh_value_index value)
{
    uint32_t first = node ? fh_syntax_first(b->syntax, node) : 0;
    if (!first)
        return;
    switch (fh_syntax_kind_of(b->syntax, node)) {
    case FH_SYNTAX_case_pattern:
        fh_build_pattern(b, first, value);
        return;
    case FH_SYNTAX_dotted_name:
        if (is_plain_name(b, node))
            bind_name(b, first, value);
        return;
    case FH_SYNTAX_as_pattern:
        fh_build_pattern(b, first, value);
        if (fh_syntax_next(b->syntax, first))
            bind_name(b, fh_syntax_next(b->syntax, first), value);
        return;
    case FH_SYNTAX_tuple_pattern:
    case FH_SYNTAX_list_pattern:
        if (is_group(b, node))
            fh_build_pattern(b, first, value);
        else
            bind_sequence(b, first, value);
        return;
    case FH_SYNTAX_union_pattern:
        for (uint32_t c = first; c; c = fh_syntax_next(b->syntax, c))
            fh_build_pattern(b, c, value);
        return;
    case FH_SYNTAX_dict_pattern:
        bind_dict(b, node, value);
        return;
    case FH_SYNTAX_class_pattern:
        bind_class(b, node, value);
        return;
    default:
        return;
    }
}

/* True when the only pattern of a clause takes everything: `_`, or a name. */
static bool takes_all(const fh_builder *b, uint32_t pattern)
{
    uint32_t inner = fh_syntax_first(b->syntax, pattern);
    return !inner ? fh_text_is(fh_syntax_text(b->syntax, pattern), "_") : is_plain_name(b, inner);
}

bool fh_build_case(fh_builder *b, uint32_t clause, fh_value_index subject)
{
    uint32_t pattern = 0, patterns = 0;
    for (uint32_t c = fh_syntax_first(b->syntax, clause); c; c = fh_syntax_next(b->syntax, c))
        if (fh_syntax_kind_of(b->syntax, c) == FH_SYNTAX_case_pattern && !patterns++)
            pattern = c;
    if (patterns > 1)
        bind_sequence(b, pattern, subject);
    else
        fh_build_pattern(b, pattern, subject);
    uint32_t guard = fh_syntax_child(b->syntax, clause, FH_FIELD_guard);
    if (guard)
        fh_build_children(b, guard);
    return patterns == 1 && !guard && takes_all(b, pattern);
}
