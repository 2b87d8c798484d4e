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

static void add_file(fh_program *program, fh_parser *parser, const char *path, const char *text)
{
    fh_unit unit;
    fh_unit_init(&unit, FH_UNIT_PYTHON, fh_text_from(path));
    CHECK(fh_python_read(parser, fh_text_from(text), &unit) == FH_OK);
    fh_vector_push(&program->units, unit);
}

static uint32_t random_below(uint32_t most)
{
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    return (state >> 16) % most;
}

enum { MODULES = 12, NAMES = 40 };

/* Module number `index` of a package: binds some of the names, perhaps lists what it exports, and
 * imports from later ones. */
static void describe_module(fh_buffer *text, uint32_t index)
{
    fh_buffer_clear(text);
    for (uint32_t i = index + 1 < MODULES ? random_below(3) : 0; i > 0; i--)
        fh_buffer_add_format(text, "from .m%u import *\n",
                             index + 1 + random_below(MODULES - index - 1));
    if (index == 7)
        fh_buffer_add_string(text, "from torch.nn import *\n");
    for (uint32_t i = 0; i < NAMES; i++)
        if (random_below(MODULES) == 0)
            fh_buffer_add_format(text, "%sn%u = 'm%u'\n", i % 8 ? "" : "_", i, index);
    if (random_below(3) == 0) {
        fh_buffer_add_string(text, "__all__ = ['n0'");
        for (uint32_t i = 0; i < NAMES; i += 1 + random_below(2))
            fh_buffer_add_format(text, ", 'n%u'", i);
        fh_buffer_add_string(text, "]\n");
    }
    fh_buffer_add_char(text, 0);
}

static void use_names(fh_buffer *text)
{
    for (int i = 0; i < NAMES; i++)
        fh_buffer_add_format(text, "n%d\n_n%d\n", i, i);
    fh_buffer_add_string(text, "LSTM\nGRU\nlen\nsub\nm3\nnowhere\n");
    fh_buffer_add_char(text, 0);
}

/* A program in which p/flat.py imports from all modules at once, p/deep.py from the same ones, in
 * the same order, by way of others that import from a few. */
static void make_stars(fh_program *program)
{
    static char paths[MODULES][16];
    fh_parser *parser = fh_parser_create();
    fh_buffer text = {0};
    *program = (fh_program){0};
    for (int i = 0; i < MODULES; i++)
        fh_buffer_add_format(&text, "from .m%d import *\n", i);
    fh_buffer_add_string(&text, "from .pack import *\n");
    use_names(&text);
    add_file(program, parser, "p/flat.py", text.data);
    fh_buffer_clear(&text);
    fh_buffer_add_string(&text, "from .g0 import *\nfrom .g1 import *\nfrom .g2 import *\n"
                                "from .pack import *\n");
    use_names(&text);
    add_file(program, parser, "p/deep.py", text.data);
    add_file(program, parser, "p/g0.py",
             "from .m0 import *\nfrom .m1 import *\nfrom .m2 import *\n"
             "from .m3 import *\n");
    add_file(program, parser, "p/g1.py",
             "from .m4 import *\nfrom .m5 import *\nfrom .m6 import *\n"
             "from .m7 import *\n");
    add_file(program, parser, "p/g2.py",
             "from .m8 import *\nfrom .m9 import *\nfrom .m10 import *\n"
             "from .m11 import *\n");
    add_file(program, parser, "p/__init__.py", "");
    add_file(program, parser, "p/pack/__init__.py", "__all__ = ['sub']\n");
    add_file(program, parser, "p/pack/sub.py", "");
    for (uint32_t i = 0; i < MODULES; i++) {
        describe_module(&text, i);
        snprintf(paths[i], sizeof paths[i], "p/m%u.py", i);
        add_file(program, parser, paths[i], text.data);
    }
    fh_buffer_free(&text);
    fh_parser_destroy(parser);
    CHECK(fh_program_link(program) == FH_OK);
}

static uint32_t next_name(const fh_unit *unit, uint32_t from)
{
    while (from < unit->values.count && fh_unit_value(unit, from)->kind != FH_VALUE_NAME)
        from++;
    return from;
}

static uint32_t looked_at(const fh_resolver *resolver, const fh_program *program)
{
    uint32_t modules = 0;
    for (uint32_t i = program->units.count - MODULES; i < program->units.count; i++)
        modules = modules << 1 | fh_resolver_has_looked(resolver, i);
    return modules;
}

/* Many star imports in one file are as good as the same ones file by file: what a name means, and
 * which modules that depends on. */
static void many_stars_are_as_few(void)
{
    for (int round = 0; round < 60; round++) {
        fh_program program;
        make_stars(&program);
        const fh_unit *flat = &program.units.items[0], *deep = &program.units.items[1];
        fh_resolver *a = fh_resolver_create(&program), *b = fh_resolver_create(&program);
        uint32_t i = next_name(flat, 1), k = next_name(deep, 1), names = 0;
        for (; i < flat->values.count; i = next_name(flat, i + 1), k = next_name(deep, k + 1)) {
            fh_meanings left, right;
            fh_resolver_enter(a, 0);
            fh_resolver_enter(b, 1);
            fh_resolve(a, 0, i, &left);
            fh_resolve(b, 1, k, &right);
            CHECK(same(a, &left, b, &right));
            CHECK(looked_at(a, &program) == looked_at(b, &program));
            names++;
        }
        CHECK(names == 2 * NAMES + 6);
        fh_resolver_destroy(a);
        fh_resolver_destroy(b);
        fh_program_free(&program);
    }
}

int main(void)
{
    TEST(order_does_not_matter);
    TEST(doubling_ends);
    TEST(many_stars_are_as_few);
    return test_report();
}
