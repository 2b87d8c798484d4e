/* Edits of a notebook's code, in the JSON that holds it.
 *
 * The code of all cells is one text (analyse/scan/notebook.h), whose lines stand in the file as
 * pieces of JSON strings. A line can be placed when the file holds its escaped form, between ends
 * of lines or strings, as often as the code has that line: then the n-th is the n-th. A copy in
 * an output or in prose makes the counts differ, and the line is left as it is.
 */
#include "analyse/fix/fix_build.h"

#include <string.h>

typedef struct {
    fh_text json, code;
    fh_buffer escaped;
} placing;

static void add_escaped(fh_text text, fh_buffer *out)
{
    for (size_t i = 0; i < text.length; i++) {
        char c = text.data[i];
        if (c == '"' || c == '\\')
            fh_buffer_add_format(out, "\\%c", c);
        else if (c == '\t')
            fh_buffer_add_string(out, "\\t");
        else if (c == '\n')
            fh_buffer_add_string(out, "\\n");
        else
            fh_buffer_add_char(out, c);
    }
}

/* Whether the backslashes before `at` are an odd number: what stands there is escaped. */
static bool is_escaped(fh_text json, size_t at)
{
    size_t count = 0;
    while (count < at && json.data[at - 1 - count] == '\\')
        count++;
    return count % 2 == 1;
}

static bool is_whole_line(fh_text json, size_t begin, size_t end)
{
    bool starts = begin >= 1 && ((json.data[begin - 1] == '"' && !is_escaped(json, begin - 1)) ||
                                 (json.data[begin - 1] == 'n' && is_escaped(json, begin - 1)));
    bool ends = end < json.length &&
                (json.data[end] == '"' ||
                 (json.data[end] == '\\' && end + 1 < json.length && json.data[end + 1] == 'n'));
    return starts && ends;
}

/* Where the `wanted`-th (from 0) such line begins in the file; *count: how many there are. */
static size_t find_line(const placing *p, uint32_t wanted, uint32_t *count)
{
    fh_text line = fh_buffer_text(&p->escaped);
    size_t place = 0, at = 0;
    *count = 0;
    while (line.length && at < p->json.length) {
        const char *found = memmem(p->json.data + at, p->json.length - at, line.data, line.length);
        if (!found)
            break;
        at = (size_t)(found - p->json.data);
        if (is_whole_line(p->json, at, at + line.length)) {
            if (*count == wanted)
                place = at;
            ++*count;
        }
        at++;
    }
    return place;
}

/* How many lines of the code equal `line`; *before: those that begin before `begin`. */
static uint32_t count_lines(fh_text code, fh_text line, size_t begin, uint32_t *before)
{
    uint32_t count = 0;
    *before = 0;
    for (size_t at = 0; at < code.length;) {
        size_t end = at + fh_text_find(fh_text_slice(code, at, code.length), '\n');
        if (fh_text_equal(fh_text_slice(code, at, end), line)) {
            *before += at < begin;
            count++;
        }
        at = end + 1;
    }
    return count;
}

/* The edit in the file; false when its line cannot be placed. */
static bool place_edit(fh_fixer *f, placing *p, const fh_edit *edit, fh_edit *placed)
{
    size_t begin = edit->begin, end;
    uint32_t before, in_json;
    while (begin > 0 && p->code.data[begin - 1] != '\n')
        begin--;
    end = begin + fh_text_find(fh_text_slice(p->code, begin, p->code.length), '\n');
    fh_text line = fh_text_slice(p->code, begin, end);
    uint32_t in_code = count_lines(p->code, line, begin, &before);
    fh_buffer_clear(&p->escaped);
    add_escaped(line, &p->escaped);
    size_t at = find_line(p, before, &in_json);
    if (edit->end > end || in_json != in_code)
        return false;
    fh_buffer_clear(&p->escaped);
    add_escaped(fh_text_slice(p->code, begin, edit->begin), &p->escaped);
    size_t first = at + p->escaped.length;
    fh_buffer_clear(&p->escaped);
    add_escaped(fh_text_slice(p->code, edit->begin, edit->end), &p->escaped);
    size_t last = first + p->escaped.length;
    fh_buffer_clear(&p->escaped);
    add_escaped(edit->text, &p->escaped);
    *placed = (fh_edit){(uint32_t)first, (uint32_t)last,
                        fh_arena_copy(&f->arena, fh_buffer_text(&p->escaped)), edit->rule};
    return !p->escaped.failed;
}

void fh_fix_notebook(fh_fixer *f, fh_text json)
{
    placing p = {.json = json, .code = f->text};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->edits.count; i++) {
        fh_edit placed;
        if (place_edit(f, &p, &f->edits.items[i], &placed))
            f->edits.items[kept++] = placed;
        else
            fh_fix_leave(f, FH_FIX_NOTEBOOK, f->edits.items[i].begin, (fh_text){0});
    }
    /* An added import alone is no change. */
    if (kept == 1 && f->edits.items[0].rule == FH_RULE_COUNT)
        kept = 0;
    f->edits.count = kept;
    fh_buffer_free(&p.escaped);
}
