#include "analyse/fix/edit.h"

#include <stdlib.h>

static int by_place(const void *left, const void *right)
{
    const fh_edit *a = left, *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    if (a->rule != b->rule)
        return a->rule < b->rule ? -1 : 1;
    return fh_text_compare(a->text, b->text);
}

void fh_edits_sort(fh_edits *edits)
{
    uint32_t kept = 0;
    if (edits->count > 1)
        qsort(edits->items, edits->count, sizeof *edits->items, by_place);
    for (uint32_t i = 0; i < edits->count; i++) {
        const fh_edit *edit = &edits->items[i], *last = kept ? &edits->items[kept - 1] : NULL;
        if (last &&
            (edit->begin < last->end || (edit->begin == last->begin && edit->end == last->end)))
            continue;
        edits->items[kept++] = *edit;
    }
    edits->count = kept;
}

void fh_edits_apply(const fh_edits *edits, fh_text text, fh_buffer *result)
{
    size_t at = 0;
    for (uint32_t i = 0; i < edits->count; i++) {
        const fh_edit *edit = &edits->items[i];
        fh_buffer_add(result, fh_text_slice(text, at, edit->begin));
        fh_buffer_add(result, edit->text);
        at = edit->end;
    }
    fh_buffer_add(result, fh_text_slice(text, at, text.length));
}
