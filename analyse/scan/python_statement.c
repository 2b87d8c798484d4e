/* Statements: what they bind, and how paths split and meet. */
#include "analyse/scan/python_build.h"

static const fh_syntax_node *node_of(const fh_builder *b, uint32_t node)
{
    return &b->syntax->nodes.items[node];
}

static uint32_t child(const fh_builder *b, uint32_t node, fh_syntax_field field)
{
    return fh_syntax_child(b->syntax, node, field);
}

static fh_value_index phi(void *context, fh_value_index a, fh_value_index b)
{
    return fh_build_phi(context, a, b);
}

void fh_build_statements(fh_builder *b, uint32_t node)
{
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c))
        fh_build_statement(b, c);
}

static void record_test(fh_builder *b, fh_value_index value)
{
    fh_vector_push(&b->unit->tests, value);
}

/* For fh_block.leaves. */
static uint32_t how_it_leaves(const fh_builder *b)
{
    if (b->left && !b->goes_on)
        return FH_LEAVES_BY_RAISE;
    return b->left || b->turned ? FH_LEAVES : FH_GOES_ON;
}

/* Walks one side of a branch and sets its changes aside, unless the path left by
 * return or raise: then nothing of it reaches what follows. Returns 1 when a side
 * was set aside. The current block remembers when its end is never reached. */
static uint32_t walk_side(fh_builder *b, uint32_t node)
{
    uint32_t mark = fh_scope_mark(&b->scopes), block = b->block;
    bool left_before = b->left, turned_before = b->turned, goes_on = b->goes_on;
    b->left = b->turned = b->goes_on = false;
    fh_build_statement(b, node);
    bool left = b->left;
    b->unit->blocks.items[block].leaves = how_it_leaves(b);
    b->goes_on |= goes_on;
    b->left = left_before;
    b->turned = turned_before;
    fh_scope_set_aside(&b->scopes, mark);
    if (!left)
        return 1;
    fh_scope_drop(&b->scopes);
    return 0;
}

/* An if statement from its condition on; `clause` is the if or an elif. */
static void if_statement(fh_builder *b, uint32_t clause, uint32_t alternative)
{
    fh_value_index condition = fh_build_expression(b, child(b, clause, FH_FIELD_condition));
    record_test(b, condition);
    uint32_t block = fh_build_enter(b, FH_BLOCK_IF, condition, clause);
    uint32_t sides = walk_side(b, child(b, clause, FH_FIELD_consequence));
    bool leaves = b->unit->blocks.items[b->block].leaves;
    b->block = block;

    while (alternative && node_of(b, alternative)->field != FH_FIELD_alternative)
        alternative = fh_syntax_next(b->syntax, alternative);
    bool falls_through = true;
    if (alternative) {
        fh_build_enter(b, FH_BLOCK_ELSE, condition, alternative);
        uint32_t other = b->block;
        uint32_t mark = fh_scope_mark(&b->scopes);
        bool left_before = b->left, turned_before = b->turned, goes_on = b->goes_on;
        b->left = b->turned = b->goes_on = false;
        if (fh_syntax_kind_of(b->syntax, alternative) == FH_SYNTAX_elif_clause)
            if_statement(b, alternative, fh_syntax_next(b->syntax, alternative));
        else
            fh_build_statements(b, alternative);
        falls_through = !b->left;
        b->unit->blocks.items[other].leaves = how_it_leaves(b);
        b->goes_on |= goes_on;
        b->turned = turned_before || (leaves && (b->left || b->turned));
        b->left = left_before;
        fh_scope_set_aside(&b->scopes, mark);
        if (falls_through)
            sides++;
        else
            fh_scope_drop(&b->scopes);
        b->block = block;
        if (!sides)
            b->left = true; /* no path goes on */
    }
    fh_scope_merge(&b->scopes, sides, !alternative, phi, b);
}

/* `runs` when the body is run at least once, whatever there is to iterate over. */
static void loop_body(fh_builder *b, uint32_t node, bool runs)
{
    uint32_t sides = walk_side(b, child(b, node, FH_FIELD_body));
    fh_scope_merge(&b->scopes, sides, !runs, phi, b);
}

/* `while True`, `while 1` */
static bool is_always_true(const fh_value *condition)
{
    return condition->kind == FH_VALUE_BOOL
               ? condition->a != 0
               : condition->kind == FH_VALUE_INTEGER && fh_value_integer(condition) != 0;
}

