#include "facts/table.h"
#include "facts/embedded.h"

#include <pthread.h>

static fh_table tables[FH_TABLE_COUNT];

/* Takes the leading '#' lines and the line of column names off `text`. */
static void split(fh_text text, fh_table *table)
{
    size_t at = 0;
    while (at < text.length && text.data[at] == '#')
        at += fh_text_find(fh_text_slice(text, at, text.length), '\n') + 1;
    table->comment = fh_text_slice(text, 0, at);
    fh_text rest = fh_text_slice(text, at, text.length);
    size_t end = fh_text_find(rest, '\n');
    table->header = fh_text_slice(rest, 0, end);
    table->rows = fh_text_slice(rest, end + 1, rest.length);
}

static void split_all(void)
{
#define X(name, file) split(fh_embedded_##name(), &tables[FH_TABLE_##name]);
    FH_TABLES(X)
#undef X
}

const fh_table *fh_facts_table(fh_table_id id)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, split_all);
    return &tables[id];
}

bool fh_table_next(fh_text *rest, fh_text *row)
{
    if (!rest->length)
        return false;
    size_t end = fh_text_find(*rest, '\n');
    *row = fh_text_slice(*rest, 0, end);
    *rest = fh_text_slice(*rest, end + 1, rest->length);
    return true;
}

static unsigned count_columns(fh_text row)
{
    unsigned count = 1;
    for (size_t i = 0; i < row.length; i++)
        count += row.data[i] == '\t';
    return count;
}

static fh_text first_column(fh_text row)
{
    return fh_text_slice(row, 0, fh_text_find(row, '\t'));
}

fh_status fh_table_parse(fh_text text, fh_table *table)
{
    fh_table parsed;
    split(text, &parsed);
    unsigned columns = count_columns(parsed.header), number = 0;
    fh_text rest = parsed.rows, row, before = {0};
    while (fh_table_next(&rest, &row)) {
        number++;
        if (count_columns(row) != columns)
            return fh_error(FH_INVALID, "row %u has %u columns instead of %u: %.*s", number,
                            count_columns(row), columns, FH_TEXT_ARGS(first_column(row)));
        if (number > 1 && fh_text_compare(before, first_column(row)) >= 0)
            return fh_error(FH_INVALID, "row %u is not sorted after the one before: %.*s", number,
                            FH_TEXT_ARGS(first_column(row)));
        before = first_column(row);
    }
    *table = parsed;
    return FH_OK;
}

fh_text fh_table_from(const fh_table *table, fh_text key)
{
    size_t low = 0, high = table->rows.length;
    /* low and high always stand at the start of a line (or at the end of all). */
    while (low < high) {
        fh_text before = fh_text_slice(table->rows, low, low + (high - low) / 2);
        size_t newline = fh_text_find_last(before, '\n');
        size_t begin = low + (newline < before.length ? newline + 1 : 0);
        fh_text line = fh_text_slice(table->rows, begin, high);
        if (fh_text_compare(first_column(line), key) < 0) {
            size_t next = begin + fh_text_find(line, '\n') + 1;
            low = next < high ? next : high;
        } else {
            high = begin;
        }
    }
    return fh_text_slice(table->rows, low, table->rows.length);
}

bool fh_table_find(const fh_table *table, fh_text key, fh_text *row)
{
    fh_text rest = fh_table_from(table, key), found;
    if (!fh_table_next(&rest, &found) || !fh_text_equal(first_column(found), key))
        return false;
    *row = found;
    return true;
}

fh_text fh_table_column(fh_text row, unsigned index)
{
    fh_text rest = row, part = {0};
    for (unsigned i = 0; i <= index; i++)
        if (!fh_text_next(&rest, '\t', &part))
            return (fh_text){0};
    return fh_text_is(part, "-") ? (fh_text){0} : part;
}

int fh_table_column_index(const fh_table *table, const char *name)
{
    fh_text rest = table->header, part;
    for (int i = 0; fh_text_next(&rest, '\t', &part); i++)
        if (fh_text_is(part, name))
            return i;
    return -1;
}

fh_text fh_table_field(const fh_table *table, fh_text row, const char *name)
{
    int index = fh_table_column_index(table, name);
    return index < 0 ? (fh_text){0} : fh_table_column(row, (unsigned)index);
}
