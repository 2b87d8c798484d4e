/* The table of syntax.c beside the tree that tree-sitter itself shows through its cursor, with the
 * grammar as it was generated. */
#include "analyse/scan/python_repair.h"
#include "analyse/scan/syntax.h"
#include "os/file.h"
#include "os/interrupt.h"
#include "tests/unit/sweep.h"

#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_python(void);

static uint8_t number_of(const char *name, const char *const *names, uint8_t count)
{
    for (uint8_t i = 1; name && i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return 0;
}

static uint8_t kind_of(const char *name)
{
    static const char *const kinds[] = {"",
#define X(name) #name,
                                        FH_SYNTAX_KINDS(X)
#undef X
    };
    return number_of(name, kinds, sizeof kinds / sizeof *kinds);
}

static uint8_t field_of(const char *name)
{
    static const char *const fields[] = {"",
#define X(name) #name,
                                         FH_SYNTAX_FIELDS(X)
#undef X
    };
    return number_of(name, fields, sizeof fields / sizeof *fields);
}

/* Adds the node under the cursor and all below it. `parent` is the kept node above, `last` the
 * one kept before among its children, or 0; returns what is the last one then. */
static uint32_t add_node(TSTreeCursor *cursor, fh_syntax *syntax, uint32_t parent, uint32_t last)
{
    TSNode node = ts_tree_cursor_current_node(cursor);
    bool is_error = ts_node_is_error(node), is_named = ts_node_is_named(node);
    uint8_t field = field_of(ts_tree_cursor_current_field_name(cursor));
    uint8_t kind = is_error ? FH_SYNTAX_ERROR : is_named ? kind_of(ts_node_type(node)) : 0;
    bool is_kept = (is_named || field == FH_FIELD_operator || field == FH_FIELD_operators) &&
                   kind != FH_SYNTAX_line_continuation;
    uint32_t index = syntax->nodes.count;
    if (is_error || ts_node_is_missing(node))
        fh_vector_push(&syntax->errors, ts_node_start_byte(node));
    if (is_kept) {
        fh_vector_push(&syntax->nodes, (fh_syntax_node){.kind = kind,
                                                        .field = field,
                                                        .is_named = is_named,
                                                        .begin = ts_node_start_byte(node),
                                                        .end = ts_node_end_byte(node)});
        if (last)
            syntax->nodes.items[last].next = index;
        else if (index)
            syntax->nodes.items[parent].has_children = 1;
        last = index;
    }
    if (ts_tree_cursor_goto_first_child(cursor)) {
        uint32_t inner = is_kept ? 0 : last;
        do
            inner = add_node(cursor, syntax, is_kept ? index : parent, inner);
        while (ts_tree_cursor_goto_next_sibling(cursor));
        ts_tree_cursor_goto_parent(cursor);
        last = is_kept ? last : inner;
    }
    return last;
}

static void reference(fh_text text, fh_syntax *syntax)
{
    TSParser *parser = ts_parser_new();
    ts_parser_set_language(parser, tree_sitter_python());
    TSTree *tree = ts_parser_parse_string(parser, NULL, text.data, (uint32_t)text.length);
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
    *syntax = (fh_syntax){.text = text};
    add_node(&cursor, syntax, 0, 0);
    ts_tree_cursor_delete(&cursor);
    ts_tree_delete(tree);
    ts_parser_delete(parser);
    fh_python_repair(syntax);
}

static bool is_same(const fh_syntax_node *a, const fh_syntax_node *b)
{
    return a->kind == b->kind && a->field == b->field && a->begin == b->begin && a->end == b->end &&
           a->next == b->next && a->is_named == b->is_named && a->has_children == b->has_children;
}

static void check(fh_parser *parser, fh_text text)
{
    fh_syntax expected, found;
    reference(text, &expected);
    CHECK(fh_syntax_parse(parser, text, &found) == FH_OK);
    CHECK(found.nodes.count == expected.nodes.count);
    CHECK(found.errors.count == expected.errors.count);
    for (uint32_t i = 0; i < found.nodes.count && i < expected.nodes.count; i++)
        if (!is_same(&found.nodes.items[i], &expected.nodes.items[i])) {
            CHECK(!"the same node");
            printf("  node %u of: %.*s\n", i, (int)(text.length < 200 ? text.length : 200),
                   text.data);
            break;
        }
    for (uint32_t i = 0; i < found.errors.count && i < expected.errors.count; i++)
        CHECK(found.errors.items[i] == expected.errors.items[i]);
    fh_syntax_free(&found);
    fh_syntax_free(&expected);
}

static const char *const texts[] = {
    "",
    " ",
    "\n",
    "x",
    "# only a comment",
    "\xef\xbb\xbf",
    "\xef\xbb\xbfx = 1\n",
    "x = 'gr\xc3\xbc\xc3\x9f \xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x98\x80'  # \xe4\xb8\xad\n",
    "na\xc3\xafve = caf\xc3\xa9.\xe4\xb8\xad(\xce\xb1=\xce\xb2)\n",
    "\xff\xfe\x80 = \xc3\nx = 1\n\xe4\xb8",
    "if a:\r\n    b(1)\r\nelse:\r\n\tc\r\n",
    "x = 1 \\\n  + 2 \\\n\nfoo(a, \\\n b)\n",
    "def f(a, /, b: int = 1, *args, c, **kw) -> 'T':\n    '''doc'''\n    return a @ b\n",
    "async def f():\n    async with a as b, c:\n        await d\n    async for i in e: pass\n",
    "class A(B, metaclass=C):\n  x: int = 1\n  @property\n  def y(self): return self.x\n",
    "f'{a!r:>{width}} {b=} {{}} {c:%Y}' rb'\\x00' 'a' \"b\" '''c\nd'''\n",
    "match x:\n    case [1, *rest] if y: pass\n    case {'a': A(b=1), **c}: pass\n",
    "print >>f, 'a', b\nexec 'x' in y\nraise E, 'v'\ntry:\n  a\nexcept E, e:\n  b\n",
    "x = [*x.f()[:-1]]\ny = a if b else lambda c, *d: {**e, 'f': g for h in i}\n",
    "a < b <= c is not d not in e == -f ** ~g // h\nx += 1; y @= z\ndel x, y[0]\n",
    "with (open(a) as b, c as (d, e)):\n    pass\nwhile (n := f()) > 0: n -= 1\nelse: g()\n",
    "type A[T: int, *U] = list[T]\nfrom . import *\nfrom ..a import (b as c, d,)\n",
    "def broken(:\n    x = (1,\nclass\nfor in y\n'open\n",
    "((((((((((\n",
    "x = )\n]\n}\nif if if\n\tdef\n",
    "try:\n  a\nexcept* E as e:\n  b\nfinally:\n  c\nassert x, y\nglobal z\nyield from w\n",
    "if a:\n  if b:\n    c\n\n  # at the end\n\n\n# outside\nd\n",
    "x = 1_000 + 0xFF + 1e-3j + .5 + ...\n",
    "%matplotlib inline\n!pip install x\n?help\n",
    "\tx\n  y\n\t\tz\n",
    "\f\nx\v = 1\x01 2\n",
};

static void edges(void)
{
    fh_parser *parser = fh_parser_create();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        /* Every beginning of a text is a text, most of them broken. */
        fh_text whole = fh_text_from(texts[i]);
        for (size_t end = 0; end <= whole.length; end++)
            check(parser, fh_text_slice(whole, 0, end));
    }
    check(parser, (fh_text){"a\0b = c()\n", 10});
    fh_parser_destroy(parser);
}