static void for_statement(fh_builder *b, uint32_t node)
{
    fh_value_index iterable = fh_build_expression(b, child(b, node, FH_FIELD_right));
    uint32_t block = fh_build_enter(b, FH_BLOCK_FOR, iterable, node);
    uint32_t left = child(b, node, FH_FIELD_left);
    fh_value_index element = fh_build_value(b, FH_VALUE_ELEMENT, FH_OP_OTHER, iterable, 0,
                                            left ? node_of(b, left)->begin : 0);
    fh_build_assign(b, left, element);
    loop_body(b, node, false);
    b->block = block;
    fh_build_statement(b, child(b, node, FH_FIELD_alternative));
}

static void while_statement(fh_builder *b, uint32_t node)
{
    fh_value_index condition = fh_build_expression(b, child(b, node, FH_FIELD_condition));
    record_test(b, condition);
    uint32_t block = fh_build_enter(b, FH_BLOCK_WHILE, condition, node);
    loop_body(b, node, is_always_true(fh_unit_value(b->unit, condition)));
    b->block = block;
    fh_build_statement(b, child(b, node, FH_FIELD_alternative));
}

static fh_value_index with_item(fh_builder *b, uint32_t node)
{
    uint32_t value = child(b, node, FH_FIELD_value);
    if (fh_syntax_kind_of(b->syntax, value) != FH_SYNTAX_as_pattern)
        return fh_build_expression(b, value);
    fh_value_index manager = fh_build_expression(b, fh_syntax_first(b->syntax, value));
    uint32_t target = child(b, value, FH_FIELD_alias);
    if (target)
        fh_build_assign(b, fh_syntax_first(b->syntax, target),
                        fh_build_value(b, FH_VALUE_ENTERED, FH_OP_OTHER, manager, 0,
                                       node_of(b, target)->begin));
    return manager;
}

static void with_statement(fh_builder *b, uint32_t node)
{
    uint32_t mark = b->work.count;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        if (fh_syntax_kind_of(b->syntax, c) != FH_SYNTAX_with_clause)
            continue;
        for (uint32_t item = fh_syntax_first(b->syntax, c); item;
             item = fh_syntax_next(b->syntax, item))
            if (fh_syntax_kind_of(b->syntax, item) == FH_SYNTAX_with_item) {
                fh_value_index manager = with_item(b, item);
                fh_vector_push(&b->work, manager);
            }
    }
    fh_value_index managers = fh_build_one_or_tuple(b, mark, node_of(b, node)->begin);
    uint32_t block = fh_build_enter(b, FH_BLOCK_WITH, managers, node);
    fh_build_statement(b, child(b, node, FH_FIELD_body));
    b->block = block;
}

/* An except clause, in its own block: `except E as name:` or `except E, name:`. */
static void except_clause(fh_builder *b, uint32_t node)
{
    uint32_t block = b->block;
    fh_value_index class = 0;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        fh_syntax_kind kind = fh_syntax_kind_of(b->syntax, c);
        if (kind == FH_SYNTAX_block) {
            fh_build_enter(b, FH_BLOCK_EXCEPT, class, node);
            fh_build_statements(b, c);
        } else if (kind == FH_SYNTAX_as_pattern) {
            class = fh_build_expression(b, fh_syntax_first(b->syntax, c));
            uint32_t target = child(b, c, FH_FIELD_alias);
            if (target)
                fh_build_assign(b, fh_syntax_first(b->syntax, target),
                                fh_build_value(b, FH_VALUE_UNKNOWN, FH_OP_OTHER, 0, 0,
                                               node_of(b, target)->begin));
        } else if (node_of(b, c)->is_named) {
            fh_value_index value = fh_build_expression(b, c);
            class = class ? class : value;
        }
    }
    b->block = block;
}

static void try_statement(fh_builder *b, uint32_t node)
{
    uint32_t block = fh_build_enter(b, FH_BLOCK_TRY, 0, node);
    uint32_t sides = walk_side(b, child(b, node, FH_FIELD_body));
    b->block = block;
    bool has_except = false;
    /* An except clause starts from the state before `try`: what the body bound may be missing. */
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        fh_syntax_kind kind = fh_syntax_kind_of(b->syntax, c);
        if (kind != FH_SYNTAX_except_clause && kind != FH_SYNTAX_except_group_clause)
            continue;
        has_except = true;
        uint32_t mark = fh_scope_mark(&b->scopes);
        bool left_before = b->left;
        b->left = false;
        except_clause(b, c);
        bool left = b->left;
        b->left = left_before;
        fh_scope_set_aside(&b->scopes, mark);
        if (left)
            fh_scope_drop(&b->scopes);
        else
            sides++;
        if (sides == FH_SCOPE_MOST_SIDES) {
            fh_scope_merge(&b->scopes, sides, false, phi, b);
            sides = 0;
        }
    }
    fh_scope_merge(&b->scopes, sides, false, phi, b);
    b->left |= has_except && !sides;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        fh_syntax_kind kind = fh_syntax_kind_of(b->syntax, c);
        if (kind == FH_SYNTAX_else_clause || kind == FH_SYNTAX_finally_clause)
            fh_build_statements(b, c);
    }
}

