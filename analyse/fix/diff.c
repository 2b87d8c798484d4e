#include "analyse/fix/diff.h"
#include "base/search.h"

#include <string.h>

enum { CONTEXT = 3 };

/* Lines [first, last) of the old text, from 0, become the lines of `text`. */
typedef struct {
    uint32_t first, last, edit, edit_end;
} change;

typedef struct {
    fh_text text;
    const fh_edits *edits;
    FH_VECTOR(uint32_t) lines; /* where each begins; the end of the text as the last one */
    FH_VECTOR(change) changes;
    fh_buffer *out;
    bool failed;
} diff;

static uint32_t line_count(const diff *d)
{
    return d->lines.count - 1;
}

static void split_lines(diff *d)
{
    for (size_t at = 0; at < d->text.length;) {
        fh_vector_push(&d->lines, (uint32_t)at);
        const char *end = memchr(d->text.data + at, '\n', d->text.length - at);
        at = end ? (size_t)(end - d->text.data) + 1 : d->text.length;
    }
    fh_vector_push(&d->lines, (uint32_t)d->text.length);
    d->failed |= d->lines.failed;
}

/* The line that byte `offset` is in, or line_count for the end of a text that ends a line. */
static uint32_t line_of(const diff *d, uint32_t offset)
{
    uint32_t next;
    FH_BISECT(next, 1, d->lines.count, d->lines.items[next] <= offset);
    return next - 1;
}

static void find_changes(diff *d)
{
    for (uint32_t i = 0; i < d->edits->count; i++) {
        const fh_edit *edit = &d->edits->items[i];
        uint32_t first = line_of(d, edit->begin), last = first;
        bool whole_lines = edit->begin == edit->end && edit->begin == d->lines.items[first] &&
                           edit->text.length && edit->text.data[edit->text.length - 1] == '\n';
        if (!whole_lines) {
            /* At the end of a last line without LF, the text goes on in that line. */
            if (first == line_count(d) && first > 0 && d->text.data[d->text.length - 1] != '\n')
                first--;
            last = line_of(d, edit->end > edit->begin ? edit->end - 1 : edit->end) + 1;
            last = last > line_count(d) ? line_count(d) : last;
        }
        change *before = d->changes.count ? &fh_vector_last(&d->changes) : NULL;
        if (before && first <= before->last) {
            before->last = last > before->last ? last : before->last;
            before->edit_end = i + 1;
        } else if (!fh_vector_push(&d->changes, (change){first, last, i, i + 1})) {
            d->failed = true;
        }
    }
}

/* Appends lines, each behind `sign`; a last one without LF is marked. Returns their number. */
static uint32_t add_lines(fh_text text, char sign, fh_buffer *out)
{
    uint32_t count = 0;
    for (size_t at = 0; at < text.length; count++) {
        const char *end = memchr(text.data + at, '\n', text.length - at);
        size_t next = end ? (size_t)(end - text.data) + 1 : text.length;
        fh_buffer_add_char(out, sign);
        fh_buffer_add(out, fh_text_slice(text, at, next));
        if (!end)
            fh_buffer_add_string(out, "\n\\ No newline at end of file\n");
        at = next;
    }
    return count;
}

static fh_text old_lines(const diff *d, uint32_t first, uint32_t last)
{
    return fh_text_slice(d->text, d->lines.items[first], d->lines.items[last]);
}

/* The new lines of a change. */
static void make_lines(const diff *d, const change *c, fh_buffer *lines)
{
    size_t at = d->lines.items[c->first];
    for (uint32_t i = c->edit; i < c->edit_end; i++) {
        const fh_edit *edit = &d->edits->items[i];
        fh_buffer_add(lines, fh_text_slice(d->text, at, edit->begin));
        fh_buffer_add(lines, edit->text);
        at = edit->end;
    }
    fh_buffer_add(lines, fh_text_slice(d->text, at, d->lines.items[c->last]));
}

/* "@@ -first,count +first,count @@"; of no lines the number is that of the line before. */
static void add_header(uint32_t first, uint32_t old_count, uint32_t new_count, int64_t shift,
                       fh_buffer *out)
{
    fh_buffer_add_format(out, "@@ -%u,%u +%lld,%u @@\n", first + (old_count ? 1 : 0), old_count,
                         (long long)first + shift + (new_count ? 1 : 0), new_count);
}

/* One hunk: changes [begin, end), whose contexts meet. *shift: by how many lines the new text is
 * ahead of the old one. */
static void add_hunk(diff *d, uint32_t begin, uint32_t end, int64_t *shift)
{
    fh_buffer body = {0}, lines = {0};
    const change *changes = d->changes.items;
    uint32_t first = changes[begin].first > CONTEXT ? changes[begin].first - CONTEXT : 0;
    uint32_t stop = changes[end - 1].last + CONTEXT, at = first, new_count = 0;
    stop = stop > line_count(d) ? line_count(d) : stop;
    for (uint32_t i = begin; i < end; i++) {
        new_count += add_lines(old_lines(d, at, changes[i].first), ' ', &body);
        add_lines(old_lines(d, changes[i].first, changes[i].last), '-', &body);
        fh_buffer_clear(&lines);
        make_lines(d, &changes[i], &lines);
        new_count += add_lines(fh_buffer_text(&lines), '+', &body);
        at = changes[i].last;
        d->failed |= lines.failed;
    }
    new_count += add_lines(old_lines(d, at, stop), ' ', &body);
    add_header(first, stop - first, new_count, *shift, d->out);
    fh_buffer_add(d->out, fh_buffer_text(&body));
    *shift += (int64_t)new_count - (int64_t)(stop - first);
    d->failed |= body.failed;
    fh_buffer_free(&body);
    fh_buffer_free(&lines);
}

static void add_name(const char *mark, char side, fh_text path, fh_buffer *out)
{
    bool quoted = false, blank = fh_text_find(path, ' ') < path.length;
    for (size_t i = 0; i < path.length; i++)
        quoted |= (unsigned char)path.data[i] < 32 || path.data[i] == 127 || path.data[i] == '"' ||
                  path.data[i] == '\\';
    fh_buffer_add_format(out, "%s %s%c/", mark, quoted ? "\"" : "", side);
    for (size_t i = 0; i < path.length; i++) {
        unsigned char c = (unsigned char)path.data[i];
        if (c < 32 || c == 127)
            fh_buffer_add_format(out, "\\%03o", c);
        else if (c == '"' || c == '\\')
            fh_buffer_add_format(out, "\\%c", c);
        else
            fh_buffer_add_char(out, (char)c);
    }
    /* A name with a blank ends at a TAB, as git and GNU diff write it. */
    fh_buffer_add_string(out, quoted ? "\"\n" : blank ? "\t\n" : "\n");
}

void fh_diff_add(fh_text path, fh_text text, const fh_edits *edits, fh_buffer *out)
{
    diff d = {.text = text, .edits = edits, .out = out};
    if (!edits->count)
        return;
    split_lines(&d);
    if (!d.failed)
        find_changes(&d);
    if (!d.failed) {
        int64_t shift = 0;
        add_name("---", 'a', path, out);
        add_name("+++", 'b', path, out);
        for (uint32_t begin = 0, end; begin < d.changes.count; begin = end) {
            end = begin + 1;
            while (end < d.changes.count &&
                   d.changes.items[end].first - d.changes.items[end - 1].last <= 2 * CONTEXT)
                end++;
            add_hunk(&d, begin, end, &shift);
        }
    }
    out->failed |= d.failed;
    fh_vector_free(&d.lines);
    fh_vector_free(&d.changes);
}
