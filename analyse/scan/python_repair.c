#include "analyse/scan/python_repair.h"

/* In a list, set or tuple the grammar lets `*` bind tighter than the calls,
 * attributes and subscripts that follow: [*x.f()[:-1]] becomes the slice of a
 * call of an attribute of `*x`. CPython has `*` over the whole. The chain of
 * nodes from the outermost expression down to the list_splat is contiguous in
 * pre-order, because all of them start at the `*`: rotating that run of entries
 * by one puts the splat on top. */
static bool is_chain_link(fh_syntax_kind kind)
{
    return kind == FH_SYNTAX_attribute || kind == FH_SYNTAX_call || kind == FH_SYNTAX_subscript ||
           kind == FH_SYNTAX_binary_operator || kind == FH_SYNTAX_comparison_operator ||
           kind == FH_SYNTAX_boolean_operator || kind == FH_SYNTAX_conditional_expression;
}

static void lift_splat(fh_syntax *syntax, uint32_t splat)
{
    fh_syntax_node *nodes = syntax->nodes.items;
    uint32_t top = splat;
    while (top > 0 && nodes[top - 1].begin == nodes[splat].begin &&
           is_chain_link((fh_syntax_kind)nodes[top - 1].kind))
        top--;
    if (top == splat || !nodes[splat].has_children)
        return;

    fh_syntax_node lifted = nodes[splat];
    fh_syntax_node *operand = &nodes[splat + 1];
    operand->next = lifted.next;
    operand->field = lifted.field;
    lifted.next = nodes[top].next;
    lifted.field = nodes[top].field;
    lifted.end = nodes[top].end;
    for (uint32_t i = splat; i > top; i--) {
        nodes[i] = nodes[i - 1];
        nodes[i].begin = operand->begin;
    }
    nodes[top + 1].next = 0;
    nodes[top + 1].field = FH_FIELD_NONE;
    nodes[top] = lifted;
}

/* Makes room for one entry at `at`; links to what moves are kept. */
static bool insert_node(fh_syntax *syntax, uint32_t at, fh_syntax_node node)
{
    if (!fh_vector_push(&syntax->nodes, node))
        return false;
    fh_syntax_node *nodes = syntax->nodes.items;
    for (uint32_t i = syntax->nodes.count - 1; i > at; i--)
        nodes[i] = nodes[i - 1];
    nodes[at] = node;
    for (uint32_t i = 0; i < syntax->nodes.count; i++)
        if (i != at && nodes[i].next >= at)
            nodes[i].next++;
    return true;
}

/* `type(self).name = value` is read as a type alias of `(self).name`. It becomes the
 * assignment it is: `type` and the parentheses a call, the rest of the target as it was. */
static void undo_type_alias(fh_syntax *syntax, uint32_t alias)
{
    uint32_t left = fh_syntax_first(syntax, alias), inner = left;
    fh_syntax_node *nodes = syntax->nodes.items;
    if (!left || syntax->text.data[nodes[left].begin] != '(')
        return;
    while (nodes[inner].has_children && nodes[inner].kind != FH_SYNTAX_parenthesized_expression)
        inner++;
    if (nodes[inner].kind != FH_SYNTAX_parenthesized_expression)
        return;

    uint32_t begin = nodes[alias].begin;
    fh_syntax_node call = nodes[inner];
    call.kind = FH_SYNTAX_call;
    call.begin = begin;
    fh_syntax_node name = {.kind = FH_SYNTAX_identifier,
                           .field = FH_FIELD_function,
                           .is_named = 1,
                           .begin = begin,
                           .end = begin + 4,
                           .next = inner + 1};
    /* The entry at `inner` turns into the argument list behind the two new ones. */
    nodes[inner].kind = FH_SYNTAX_argument_list;
    nodes[inner].field = FH_FIELD_arguments;
    nodes[inner].next = 0;
    if (!insert_node(syntax, inner, name))
        return;
    if (!insert_node(syntax, inner, call))
        return;
    nodes = syntax->nodes.items;
    nodes[inner].next = call.next ? call.next + 2 : 0;
    nodes[inner + 1].next = inner + 2;
    nodes[alias].kind = FH_SYNTAX_assignment;
    nodes[left].kind = FH_SYNTAX_parenthesized_expression;
    nodes[left].field = FH_FIELD_left;
    uint32_t right = nodes[left].next;
    if (right)
        nodes[right].field = FH_FIELD_right;
    for (uint32_t i = left; i < inner; i++)
        nodes[i].begin = begin;
}

void fh_python_repair(fh_syntax *syntax)
{
    for (uint32_t i = 1; i < syntax->nodes.count; i++) {
        if (syntax->nodes.items[i].kind == FH_SYNTAX_list_splat)
            lift_splat(syntax, i);
        else if (syntax->nodes.items[i].kind == FH_SYNTAX_type_alias_statement)
            undo_type_alias(syntax, i);
    }
}
