/* Expressions: one function per kind of node, each returns the value it made. Literals, operators
 * and calls have files of their own. */
#include "analyse/scan/python_build.h"

#include <ctype.h>
#include <string.h>

void fh_build_children(fh_builder *b, uint32_t node)
{
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c))
        if (fh_build_node(b, c)->is_named)
            fh_build_expression(b, c);
}

static fh_value_index name_value(fh_builder *b, uint32_t node)
{
    fh_symbol name = fh_build_symbol(b, node);
    fh_value_index value = fh_scope_lookup(&b->scopes, b->scope, name);
    return value ? value
                 : fh_build_value(b, FH_VALUE_NAME, FH_OP_OTHER, name, 0,
                                  fh_build_node(b, node)->begin);
}

/* List, tuple, set: the elements as a list. */
static fh_value_index sequence_value(fh_builder *b, uint32_t node)
{
    fh_syntax_kind node_kind = fh_syntax_kind_of(b->syntax, node);
    fh_value_kind kind = node_kind == FH_SYNTAX_list  ? FH_VALUE_LIST
                         : node_kind == FH_SYNTAX_set ? FH_VALUE_SET
                                                      : FH_VALUE_TUPLE;
    uint32_t mark = b->work.count, count;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c))
        if (fh_build_node(b, c)->is_named && fh_build_node(b, c)->kind != FH_SYNTAX_comment) {
            fh_value_index value = fh_build_expression(b, c);
            fh_vector_push(&b->work, value);
        }
    uint32_t first = fh_build_list(b, mark, &count);
    return fh_build_value(b, kind, FH_OP_OTHER, first, count, fh_build_node(b, node)->begin);
}

static fh_value_index dictionary_value(fh_builder *b, uint32_t node)
{
    uint32_t mark = b->work.count, count;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        fh_value_index key = 0, value;
        if (fh_build_node(b, c)->kind == FH_SYNTAX_comment)
            continue;
        if (fh_build_node(b, c)->kind == FH_SYNTAX_pair) {
            key = fh_build_expression(b, fh_build_child(b, c, FH_FIELD_key));
            value = fh_build_expression(b, fh_build_child(b, c, FH_FIELD_value));
        } else {
            value = fh_build_expression(b, c);
        }
        fh_vector_push(&b->work, key);
        fh_vector_push(&b->work, value);
    }
    uint32_t first = fh_build_list(b, mark, &count);
    return fh_build_value(b, FH_VALUE_DICT, FH_OP_OTHER, first, count,
                          fh_build_node(b, node)->begin);
}

static fh_value_index comprehension_value(fh_builder *b, uint32_t node)
{
    uint32_t scope = b->scope, block = b->block, body = 0;
    fh_value_index source = 0;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        fh_syntax_kind kind = fh_syntax_kind_of(b->syntax, c);
        if (kind == FH_SYNTAX_for_in_clause) {
            fh_value_index iterable = 0;
            for (uint32_t e = fh_syntax_first(b->syntax, c); e; e = fh_syntax_next(b->syntax, e))
                if (fh_build_node(b, e)->field == FH_FIELD_right && fh_build_node(b, e)->is_named)
                    iterable = fh_build_expression(b, e);
            source = source ? source : iterable;
            /* The first iterable belongs to the enclosing scope, all else to the comprehension's.
             */
            if (b->scope == scope)
                b->scope = fh_scope_open(&b->scopes, scope, false);
            if (b->scope != scope)
                b->scopes.scopes.items[b->scope].is_comprehension = true;
            fh_build_enter(b, FH_BLOCK_COMPREHENSION, iterable, node);
            uint32_t left = fh_build_child(b, c, FH_FIELD_left);
            fh_build_assign(b, left,
                            fh_build_value(b, FH_VALUE_ELEMENT, FH_OP_OTHER, iterable, 0,
                                           fh_build_node(b, c)->begin));
        } else if (kind == FH_SYNTAX_if_clause) {
            for (uint32_t e = fh_syntax_first(b->syntax, c); e; e = fh_syntax_next(b->syntax, e))
                fh_build_test(b, fh_build_expression(b, e));
        } else if (!body && kind != FH_SYNTAX_comment) {
            body = c;
        }
    }
    fh_value_index element = 0;
    if (body && fh_syntax_kind_of(b->syntax, body) == FH_SYNTAX_pair) {
        fh_build_expression(b, fh_build_child(b, body, FH_FIELD_key));
        element = fh_build_expression(b, fh_build_child(b, body, FH_FIELD_value));
    } else if (body) {
        element = fh_build_expression(b, body);
    }
    b->scope = scope;
    b->block = block;
    return fh_build_value(b, FH_VALUE_COMPREHENSION, FH_OP_OTHER, element, source,
                          fh_build_node(b, node)->begin);
}

