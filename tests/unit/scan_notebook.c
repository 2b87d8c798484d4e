#include "analyse/scan/notebook.h"
#include "analyse/scan/notebook_magics.h"
#include "os/file.h"
#include "tests/test.h"
#include "tests/unit/shared.h"
#include "tests/unit/sweep.h"

/* Without the blanks at the ends of lines. */
static void add_trimmed(fh_text text, fh_buffer *out)
{
    fh_text line;
    while (fh_text_next(&text, '\n', &line) && (line.length || text.data)) {
        while (fh_text_ends(line, " "))
            line.length--;
        fh_buffer_add(out, line);
        fh_buffer_add_char(out, '\n');
    }
}

/* What a single cell becomes as Python, without the blanks at the ends of lines. */
static void check_cell(const char *source, const char *expected)
{
    fh_notebook notebook = {0};
    fh_text text = fh_text_from(source);
    fh_buffer trimmed = {0};
    fh_notebook_add_python(&notebook, text, fh_notebook_cell_kind(text).body);
    add_trimmed(fh_buffer_text(&notebook.text), &trimmed);
    CHECK_TEXT(fh_buffer_text(&trimmed), expected);
    fh_buffer_free(&trimmed);
    fh_notebook_free(&notebook);
}

/* Originals of a notebook with one cell, as "offset+begin meaning lines|". */
static void check_originals(const char *source, const char *expected)
{
    static const char *const meanings[] = {"other", "shell", "variable"};
    fh_buffer json = {0}, got = {0}, shown = {0};
    fh_notebook notebook = {0};
    fh_buffer_add_string(&json, "{\"cells\": [{\"cell_type\": \"code\", \"source\": \"");
    for (const char *c = source; *c; c++)
        *c == '\n'                ? fh_buffer_add_string(&json, "\\n")
        : *c == '\r'              ? fh_buffer_add_string(&json, "\\r")
        : *c == '\\' || *c == '"' ? fh_buffer_add_format(&json, "\\%c", *c)
                                  : fh_buffer_add_char(&json, *c);
    fh_buffer_add_string(&json, "\"}]}");
    CHECK(fh_notebook_read(fh_buffer_text(&json), &notebook) == FH_OK);
    for (uint32_t i = 0; i < notebook.originals.count; i++) {
        const fh_notebook_original *o = &notebook.originals.items[i];
        fh_buffer_add_format(&got, "%u+%u %s %.*s|", o->offset, o->begin, meanings[o->meaning],
                             FH_TEXT_ARGS(o->lines));
    }
    CHECK_TEXT(fh_buffer_text(&got), expected);
    fh_notebook_show(&notebook, &shown);
    CHECK(shown.length == notebook.text.length);
    if (!strchr(source, '\r') && !strstr(source, " !l\n"))
        CHECK_TEXT(fh_text_slice(fh_buffer_text(&shown), 0, strlen(source)), source);
    fh_buffer_free(&json);
    fh_buffer_free(&got);
    fh_buffer_free(&shown);
    fh_notebook_free(&notebook);
}

static void what_stood_there_is_kept(void)
{
    check_originals("x = 1\n", "");
    check_originals("!ls -l\nx = 1\n", "0+1 shell !ls -l|");
    check_originals("!!ls\n", "0+2 shell !!ls|");
    check_originals("x = 1\n%pip install a\n", "6+1 shell %pip install a|");
    check_originals("%env A=1\n%env B 2\n%set_env C=3\n",
                    "0+5 variable %env A=1|9+5 variable %env B 2|18+9 variable %set_env C=3|");
    check_originals("files = !ls\n", "0+9 shell files = !ls|");
    check_originals("if x:\n    !l\n", "6+5 shell     !l|");
    check_originals("if x:\n    !pwd -P\n", "6+5 shell     !pwd -P|");
    check_originals("!pip install \\\n  a\ny = 1\n", "0+1 shell !pip install \\\n  a|");
    check_originals("%time f(x)\nm?\n", "0+6 other %time f(x)|11+1 other m?|");
    check_originals("%%bash\nA=1 ls\n\nls", "0+7 shell %%bash\nA=1 ls\n\nls|");
    check_originals("%%bash\r\nls\r\n", "0+7 shell %%bash\nls|");
    check_originals("%%bash", "0+6 shell %%bash|");
    check_originals("%%time\nf()", "0+0 other %%time|");
}

static void magics_become_empty_lines(void)
{
    check_cell("%load_ext a\nx = 1", "\nx = 1\n");
    check_cell("!pip install \\\n  torch\nx = 1\n", "\n\nx = 1\n");
    check_cell("x = !ls\ny = %who\na, b = !f\n", "\n\n\n");
    check_cell("m?\nm.forward??\n?m\nz = 1 # why?\n", "\n\n\nz = 1 # why?\n");
    check_cell("if x:\n    !ls\nelse:\n\t%pwd\n", "if x:\n    pass\nelse:\n\tpass\n");
    check_cell("%%time\n\nm(x)\n", "\n\nm(x)\n");
    check_cell("%%time\n%%capture out\nm(x)", "\n\nm(x)\n");
    check_cell("\r\n%%timeit -n 1\r\nm(x)\r\n", "\n\nm(x)\n");
    check_cell("a\r%who\r\nb\r/f", "a\n\nb\n\n");
    check_cell("/f x\n,f a b\n;f a b\n", "\n\n\n");
}

