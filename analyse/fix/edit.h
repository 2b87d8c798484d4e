/* edit.h: replacements of pieces of a text. */
#ifndef FH_FIX_EDIT_H
#define FH_FIX_EDIT_H

#include "base/text.h"
#include "base/vector.h"

/* [begin, end) becomes `text`; begin == end inserts. Offsets count bytes. */
typedef struct {
    uint32_t begin, end;
    fh_text text; /* borrowed */
    uint32_t rule;
} fh_edit;

typedef FH_VECTOR(fh_edit) fh_edits;

/* Sorts by place. Of equal edits one stays; of edits that overlap, the first. */
void fh_edits_sort(fh_edits *edits);

/* Appends `text` with the sorted edits made. */
void fh_edits_apply(const fh_edits *edits, fh_text text, fh_buffer *result);

#endif
