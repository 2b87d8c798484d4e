/* diff.h: a text and edits to it as a unified diff. */
#ifndef FH_FIX_DIFF_H
#define FH_FIX_DIFF_H

#include "analyse/fix/edit.h"

/* Appends the diff of `text` and what the sorted edits make of it, with three lines of context, in
 * the form that `git apply` and `patch -p1` take: names behind a/ and b/, in C's quotes where they
 * hold control characters, quotes or backslashes. Lines are passed on byte by byte; only LF ends
 * one. Nothing is appended when there are no edits. */
void fh_diff_add(fh_text path, fh_text text, const fh_edits *edits, fh_buffer *diff);

#endif
