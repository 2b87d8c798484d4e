#include "facts/workarounds.h"
#include "facts/table.h"

static const fh_table *workarounds(void)
{
    return fh_facts_table(FH_TABLE_WORKAROUNDS);
}

static fh_workaround from_row(fh_text row)
{
    const fh_table *table = workarounds();
    return (fh_workaround){
        .name = fh_table_column(row, 0),
        .uses = fh_table_field(table, row, "uses"),
        .advice = fh_table_field(table, row, "advice"),
        .source = fh_table_field(table, row, "source"),
    };
}

bool fh_workaround_find(fh_text name, fh_workaround *workaround)
{
    fh_text row;
    if (!fh_table_find(workarounds(), name, &row))
        return false;
    *workaround = from_row(row);
    return true;
}

bool fh_workaround_next(fh_text *rest, fh_workaround *workaround)
{
    fh_text row;
    if (!rest->data)
        *rest = workarounds()->rows;
    if (!fh_table_next(rest, &row))
        return false;
    *workaround = from_row(row);
    return true;
}
