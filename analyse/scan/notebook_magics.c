/* Which magics there are, and what starts a line that is not Python: IPython 9
 * documentation, "Built-in magic commands" and "IPython reference"; read
 * 2026-11-30. */
#include "analyse/scan/notebook_magics.h"
#include "analyse/scan/python_line.h"
#include "base/path.h"

#include <string.h>

/* Cell magics. Those that are not here leave a cell that is not read. */
static const struct {
    const char *name;
    fh_cell_language language;
} cell_magics[] = {
    {"time", FH_CELL_PYTHON},     {"timeit", FH_CELL_PYTHON},     {"capture", FH_CELL_PYTHON},
    {"prun", FH_CELL_PYTHON},     {"debug", FH_CELL_PYTHON},      {"python", FH_CELL_PYTHON},
    {"python3", FH_CELL_PYTHON},  {"python2", FH_CELL_PYTHON},    {"pypy", FH_CELL_PYTHON},
    {"memit", FH_CELL_PYTHON},    {"mprun", FH_CELL_PYTHON},      {"lprun", FH_CELL_PYTHON},
    {"snakeviz", FH_CELL_PYTHON}, {"scalene", FH_CELL_PYTHON},    {"px", FH_CELL_PYTHON},
    {"wandb", FH_CELL_PYTHON},    {"code_wrap", FH_CELL_PYTHON},  {"bash", FH_CELL_SHELL},
    {"sh", FH_CELL_SHELL},        {"!", FH_CELL_SHELL},           {"sx", FH_CELL_SHELL},
    {"system", FH_CELL_SHELL},    {"html", FH_CELL_MARKUP},       {"HTML", FH_CELL_MARKUP},
    {"svg", FH_CELL_MARKUP},      {"SVG", FH_CELL_MARKUP},        {"latex", FH_CELL_MARKUP},
    {"markdown", FH_CELL_MARKUP}, {"javascript", FH_CELL_MARKUP}, {"js", FH_CELL_MARKUP},
};

/* Line magics that run the rest of the line as Python; `valued` are the letters
 * of the options that take a value. */
