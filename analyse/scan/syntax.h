/* syntax.h: the syntax tree of one Python text, flat.
 *
 * Tree-sitter parses; this table keeps what the scanner reads of its tree:
 * named nodes and operators, in the order of their first byte, 16 bytes each.
 * The first child of a node is the next entry, when the node has children;
 * `next` leads to the following sibling. Node 0 is the whole module. The tree
 * of tree-sitter itself is gone when fh_syntax_parse returns, and its known
 * mistakes are already corrected (python_repair.c).
 */
#ifndef FH_SCAN_SYNTAX_H
#define FH_SCAN_SYNTAX_H

#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"

/* Node kinds by their names in tree-sitter-python's grammar. Others are OTHER. */
// clang-format off
#define FH_SYNTAX_KINDS(X) \
    X(argument_list) X(aliased_import) X(as_pattern) X(as_pattern_target) X(assert_statement) \
    X(assignment) X(attribute) X(augmented_assignment) X(await) X(binary_operator) X(block) \
    X(boolean_operator) X(break_statement) X(call) X(case_clause) X(case_pattern) \
    X(class_definition) X(class_pattern) X(comment) X(comparison_operator) \
    X(concatenated_string) X(conditional_expression) X(continue_statement) \
    X(decorated_definition) X(decorator) X(default_parameter) X(delete_statement) X(dictionary) \
    X(dict_pattern) X(dictionary_comprehension) X(dictionary_splat) X(dictionary_splat_pattern) X(dotted_name) \
    X(elif_clause) X(ellipsis) X(else_clause) X(ERROR) X(escape_sequence) X(except_clause) \
    X(except_group_clause) X(expression_list) X(expression_statement) X(false) \
    X(finally_clause) X(float) X(for_in_clause) X(for_statement) X(function_definition) \
    X(future_import_statement) X(generator_expression) X(generic_type) X(global_statement) X(identifier) \
    X(if_clause) X(if_statement) X(import_from_statement) X(import_prefix) X(import_statement) \
    X(integer) X(interpolation) X(keyword_argument) X(keyword_pattern) X(keyword_separator) X(lambda) \
    X(lambda_parameters) X(line_continuation) X(list) X(list_comprehension) X(list_pattern) X(list_splat) \
    X(list_splat_pattern) X(match_statement) X(module) X(named_expression) X(none) \
    X(nonlocal_statement) X(not_operator) X(pair) X(parameters) X(parenthesized_expression) \
    X(pass_statement) X(pattern_list) X(positional_separator) X(print_statement) \
    X(raise_statement) X(relative_import) X(return_statement) X(set) X(set_comprehension) \
    X(slice) X(splat_pattern) X(string) X(string_content) X(string_start) X(string_end) X(subscript) X(true) \
    X(try_statement) X(tuple) X(tuple_pattern) X(type) X(type_alias_statement) X(type_parameter) \
    X(typed_default_parameter) X(typed_parameter) X(unary_operator) X(union_pattern) X(union_type) X(while_statement) \
    X(wildcard_import) X(with_clause) X(with_item) X(with_statement) X(yield)
// clang-format on

typedef enum {
    FH_SYNTAX_OTHER,
#define X(name) FH_SYNTAX_##name,
    FH_SYNTAX_KINDS(X)
#undef X
        FH_SYNTAX_KIND_COUNT
} fh_syntax_kind;

/* Field names of the grammar that the scanner asks for. */
// clang-format off
#define FH_SYNTAX_FIELDS(X) \
    X(alias) X(alternative) X(argument) X(arguments) X(attribute) X(body) X(cause) X(condition) \
    X(consequence) X(definition) X(expression) X(function) X(guard) X(key) X(left) \
    X(module_name) X(name) X(object) X(operator) X(operators) X(parameters) X(return_type) \
    X(right) X(subject) X(subscript) X(superclasses) X(type) X(value)
// clang-format on

typedef enum {
    FH_FIELD_NONE,
#define X(name) FH_FIELD_##name,
    FH_SYNTAX_FIELDS(X)
#undef X
} fh_syntax_field;

typedef struct {
    uint8_t kind;  /* fh_syntax_kind */
    uint8_t field; /* fh_syntax_field: what it is to its parent */
    uint8_t has_children;
    uint8_t is_named; /* 0: an operator token */
    uint32_t begin, end;
    uint32_t next; /* 0: last child of its parent */
} fh_syntax_node;

typedef struct {
    fh_text text;
    FH_VECTOR(fh_syntax_node) nodes;
    FH_VECTOR(uint32_t) errors; /* offsets where the parser had to skip or to invent something */
} fh_syntax;

/* One parser, for one thread at a time. */
typedef struct fh_parser fh_parser;
fh_parser *fh_parser_create(void); /* NULL when memory ran out */
void fh_parser_destroy(fh_parser *parser);

/* Parses `text` (borrowed by the result) into the empty `syntax`. Any text gives a
 * tree: what is not Python becomes ERROR nodes and entries of `errors`. Fails with
 * FH_NO_MEMORY, FH_LIMIT when nesting is deeper than FH_SYNTAX_DEPTH, or
 * FH_INTERRUPTED. */
fh_status fh_syntax_parse(fh_parser *parser, fh_text text, fh_syntax *syntax);
void fh_syntax_free(fh_syntax *syntax);

enum { FH_SYNTAX_DEPTH = 4000 };

static inline uint32_t fh_syntax_first(const fh_syntax *syntax, uint32_t node)
{
    return syntax->nodes.items[node].has_children ? node + 1 : 0;
}

static inline uint32_t fh_syntax_next(const fh_syntax *syntax, uint32_t node)
{
    return syntax->nodes.items[node].next;
}

static inline fh_syntax_kind fh_syntax_kind_of(const fh_syntax *syntax, uint32_t node)
{
    return (fh_syntax_kind)syntax->nodes.items[node].kind;
}

static inline fh_text fh_syntax_text(const fh_syntax *syntax, uint32_t node)
{
    const fh_syntax_node *n = &syntax->nodes.items[node];
    return (fh_text){syntax->text.data + n->begin, n->end - n->begin};
}

/* The first child with `field`, or 0. */
uint32_t fh_syntax_child(const fh_syntax *syntax, uint32_t node, fh_syntax_field field);

bool fh_syntax_has_child(const fh_syntax *syntax, uint32_t node, fh_syntax_kind kind);

/* True for kinds that compute a value. */
bool fh_syntax_is_expression(fh_syntax_kind kind);

#endif