static void statements_of_magics_stay_in_place(void)
{
    check_cell("%time m.cuda()\n", "pass; m.cuda()\n");
    check_cell("  %timeit -n 10 -r3 f(x)\n", "  pass;             f(x)\n");
    check_cell("r = %timeit -o f(x)\n", "r =            f(x)\n");
    check_cell("%time\n%timeit -n\n", "\n\n");
    check_cell("%prun -s cumtime -l 5 f()\n", "pass;                 f()\n");
}

static void python_that_looks_like_magic(void)
{
    check_cell("y = (a\n % b)\n", "y = (a\n % b)\n");
    check_cell("s = '''\n%magic\n!ls\nreally?\n'''\n", "s = '''\n%magic\n!ls\nreally?\n'''\n");
    check_cell("y = a \\\n% b\n%who\n", "y = a \\\n% b\n\n");
    check_cell("y = a % b\nz = a == b\nw = a != b\n", "y = a % b\nz = a == b\nw = a != b\n");
    check_cell("print('%d?' % 3)\n", "print('%d?' % 3)\n");
    check_cell("s = \"\"\"a\\\"\"\"\n%x\n\"\"\"\n", "s = \"\"\"a\\\"\"\"\n%x\n\"\"\"\n");
    check_cell("s = 'a\\\n%b'\n", "s = 'a\\\n%b'\n");
    check_cell("# it's (\n%who\n", "# it's (\n\n");
    check_cell("x[0] %= 3\nf(a=\n%b)\n)\n", "x[0] %= 3\nf(a=\n%b)\n)\n");
    check_cell("", "\n");
}

static void open_ends_are_closed(void)
{
    check_cell("f(a, [1,\n", "f(a, [1,\n])\n");
    check_cell("s = '''a\n", "s = '''a\n'''\n");
    check_cell("s = f(\"\"\"a", "s = f(\"\"\"a\n\"\"\")\n");
    check_cell("s = 'a\nx = 1\n", "s = 'a\nx = 1\n");
    check_cell("x = 1 + \\\n", "x = 1 + \\\n\n");
}

