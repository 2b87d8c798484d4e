#include "analyse/scan/syntax.h"
#include "analyse/scan/parse_memory.h"
#include "analyse/scan/parse_text.h"
#include "analyse/scan/python_grammar.h"
#include "analyse/scan/python_repair.h"
#include "os/interrupt.h"

#include <pthread.h>
#include <src/language.h>
#include <src/tree.h>
#include <string.h>

struct fh_parser {
    fh_parse_memory *memory;
};

/* More than the grammar has; the unit test would show it if not. */
enum { MAX_SYMBOLS = 1024, MAX_FIELDS = 256, MAX_PRODUCTIONS = 512, MAX_CHILDREN = 16 };

/* From the grammar's numbers to ours; filled once, read by all threads. */
static uint8_t kind_of_symbol[MAX_SYMBOLS];
/* The field of the n-th child (comments and the like not counted) of a production. */
static uint8_t field_of_child[MAX_PRODUCTIONS][MAX_CHILDREN];

static void fill_kinds(const TSLanguage *language)
{
    static const char *const kinds[] = {"",
#define X(name) #name,
                                        FH_SYNTAX_KINDS(X)
#undef X
    };
    uint32_t symbols = ts_language_symbol_count(language);
    /* Several symbols can have one name: go by the name of each. */
    for (uint32_t s = 0; s < symbols && s < MAX_SYMBOLS; s++) {
        TSSymbol symbol = ts_language_public_symbol(language, (TSSymbol)s);
        const char *name = ts_language_symbol_name(language, symbol);
        if (ts_language_symbol_type(language, symbol) != TSSymbolTypeRegular)
            continue;
        for (uint8_t k = 1; k < sizeof kinds / sizeof *kinds; k++)
            if (strcmp(name, kinds[k]) == 0)
                kind_of_symbol[s] = k;
    }
}

static void fill_fields(const TSLanguage *language)
{
    static const char *const fields[] = {"",
#define X(name) #name,
                                         FH_SYNTAX_FIELDS(X)
#undef X
    };
    uint8_t field_of_id[MAX_FIELDS] = {0};
    for (uint8_t f = 1; f < sizeof fields / sizeof *fields; f++) {
        TSFieldId id =
            ts_language_field_id_for_name(language, fields[f], (uint32_t)strlen(fields[f]));
        field_of_id[id % MAX_FIELDS] = f;
    }
    for (uint32_t p = 0; p < language->production_id_count && p < MAX_PRODUCTIONS; p++) {
        const TSFieldMapEntry *entry, *end;
        ts_language_field_map(language, p, &entry, &end);
        while (end-- > entry) { /* of two the first counts */
            if (!end->inherited)
                field_of_child[p][end->child_index % MAX_CHILDREN] =
                    field_of_id[end->field_id % MAX_FIELDS];
        }
    }
}

static void fill_tables(void)
{
    fill_kinds(fh_python_grammar());
    fill_fields(fh_python_grammar());
}

fh_parser *fh_parser_create(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_tables);

    fh_parser *parser = fh_alloc_zero(1, sizeof *parser);
    if (!parser)
        return NULL;
    parser->memory = fh_parse_memory_create();
    if (!parser->memory) {
        fh_parser_destroy(parser);
        return NULL;
    }
    return parser;
}

void fh_parser_destroy(fh_parser *parser)
{
    if (!parser)
        return;
    fh_parse_memory_destroy(parser->memory);
    fh_free(parser);
}

void fh_syntax_free(fh_syntax *syntax)
{
    fh_vector_free(&syntax->nodes);
    fh_vector_free(&syntax->errors);
}

/* A node of tree-sitter's tree whose children are being copied. The tree has more nodes than the
 * grammar speaks of: hidden ones, whose children count as those of the next visible one above. */
typedef struct {
    const Subtree *children;
    const TSSymbol *aliases; /* other names for the children, by place; NULL: none */
    const uint8_t *fields;   /* by place */
    uint32_t count, at;
    uint32_t place;    /* of the next child among those that the grammar's rule names */
    uint32_t position; /* where the last child ended */
    uint32_t level;    /* of the children in our table */
    uint8_t field;     /* what a hidden node hands down to children without one */
    bool is_visible;
} open_node;

typedef struct {
    const TSLanguage *language;
    fh_syntax *syntax;
    fh_status status;
    FH_VECTOR(open_node) open;
    uint32_t depth; /* of visible nodes */
    uint32_t last_at[FH_SYNTAX_DEPTH +
                     2]; /* the last entry of each level: its successor is linked to it */
} tree_copy;

static void add_entry(tree_copy *c, uint32_t level, fh_syntax_node entry)
{
    fh_syntax *syntax = c->syntax;
    uint32_t index = syntax->nodes.count;
    if (!fh_vector_push(&syntax->nodes, entry))
        return;
    if (c->last_at[level])
        syntax->nodes.items[c->last_at[level]].next = index;
    else if (index)
        syntax->nodes.items[level ? c->last_at[level - 1] : 0].has_children = 1;
    c->last_at[level] = index;
    c->last_at[level + 1] = 0;
}