static void files_of_this_repository(void)
{
    static const char *const files[] = {"bench/scan.py", "tests/truths/check.py",
                                        "tests/truths/calls.py"};
    fh_parser *parser = fh_parser_create();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        fh_buffer bytes = {0};
        CHECK(fh_file_read(files[i], 1 << 20, &bytes) == FH_OK);
        check(parser, fh_buffer_text(&bytes));
        fh_buffer_free(&bytes);
    }
    fh_parser_destroy(parser);
}

static fh_text repeated(fh_buffer *out, const char *first, const char *second, unsigned times)
{
    fh_buffer_clear(out);
    for (unsigned i = 0; i < times; i++)
        fh_buffer_add(out, fh_text_from(first));
    for (unsigned i = 0; i < times; i++)
        fh_buffer_add(out, fh_text_from(second));
    return fh_buffer_text(out);
}

static void many_and_deep(void)
{
    fh_parser *parser = fh_parser_create();
    fh_buffer text = {0};
    fh_syntax syntax;
    check(parser, repeated(&text, "f(a, b)[0].c;", "", 20000)); /* more than a chunk of memory */
    check(parser, repeated(&text, "x = {'a': [1, 2, (3, 4)]}\n", "", 5000));
    check(parser, repeated(&text, "(", ")", 1500));
    CHECK(fh_syntax_parse(parser, repeated(&text, "[", "]", 2 * FH_SYNTAX_DEPTH), &syntax) ==
          FH_LIMIT);
    check(parser, FH_TEXT("after = a.refused(text)\n"));
    fh_buffer_free(&text);
    fh_parser_destroy(parser);
}

static fh_status parse_twice(void *context)
{
    (void)context;
    fh_syntax syntax;
    fh_parser *parser = fh_parser_create();
    fh_status status = parser ? FH_OK : FH_NO_MEMORY;
    for (int i = 0; i < 2 && !status; i++) {
        status = fh_syntax_parse(
            parser, FH_TEXT("class A:\n    def f(self, x):\n        return f'{x}' + self.y\n"),
            &syntax);
        fh_syntax_free(&syntax);
    }
    fh_parser_destroy(parser);
    return status;
}

static void memory_runs_out(void)
{
    CHECK(sweep(parse_twice, NULL) >= 4);
}

/* Within one text, however long; the parser is as good as new after it. */
static void interrupts_stop_the_parser(void)
{
    fh_buffer text = {0};
    fh_syntax syntax;
    fh_parser *parser = fh_parser_create();
    for (unsigned i = 0; i < 1000; i++)
        fh_buffer_add_string(&text, "x = f(a, b)\n");
    fh_interrupt_set(true);
    CHECK(fh_syntax_parse(parser, fh_buffer_text(&text), &syntax) == FH_INTERRUPTED);
    fh_interrupt_set(false);
    CHECK(fh_syntax_parse(parser, fh_buffer_text(&text), &syntax) == FH_OK);
    CHECK(syntax.nodes.count > 1000);
    fh_syntax_free(&syntax);
    fh_parser_destroy(parser);
    fh_buffer_free(&text);
}

int main(void)
{
    TEST(edges);
    TEST(files_of_this_repository);
    TEST(many_and_deep);
    TEST(interrupts_stop_the_parser);
    TEST(memory_runs_out);
    return test_report();
}
