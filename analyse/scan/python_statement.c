/* Statements: what they bind, and how paths split and meet. */
#include "analyse/scan/python_build.h"
#include "os/interrupt.h"

static fh_value_index phi(void *context, fh_value_index a, fh_value_index b)
{
    return fh_build_phi(context, a, b);
}

void fh_build_statements(fh_builder *b, uint32_t node)
{
    for (uint32_t c = fh_syntax_first(b->syntax, node); c && !b->interrupted;
         c = fh_syntax_next(b->syntax, c)) {
        b->interrupted = fh_interrupted();
        fh_build_statement(b, c);
    }
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
    fh_value_index condition =
        fh_build_expression(b, fh_build_child(b, clause, FH_FIELD_condition));
    record_test(b, condition);
    uint32_t block = fh_build_enter(b, FH_BLOCK_IF, condition, clause);
    uint32_t sides = walk_side(b, fh_build_child(b, clause, FH_FIELD_consequence));
    bool leaves = b->unit->blocks.items[b->block].leaves;
    b->block = block;

    while (alternative && fh_build_node(b, alternative)->field != FH_FIELD_alternative)
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
    uint32_t sides = walk_side(b, fh_build_child(b, node, FH_FIELD_body));
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
    fh_value_index iterable = fh_build_expression(b, fh_build_child(b, node, FH_FIELD_right));
    uint32_t block = fh_build_enter(b, FH_BLOCK_FOR, iterable, node);
    uint32_t left = fh_build_child(b, node, FH_FIELD_left);
    fh_value_index element = fh_build_value(b, FH_VALUE_ELEMENT, FH_OP_OTHER, iterable, 0,
                                            left ? fh_build_node(b, left)->begin : 0);
    fh_build_assign(b, left, element);
    loop_body(b, node, false);
    b->block = block;
    fh_build_statement(b, fh_build_child(b, node, FH_FIELD_alternative));
}

static void while_statement(fh_builder *b, uint32_t node)
{
    fh_value_index condition = fh_build_expression(b, fh_build_child(b, node, FH_FIELD_condition));
    record_test(b, condition);
    uint32_t block = fh_build_enter(b, FH_BLOCK_WHILE, condition, node);
    loop_body(b, node, is_always_true(fh_unit_value(b->unit, condition)));
    b->block = block;
    fh_build_statement(b, fh_build_child(b, node, FH_FIELD_alternative));
}

static fh_value_index with_item(fh_builder *b, uint32_t node)
{
    uint32_t value = fh_build_child(b, node, FH_FIELD_value);
    if (fh_syntax_kind_of(b->syntax, value) != FH_SYNTAX_as_pattern)
        return fh_build_expression(b, value);
    fh_value_index manager = fh_build_expression(b, fh_syntax_first(b->syntax, value));
    uint32_t target = fh_build_child(b, value, FH_FIELD_alias);
    if (target)
        fh_build_assign(b, fh_syntax_first(b->syntax, target),
                        fh_build_value(b, FH_VALUE_ENTERED, FH_OP_OTHER, manager, 0,
                                       fh_build_node(b, target)->begin));
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
    fh_value_index managers = fh_build_one_or_tuple(b, mark, fh_build_node(b, node)->begin);
    uint32_t block = fh_build_enter(b, FH_BLOCK_WITH, managers, node);
    fh_build_statement(b, fh_build_child(b, node, FH_FIELD_body));
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
            uint32_t target = fh_build_child(b, c, FH_FIELD_alias);
            if (target)
                fh_build_assign(b, fh_syntax_first(b->syntax, target),
                                fh_build_value(b, FH_VALUE_UNKNOWN, FH_OP_OTHER, 0, 0,
                                               fh_build_node(b, target)->begin));
        } else if (fh_build_node(b, c)->is_named) {
            fh_value_index value = fh_build_expression(b, c);
            class = class ? class : value;
        }
    }
    b->block = block;
}

