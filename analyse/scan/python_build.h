/* python_build.h: what the files python*.c share while they fill one unit. */
#ifndef FH_SCAN_PYTHON_BUILD_H
#define FH_SCAN_PYTHON_BUILD_H

#include "analyse/scan/python.h"
#include "analyse/scan/python_scope.h"

/* A function body that waits until the module's own statements are done. */
typedef struct {
    uint32_t function;
    uint32_t node;  /* the body: a block, or the expression of a lambda */
    uint32_t scope; /* scope the definition stands in */
} fh_pending_body;

typedef struct {
    fh_unit *unit;
    const fh_syntax *syntax;
    fh_scopes scopes;
    uint32_t scope;    /* where names are bound now */
    uint32_t function; /* whose body is being walked; 0 for the module */
    uint32_t block;
    uint32_t class; /* the class whose body is being walked, else 0 */
    FH_VECTOR(fh_pending_body) pending;
    FH_VECTOR(fh_value_index) returns;    /* of the body being walked */
    FH_VECTOR(fh_value_index) work;       /* a stack of operands under construction */
    FH_VECTOR(fh_argument) argument_work; /* the same for arguments */
    FH_VECTOR(fh_parameter) fields;       /* of the class bodies being walked */
    FH_VECTOR(fh_symbol) globals;         /* names declared global or nonlocal in this body */
    bool left;                            /* the path was left by return or raise */
    bool goes_on;                         /* there was a return, break or continue */
    bool turned;                          /* or by break or continue */
    bool interrupted;                     /* statements were left out: the unit is of no use */
} fh_builder;

static inline const fh_syntax_node *fh_build_node(const fh_builder *b, uint32_t node)
{
    return &b->syntax->nodes.items[node];
}

static inline uint32_t fh_build_child(const fh_builder *b, uint32_t node, fh_syntax_field field)
{
    return fh_syntax_child(b->syntax, node, field);
}

/* Adds a value and returns its index; 0 when memory ran out. */
fh_value_index fh_build_value(fh_builder *b, fh_value_kind kind, fh_op op, uint32_t a,
                              uint32_t second, uint32_t offset);

static inline fh_value_index fh_build_unknown(fh_builder *b, uint32_t node)
{
    return fh_build_value(b, FH_VALUE_UNKNOWN, FH_OP_OTHER, 0, 0, fh_build_node(b, node)->begin);
}

/* Adds the values work[mark..] as a list, pops them, and returns where the list begins. */
uint32_t fh_build_list(fh_builder *b, uint32_t mark, uint32_t *count);

/* The only value of work[mark..], or a TUPLE of all of them; pops them. */
fh_value_index fh_build_one_or_tuple(fh_builder *b, uint32_t mark, uint32_t offset);

/* One of two values: the same value, the one that is not 0, or a PHI (of at most 16). */
fh_value_index fh_build_phi(fh_builder *b, fh_value_index first, fh_value_index second);

/* The text of a node as a symbol of the unit. */
fh_symbol fh_build_symbol(fh_builder *b, uint32_t node);

/* Opens a block inside the current one and makes it current; the caller restores
 * b->block from the returned number of the block before. */
uint32_t fh_build_enter(fh_builder *b, fh_block_kind kind, fh_value_index value, uint32_t node);

/* Evaluates an expression node; every call in it is recorded. */
fh_value_index fh_build_expression(fh_builder *b, uint32_t node);

/* Some kinds of them: numbers, strings, True, None (python_literal.c); a + b, a < b, not a,
 * a if b else c (python_operator.c); calls (python_call.c). */
fh_value_index fh_build_literal(fh_builder *b, uint32_t node);
fh_value_index fh_build_operator(fh_builder *b, uint32_t node);
fh_value_index fh_build_call(fh_builder *b, uint32_t node);

/* Remembers that the truth of a part of an expression decides something; of a plain name or a
 * literal it says nothing. */
void fh_build_test(fh_builder *b, fh_value_index value);

/* left OP right, with the operator token of `node` (a binary or augmented one). */
fh_value_index fh_build_binary(fh_builder *b, uint32_t node, fh_value_index left,
                               fh_value_index right);

/* Remembers what is put into a container, where `base` made one. */
void fh_build_fill(fh_builder *b, fh_value_index base, fh_value_index index, fh_value_index value);

/* Evaluates the arguments under `node` onto the argument stack; fh_build_argument_list
 * then moves argument_work[mark..] into the unit and returns where they begin. */
void fh_build_arguments(fh_builder *b, uint32_t node);
uint32_t fh_build_argument_list(fh_builder *b, uint32_t mark, uint32_t *count);

/* Evaluates all named children of a node that has no value itself. */
void fh_build_children(fh_builder *b, uint32_t node);

/* left = right, left: type = right, left += right (python_assignment.c). */
void fh_build_assignment(fh_builder *b, uint32_t node);

/* Binds `value` to an assignment target: a name, attribute, element or pattern. */
void fh_build_assign(fh_builder *b, uint32_t target, fh_value_index value);
void fh_build_bind(fh_builder *b, fh_symbol name, fh_value_index value);

void fh_build_statement(fh_builder *b, uint32_t node);
/* All statements of a module or block, in order. */
void fh_build_statements(fh_builder *b, uint32_t node);

/* Definitions: the value is bound to its name by the caller, who knows the decorators. */
void fh_build_function(fh_builder *b, uint32_t node, uint32_t decorated);
void fh_build_class(fh_builder *b, uint32_t node, uint32_t decorated);
fh_value_index fh_build_lambda(fh_builder *b, uint32_t node);
void fh_build_pending(fh_builder *b);

void fh_build_import(fh_builder *b, uint32_t node);

/* Binds what a pattern of `match` takes out of `value` (python_pattern.c). fh_build_case does it
 * for a whole clause, guard included; true when the clause takes every subject. */
void fh_build_pattern(fh_builder *b, uint32_t node, fh_value_index value);
bool fh_build_case(fh_builder *b, uint32_t clause, fh_value_index subject);

/* The names that changes log[mark..] bound in `scope`, sorted by symbol, as bindings of the unit.
 */
void fh_build_members(fh_builder *b, uint32_t mark, uint32_t scope, uint32_t *first,
                      uint32_t *count);

#endif