static void match_statement(fh_builder *b, uint32_t node)
{
    fh_value_index subject = fh_build_expression(b, child(b, node, FH_FIELD_subject));
    uint32_t body = child(b, node, FH_FIELD_body), sides = 0;
    bool taken = false;
    for (uint32_t c = fh_syntax_first(b->syntax, body); c; c = fh_syntax_next(b->syntax, c)) {
        if (fh_syntax_kind_of(b->syntax, c) != FH_SYNTAX_case_clause)
            continue;
        uint32_t block = fh_build_enter(b, FH_BLOCK_IF, 0, c);
        taken |= fh_build_case(b, c, subject);
        sides += walk_side(b, child(b, c, FH_FIELD_consequence));
        b->block = block;
        if (sides == FH_SCOPE_MOST_SIDES) {
            fh_scope_merge(&b->scopes, sides, true, phi, b);
            sides = 0;
        }
    }
    fh_scope_merge(&b->scopes, sides, !taken, phi, b);
}

/* x += 1. The target is evaluated once: what it calls is called once. */
static void augmented_assignment(fh_builder *b, uint32_t node)
{
    uint32_t left = child(b, node, FH_FIELD_left);
    fh_syntax_kind kind = fh_syntax_kind_of(b->syntax, left);
    fh_value_index base = 0, before;
    fh_symbol name = 0;
    uint32_t offset = node_of(b, left)->begin;
    if (kind == FH_SYNTAX_attribute) {
        uint32_t name_node = child(b, left, FH_FIELD_attribute);
        base = fh_build_expression(b, child(b, left, FH_FIELD_object));
        name = fh_build_symbol(b, name_node);
        before = fh_scope_get(&b->scopes, fh_scope_attribute_key(base, name));
        if (!before)
            before = fh_build_value(b, FH_VALUE_ATTRIBUTE, FH_OP_OTHER, base, name,
                                    node_of(b, name_node)->begin);
    } else {
        before = fh_build_expression(b, left);
    }
    fh_value_index operand = fh_build_expression(b, child(b, node, FH_FIELD_right));
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
    uint32_t left = child(b, node, FH_FIELD_left), right = child(b, node, FH_FIELD_right);
    uint32_t type = child(b, node, FH_FIELD_type);
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
    return node_of(b, node)->is_named && node_of(b, node)->kind != FH_SYNTAX_comment;
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
            item = rest_of(b, &source, position, source.b + 1 - targets, node_of(b, c)->begin);
            position += source.b - targets; /* together with the one below */
        } else if (literal && !rest && position < source.b) {
            item = b->unit->lists.items[source.a + position];
        } else {
            uint32_t which = rest    ? (uint32_t)FH_ITEM_REST
                             : after ? (uint32_t)FH_ITEM_AFTER
                                     : position;
            item =
                fh_build_value(b, FH_VALUE_ITEM, FH_OP_OTHER, value, which, node_of(b, c)->begin);
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
    uint32_t begin = node_of(b, target)->begin;
    switch (fh_syntax_kind_of(b->syntax, target)) {
    case FH_SYNTAX_identifier:
        fh_build_bind(b, fh_build_symbol(b, target), value);
        return;
    case FH_SYNTAX_attribute: {
        fh_value_index base = fh_build_expression(b, child(b, target, FH_FIELD_object));
        uint32_t name_node = child(b, target, FH_FIELD_attribute);
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

static void return_statement(fh_builder *b, uint32_t node)
{
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        fh_value_index value = fh_build_expression(b, c);
        if (value)
            fh_vector_push(&b->returns, value);
    }
    b->left = b->goes_on = true;
}

static void decorated_definition(fh_builder *b, uint32_t node)
{
    uint32_t definition = child(b, node, FH_FIELD_definition);
    if (fh_syntax_kind_of(b->syntax, definition) == FH_SYNTAX_class_definition)
        fh_build_class(b, definition, node);
    else
        fh_build_function(b, definition, node);
}

/* The message is made only where the condition does not hold: it has a block of its own. */
static void assert_statement(fh_builder *b, uint32_t node)
{
    uint32_t c = fh_syntax_first(b->syntax, node), block = b->block;
    if (!c)
        return;
    fh_value_index condition = fh_build_expression(b, c);
    record_test(b, condition);
    while ((c = fh_syntax_next(b->syntax, c))) {
        fh_build_enter(b, FH_BLOCK_ELSE, condition, c);
        b->unit->blocks.items[b->block].leaves = FH_LEAVES_BY_RAISE;
        fh_build_expression(b, c);
        b->block = block;
    }
}

static void global_statement(fh_builder *b, uint32_t node)
{
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c))
        if (fh_syntax_kind_of(b->syntax, c) == FH_SYNTAX_identifier)
            fh_vector_push(&b->globals, fh_build_symbol(b, c));
}