/* The attribute as last assigned on this path, or an ATTRIBUTE value. */
static fh_value_index attribute_value(fh_builder *b, uint32_t node)
{
    fh_value_index object = fh_build_expression(b, fh_build_child(b, node, FH_FIELD_object));
    uint32_t name_node = fh_build_child(b, node, FH_FIELD_attribute);
    fh_symbol name = fh_build_symbol(b, name_node);
    fh_value_index known = fh_scope_get(&b->scopes, fh_scope_attribute_key(object, name));
    return known ? known
                 : fh_build_value(b, FH_VALUE_ATTRIBUTE, FH_OP_OTHER, object, name,
                                  fh_build_node(b, name_node)->begin);
}

static fh_value_index subscript_value(fh_builder *b, uint32_t node)
{
    fh_value_index object = fh_build_expression(b, fh_build_child(b, node, FH_FIELD_value));
    uint32_t mark = b->work.count;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c))
        if (fh_build_node(b, c)->field == FH_FIELD_subscript && fh_build_node(b, c)->is_named) {
            fh_value_index value = fh_build_expression(b, c);
            fh_vector_push(&b->work, value);
        }
    fh_value_index index = fh_build_one_or_tuple(b, mark, fh_build_node(b, node)->begin);
    return fh_build_value(b, FH_VALUE_SUBSCRIPT, FH_OP_OTHER, object, index,
                          fh_build_node(b, node)->begin);
}

/* begin:end:step; where a part is left out its value is 0. The colons are not in the
 * table, so they are found in the text between the children. */
static fh_value_index slice_value(fh_builder *b, uint32_t node)
{
    fh_value_index parts[3] = {0};
    uint32_t at = fh_build_node(b, node)->begin, slot = 0;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        if (fh_build_node(b, c)->kind == FH_SYNTAX_comment)
            continue;
        for (; at < fh_build_node(b, c)->begin; at++)
            slot += b->syntax->text.data[at] == ':';
        fh_value_index value = fh_build_expression(b, c);
        if (slot < 3)
            parts[slot] = value;
        at = fh_build_node(b, c)->end;
    }
    uint32_t mark = b->work.count, count;
    for (int i = 0; i < 3; i++)
        fh_vector_push(&b->work, parts[i]);
    uint32_t first = fh_build_list(b, mark, &count);
    return fh_build_value(b, FH_VALUE_SLICE, FH_OP_OTHER, first, 3, fh_build_node(b, node)->begin);
}

static fh_value_index named_value(fh_builder *b, uint32_t node)
{
    fh_value_index value = fh_build_expression(b, fh_build_child(b, node, FH_FIELD_value));
    uint32_t name = fh_build_child(b, node, FH_FIELD_name), scope = b->scope;
    /* In a comprehension it binds in the scope around. */
    while (b->scopes.scopes.items[b->scope].is_comprehension)
        b->scope = b->scopes.scopes.items[b->scope].outer;
    if (name)
        fh_build_bind(b, fh_build_symbol(b, name), value);
    b->scope = scope;
    return value;
}

/* The value of the only expression inside, for nodes that just wrap one. */
static fh_value_index inner_value(fh_builder *b, uint32_t node)
{
    fh_value_index first = 0;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        if (!fh_build_node(b, c)->is_named || fh_build_node(b, c)->kind == FH_SYNTAX_comment)
            continue;
        fh_value_index value = fh_build_expression(b, c);
        first = first ? first : value;
    }
    return first ? first : fh_build_unknown(b, node);
}

/* Optional[Tensor] in an annotation, where the grammar has a node of its own for it. */
static fh_value_index generic_type(fh_builder *b, uint32_t node)
{
    uint32_t mark = b->work.count;
    fh_value_index base = 0;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        if (fh_syntax_kind_of(b->syntax, c) != FH_SYNTAX_type_parameter) {
            base = fh_build_expression(b, c);
            continue;
        }
        for (uint32_t t = fh_syntax_first(b->syntax, c); t; t = fh_syntax_next(b->syntax, t)) {
            fh_value_index value = fh_build_expression(b, t);
            fh_vector_push(&b->work, value);
        }
    }
    fh_value_index index = fh_build_one_or_tuple(b, mark, fh_build_node(b, node)->begin);
    return fh_build_value(b, FH_VALUE_SUBSCRIPT, FH_OP_OTHER, base, index,
                          fh_build_node(b, node)->begin);
}

/* Tensor | None in an annotation. */
static fh_value_index union_type(fh_builder *b, uint32_t node)
{
    fh_value_index all = 0;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        fh_value_index value = fh_build_expression(b, c);
        all = all ? fh_build_value(b, FH_VALUE_BINARY, FH_OP_BIT_OR, all, value,
                                   fh_build_node(b, node)->begin)
                  : value;
    }
    return all;
}

