/* notebook.h: the code of a Jupyter notebook as one text of Python.
 *
 * The cells are put one below the other; a line that is for IPython and not Python
 * (a magic, a shell command, a question) becomes a blank line, or `pass` where it is
 * indented, so that lines and columns stay what they are in the cell. `%time f(x)`
 * keeps `f(x)`, in its place, behind `pass;`. Cells with a cell magic are Python only
 * when the magic runs the cell as Python (%%time, %%capture, ...); those of %%bash,
 * %%sh and %%script bash are blank lines too. What stood there is kept beside the
 * text, with its meaning: shell, or a variable of the environment.
 *
 * A finding in a notebook is reported at file = the notebook, line and column
 * = those in the cell, and the cell beside them (fh_notebook_place).
 */
#ifndef FH_ANALYSE_SCAN_NOTEBOOK_H
#define FH_ANALYSE_SCAN_NOTEBOOK_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"

typedef struct {
    uint32_t number; /* from 1, counting cells of every type, as they stand in the file */
    fh_text id;      /* of notebook format 4.5 on; empty when it has none */
} fh_notebook_cell;

typedef struct {
    uint32_t first_line; /* the cell's first line in the joined text, from 1 */
    uint32_t cell;       /* index into cells */
} fh_notebook_part;

typedef enum {
    FH_ORIGINAL_OTHER,
    FH_ORIGINAL_SHELL,    /* !ls, %pip install x, a %%bash cell */
    FH_ORIGINAL_VARIABLE, /* %env NAME=value, %env NAME value */
} fh_original_meaning;

/* Lines as they stand in the cell, in place of which the text has something else. */
typedef struct {
    uint32_t offset; /* in the text: of the first line */
    fh_text lines;   /* "!ls"; without the last line's end */
    uint32_t begin;  /* of what has the meaning: 1 for "!ls" */
    fh_original_meaning meaning;
} fh_notebook_original;

typedef FH_VECTOR(fh_notebook_original) fh_notebook_originals;

typedef struct {
    FH_VECTOR(fh_notebook_cell) cells; /* the code cells */
    fh_buffer text;                    /* valid UTF-8; every line ends with '\n' */
    FH_VECTOR(fh_notebook_part) parts;
    fh_notebook_originals originals;
    FH_VECTOR(fh_text) notes; /* what was left out: "cell 3: %%foo is not read as Python" */
    fh_arena arena;
} fh_notebook;

/* Reads a notebook of format 2, 3 or 4; `notebook` must be zero, and the caller
 * frees it, also on failure. Fails with FH_INVALID when it is not JSON or not a
 * notebook, FH_UNSUPPORTED when its language is not Python (the message names
 * it), FH_NO_MEMORY. */
fh_status fh_notebook_read(fh_text json, fh_notebook *notebook);
void fh_notebook_free(fh_notebook *notebook);

typedef struct {
    const fh_notebook_cell *cell;
    uint32_t line; /* in the cell, from 1 */
} fh_notebook_place_result;

/* The cell, and the line in it, of a line of the joined text; cell is NULL when
 * there is no such line. */
fh_notebook_place_result fh_notebook_place(const fh_notebook *notebook, uint32_t line);

/* Appends the text with the originals in their places. */
void fh_notebook_show(const fh_notebook *notebook, fh_buffer *out);

#endif
