/* What of a changed file means what it meant: names before and after an edit. */
#include "analyse/scan/python.h"
#include "analyse/scan/unit_match.h"
#include "tests/test.h"
#include "tests/unit/sweep.h"

#include <stdlib.h>

static fh_status parse(const char *text, fh_unit *unit)
{
    fh_parser *parser = fh_parser_create();
    fh_unit_init(unit, FH_UNIT_PYTHON, FH_TEXT("a.py"));
    fh_status status = parser ? fh_python_read(parser, fh_text_from(text), unit) : FH_NO_MEMORY;
    fh_parser_destroy(parser);
    return status ? status : fh_unit_failed(unit) ? FH_NO_MEMORY : FH_OK;
}

/* The names of `names` that match, in the order that is asked for, and * for the file as a whole.
 */
static const char *matching(const char *before, const char *after, const char *names)
{
    static char found[200];
    fh_unit x, y;
    CHECK(parse(before, &x) == FH_OK && parse(after, &y) == FH_OK);
    fh_unit_match *match = fh_unit_match_create(&x, &y);
    fh_buffer out = {0};
    fh_text rest = fh_text_from(names), name;
    while (fh_text_next(&rest, ' ', &name)) {
        bool good =
            fh_text_is(name, "*") ? fh_unit_match_file(match) : fh_unit_match_name(match, name);
        if (good)
            fh_buffer_add_format(&out, "%s%.*s", out.length ? " " : "", FH_TEXT_ARGS(name));
    }
    snprintf(found, sizeof found, "%.*s", (int)out.length, out.length ? out.data : "");
    fh_buffer_free(&out);
    fh_unit_match_destroy(match);
    fh_unit_free(&x);
    fh_unit_free(&y);
    return found;
}

#define CHECK_MATCH(before, after, names, expected) \
    CHECK_TEXT(fh_text_from(matching(before, after, names)), expected)

static const char module[] = "import torch\n"
                             "from torch import nn\n"
                             "WIDTH = 8\n"
                             "table = {}\n"
                             "def half(x):\n"
                             "    return x.half()\n"
                             "class A(nn.Module):\n"
                             "    kind = nn.Linear\n"
                             "    def __init__(self, n=WIDTH):\n"
                             "        self.fc = self.kind(n, n)\n"
                             "    def forward(self, x):\n"
                             "        y = half(x)\n"
                             "        return self.fc(y)\n"
                             "class B(A):\n"
                             "    pass\n"
                             "table['a'] = B\n";
static const char all[] = "* torch nn WIDTH table half A B C";

/* The module with `old` replaced once by `new`. */
static const char *edited(const char *old, const char *new)
{
    static char text[2000];
    const char *at = strstr(module, old);
    CHECK(at != NULL);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - module), module, new, at + strlen(old));
    return text;
}

static void what_does_not_refer_to_an_edit(void)
{
    CHECK_MATCH(module, module, all, all);
    CHECK_MATCH(module, edited("WIDTH = 8\n", "\n\n# moved\nWIDTH = 8\n"), all, all);
    CHECK_MATCH(module, edited("def half", "def other(x):\n    return x.cuda()\ndef half"), all,
                all);
    CHECK_MATCH(module, edited("class B", "C = 1\nclass B"), all,
                "* torch nn WIDTH table half A B");
    CHECK_MATCH(edited("class B", "C = 1\nclass B"), module, all,
                "* torch nn WIDTH table half A B");
    CHECK_MATCH(module, edited("        y = half(x)", "        z = 1\n        y = half(x)"), all,
                all);
}

