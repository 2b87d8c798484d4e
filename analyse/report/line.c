#include "analyse/report/line.h"
#include "analyse/report/clean.h"
#include "analyse/report/width.h"

enum { UNBROKEN_BLANK = 0x1F, FIRST_INK = 1 };

static const char *const codes[FH_INK_COUNT] = {
    [FH_INK_PLAIN] = "0",  [FH_INK_STRONG] = "1", [FH_INK_FAINT] = "2",    [FH_INK_CODE] = "0",
    [FH_INK_PLACE] = "36", [FH_INK_GOOD] = "32",  [FH_INK_CAUTION] = "33", [FH_INK_BAD] = "1;31",
};

void fh_line_add(fh_buffer *line, fh_ink ink, fh_text text)
{
    fh_buffer_add_char(line, (char)(FIRST_INK + ink));
    size_t begin = line->length;
    fh_clean_add(line, text);
    for (size_t i = begin; ink == FH_INK_PLACE && i < line->length; i++)
        if (line->data[i] == ' ')
            line->data[i] = UNBROKEN_BLANK;
}

/* A walk over a line: each step is one character, or one change of ink. */
typedef struct {
    fh_text rest;
    fh_text bytes; /* of this step; empty for a change of ink */
    fh_ink ink;
    unsigned width;
} walk;

static bool step(walk *w)
{
    size_t n = 1;
    if (!w->rest.length)
        return false;
    unsigned char byte = (unsigned char)w->rest.data[0];
    w->bytes = (fh_text){0};
    w->width = 0;
    if (byte >= FIRST_INK && byte < FIRST_INK + FH_INK_COUNT) {
        w->ink = (fh_ink)(byte - FIRST_INK);
    } else if (byte == UNBROKEN_BLANK) {
        w->bytes = FH_TEXT(" ");
        w->width = 1;
    } else {
        w->width = fh_width_of(fh_width_decode(w->rest, &n));
        w->bytes = fh_text_slice(w->rest, 0, n);
    }
    w->rest = fh_text_slice(w->rest, n, w->rest.length);
    return true;
}

size_t fh_line_width(fh_text line)
{
    size_t columns = 0;
    for (walk w = {.rest = line}; step(&w);)
        columns += w.width;
    return columns;
}

void fh_line_blanks(fh_buffer *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fh_buffer_add_char(out, ' ');
}

/* What has been put out, and in which ink the terminal is. */
typedef struct {
    fh_buffer *out;
    bool color;
    fh_ink ink;
} pen;

static void change_ink(pen *p, fh_ink ink)
{
    const char *code = codes[ink];
    bool same = codes[p->ink][0] == code[0] && fh_text_is(fh_text_from(code), codes[p->ink]);
    if (p->color && !same) {
        if (p->ink != FH_INK_PLAIN && p->ink != FH_INK_CODE && code[0] != '0')
            fh_buffer_add_string(p->out, "\033[0m");
        fh_buffer_add_format(p->out, "\033[%sm", code);
    }
    p->ink = ink;
}

static void put(pen *p, const walk *w)
{
    if (!w->bytes.length)
        return;
    change_ink(p, w->ink);
    fh_buffer_add(p->out, w->bytes);
}

void fh_line_write(fh_buffer *out, fh_text line, size_t columns, bool keep_end, bool color)
{
    size_t all = fh_line_width(line), at = 0;
    pen p = {.out = out, .color = color};
    bool cut = all > columns;
    size_t skip = cut && keep_end ? all - columns + 1 : 0;
    size_t room = cut && !keep_end ? columns - 1 : all;
    if (!columns)
        return;
    if (skip)
        fh_buffer_add_string(out, "…");
    for (walk w = {.rest = line}; step(&w); at += w.width) {
        if (at < skip)
            continue;
        if (at + w.width > room) {
            fh_buffer_add_string(out, "…");
            break;
        }
        put(&p, &w);
    }
    change_ink(&p, FH_INK_PLAIN);
}

