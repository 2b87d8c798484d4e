#include "analyse/scan/syntax.h"
#include "analyse/scan/python_repair.h"

#include <pthread.h>
#include <string.h>
#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_python(void);

struct fh_parser {
    TSParser *parser;
};

enum { MAX_SYMBOLS = 1024, MAX_FIELDS = 256 };

/* From the grammar's numbers to ours; filled once, read by all threads. */
static uint8_t kind_of_symbol[MAX_SYMBOLS];
static uint8_t field_of_id[MAX_FIELDS];

static void fill_tables(void)
{
    static const char *const kinds[] = {"",
#define X(name) #name,
                                        FH_SYNTAX_KINDS(X)
#undef X
    };
    static const char *const fields[] = {"",
#define X(name) #name,
                                         FH_SYNTAX_FIELDS(X)
#undef X
    };
    const TSLanguage *language = tree_sitter_python();
    uint32_t symbols = ts_language_symbol_count(language);
    /* Several symbols can have one name: go by the name of each. */
    for (uint32_t s = 0; s < symbols && s < MAX_SYMBOLS; s++) {
        const char *name = ts_language_symbol_name(language, (TSSymbol)s);
        if (ts_language_symbol_type(language, (TSSymbol)s) != TSSymbolTypeRegular)
            continue;
        for (uint8_t k = 1; k < sizeof kinds / sizeof *kinds; k++)
            if (strcmp(name, kinds[k]) == 0)
                kind_of_symbol[s] = k;
    }
    for (uint8_t f = 1; f < sizeof fields / sizeof *fields; f++) {
        TSFieldId id =
            ts_language_field_id_for_name(language, fields[f], (uint32_t)strlen(fields[f]));
        if (id < MAX_FIELDS)
            field_of_id[id] = f;
    }
    field_of_id[0] = 0;
}

fh_parser *fh_parser_create(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_tables);

    fh_parser *parser = fh_alloc_zero(1, sizeof *parser);
    if (!parser)
        return NULL;
    parser->parser = ts_parser_new();
    if (!parser->parser || !ts_parser_set_language(parser->parser, tree_sitter_python())) {
        fh_parser_destroy(parser);
        return NULL;
    }
    return parser;
}

void fh_parser_destroy(fh_parser *parser)
{
    if (!parser)
        return;
    if (parser->parser)
        ts_parser_delete(parser->parser);
    fh_free(parser);
}

void fh_syntax_free(fh_syntax *syntax)
{
    fh_vector_free(&syntax->nodes);
    fh_vector_free(&syntax->errors);
}

/* True for nodes that the table keeps: see syntax.h. */
static bool is_kept(TSNode node, TSSymbol symbol, uint8_t field)
{
    /* A backslash at the end of a line is nothing to anyone. */
    if (symbol < MAX_SYMBOLS && kind_of_symbol[symbol] == FH_SYNTAX_line_continuation)
        return false;
    return ts_node_is_named(node) || field == FH_FIELD_operator || field == FH_FIELD_operators;
}

/* Copies the tree under `cursor` in pre-order. open[d] is the last kept node at
 * depth d, so that its successor can be linked to it. */