static void what_refers_to_an_edit(void)
{
    CHECK_MATCH(module, edited("x.half()", "x.double()"), all, "* torch nn WIDTH C");
    CHECK_MATCH(module, edited("WIDTH = 8", "WIDTH = 9"), all, "* torch nn half C");
    CHECK_MATCH(module, edited("nn.Linear", "nn.LSTM"), all, "* torch nn WIDTH half C");
    CHECK_MATCH(module, edited("n=WIDTH", "n=WIDTH, m=1"), all, "* torch nn WIDTH half C");
    CHECK_MATCH(module, edited("n=WIDTH", "m=WIDTH"), all, "* torch nn WIDTH half C");
    CHECK_MATCH(module, edited("(n, n)", "(n, n, n)"), all, "* torch nn WIDTH half C");
    CHECK_MATCH(module, edited("self.fc(y)", "self.fc(x)"), all, "* torch nn WIDTH half C");
    CHECK_MATCH(module, edited("class B(A)", "class B(nn.Module)"), all,
                "* torch nn WIDTH half A C");
    CHECK_MATCH(module, edited("table['a'] = B", "table['b'] = B"), all,
                "* torch nn WIDTH half A B C");
    CHECK_MATCH(module, edited("table['a'] = B", ""), all, "* torch nn WIDTH half A B C");
    CHECK_MATCH(module, edited("import torch\n", "import numpy as torch\n"), "* torch nn", "* nn");
    CHECK_MATCH(module, edited("def half", "@staticmethod\ndef half"), "half A", "");
    CHECK_MATCH("def f():\n    return 1\n", "async def f():\n    return 1\n", "f", "");
    CHECK_MATCH("def f(x):\n    return x\n", "def f(*x):\n    return x\n", "f", "");
    CHECK_MATCH("a = 1\n", "a = 1.0\n", "a", "");
    CHECK_MATCH("a = 1\n", "a = 4294967297\n", "a", "");
    CHECK_MATCH("a = 'b'\n", "a = b\n", "a", "");
    CHECK_MATCH("a = b + c\n", "a = b - c\n", "a", "");
    CHECK_MATCH("a = b < c\n", "a = c < b\n", "a", "");
    CHECK_MATCH("a = [1, 2]\n", "a = [1, 2, 3]\n", "a", "");
    CHECK_MATCH("a = [1, 2]\n", "a = (1, 2)\n", "a", "");
    CHECK_MATCH("a = f(x=1)\n", "a = f(y=1)\n", "a", "");
    CHECK_MATCH("try:\n    import a\nexcept E:\n    pass\n", "import a\n", "a", "");
}

/* Two things that are built alike are two things all the same. */
static void what_was_one_thing(void)
{
    CHECK_MATCH("a = f()\nb = a\n", "a = f()\nb = f()\n", "a b", "a");
    CHECK_MATCH("a = f()\nb = f()\n", "a = f()\nb = a\n", "a b", "a");
    CHECK_MATCH("a = f()\nb = f()\n", "b = f()\na = f()\n", "a b", "a b");
    CHECK_MATCH("a = f()\nb = [a, a]\n", "a = f()\nb = [a, f()]\n", "b a", "a");
}

static void cycles(void)
{
    static const char recursive[] = "def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\n"
                                    "a = []\na.append(a)\n";
    CHECK_MATCH(recursive, recursive, "f g a", "f g a");
    CHECK_MATCH(recursive,
                "def f(x):\n    return g(x)\ndef g(x):\n    return f(x + 1)\na = []\na.append(a)\n",
                "f g a", "a");
    CHECK_MATCH(recursive, "def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\na = []\n",
                "f g a", "f g");
}

static void files_as_a_whole(void)
{
    CHECK_MATCH("import a\n", "import a\nimport b\n", "* a", "* a");
    CHECK_MATCH("import a\n", "import a\nimport torch\n", "*", "");
    CHECK_MATCH("from a import *\n", "from b import *\n", "*", "");
    CHECK_MATCH("from a import *\nfrom b import *\n", "from b import *\nfrom a import *\n", "*",
                "");
    CHECK_MATCH("x = 1\n", "x = 1\nfrom a import *\n", "*", "");
    CHECK_MATCH("import torch\n", "import torch\nimport torch_npu.contrib.transfer_to_npu\n", "*",
                "");
    CHECK_MATCH("__all__ = ['a']\n", "__all__ = ['b']\n", "* __all__", "*");
    CHECK_MATCH("__all__ = ['a']\n", "__all__ = ['a']\n__all__.append(x)\n", "*", "");
}