void fh_line_cut(fh_buffer *to, fh_text line, size_t columns)
{
    size_t all = fh_line_width(line), at = 0;
    const char *end = line.data;
    if (all <= columns) {
        fh_buffer_add(to, line);
        return;
    }
    for (walk w = {.rest = line}; columns && step(&w) && at + w.width < columns; at += w.width)
        end = w.rest.data;
    fh_buffer_add(to, (fh_text){line.data, (size_t)(end - line.data)});
    if (columns)
        fh_buffer_add_string(to, "…");
}

/* Longer words are no names that somebody would look for; they are broken anywhere. */
enum { LONGEST_WHOLE = 64 };

static bool is_blank(const walk *w, const char *at)
{
    return w->bytes.length == 1 && w->bytes.data[0] == ' ' && *at == ' ';
}

/* Whether what begins here goes on without a place to break for more than `longest` columns. */
static bool is_endless(walk w, size_t longest)
{
    size_t width = 0;
    for (const char *at = w.rest.data; step(&w) && !is_blank(&w, at) && w.width < 2;
         at = w.rest.data)
        if ((width += w.width) > longest)
            return true;
    return false;
}

/* The next word: up to a blank, or to where no more of it fits `room` and a wide character, as
 * Chinese is written in, allows a break. Names, paths and numbers stay whole and stick out. */
static fh_text next_word(walk from, size_t room, size_t longest, size_t *width)
{
    const char *begin = from.rest.data, *end = begin, *edge = NULL;
    bool endless = is_endless(from, longest);
    size_t edge_width = 0;
    unsigned before = 0;
    *width = 0;
    for (walk w = from; step(&w); end = w.rest.data) {
        if (is_blank(&w, end))
            break;
        if (*width && w.width && w.ink != FH_INK_PLACE &&
            (endless || w.width == 2 || before == 2)) {
            edge = end;
            edge_width = *width;
        }
        if (*width + w.width > room && edge) {
            *width = edge_width;
            return (fh_text){begin, (size_t)(edge - begin)};
        }
        *width += w.width;
        before = w.width ? w.width : before;
        if (!w.rest.length) {
            end = begin + from.rest.length;
            break;
        }
    }
    return (fh_text){begin, (size_t)(end - begin)};
}

static void wrap(fh_buffer *out, fh_text line, size_t columns, size_t indent, bool color,
                 size_t longest)
{
    pen p = {.out = out, .color = color};
    walk w = {.rest = line};
    size_t at = indent, blanks = 0, room = columns > indent + 10 ? columns - indent : 10;
    bool first = true;
    while (w.rest.length) {
        size_t width;
        if (w.rest.data[0] == ' ') {
            blanks++;
            w.rest = fh_text_slice(w.rest, 1, w.rest.length);
            continue;
        }
        fh_text word = next_word(w, room, longest, &width);
        if (!first && width && at + blanks + width > indent + room) {
            change_ink(&p, FH_INK_PLAIN);
            fh_buffer_add_char(out, '\n');
            fh_line_blanks(out, indent);
            at = indent;
            blanks = 0;
        }
        if (width) {
            fh_line_blanks(out, blanks);
            at += blanks + width;
            blanks = 0;
            first = false;
        }
        size_t left = w.rest.length - word.length;
        for (w.rest.length = word.length; step(&w);)
            put(&p, &w);
        w.rest.length = left;
    }
    change_ink(&p, FH_INK_PLAIN);
    fh_buffer_add_char(out, '\n');
}

void fh_line_wrap(fh_buffer *out, fh_text line, size_t columns, size_t indent, bool color)
{
    wrap(out, line, columns, indent, color, LONGEST_WHOLE);
}

void fh_line_fit(fh_buffer *out, fh_text line, size_t columns, size_t indent, bool color)
{
    wrap(out, line, columns, indent, color, 0);
}
