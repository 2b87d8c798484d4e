#include "base/csv.h"
#include "facts/import_operators.h"

#include <string.h>

enum { MOST_COLUMNS = 64 };

/* What a column of the table holds. */
typedef enum { OTHER, NAME, PRODUCTS, REFUSED, DTYPES, ONE_PRODUCT } column_kind;

typedef struct {
    column_kind kinds[MOST_COLUMNS];
    unsigned families[MOST_COLUMNS]; /* of ONE_PRODUCT */
    unsigned count;
} table_columns;

static bool contains_any(fh_text text, const char *const *words)
{
    for (; *words; words++)
        if (fh_text_contains(text, *words))
            return true;
    return false;
}

static column_kind kind_of(fh_text name, unsigned *families)
{
    static const char *const names[] = {"perator", "算子", "aclnn", "接口", "API", NULL};
    static const char *const dtypes[] = {"数据类型", "ata type", "ata Type", "dtype", NULL};
    static const char *const lists[] = {"产品", "roduct", "chip", "Chip", NULL};
    static const char *const refused[] = {"不支持", "nsupported", "refused", NULL};
    bool has_product;
    *families = fh_words_families(name, &has_product) | fh_families_parse(name);
    if (has_product || *families)
        return ONE_PRODUCT;
    if (contains_any(name, dtypes))
        return DTYPES;
    if (contains_any(name, refused))
        return REFUSED;
    if (contains_any(name, lists))
        return PRODUCTS;
    return contains_any(name, names) || fh_text_is(name, "name") ? NAME : OTHER;
}

static void read_columns(const fh_csv *csv, table_columns *read)
{
    bool has_name = false;
    read->count = csv->fields.count < MOST_COLUMNS ? csv->fields.count : MOST_COLUMNS;
    for (unsigned i = 0; i < read->count; i++) {
        fh_text name = fh_text_trim(csv->fields.items[i]);
        read->kinds[i] = kind_of(name, &read->families[i]);
        if (read->kinds[i] == NAME && has_name)
            read->kinds[i] = OTHER;
        has_name |= read->kinds[i] == NAME;
    }
}

/* Product lines of a cell: as documents call them, or their short names. */
static unsigned families_in(fh_text cell)
{
    static const char separators[] = ",;/ ";
    bool has_product;
    unsigned families = fh_words_families(cell, &has_product);
    for (const char *separator = separators; *separator; separator++) {
        fh_text rest = cell, part;
        while (fh_text_next(&rest, *separator, &part))
            families |= fh_families_parse(part);
    }
    return families;
}

static void read_cell(fh_text cell, column_kind kind, unsigned families, fh_import_operator *item)
{
    switch (kind) {
    case PRODUCTS:
        item->taken |= families_in(cell);
        break;
    case REFUSED:
        item->refused |= families_in(cell);
        break;
    case DTYPES:
        fh_words_dtypes(cell, true, &item->dtypes, &item->denied);
        break;
    case ONE_PRODUCT: {
        fh_mark mark = fh_words_mark(cell);
        item->taken |= mark == FH_MARK_YES || fh_text_is(cell, "1") ? families : 0;
        item->refused |= mark == FH_MARK_NO || fh_text_is(cell, "0") ? families : 0;
        break;
    }
    case NAME:
    case OTHER:
        break;
    }
}

static void read_row(const fh_csv *csv, const table_columns *columns,
                     fh_import_operators *operators)
{
    fh_import_operator item = {.line = (uint32_t)csv->line, .page = 1};
    for (unsigned i = 0; i < columns->count && i < csv->fields.count; i++) {
        fh_text cell = fh_text_trim(csv->fields.items[i]);
        if (columns->kinds[i] == NAME && fh_import_is_operator(cell))
            item.name = fh_arena_copy(&operators->names, cell);
        read_cell(cell, columns->kinds[i], columns->families[i], &item);
    }
    item.refused &= ~item.taken;
    for (unsigned i = 0; i < FH_FAMILIES; i++)
        item.dtypes.of[i] &= ~item.denied.of[i];
    if (item.name.length)
        fh_vector_push(&operators->items, item);
}

static fh_status read_rows(fh_csv *csv, fh_import_operators *operators)
{
    table_columns columns = {.count = 0};
    bool has_row = true, has_name = false;
    fh_status status = fh_csv_next(csv, &has_row);
    if (!status && has_row)
        read_columns(csv, &columns);
    for (unsigned i = 0; i < columns.count; i++)
        has_name |= columns.kinds[i] == NAME;
    if (!status && !has_name)
        return fh_error(FH_INVALID,
                        "%s has no column of operators; call it \"operator\" and give names like "
                        "aclnnAddmm",
                        csv->name);
    while (!status && has_row) {
        status = fh_csv_next(csv, &has_row);
        if (!status && has_row)
            read_row(csv, &columns, operators);
    }
    return status;
}

fh_status fh_import_operators_of_csv(fh_text text, const char *name, fh_import_operators *operators)
{
    fh_import_operators found = {0};
    fh_csv csv;
    fh_text first = fh_text_slice(text, 0, fh_text_find(text, '\n'));
    bool is_tabbed = fh_text_find(first, '\t') < first.length;
    fh_csv_open_text(&csv, name, text, &(fh_csv_options){.separator = is_tabbed ? '\t' : ','});
    fh_status status = read_rows(&csv, &found);
    fh_csv_close(&csv);
    if (!status && (found.items.failed || found.names.failed))
        status = fh_error(FH_NO_MEMORY, "out of memory while reading %s", name);
    if (status)
        fh_import_operators_free(&found);
    else
        *operators = found;
    return status;
}