static void try_statement(fh_builder *b, uint32_t node)
{
    uint32_t block = fh_build_enter(b, FH_BLOCK_TRY, 0, node);
    uint32_t sides = walk_side(b, fh_build_child(b, node, FH_FIELD_body));
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
    fh_value_index subject = fh_build_expression(b, fh_build_child(b, node, FH_FIELD_subject));
    uint32_t body = fh_build_child(b, node, FH_FIELD_body), sides = 0;
    bool taken = false;
    for (uint32_t c = fh_syntax_first(b->syntax, body); c; c = fh_syntax_next(b->syntax, c)) {
        if (fh_syntax_kind_of(b->syntax, c) != FH_SYNTAX_case_clause)
            continue;
        uint32_t block = fh_build_enter(b, FH_BLOCK_IF, 0, c);
        taken |= fh_build_case(b, c, subject);
        sides += walk_side(b, fh_build_child(b, c, FH_FIELD_consequence));
        b->block = block;
        if (sides == FH_SCOPE_MOST_SIDES) {
            fh_scope_merge(&b->scopes, sides, true, phi, b);
            sides = 0;
        }
    }
    fh_scope_merge(&b->scopes, sides, !taken, phi, b);
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
    uint32_t definition = fh_build_child(b, node, FH_FIELD_definition);
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

static void raise_statement(fh_builder *b, uint32_t node)
{
    fh_build_children(b, node);
    b->left = true;
}

/* break and continue */
static void turning_statement(fh_builder *b, uint32_t node)
{
    (void)node;
    b->turned = b->goes_on = true;
}

static void plain_definition(fh_builder *b, uint32_t node)
{
    if (fh_syntax_kind_of(b->syntax, node) == FH_SYNTAX_class_definition)
        fh_build_class(b, node, 0);
    else
        fh_build_function(b, node, 0);
}

static void if_chain(fh_builder *b, uint32_t node)
{
    if_statement(b, node, fh_syntax_first(b->syntax, node));
}

static void nothing(fh_builder *b, uint32_t node)
{
    (void)b, (void)node;
}

/* What each kind of node does; of the others, expressions are evaluated, and of the rest the
 * children are. */
static void (*const builders[FH_SYNTAX_KIND_COUNT])(fh_builder *, uint32_t) = {
    [FH_SYNTAX_expression_statement] = expression_statement,
    [FH_SYNTAX_assignment] = fh_build_assignment,
    [FH_SYNTAX_augmented_assignment] = fh_build_assignment,
    [FH_SYNTAX_import_statement] = fh_build_import,
    [FH_SYNTAX_import_from_statement] = fh_build_import,
    [FH_SYNTAX_function_definition] = plain_definition,
    [FH_SYNTAX_class_definition] = plain_definition,
    [FH_SYNTAX_decorated_definition] = decorated_definition,
    [FH_SYNTAX_if_statement] = if_chain,
    [FH_SYNTAX_for_statement] = for_statement,
    [FH_SYNTAX_while_statement] = while_statement,
    [FH_SYNTAX_with_statement] = with_statement,
    [FH_SYNTAX_try_statement] = try_statement,
    [FH_SYNTAX_match_statement] = match_statement,
    [FH_SYNTAX_return_statement] = return_statement,
    [FH_SYNTAX_raise_statement] = raise_statement,
    [FH_SYNTAX_break_statement] = turning_statement,
    [FH_SYNTAX_continue_statement] = turning_statement,
    [FH_SYNTAX_assert_statement] = assert_statement,
    [FH_SYNTAX_global_statement] = global_statement,
    [FH_SYNTAX_nonlocal_statement] = global_statement,
    [FH_SYNTAX_block] = fh_build_statements,
    [FH_SYNTAX_else_clause] = fh_build_statements,
    [FH_SYNTAX_finally_clause] = fh_build_statements,
    [FH_SYNTAX_ERROR] = fh_build_statements,
    [FH_SYNTAX_future_import_statement] = nothing,
    [FH_SYNTAX_pass_statement] = nothing,
    [FH_SYNTAX_comment] = nothing,
};

void fh_build_statement(fh_builder *b, uint32_t node)
{
    if (!node)
        return;
    fh_syntax_kind kind = fh_syntax_kind_of(b->syntax, node);
    if (builders[kind])
        builders[kind](b, node);
    else if (fh_syntax_is_expression(kind))
        fh_build_expression(b, node);
    else
        fh_build_children(b, node);
}
