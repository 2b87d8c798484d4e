/* The resolver: what it says does not depend on the order in which it is asked, and it ends. */
#include "analyse/scan/bind.h"
#include "analyse/scan/python.h"
#include "analyse/scan/resolve.h"
#include "tests/test.h"

static void read_program(fh_program *program, fh_text text)
{
    fh_unit unit;
    fh_parser *parser = fh_parser_create();
    fh_unit_init(&unit, FH_UNIT_PYTHON, FH_TEXT("a.py"));
    CHECK(parser && fh_python_read(parser, text, &unit) == FH_OK);
    fh_parser_destroy(parser);
    *program = (fh_program){0};
    fh_vector_push(&program->units, unit);
    CHECK(fh_program_link(program) == FH_OK);
    CHECK(fh_bind_arguments(program, 1) == FH_OK);
}

static bool same(fh_resolver *a, const fh_meanings *left, fh_resolver *b, const fh_meanings *right)
{
    bool equal = left->count == right->count;
    for (uint32_t i = 0; equal && i < left->count; i++) {
        const fh_meaning *l = &left->items[i], *r = &right->items[i];
        equal = l->kind == r->kind && l->certainty == r->certainty && l->unit == r->unit &&
                l->index == r->index &&
                fh_text_equal(fh_resolver_path(a, l->path), fh_resolver_path(b, r->path));
    }
    return equal;
}

/* Asks for all values from the first on, from the last on, and each on its own. */
static void check_orders(const char *text)
{
    fh_program program;
    read_program(&program, fh_text_from(text));
    uint32_t count = program.units.items[0].values.count;
    fh_resolver *up = fh_resolver_create(&program), *down = fh_resolver_create(&program);
    fh_meanings a, b, c;
    for (uint32_t i = 1; i < count; i++) {
        fh_resolve(up, 0, i, &a);
        fh_resolve(down, 0, count - i, &b);
    }
    for (uint32_t i = 1; i < count; i++) {
        fh_resolver *alone = fh_resolver_create(&program);
        fh_resolve(up, 0, i, &a);
        fh_resolve(down, 0, i, &b);
        fh_resolve(alone, 0, i, &c);
        CHECK(same(up, &a, down, &b));
        CHECK(same(up, &a, alone, &c));
        fh_resolver_destroy(alone);
    }
    fh_resolver_destroy(up);
    fh_resolver_destroy(down);
    fh_program_free(&program);
}

static void order_does_not_matter(void)
{
    check_orders("import torch\n"
                 "def first(n, x=torch.ones(1)):\n    return second(n, x)\n"
                 "def second(n, x):\n    return first(n, x) if n else third(x)\n"
                 "def third(x):\n    return second(0, x) or x.cuda()\n"
                 "y = first(1)\nz = second(2, 'a')\nthird(y + z).half()\n");
    check_orders("import torch.nn as nn\n"
                 "class A:\n    def __init__(self, c):\n        self.c = c\n"
                 "    def get(self):\n        return self.c or self.other()\n"
                 "    def other(self):\n        return B(self.get()).get()\n"
                 "class B(A):\n    def get(self):\n        return super().get()\n"
                 "    def other(self):\n        return [self.get(), self.c][0]\n"
                 "A(nn.LSTM).get()(1, 1)\nB(A(nn.GRU)).other()(1, 1)\n");
    check_orders("a = []\nb = {'a': a}\na.append(b)\na.extend(b['a'])\nb['b'] = a[0]\n"
                 "for c in a:\n    for d in c:\n        a.append(d)\n        b[d] = c\n"
                 "def f(x, y=a):\n    return f(y, x) if x else [*x, *y][0]\nf(b)\nf(a, f(b))\n");
}

static void add_chain(fh_buffer *text, const char *start, const char *next)
{
    fh_buffer_add_string(text, start);
    for (int i = 1; i <= 100; i++)
        fh_buffer_add_format(text, next, i, i - 1, i - 1);
}

/* Each line asks for the one before twice: two to the hundredth questions, were none shared. */
static void doubling_ends(void)
{
    fh_buffer text = {0};
    add_chain(&text, "import torch\ns0 = ''\n", "s%d = s%d + s%d\n");
    add_chain(&text, "n0 = 1\n", "n%d = n%d + n%d\n");
    add_chain(&text, "d0 = {'a': torch}\n", "d%d = d%d | d%d\n");
    add_chain(&text, "e0 = {}\n", "e%d = {**e%d, **e%d}\n");
    add_chain(&text, "T0 = int\n", "T%d = T%d | T%d\n");
    add_chain(&text, "class C0: pass\n", "class C%d(C%d, C%d): pass\n");
    fh_buffer_add_string(&text, "__all__ = l100\n");
    add_chain(&text, "l0 = ['a']\n", "l%d = l%d + l%d\n");
    for (int i = 0; i < 900; i++)
        fh_buffer_add_format(&text, "p%d.extend(p%d); p%d.append(p%d)\n", i / 30, i % 30, i / 30,
                             i % 30);
    fh_buffer_add_string(&text, "def f(x: T100): return x.y\nfor q in p0: q.cuda()\n"
                                "torch.ones(n100)\ngetattr(torch, s100)\nd100['a'].b\ne100['a'].b\n"
                                "C100().method()\nC100.name\nf(l100[5])\n");
    fh_program program;
    read_program(&program, fh_buffer_text(&text));
    fh_resolver *resolver = fh_resolver_create(&program);
    for (uint32_t i = 1; i < program.units.items[0].values.count; i++) {
        fh_meanings all;
        fh_text string;
        int64_t number;
        fh_certainty certainty;
        fh_resolve(resolver, 0, i, &all);
        fh_resolve_string(resolver, 0, i, &string, &certainty, NULL);
        fh_resolve_integer(resolver, 0, i, &number);
        CHECK(all.count <= FH_MOST_MEANINGS);
    }
    fh_resolver_destroy(resolver);
    fh_program_free(&program);
    fh_buffer_free(&text);
}

int main(void)
{
    TEST(order_does_not_matter);
    TEST(doubling_ends);
    return test_report();
}