static const struct {
    const char *name, *valued;
} statement_magics[] = {
    {"time", ""},     {"timeit", "nrp"}, {"prun", "lsTD"},
    {"memit", "rti"}, {"mprun", "fT"},   {"lprun", "fmDTuz"},
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\f';
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t skip_blanks(fh_text line, size_t at)
{
    while (at < line.length && is_blank(line.data[at]))
        at++;
    return at;
}

/* Offset behind the line that begins at `at`, its end included: LF, CR LF, CR. */
static size_t line_end(fh_text source, size_t at)
{
    while (at < source.length && source.data[at] != '\n' && source.data[at] != '\r')
        at++;
    if (at + 1 < source.length && source.data[at] == '\r' && source.data[at + 1] == '\n')
        at++;
    return at < source.length ? at + 1 : at;
}

/* A line without its end. */
static fh_text without_end(fh_text line)
{
    while (line.length &&
           (line.data[line.length - 1] == '\n' || line.data[line.length - 1] == '\r'))
        line.length--;
    return line;
}

/* Whether a line has an end. It is written as '\n' whatever it was: a CR left
 * before a line that becomes empty would make one end of two. */
static bool has_end(fh_text line)
{
    return without_end(line).length < line.length;
}

/* The word at `at`: up to the next blank. */
static fh_text word_at(fh_text line, size_t at)
{
    size_t end = at;
    while (end < line.length && !is_blank(line.data[end]))
        end++;
    return fh_text_slice(line, at, end);
}

/* "%%script --bg bash -e" runs what the first word that is no option names. */
static fh_cell_language script_language(fh_text line, size_t at)
{
    for (;;) {
        at = skip_blanks(line, at);
        fh_text word = word_at(line, at);
        if (!word.length)
            return FH_CELL_OTHER;
        at += word.length;
        if (fh_text_starts(word, "-"))
            continue;
        fh_text name = fh_path_name(word);
        if (fh_text_starts(name, "python"))
            return FH_CELL_PYTHON;
        return fh_text_is(name, "bash") || fh_text_is(name, "sh") ? FH_CELL_SHELL : FH_CELL_OTHER;
    }
}

static fh_cell_language cell_language(fh_text line, fh_text name)
{
    if (fh_text_is(name, "script"))
        return script_language(line, 2 + name.length);
    for (size_t i = 0; i < sizeof cell_magics / sizeof *cell_magics; i++)
        if (fh_text_is(name, cell_magics[i].name))
            return cell_magics[i].language;
    return FH_CELL_OTHER;
}

fh_cell_kind fh_notebook_cell_kind(fh_text source)
{
    fh_cell_kind kind = {.language = FH_CELL_PYTHON};
    for (size_t at = 0; at < source.length && kind.language == FH_CELL_PYTHON;) {
        size_t end = line_end(source, at);
        fh_text line = without_end(fh_text_slice(source, at, end));
        if (fh_text_starts(line, "%%") && line.length > 2) {
            kind.magic = word_at(line, 2);
            if (fh_text_starts(kind.magic, "!"))
                kind.magic.length = 1;
            kind.language = cell_language(line, kind.magic);
            kind.body = end;
        } else if (skip_blanks(line, 0) < line.length) {
            break;
        }
        at = end;
    }
    return kind;
}

/* For "x = !ls" and "a, b = %magic": the offset of '!' or '%'; 0 for other lines. */
static size_t assigned_magic(fh_text line, size_t at)
{
    size_t i = at;
    while (i < line.length && line.data[i] != '=' &&
           (is_word(line.data[i]) || strchr(" \t.,*[]", line.data[i])))
        i++;
    if (i == at || i >= line.length || line.data[i] != '=')
        return 0;
    i = skip_blanks(line, i + 1);
    return i + 1 < line.length && (line.data[i] == '!' || line.data[i] == '%') ? i : 0;
}

/* "model?" and "a.b??": no Python line ends so, unless in a comment or string. */
static bool is_question(fh_text line)
{
    fh_text trimmed = fh_text_trim(line);
    return fh_text_ends(trimmed, "?") && fh_text_find(trimmed, '#') == trimmed.length &&
           fh_text_find(trimmed, '"') == trimmed.length &&
           fh_text_find(trimmed, '\'') == trimmed.length;
}

/* Where the Python statement of "%time f(x)" begins, when the magic that begins
 * at `at` runs one; 0 when not. */
static size_t magic_statement(fh_text line, size_t at)
{
    fh_text name = fh_text_slice(word_at(line, at), 1, line.length);
    const char *valued = NULL;
    for (size_t i = 0; i < sizeof statement_magics / sizeof *statement_magics; i++)
        if (fh_text_is(name, statement_magics[i].name))
            valued = statement_magics[i].valued;
    if (line.data[at] != '%' || !valued)
        return 0;
    at = skip_blanks(line, at + 1 + name.length);
    while (at + 1 < line.length && line.data[at] == '-' && is_word(line.data[at + 1])) {
        fh_text option = word_at(line, at);
        at = skip_blanks(line, at + option.length);
        if (option.length == 2 && strchr(valued, option.data[1]))
            at = skip_blanks(line, at + word_at(line, at).length);
    }
    return at < line.length ? at : 0;
}

static void add_blanks(fh_buffer *out, size_t count)
{
    while (count--)
        fh_buffer_add_char(out, ' ');
}

/* What a magic that begins at `at` means, and from where on. */
static fh_original_meaning meaning_of(fh_text line, size_t at, size_t *begin)
{
    static const char *const programs[] = {"pip", "conda", "mamba", "micromamba", "uv", NULL};
    *begin = at + 1;
    if (line.data[at] == '!') {
        *begin += at + 1 < line.length && line.data[at + 1] == '!';
        return FH_ORIGINAL_SHELL;
    }
    if (line.data[at] != '%')
        return FH_ORIGINAL_OTHER;
    fh_text name = word_at(line, at + 1);
    if (fh_text_is_any(name, programs))
        return FH_ORIGINAL_SHELL;
    *begin = skip_blanks(line, at + 1 + name.length);
    bool is_shell = fh_text_is(name, "sx") || fh_text_is(name, "system");
    bool is_variable = fh_text_is(name, "env") || fh_text_is(name, "set_env");
    return is_shell ? FH_ORIGINAL_SHELL : is_variable ? FH_ORIGINAL_VARIABLE : FH_ORIGINAL_OTHER;
}

/* Remembers that the lines stand where the text has something else, from `offset` on. The text
 * gets blanks until it is as long. */
static void keep_original(fh_notebook *notebook, size_t offset, fh_text lines, size_t begin,
                          fh_original_meaning meaning)
{
    fh_buffer *out = &notebook->text;
    if (out->failed)
        return;
    while (out->length - offset < lines.length)
        fh_buffer_add_char(out, ' ');
    fh_vector_push(&notebook->originals,
                   (fh_notebook_original){(uint32_t)offset, fh_arena_copy(&notebook->arena, lines),
                                          (uint32_t)begin, meaning});
}

/* Adds a line of a magic that goes on to what is kept of it. */
static void prolong_original(fh_notebook *notebook, fh_text line)
{
    fh_buffer *out = &notebook->text, whole = {0};
    if (out->failed || !notebook->originals.count)
        return;
    fh_notebook_original *last = &notebook->originals.items[notebook->originals.count - 1];
    fh_buffer_add(&whole, last->lines);
    fh_buffer_add_char(&whole, '\n');
    fh_buffer_add(&whole, line);
    add_blanks(out, line.length);
    if (last->offset + whole.length == out->length)
        last->lines = fh_arena_copy(&notebook->arena, fh_buffer_text(&whole));
    notebook->text.failed |= whole.failed;
    fh_buffer_free(&whole);
}

/* Writes a line that begins with a magic (or assigns one, from `magic` on), with
 * its statement kept in place where it has one. Returns what is Python of it. */
static fh_text add_magic(fh_text line, size_t indent, size_t magic, fh_buffer *out)
{
    static const char filler[] = "pass;";
    size_t statement = magic_statement(line, magic), begin = out->length;
    if (statement && magic > indent) {
        fh_buffer_add(out, fh_text_slice(line, 0, magic));
        add_blanks(out, statement - magic);
        fh_buffer_add(out, fh_text_slice(line, statement, line.length));
    } else if (statement >= magic + sizeof filler - 1) {
        fh_buffer_add(out, fh_text_slice(line, 0, magic));
        fh_buffer_add_string(out, filler);
        add_blanks(out, statement - magic - (sizeof filler - 1));
        fh_buffer_add(out, fh_text_slice(line, statement, line.length));
    } else if (indent) {
        fh_buffer_add(out, fh_text_slice(line, 0, indent));
        fh_buffer_add_string(out, "pass");
    }
    return out->failed ? (fh_text){0} : fh_text_slice(fh_buffer_text(out), begin, out->length);
}

/* The offset of what is not Python in a line that begins a statement, or
 * line.length. */
static size_t find_magic(fh_text line, size_t indent)
{
    char first = indent < line.length ? line.data[indent] : 0;
    bool escaped = first && strchr("%!?", first);
    bool autocall = first && strchr(",;/", first) && indent + 1 < line.length;
    if (escaped || autocall || (first && is_question(line)))
        return indent;
    size_t assigned = assigned_magic(line, indent);
    return assigned ? assigned : line.length;
}

/* A magic line as the text has it. Returns what is Python of it. */
static fh_text add_magic_line(fh_notebook *notebook, fh_text line, size_t indent, size_t magic)
{
    size_t offset = notebook->text.length, begin;
    fh_original_meaning meaning = meaning_of(line, magic, &begin);
    fh_text python = add_magic(line, indent, magic, &notebook->text);
    size_t length = python.length;
    keep_original(notebook, offset, line, begin, meaning);
    return notebook->text.failed
               ? (fh_text){0}
               : fh_text_slice(fh_buffer_text(&notebook->text), offset, offset + length);
}

bool fh_notebook_add_python(fh_notebook *notebook, fh_text source, size_t body)
{
    fh_python_line state = {0};
    fh_buffer *out = &notebook->text;
    bool in_magic = false; /* one that goes on behind a backslash */
    bool ended = false;
    for (size_t at = 0, end; at < source.length; at = end) {
        end = line_end(source, at);
        fh_text whole = fh_text_slice(source, at, end), line = without_end(whole);
        size_t indent = skip_blanks(line, 0);
        size_t magic =
            in_magic || !fh_python_line_is_fresh(&state) ? line.length : find_magic(line, indent);
        if (at < body) { /* a cell magic: nothing of it is Python */
            keep_original(notebook, out->length, line, 0, FH_ORIGINAL_OTHER);
        } else if (in_magic) {
            in_magic = fh_text_ends(line, "\\");
            prolong_original(notebook, line);
        } else if (magic < line.length) {
            fh_text python = add_magic_line(notebook, line, indent, magic);
            in_magic = fh_text_ends(line, "\\") && !fh_text_ends(python, "\\");
            fh_python_line_follow(&state, python);
        } else {
            fh_buffer_add(out, line);
            fh_python_line_follow(&state, line);
        }
        ended = has_end(whole);
        if (ended)
            fh_buffer_add_char(out, '\n');
    }
    if (!ended)
        fh_buffer_add_char(out, '\n');
    if (fh_python_line_is_fresh(&state))
        return true;
    fh_python_line_close(&state, out);
    return false;
}

void fh_notebook_add_shell(fh_notebook *notebook, fh_text source, size_t body)
{
    fh_buffer lines = {0}, *out = &notebook->text;
    size_t begin = 0, offset = out->length;
    for (size_t at = 0, end; at < source.length; at = end) {
        end = line_end(source, at);
        if (at == body)
            begin = lines.length;
        fh_text line = without_end(fh_text_slice(source, at, end));
        fh_buffer_add(&lines, line);
        add_blanks(out, line.length);
        if (end < source.length) {
            fh_buffer_add_char(&lines, '\n');
            fh_buffer_add_char(out, '\n');
        }
    }
    if (body >= source.length)
        begin = lines.length;
    keep_original(notebook, offset, fh_buffer_text(&lines), begin, FH_ORIGINAL_SHELL);
    fh_buffer_add_char(out, '\n');
    notebook->text.failed |= lines.failed;
    fh_buffer_free(&lines);
}