static fh_status copy_tree(TSTreeCursor *cursor, fh_syntax *syntax)
{
    uint32_t last_at[FH_SYNTAX_DEPTH + 2];
    uint32_t kept_depth[FH_SYNTAX_DEPTH + 2]; /* depth among kept nodes, by depth of the cursor */
    uint32_t depth = 0;
    kept_depth[0] = 0;
    memset(last_at, 0, sizeof last_at);

    for (;;) {
        TSNode node = ts_tree_cursor_current_node(cursor);
        TSSymbol symbol = ts_node_symbol(node);
        uint8_t field = field_of_id[ts_tree_cursor_current_field_id(cursor) % MAX_FIELDS];
        bool kept = is_kept(node, symbol, field);
        uint32_t level = kept_depth[depth];
        if (ts_node_is_error(node) || ts_node_is_missing(node))
            fh_vector_push(&syntax->errors, ts_node_start_byte(node));
        if (kept) {
            uint32_t index = syntax->nodes.count;
            fh_syntax_node entry = {
                .kind = ts_node_is_error(node) ? FH_SYNTAX_ERROR
                        : symbol < MAX_SYMBOLS ? kind_of_symbol[symbol]
                                               : FH_SYNTAX_OTHER,
                .field = field,
                .is_named = ts_node_is_named(node),
                .begin = ts_node_start_byte(node),
                .end = ts_node_end_byte(node),
            };
            if (!fh_vector_push(&syntax->nodes, entry))
                return FH_NO_MEMORY;
            if (last_at[level])
                syntax->nodes.items[last_at[level]].next = index;
            else if (index)
                syntax->nodes.items[level ? last_at[level - 1] : 0].has_children = 1;
            last_at[level] = index;
            last_at[level + 1] = 0;
        }
        if (ts_tree_cursor_goto_first_child(cursor)) {
            if (++depth >= FH_SYNTAX_DEPTH)
                return fh_error(FH_LIMIT, "nested deeper than %d levels", FH_SYNTAX_DEPTH);
            kept_depth[depth] = level + kept;
            continue;
        }
        while (!ts_tree_cursor_goto_next_sibling(cursor)) {
            if (!ts_tree_cursor_goto_parent(cursor))
                return FH_OK;
            depth--;
        }
    }
}

fh_status fh_syntax_parse(fh_parser *parser, fh_text text, fh_syntax *syntax)
{
    *syntax = (fh_syntax){.text = text};
    if (text.length >= UINT32_MAX)
        return fh_error(FH_LIMIT, "larger than 4 GiB");
    TSTree *tree = ts_parser_parse_string(parser->parser, NULL, text.data ? text.data : "",
                                          (uint32_t)text.length);
    if (!tree)
        return fh_error(FH_INTERRUPTED, "the parser was stopped");

    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
    fh_status status = copy_tree(&cursor, syntax);
    ts_tree_cursor_delete(&cursor);
    ts_tree_delete(tree);
    if (!status)
        fh_python_repair(syntax);
    else
        fh_syntax_free(syntax);
    return status;
}

uint32_t fh_syntax_child(const fh_syntax *syntax, uint32_t node, fh_syntax_field field)
{
    for (uint32_t child = fh_syntax_first(syntax, node); child;
         child = fh_syntax_next(syntax, child))
        if (syntax->nodes.items[child].field == field)
            return child;
    return 0;
}

bool fh_syntax_has_child(const fh_syntax *syntax, uint32_t node, fh_syntax_kind kind)
{
    for (uint32_t child = fh_syntax_first(syntax, node); child;
         child = fh_syntax_next(syntax, child))
        if (syntax->nodes.items[child].kind == kind)
            return true;
    return false;
}

bool fh_syntax_is_expression(fh_syntax_kind kind)
{
    switch (kind) {
    case FH_SYNTAX_attribute:
    case FH_SYNTAX_await:
    case FH_SYNTAX_binary_operator:
    case FH_SYNTAX_boolean_operator:
    case FH_SYNTAX_call:
    case FH_SYNTAX_comparison_operator:
    case FH_SYNTAX_concatenated_string:
    case FH_SYNTAX_conditional_expression:
    case FH_SYNTAX_dictionary:
    case FH_SYNTAX_dictionary_comprehension:
    case FH_SYNTAX_dictionary_splat:
    case FH_SYNTAX_expression_list:
    case FH_SYNTAX_false:
    case FH_SYNTAX_float:
    case FH_SYNTAX_generator_expression:
    case FH_SYNTAX_identifier:
    case FH_SYNTAX_integer:
    case FH_SYNTAX_lambda:
    case FH_SYNTAX_list:
    case FH_SYNTAX_list_comprehension:
    case FH_SYNTAX_list_splat:
    case FH_SYNTAX_named_expression:
    case FH_SYNTAX_none:
    case FH_SYNTAX_not_operator:
    case FH_SYNTAX_parenthesized_expression:
    case FH_SYNTAX_set:
    case FH_SYNTAX_set_comprehension:
    case FH_SYNTAX_slice:
    case FH_SYNTAX_string:
    case FH_SYNTAX_subscript:
    case FH_SYNTAX_true:
    case FH_SYNTAX_tuple:
    case FH_SYNTAX_type:
    case FH_SYNTAX_unary_operator:
    case FH_SYNTAX_yield:
        return true;
    default:
        return false;
    }
}