/* *x and **x. */
static fh_value_index star_value(fh_builder *b, uint32_t node)
{
    fh_value_index value = inner_value(b, node);
    fh_op op =
        fh_syntax_kind_of(b->syntax, node) == FH_SYNTAX_list_splat ? FH_OP_MULTIPLY : FH_OP_POWER;
    return fh_build_value(b, FH_VALUE_STAR, op, value, 0, fh_build_node(b, node)->begin);
}

static fh_value_index yield_value(fh_builder *b, uint32_t node)
{
    b->unit->functions.items[b->function].flags |= FH_FUNCTION_GENERATOR;
    fh_value_index value = inner_value(b, node);
    fh_text text = fh_syntax_text(b->syntax, node);
    text = fh_text_trim(fh_text_slice(text, strlen("yield"), text.length));
    if (fh_text_starts(text, "from") && text.length > 4 &&
        (isspace((unsigned char)text.data[4]) || text.data[4] == '('))
        value = fh_build_value(b, FH_VALUE_ELEMENT, FH_OP_OTHER, value, 0,
                               fh_build_node(b, node)->begin);
    fh_vector_push(&b->returns, value);
    return fh_build_unknown(b, node);
}

static fh_value_index no_value(fh_builder *b, uint32_t node)
{
    (void)b, (void)node;
    return 0;
}

/* How each kind of node becomes a value. */
static fh_value_index (*const builders[FH_SYNTAX_KIND_COUNT])(fh_builder *, uint32_t) = {
    [FH_SYNTAX_identifier] = name_value,
    [FH_SYNTAX_attribute] = attribute_value,
    [FH_SYNTAX_subscript] = subscript_value,
    [FH_SYNTAX_slice] = slice_value,
    [FH_SYNTAX_call] = fh_build_call,
    [FH_SYNTAX_lambda] = fh_build_lambda,
    [FH_SYNTAX_named_expression] = named_value,
    [FH_SYNTAX_yield] = yield_value,

    [FH_SYNTAX_string] = fh_build_literal,
    [FH_SYNTAX_concatenated_string] = fh_build_literal,
    [FH_SYNTAX_integer] = fh_build_literal,
    [FH_SYNTAX_float] = fh_build_literal,
    [FH_SYNTAX_true] = fh_build_literal,
    [FH_SYNTAX_false] = fh_build_literal,
    [FH_SYNTAX_none] = fh_build_literal,

    [FH_SYNTAX_binary_operator] = fh_build_operator,
    [FH_SYNTAX_boolean_operator] = fh_build_operator,
    [FH_SYNTAX_comparison_operator] = fh_build_operator,
    [FH_SYNTAX_unary_operator] = fh_build_operator,
    [FH_SYNTAX_not_operator] = fh_build_operator,
    [FH_SYNTAX_conditional_expression] = fh_build_operator,

    [FH_SYNTAX_tuple] = sequence_value,
    [FH_SYNTAX_expression_list] = sequence_value,
    [FH_SYNTAX_pattern_list] = sequence_value,
    [FH_SYNTAX_list] = sequence_value,
    [FH_SYNTAX_set] = sequence_value,
    [FH_SYNTAX_dictionary] = dictionary_value,
    [FH_SYNTAX_list_comprehension] = comprehension_value,
    [FH_SYNTAX_set_comprehension] = comprehension_value,
    [FH_SYNTAX_dictionary_comprehension] = comprehension_value,
    [FH_SYNTAX_generator_expression] = comprehension_value,
    [FH_SYNTAX_list_splat] = star_value,
    [FH_SYNTAX_dictionary_splat] = star_value,

    [FH_SYNTAX_generic_type] = generic_type,
    [FH_SYNTAX_union_type] = union_type,
    [FH_SYNTAX_await] = inner_value,
    [FH_SYNTAX_parenthesized_expression] = inner_value,
    [FH_SYNTAX_type] = inner_value,

    [FH_SYNTAX_comment] = no_value,
    [FH_SYNTAX_keyword_separator] = no_value,
    [FH_SYNTAX_positional_separator] = no_value,
};

fh_value_index fh_build_expression(fh_builder *b, uint32_t node)
{
    if (!node)
        return 0;
    fh_value_index (*build)(fh_builder *, uint32_t) = builders[fh_syntax_kind_of(b->syntax, node)];
    if (build)
        return build(b, node);
    /* Statements inside an ERROR, and whatever this file does not know: no call gets lost. */
    if (fh_syntax_first(b->syntax, node))
        fh_build_statement(b, node);
    return fh_build_unknown(b, node);
}
