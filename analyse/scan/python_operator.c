/* Operators: a + b, a < b, not a, a if b else c. */
#include "analyse/scan/python_build.h"

#include <string.h>

static fh_op operator_of(fh_text text)
{
    static const char *const spellings[] = {
#define X(name, spelling) spelling,
        FH_OP_MAP(X)
#undef X
    };
    if (text.length > 1 && text.data[text.length - 1] == '=' && !strchr("=!<>", text.data[0]))
        text.length--; /* a += b */
    else if (text.length == 3)
        text.length -= text.data[2] == '='; /* <<=, >>= */
    for (unsigned i = 1; i < sizeof spellings / sizeof *spellings; i++)
        if (fh_text_is(text, spellings[i]))
            return (fh_op)i;
    return fh_text_is(text, "<>") ? FH_OP_NOT_EQUAL : FH_OP_OTHER;
}

fh_value_index fh_build_binary(fh_builder *b, uint32_t node, fh_value_index left,
                               fh_value_index right)
{
    uint32_t token = fh_build_child(b, node, FH_FIELD_operator);
    fh_op op = token ? operator_of(fh_syntax_text(b->syntax, token)) : FH_OP_OTHER;
    return fh_build_value(b, FH_VALUE_BINARY, op, left, right,
                          fh_build_node(b, token ? token : node)->begin);
}

static fh_value_index binary_value(fh_builder *b, uint32_t node)
{
    fh_value_index left = fh_build_expression(b, fh_build_child(b, node, FH_FIELD_left));
    fh_value_index right = fh_build_expression(b, fh_build_child(b, node, FH_FIELD_right));
    return fh_build_binary(b, node, left, right);
}

void fh_build_test(fh_builder *b, fh_value_index value)
{
    fh_value_kind kind = (fh_value_kind)fh_unit_value(b->unit, value)->kind;
    if (kind == FH_VALUE_BINARY || kind == FH_VALUE_COMPARE || kind == FH_VALUE_CALL ||
        kind == FH_VALUE_PARAMETER || kind == FH_VALUE_SUBSCRIPT || kind == FH_VALUE_PHI ||
        kind == FH_VALUE_UNARY || kind == FH_VALUE_ATTRIBUTE)
        fh_vector_push(&b->unit->tests, value);
}

static fh_value_index boolean_value(fh_builder *b, uint32_t node)
{
    fh_value_index left = fh_build_expression(b, fh_build_child(b, node, FH_FIELD_left));
    fh_value_index right = fh_build_expression(b, fh_build_child(b, node, FH_FIELD_right));
    fh_build_test(b, left);
    return fh_build_binary(b, node, left, right);
}

static fh_value_index comparison_value(fh_builder *b, uint32_t node)
{
    fh_value_index before = 0, last = 0;
    fh_op op = FH_OP_OTHER;
    uint32_t offset = fh_build_node(b, node)->begin, tokens = 0, operands = 0;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        if (fh_build_node(b, c)->field == FH_FIELD_operators) {
            op = operator_of(fh_syntax_text(b->syntax, c));
            offset = fh_build_node(b, c)->begin;
            tokens++;
        } else if (fh_build_node(b, c)->is_named) {
            before = last;
            last = fh_build_expression(b, c);
            operands++;
        }
    }
    if (tokens > 1 && operands > 2)
        op = FH_OP_OTHER;
    return fh_build_value(b, FH_VALUE_COMPARE, op, before, last, offset);
}

static fh_value_index unary_value(fh_builder *b, uint32_t node, fh_op op)
{
    uint32_t argument = fh_build_child(b, node, FH_FIELD_argument);
    fh_value_index value = fh_build_expression(b, argument);
    const fh_value *v = fh_unit_value(b->unit, value);
    if (op == FH_OP_SUBTRACT && v->kind == FH_VALUE_INTEGER) {
        uint64_t number = (uint64_t)-fh_value_integer(v);
        return fh_build_value(b, FH_VALUE_INTEGER, FH_OP_OTHER, (uint32_t)number,
                              (uint32_t)(number >> 32), fh_build_node(b, node)->begin);
    }
    if (op == FH_OP_NOT)
        fh_build_test(b, value);
    return fh_build_value(b, FH_VALUE_UNARY, op, value, 0, fh_build_node(b, node)->begin);
}

static fh_value_index conditional_value(fh_builder *b, uint32_t node)
{
    uint32_t parts[3] = {0}, count = 0;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c && count < 3;
         c = fh_syntax_next(b->syntax, c))
        if (fh_build_node(b, c)->is_named && fh_build_node(b, c)->kind != FH_SYNTAX_comment)
            parts[count++] = c;
    if (count < 3) {
        fh_build_children(b, node);
        return fh_build_unknown(b, node);
    }
    fh_value_index condition = fh_build_expression(b, parts[1]);
    fh_build_test(b, condition);
    fh_value_index yes = fh_build_expression(b, parts[0]);
    fh_value_index no = fh_build_expression(b, parts[2]);
    return fh_build_phi(b, yes, no);
}

fh_value_index fh_build_operator(fh_builder *b, uint32_t node)
{
    uint32_t token;
    switch (fh_syntax_kind_of(b->syntax, node)) {
    case FH_SYNTAX_boolean_operator:
        return boolean_value(b, node);
    case FH_SYNTAX_comparison_operator:
        return comparison_value(b, node);
    case FH_SYNTAX_unary_operator:
        token = fh_build_child(b, node, FH_FIELD_operator);
        return unary_value(b, node,
                           token ? operator_of(fh_syntax_text(b->syntax, token)) : FH_OP_OTHER);
    case FH_SYNTAX_not_operator:
        return unary_value(b, node, FH_OP_NOT);
    case FH_SYNTAX_conditional_expression:
        return conditional_value(b, node);
    default:
        return binary_value(b, node);
    }
}
