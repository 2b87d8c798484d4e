/* notebook_magics.h: what IPython adds to Python, taken out again. */
#ifndef FH_ANALYSE_SCAN_NOTEBOOK_MAGICS_H
#define FH_ANALYSE_SCAN_NOTEBOOK_MAGICS_H

#include "analyse/scan/notebook.h"

typedef enum {
    FH_CELL_PYTHON,
    FH_CELL_SHELL,
    FH_CELL_MARKUP, /* HTML and the like: nothing is lost when it is not read */
    FH_CELL_OTHER,
} fh_cell_language;

typedef struct {
    fh_cell_language language;
    size_t body;   /* offset of the first byte after the cell magics */
    fh_text magic; /* the one that decided, without "%%"; empty when there is none */
} fh_cell_kind;

/* What the cell magics at the start of a cell make of it. */
fh_cell_kind fh_notebook_cell_kind(fh_text source);

/* Appends a cell's source as Python to notebook->text, line by line the same, each ended by
 * '\n'; what stands before `body` becomes blank lines. Returns false when a string or bracket is
 * open at the end: it is closed then, in a line of its own, so that the cells after this one are
 * not lost in it. */
bool fh_notebook_add_python(fh_notebook *notebook, fh_text source, size_t body);

/* Appends blank lines for a cell of shell, from `body` on. */
void fh_notebook_add_shell(fh_notebook *notebook, fh_text source, size_t body);

#endif
