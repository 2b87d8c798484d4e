/* table.h: the committed tables of facts, and tables of the same form.
 *
 * A table is text: lines of TAB-separated columns, sorted bytewise by the first
 * one. Lines that start with '#' at the top tell where it comes from; the next
 * line names the columns. "-" stands for "nothing known". The bytes of the
 * committed tables are part of the program; a lookup is a binary search over
 * them, so nothing is read or built at start.
 */
#ifndef FH_FACTS_TABLE_H
#define FH_FACTS_TABLE_H

#include "base/status.h"
#include "base/text.h"

typedef struct {
    fh_text rows;    /* the lines after the column names */
    fh_text header;  /* the line of column names */
    fh_text comment; /* the '#' lines */
} fh_table;

/* The committed tables: enumerator, file. */
#define FH_TABLES(X) \
    X(API, "facts/support/api.tsv") \
    X(ALIAS, "facts/support/alias.tsv") \
    X(OVERLOAD, "facts/support/overload.tsv") \
    X(TORCH_NPU, "facts/support/torch_npu.tsv") \
    X(PACKAGES, "facts/packages.tsv") \
    X(REPLACEMENTS, "facts/replacements.tsv") \
    X(ENVIRONMENT, "facts/environment.tsv") \
    X(VERSIONS, "facts/versions.tsv") \
    X(SOURCES, "facts/sources.tsv") \
    X(WORKAROUNDS, "facts/workarounds.tsv")

typedef enum {
#define X(name, file) FH_TABLE_##name,
    FH_TABLES(X)
#undef X
        FH_TABLE_COUNT
} fh_table_id;

/* A committed table; never NULL. */
const fh_table *fh_facts_table(fh_table_id id);

/* Splits text of the form above, which the table borrows. Fails with FH_INVALID, naming
 * the line, when the rows are not sorted or a row has another number of columns. */
fh_status fh_table_parse(fh_text text, fh_table *table);

/* The row whose first column is `key`; false when there is none. */
bool fh_table_find(const fh_table *table, fh_text key, fh_text *row);

/* The rows from the first one on whose first column is not less than `key`. */
fh_text fh_table_from(const fh_table *table, fh_text key);

/* Steps through all rows: start with *rest = table->rows. */
bool fh_table_next(fh_text *rest, fh_text *row);

/* Column `index` of a row; the empty text when it is "-" or missing. */
fh_text fh_table_column(fh_text row, unsigned index);

/* The number of the column called `name`, or -1. */
int fh_table_column_index(const fh_table *table, const char *name);

/* The column called `name` of a row; the empty text when it is "-" or there is none. */
fh_text fh_table_field(const fh_table *table, fh_text row, const char *name);

#endif
