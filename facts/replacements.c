#include "facts/replacements.h"
#include "facts/table.h"

#include <stdio.h>

static const fh_table *replacements(void)
{
    return fh_facts_table(FH_TABLE_REPLACEMENTS);
}

static fh_replacement from_row(fh_text row)
{
    const fh_table *table = replacements();
    fh_text kind = fh_table_field(table, row, "kind");
    return (fh_replacement){
        .name = fh_table_column(row, 0),
        .kind = fh_text_is(kind, "module")   ? FH_REPLACES_MODULE
                : fh_text_is(kind, "string") ? FH_REPLACES_STRING
                                             : FH_REPLACES_API,
        .replacement = fh_table_field(table, row, "replacement"),
        .mechanical = fh_text_is(fh_table_field(table, row, "mechanical"), "1"),
        .releases = fh_table_field(table, row, "torch"),
        .note = fh_table_field(table, row, "note"),
        .source = fh_table_field(table, row, "source"),
    };
}

bool fh_replacement_find(fh_text name, fh_replacement *replacement)
{
    fh_text row, part = name;
    while (part.length && *part.data != '"') {
        if (fh_table_find(replacements(), part, &row)) {
            fh_replacement found = from_row(row);
            if (part.length == name.length || found.kind == FH_REPLACES_MODULE) {
                *replacement = found;
                return true;
            }
        }
        size_t dot = fh_text_find_last(part, '.');
        part = fh_text_slice(part, 0, dot < part.length ? dot : 0);
    }
    return false;
}

/* The length of the digits at the end of `text`. */
static size_t digits(fh_text text)
{
    size_t count = 0;
    while (count < text.length && text.data[text.length - 1 - count] >= '0' &&
           text.data[text.length - 1 - count] <= '9')
        count++;
    return count;
}

bool fh_replacement_find_string(fh_text literal, fh_replacement *replacement)
{
    char quoted[64];
    fh_text row;
    size_t number = digits(literal), kept = literal.length;
    bool is_indexed = number && kept > number && literal.data[kept - number - 1] == ':';
    if (is_indexed)
        kept -= number;
    int length = snprintf(quoted, sizeof quoted, "\"%.*s%s\"", (int)kept,
                          literal.data ? literal.data : "", is_indexed ? "N" : "");
    if (literal.length >= sizeof quoted || length >= (int)sizeof quoted ||
        !fh_table_find(replacements(), (fh_text){quoted, (size_t)length}, &row))
        return false;
    *replacement = from_row(row);
    return true;
}

bool fh_replacement_next(fh_text *rest, fh_replacement *replacement)
{
    fh_text row;
    if (!rest->data)
        *rest = replacements()->rows;
    if (!fh_table_next(rest, &row))
        return false;
    *replacement = from_row(row);
    return true;
}

bool fh_replacement_in(const fh_replacement *replacement, fh_release release)
{
    return replacement->replacement.length &&
           (!replacement->releases.length || fh_release_in(release, replacement->releases));
}
