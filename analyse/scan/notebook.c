#include "analyse/scan/notebook.h"
#include "analyse/scan/notebook_magics.h"
#include "base/json.h"
#include "base/search.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct {
    fh_notebook *notebook;
    uint32_t number;  /* of the cell being read, from 1 */
    uint32_t lines;   /* in the text so far */
    fh_buffer source; /* scratch */
} reader;

static void note(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(reader *r, const char *format, ...)
{
    char text[200];
    va_list arguments;
    int begin = snprintf(text, sizeof text, "cell %u: ", r->number);
    va_start(arguments, format);
    vsnprintf(text + begin, sizeof text - (size_t)begin, format, arguments);
    va_end(arguments);
    fh_vector_push(&r->notebook->notes, fh_arena_copy(&r->notebook->arena, fh_text_from(text)));
}

/* The kernel's language; empty when the notebook does not say. */
static fh_text language_of(fh_json_value root)
{
    fh_json_value metadata = fh_json_member(root, "metadata");
    fh_text name = fh_json_text(fh_json_member(fh_json_member(metadata, "language_info"), "name"));
    if (!name.length)
        name = fh_json_text(fh_json_member(fh_json_member(metadata, "kernelspec"), "language"));
    return name;
}

static bool is_python(fh_text language)
{
    static const char *const names[] = {"python", "ipython"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (language.length >= length && strncasecmp(language.data, names[i], length) == 0)
            return true;
    }
    return !language.length;
}

/* A source is one string, or a list of them that belong together. */
static void join_source(reader *r, fh_json_value source)
{
    fh_buffer_clear(&r->source);
    if (fh_json_kind_of(source) == FH_JSON_STRING)
        fh_buffer_add(&r->source, fh_json_text(source));
    if (fh_json_kind_of(source) == FH_JSON_ARRAY)
        FH_JSON_EACH (v, source)
            if (fh_json_kind_of(v) == FH_JSON_STRING)
                fh_buffer_add(&r->source, fh_json_text(v));
    for (size_t i = 0; i < r->source.length; i++)
        if (!r->source.data[i])
            r->source.data[i] = ' '; /* a source text has no zero characters */
}

static uint32_t count_lines(fh_text text)
{
    uint32_t lines = 0;
    for (size_t i = 0; i < text.length; i++)
        lines += text.data[i] == '\n';
    return lines;
}

static void add_code(reader *r, const fh_cell_kind *kind)
{
    fh_notebook *notebook = r->notebook;
    fh_text source = fh_buffer_text(&r->source);
    size_t begin = notebook->text.length;
    fh_vector_push(&notebook->parts, (fh_notebook_part){r->lines + 1, notebook->cells.count - 1});
    if (kind->language == FH_CELL_SHELL)
        fh_notebook_add_shell(notebook, source, kind->body);
    else if (!fh_notebook_add_python(notebook, source, kind->body))
        note(r, "a string or bracket is not closed");
    r->lines +=
        count_lines(fh_text_slice(fh_buffer_text(&notebook->text), begin, notebook->text.length));
}

static void read_cell(reader *r, fh_json_value cell)
{
    fh_json_value source = fh_json_member(cell, "source");
    fh_text language = fh_json_text(fh_json_member(cell, "language"));
    r->number++;
    if (!fh_text_is(fh_json_text(fh_json_member(cell, "cell_type")), "code"))
        return;
    if (!source.document)
        source = fh_json_member(cell, "input"); /* formats 2 and 3 */
    join_source(r, source);
    if (!r->source.length)
        return;
    if (!is_python(language)) {
        note(r, "its language is %.*s", (int)(language.length < 40 ? language.length : 40),
             language.data);
        return;
    }
    fh_cell_kind kind = fh_notebook_cell_kind(fh_buffer_text(&r->source));
    if (kind.language == FH_CELL_OTHER)
        note(r, "%%%%%.*s is not read", (int)(kind.magic.length < 40 ? kind.magic.length : 40),
             kind.magic.data);
    if (kind.language == FH_CELL_OTHER || kind.language == FH_CELL_MARKUP)
        return;
    fh_text id = fh_json_text(fh_json_member(cell, "id"));
    fh_notebook_cell entry = {r->number, fh_arena_copy(&r->notebook->arena, id)};
    if (fh_vector_push(&r->notebook->cells, entry))
        add_code(r, &kind);
}

static bool read_cells(reader *r, fh_json_value cells)
{
    if (fh_json_kind_of(cells) != FH_JSON_ARRAY)
        return false;
    FH_JSON_EACH (cell, cells)
        read_cell(r, cell);
    return true;
}

static fh_status read_root(reader *r, fh_json_value root)
{
    fh_json_value sheets = fh_json_member(root, "worksheets");
    fh_text language = language_of(root);
    if (!is_python(language))
        return fh_error(FH_UNSUPPORTED, "a notebook in %.*s, not Python",
                        (int)(language.length < 40 ? language.length : 40), language.data);
    bool found = read_cells(r, fh_json_member(root, "cells"));
    FH_JSON_EACH (s, sheets)
        found |= read_cells(r, fh_json_member(s, "cells"));
    found |= fh_json_kind_of(sheets) == FH_JSON_ARRAY;
    return found ? FH_OK : fh_error(FH_INVALID, "not a notebook: it has no list of cells");
}

fh_status fh_notebook_read(fh_text json, fh_notebook *notebook)
{
    fh_json_document *document;
    reader r = {.notebook = notebook};
    fh_status status = fh_json_parse(json, "notebook", &document);
    if (status)
        return status;
    status = read_root(&r, fh_json_root(document));
    fh_json_free(document);
    bool failed = r.source.failed || notebook->arena.failed || notebook->cells.failed ||
                  notebook->notes.failed || notebook->text.failed || notebook->parts.failed ||
                  notebook->originals.failed;
    fh_buffer_free(&r.source);
    if (!status && failed)
        status = fh_error(FH_NO_MEMORY, "out of memory while reading a notebook");
    return status;
}

void fh_notebook_free(fh_notebook *notebook)
{
    fh_vector_free(&notebook->cells);
    fh_vector_free(&notebook->notes);
    fh_vector_free(&notebook->parts);
    fh_vector_free(&notebook->originals);
    fh_buffer_free(&notebook->text);
    fh_arena_free(&notebook->arena);
}

fh_notebook_place_result fh_notebook_place(const fh_notebook *notebook, uint32_t line)
{
    uint32_t next;
    if (!notebook->parts.count || line < 1)
        return (fh_notebook_place_result){0};
    FH_BISECT(next, 1, notebook->parts.count, notebook->parts.items[next].first_line <= line);
    const fh_notebook_part *part = &notebook->parts.items[next - 1];
    return (fh_notebook_place_result){&notebook->cells.items[part->cell],
                                      line - part->first_line + 1};
}

void fh_notebook_show(const fh_notebook *notebook, fh_buffer *out)
{
    size_t begin = out->length;
    fh_buffer_add(out, fh_buffer_text(&notebook->text));
    for (uint32_t i = 0; i < notebook->originals.count && !out->failed; i++) {
        const fh_notebook_original *o = &notebook->originals.items[i];
        size_t end = o->offset + o->lines.length;
        /* An indented "!l" is shorter than the `pass` in its place: that stays. */
        if (o->lines.length && end < notebook->text.length && notebook->text.data[end] == '\n')
            memcpy(out->data + begin + o->offset, o->lines.data, o->lines.length);
    }
}