/* Copies one node that begins at `begin`, and opens it when it has children. `alias` is its other
 * name or 0. */
static void copy_node(tree_copy *c, Subtree node, TSSymbol alias, uint8_t field, uint32_t begin,
                      uint32_t level)
{
    bool is_visible = alias || ts_subtree_visible(node);
    bool is_kept = false;
    if (is_visible) {
        TSSymbol symbol = alias ? alias : ts_subtree_symbol(node);
        bool is_named =
            alias ? ts_language_symbol_metadata(c->language, alias).named : ts_subtree_named(node);
        bool is_error = symbol == ts_builtin_sym_error;
        uint8_t kind = is_error ? FH_SYNTAX_ERROR : kind_of_symbol[symbol % MAX_SYMBOLS];
        if (is_error || ts_subtree_missing(node))
            fh_vector_push(&c->syntax->errors, begin);
        /* A backslash at the end of a line is nothing to anyone. */
        is_kept = (is_named || field == FH_FIELD_operator || field == FH_FIELD_operators) &&
                  kind != FH_SYNTAX_line_continuation;
        if (is_kept)
            add_entry(c, level,
                      (fh_syntax_node){.kind = kind,
                                       .field = field,
                                       .is_named = is_named,
                                       .begin = begin,
                                       .end = begin + ts_subtree_size(node).bytes});
    }
    if (!ts_subtree_visible_child_count(node))
        return;
    c->depth += is_visible;
    fh_vector_push(&c->open,
                   (open_node){
                       .children = ts_subtree_children(node),
                       .aliases = ts_language_alias_sequence(c->language, node.ptr->production_id),
                       .fields = field_of_child[node.ptr->production_id],
                       .count = node.ptr->child_count,
                       .position = begin,
                       .level = level + is_kept,
                       .field = is_visible ? FH_FIELD_NONE : field,
                       .is_visible = is_visible,
                   });
}

static void copy_next_child(tree_copy *c)
{
    open_node *parent = &fh_vector_last(&c->open);
    if (parent->at == parent->count) {
        c->depth -= parent->is_visible;
        (void)fh_vector_pop(&c->open);
        return;
    }
    Subtree child = parent->children[parent->at];
    /* What stands in front of the first child is in front of its parent too. */
    uint32_t begin = parent->position + (parent->at ? ts_subtree_padding(child).bytes : 0);
    parent->at++;
    parent->position = begin + ts_subtree_size(child).bytes;
    TSSymbol alias = 0;
    uint8_t field = FH_FIELD_NONE;
    if (!ts_subtree_extra(child)) {
        alias = parent->aliases ? parent->aliases[parent->place] : 0;
        field = parent->fields[parent->place % MAX_CHILDREN];
        if (!field)
            field = parent->field;
        parent->place++;
    }
    copy_node(c, child, alias, field, begin, parent->level);
}

/* Copies the tree in pre-order. */
static void copy_tree(tree_copy *c, const TSTree *tree)
{
    enum { ASK_EVERY = 0xffff }; /* nodes */
    copy_node(c, tree->root, 0, FH_FIELD_NONE, ts_subtree_padding(tree->root).bytes, 0);
    while (c->open.count && !c->syntax->nodes.failed && !c->open.failed) {
        if (c->depth >= FH_SYNTAX_DEPTH) {
            c->status = fh_error(FH_LIMIT, "nested deeper than %d levels", FH_SYNTAX_DEPTH);
            return;
        }
        if (!(c->syntax->nodes.count & ASK_EVERY) && fh_interrupted()) {
            c->status = fh_error(FH_INTERRUPTED, "interrupted");
            return;
        }
        copy_next_child(c);
    }
}

static void parse(void *data)
{
    tree_copy *c = data;
    TSParser *parser = ts_parser_new();
    ts_parser_set_language(parser, c->language);
    TSTree *tree = fh_parse_text(parser, c->syntax->text, FH_PARSE_NO_LIMIT);
    if (tree)
        copy_tree(c, tree);
    else
        c->status = fh_error(FH_INTERRUPTED, "interrupted");
}

fh_status fh_syntax_parse(fh_parser *parser, fh_text text, fh_syntax *syntax)
{
    *syntax = (fh_syntax){.text = text};
    if (text.length >= UINT32_MAX)
        return fh_error(FH_LIMIT, "larger than 4 GiB");
    tree_copy copy = {.language = fh_python_grammar(), .syntax = syntax};
    bool is_done = fh_parse_memory_run(parser->memory, parse, &copy);
    if (!is_done || syntax->nodes.failed || copy.open.failed)
        copy.status = fh_error(FH_NO_MEMORY, "out of memory while parsing");
    fh_vector_free(&copy.open);
    if (!copy.status)
        fh_python_repair(syntax);
    else
        fh_syntax_free(syntax);
    return copy.status;
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