static void parameters(void)
{
    fh_unit x, y;
    CHECK(parse("def f(a, b):\n    return a\ndef g(c):\n    return c\n", &x) == FH_OK);
    CHECK(
        parse("def h(z):\n    return 1\ndef f(a, b):\n    return a\ndef g(c):\n    return c + 1\n",
              &y) == FH_OK);
    fh_unit_match *match = fh_unit_match_create(&x, &y);
    CHECK(fh_unit_match_name(match, FH_TEXT("f")));
    CHECK(!fh_unit_match_name(match, FH_TEXT("g")));
    uint32_t matched = 0;
    for (uint32_t i = 1; i < x.parameters.count; i++) {
        uint32_t other = fh_unit_match_parameter(match, i);
        matched += other != 0;
        CHECK(!other || fh_unit_match_parameter_before(match, other) == i);
        CHECK(!other || fh_text_equal(fh_unit_text(&x, x.parameters.items[i].name),
                                      fh_unit_text(&y, y.parameters.items[other].name)));
    }
    CHECK(matched == 2);
    CHECK(fh_unit_match_parameter(match, 1000) == 0);
    CHECK(!fh_unit_match_value(match, 100000, 1));
    fh_unit_match_destroy(match);
    fh_unit_free(&x);
    fh_unit_free(&y);
}

/* Deep nesting is walked without recursion, and a file in which every name fails late in time. */
static void large_files(void)
{
    fh_buffer before = {0}, after = {0};
    fh_buffer_add_string(&before, "a0 = 1\n");
    fh_buffer_add_string(&after, "a0 = 2\n");
    for (int i = 1; i < 5000; i++) {
        fh_buffer_add_format(&before, "a%d = f(a%d)\n", i, i - 1);
        fh_buffer_add_format(&after, "a%d = f(a%d)\n", i, i - 1);
    }
    fh_buffer_add_char(&before, 0);
    fh_buffer_add_char(&after, 0);
    CHECK_MATCH(before.data, before.data, "a4999 a0", "a4999 a0");
    fh_unit x, y;
    CHECK(parse(before.data, &x) == FH_OK && parse(after.data, &y) == FH_OK);
    fh_unit_match *match = fh_unit_match_create(&x, &y);
    for (uint32_t i = 0; i < x.member_count; i++)
        CHECK(!fh_unit_match_name(match, fh_unit_text(&x, x.bindings.items[x.members + i].name)));
    fh_unit_match_destroy(match);
    fh_unit_free(&x);
    fh_unit_free(&y);
    fh_buffer_free(&before);
    fh_buffer_free(&after);
}

typedef struct {
    const fh_unit *before, *after;
} units;

static fh_status match_all(void *context)
{
    const units *u = context;
    fh_unit_match *match = fh_unit_match_create(u->before, u->after);
    bool good = match && fh_unit_match_name(match, FH_TEXT("B"));
    fh_unit_match_destroy(match);
    return good ? FH_OK : FH_NO_MEMORY;
}

static void memory_runs_out(void)
{
    fh_unit x, y;
    CHECK(parse(module, &x) == FH_OK && parse(edited("WIDTH", "C = 1\nWIDTH"), &y) == FH_OK);
    CHECK(sweep(match_all, &(units){&x, &y}) >= 4);
    fh_unit_free(&x);
    fh_unit_free(&y);
}

int main(void)
{
    TEST(what_does_not_refer_to_an_edit);
    TEST(what_refers_to_an_edit);
    TEST(what_was_one_thing);
    TEST(cycles);
    TEST(files_as_a_whole);
    TEST(parameters);
    TEST(large_files);
    TEST(memory_runs_out);
    return test_report();
}