static void cell_magics_decide_the_language(void)
{
    static const struct {
        const char *source;
        fh_cell_language language;
    } cases[] = {
        {"x", FH_CELL_PYTHON},
        {"%%bash\nls", FH_CELL_SHELL},
        {"%%bash --out x\nls", FH_CELL_SHELL},
        {"%%script bash\nls", FH_CELL_SHELL},
        {"%%script --bg /bin/sh\nls", FH_CELL_SHELL},
        {"%%script false --no-raise-error\nf()", FH_CELL_OTHER},
        {"%%script\n", FH_CELL_OTHER},
        {"%%script python3 -u\nf()", FH_CELL_PYTHON},
        {"%%!\nls", FH_CELL_SHELL},
        {"%%writefile a.py\nf()", FH_CELL_OTHER},
        {"%%html\n<b>", FH_CELL_MARKUP},
        {"%%time\n%%bash\nls", FH_CELL_SHELL},
        {"\n\n%%bash\nls", FH_CELL_SHELL},
        {"# first\n%%bash\nls", FH_CELL_PYTHON},
        {"%%", FH_CELL_PYTHON},
        {"%%nobody_knows\n", FH_CELL_OTHER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(fh_notebook_cell_kind(fh_text_from(cases[i].source)).language == cases[i].language);
}

static void cells_are_found_again(void)
{
    fh_notebook notebook = {0};
    fh_text json =
        FH_TEXT("{\"cells\": [{\"cell_type\": \"markdown\", \"source\": \"x\"},"
                "{\"cell_type\": \"code\", \"id\": \"one\", \"source\": [\"a\\n\", \"b\"]},"
                "{\"cell_type\": \"code\", \"source\": []},"
                "{\"cell_type\": \"code\", \"source\": \"%%bash\\nls\"},"
                "{\"cell_type\": \"code\", \"source\": \"%%foo\\nls\"},"
                "{\"cell_type\": \"code\", \"source\": \"f(\\n\"},"
                "{\"cell_type\": \"code\", \"id\": \"two\", \"source\": \"c\\r\\nd\\re\"}]}");
    CHECK(fh_notebook_read(json, &notebook) == FH_OK);
    CHECK_TEXT(fh_buffer_text(&notebook.text), "a\nb\n      \n  \nf(\n)\nc\nd\ne\n");
    fh_notebook_place_result place = fh_notebook_place(&notebook, 2);
    CHECK(place.cell && place.cell->number == 2 && place.line == 2);
    CHECK_TEXT(place.cell->id, "one");
    place = fh_notebook_place(&notebook, 5);
    CHECK(place.cell && place.cell->number == 6 && place.line == 1 && !place.cell->id.length);
    place = fh_notebook_place(&notebook, 9);
    CHECK(place.cell && place.cell->number == 7 && place.line == 3);
    place = fh_notebook_place(&notebook, 4);
    CHECK(place.cell && place.cell->number == 4 && place.line == 2);
    CHECK(!fh_notebook_place(&notebook, 0).cell);
    CHECK(notebook.notes.count == 2);
    CHECK_TEXT(notebook.notes.items[0], "cell 5: %%foo is not read");
    CHECK_TEXT(notebook.notes.items[1], "cell 6: a string or bracket is not closed");
    fh_notebook_free(&notebook);
}

static void format_three(void)
{
    fh_notebook notebook = {0};
    CHECK(fh_notebook_read(
              FH_TEXT(
                  "{\"nbformat\": 3, \"metadata\": {\"name\": \"\"}, \"worksheets\": [{\"cells\": ["
                  "{\"cell_type\": \"heading\", \"source\": \"h\"},"
                  "{\"cell_type\": \"code\", \"language\": \"python\", \"input\": [\"a\"]},"
                  "{\"cell_type\": \"code\", \"language\": \"ruby\", \"input\": [\"b\"]}]}]}"),
              &notebook) == FH_OK);
    CHECK_TEXT(fh_buffer_text(&notebook.text), "a\n");
    CHECK(notebook.notes.count == 1);
    fh_notebook_free(&notebook);
}

static void what_is_no_notebook(void)
{
    static const struct {
        const char *json;
        fh_status status;
    } cases[] = {
        {"", FH_INVALID},
        {"[]", FH_INVALID},
        {"{}", FH_INVALID},
        {"{\"cells\": 3}", FH_INVALID},
        {"{\"cells\": []", FH_INVALID},
        {"{\"cells\": []}", FH_OK},
        {"{\"cells\": [3, null, {}, {\"cell_type\": 3}, {\"cell_type\": \"code\"}]}", FH_OK},
        {"{\"cells\": [{\"cell_type\": \"code\", \"source\": [3, null]}]}", FH_OK},
        {"{\"metadata\": {\"kernelspec\": {\"language\": \"R\"}}, \"cells\": []}", FH_UNSUPPORTED},
        {"{\"metadata\": {\"language_info\": {\"name\": \"julia\"}}, \"cells\": []}",
         FH_UNSUPPORTED},
        {"{\"metadata\": {\"language_info\": {\"name\": \"Python\"}}, \"cells\": []}", FH_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fh_notebook notebook = {0};
        CHECK(fh_notebook_read(fh_text_from(cases[i].json), &notebook) == cases[i].status);
        fh_notebook_free(&notebook);
    }
}

/* CASES.md A1: in cell c nn.Linear on line 2 and .cuda() on lines 2 and 3, in cell
 * e nn.LSTM; not the prose, the output, the pip comment or the %%bash cell. */
static void shared_case_15(void)
{
    fh_buffer path = {0}, json = {0};
    fh_notebook notebook = {0};
    if (!shared_path("cases/15_notebook.ipynb", &path)) {
        fh_buffer_free(&path);
        return;
    }
    CHECK(fh_file_read(path.data, 1 << 20, &json) == FH_OK);
    CHECK(fh_notebook_read(fh_buffer_text(&json), &notebook) == FH_OK);
    fh_buffer trimmed = {0};
    add_trimmed(fh_buffer_text(&notebook.text), &trimmed);
    CHECK_TEXT(fh_buffer_text(&trimmed),
               "\n\nimport torch\nfrom torch import nn\n"
               "\nm = nn.Linear(4, 4).cuda()\ny = m(torch.rand(2, 4).cuda())\n"
               "\n\n\n\nz = nn.LSTM(4, 4)\n");
    fh_buffer_free(&trimmed);
    fh_notebook_place_result place = fh_notebook_place(&notebook, 6);
    CHECK(place.line == 2);
    CHECK_TEXT(place.cell->id, "c");
    fh_notebook_free(&notebook);
    fh_buffer_free(&json);
    fh_buffer_free(&path);
}

static fh_status read_one(void *context)
{
    fh_notebook notebook = {0};
    fh_status status = fh_notebook_read(*(fh_text *)context, &notebook);
    fh_notebook_free(&notebook);
    return status;
}

static void memory_runs_out(void)
{
    fh_text json = FH_TEXT("{\"cells\": [{\"cell_type\": \"code\", \"id\": \"q\", \"source\": "
                           "[\"%time f(\\n\", \"x = 1\\n\", \"%who\\n\"]},"
                           "{\"cell_type\": \"code\", \"source\": \"%%sh\\nls\"},"
                           "{\"cell_type\": \"code\", \"source\": \"%%zz\\nls\"}]}");
    CHECK(sweep(read_one, &json) > 5);
}

int main(void)
{
    TEST(magics_become_empty_lines);
    TEST(what_stood_there_is_kept);
    TEST(statements_of_magics_stay_in_place);
    TEST(python_that_looks_like_magic);
    TEST(open_ends_are_closed);
    TEST(cell_magics_decide_the_language);
    TEST(cells_are_found_again);
    TEST(format_three);
    TEST(what_is_no_notebook);
    TEST(shared_case_15);
    TEST(memory_runs_out);
    return test_report();
}
