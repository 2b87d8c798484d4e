/* csv.h: reading CSV (RFC 4180, and what is met beside it), row by row.
 *
 * Fields may be quoted; a quoted field may hold separators, line ends and
 * doubled quotes. Rows end at LF, CR LF or CR; empty lines are passed over. A
 * quote inside a field that did not begin with one is a character like others,
 * and what follows a closing quote is appended: as Python's csv module does.
 *
 * Text is UTF-8, with or without a byte order mark. A row that is not is read as
 * GBK, and so are the rows after it; a byte that is neither becomes U+FFFD.
 *
 * Memory: one row (at most `max_row_bytes`) and a piece of the input.
 */
#ifndef FH_BASE_CSV_H
#define FH_BASE_CSV_H

#include "base/arena.h"
#include "base/convert.h"
#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"

/* Gives up to `capacity` bytes of the input; `*got` is 0 at its end. */
typedef fh_status fh_csv_source(void *context, char *data, size_t capacity, size_t *got);

typedef struct {
    char separator;       /* 0 means ',' */
    bool trim_tabs;       /* cut tabs off the end of fields: msprof puts them after numbers */
    size_t max_row_bytes; /* 0 means 16 MiB */
} fh_csv_options;

typedef FH_VECTOR(fh_text) fh_csv_fields;

typedef struct {
    /* The row that was read last; borrowed until the next one is. */
    fh_csv_fields fields;
    uint64_t row;     /* its number, from 1, empty lines not counted */
    uint64_t line;    /* the line it begins in, from 1 */
    bool is_gbk;      /* a row was not UTF-8 and was read as GBK */
    uint64_t damaged; /* rows with bytes that are neither */

    /* The rest is the reader's own. */
    const char *name;
    fh_csv_source *source;
    void *context;
    fh_csv_options options;
    fh_text text;      /* what is left of the text that fh_csv_open_text was given */
    fh_buffer input;   /* the piece being read, */
    size_t next;       /* from here on */
    uint64_t at_line;  /* line of input.data[next] */
    bool after_return; /* the last byte was a CR: a LF now belongs to it */
    bool ended;
    fh_buffer raw, decoded; /* the fields' bytes, a '\n' after each */
    FH_VECTOR(size_t) ends; /* of the fields in `raw` */
    fh_converter gbk;
    FH_VECTOR(fh_text) header;
    fh_arena names;
} fh_csv;

/* Begins to read from `source`, or from `text`, which must stay. `name` is for
 * messages. Nothing is read yet; end with fh_csv_close. */
void fh_csv_open(fh_csv *csv, const char *name, fh_csv_source *source, void *context,
                 const fh_csv_options *options);
void fh_csv_open_text(fh_csv *csv, const char *name, fh_text text, const fh_csv_options *options);
void fh_csv_close(fh_csv *csv);

/* Reads the next row; `*has_row` is false at the end. Fails with FH_INVALID
 * ("NAME:7: ...") when a quoted field does not end, FH_LIMIT when a row is too
 * long, FH_UNSUPPORTED for UTF-16, FH_NO_MEMORY, or as the source. Nothing can
 * be read after a failure. */
fh_status fh_csv_next(fh_csv *csv, bool *has_row);

/* Reads the first row as names of columns. Fails as fh_csv_next, and with
 * FH_INVALID when there is no row. */
fh_status fh_csv_read_header(fh_csv *csv);

/* The column of that name (the first, blanks around it ignored), or -1. */
int fh_csv_column(const fh_csv *csv, const char *name);

/* The row's field in a column; empty when the row is too short or the column is -1. */
fh_text fh_csv_field(const fh_csv *csv, int column);

#endif