static void expression_statement(fh_builder *b, uint32_t node)
{
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        /* A string on its own is documentation: only what an f-string computes counts. */
        if (fh_syntax_kind_of(b->syntax, c) == FH_SYNTAX_string &&
            !fh_syntax_has_child(b->syntax, c, FH_SYNTAX_interpolation))
            continue;
        fh_build_statement(b, c);
    }
}

void fh_build_statement(fh_builder *b, uint32_t node)
{
    if (!node)
        return;
    switch (fh_syntax_kind_of(b->syntax, node)) {
    case FH_SYNTAX_expression_statement:
        expression_statement(b, node);
        return;
    case FH_SYNTAX_assignment:
        assignment(b, node);
        return;
    case FH_SYNTAX_augmented_assignment:
        augmented_assignment(b, node);
        return;
    case FH_SYNTAX_import_statement:
    case FH_SYNTAX_import_from_statement:
        fh_build_import(b, node);
        return;
    case FH_SYNTAX_future_import_statement:
        return;
    case FH_SYNTAX_function_definition:
        fh_build_function(b, node, 0);
        return;
    case FH_SYNTAX_class_definition:
        fh_build_class(b, node, 0);
        return;
    case FH_SYNTAX_decorated_definition:
        decorated_definition(b, node);
        return;
    case FH_SYNTAX_if_statement:
        if_statement(b, node, fh_syntax_first(b->syntax, node));
        return;
    case FH_SYNTAX_for_statement:
        for_statement(b, node);
        return;
    case FH_SYNTAX_while_statement:
        while_statement(b, node);
        return;
    case FH_SYNTAX_with_statement:
        with_statement(b, node);
        return;
    case FH_SYNTAX_try_statement:
        try_statement(b, node);
        return;
    case FH_SYNTAX_match_statement:
        match_statement(b, node);
        return;
    case FH_SYNTAX_return_statement:
        return_statement(b, node);
        return;
    case FH_SYNTAX_raise_statement:
        fh_build_children(b, node);
        b->left = true;
        return;
    case FH_SYNTAX_assert_statement:
        assert_statement(b, node);
        return;
    case FH_SYNTAX_global_statement:
    case FH_SYNTAX_nonlocal_statement:
        global_statement(b, node);
        return;
    case FH_SYNTAX_block:
    case FH_SYNTAX_else_clause:
    case FH_SYNTAX_finally_clause:
    case FH_SYNTAX_ERROR:
        fh_build_statements(b, node);
        return;
    case FH_SYNTAX_break_statement:
    case FH_SYNTAX_continue_statement:
        b->turned = b->goes_on = true;
        return;
    case FH_SYNTAX_comment:
    case FH_SYNTAX_pass_statement:
        return;
    case FH_SYNTAX_OTHER:
    case FH_SYNTAX_print_statement:
    case FH_SYNTAX_delete_statement:
    case FH_SYNTAX_as_pattern:
    case FH_SYNTAX_keyword_argument:
    case FH_SYNTAX_argument_list:
    case FH_SYNTAX_pair:
    case FH_SYNTAX_interpolation:
    case FH_SYNTAX_decorator:
    case FH_SYNTAX_except_clause:
    case FH_SYNTAX_elif_clause:
    case FH_SYNTAX_for_in_clause:
    case FH_SYNTAX_if_clause:
    case FH_SYNTAX_with_clause:
    case FH_SYNTAX_with_item:
    case FH_SYNTAX_parameters:
    case FH_SYNTAX_default_parameter:
    case FH_SYNTAX_typed_parameter:
    case FH_SYNTAX_typed_default_parameter:
        fh_build_children(b, node);
        return;
    default:
        if (fh_syntax_is_expression(fh_syntax_kind_of(b->syntax, node)))
            fh_build_expression(b, node);
        else
            fh_build_children(b, node);
    }
}
