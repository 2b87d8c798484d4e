#include "facts/sources.h"
#include "facts/table.h"

bool fh_source_find(fh_text id, fh_text *where, fh_text *read)
{
    const fh_table *table = fh_facts_table(FH_TABLE_SOURCES);
    fh_text row;
    if (fh_text_is(id, "ours") || !fh_table_find(table, id, &row))
        return false;
    *where = fh_table_field(table, row, "where");
    *read = fh_table_field(table, row, "read");
    return true;
}

void fh_sources_add(fh_buffer *buffer, fh_text ids)
{
    fh_text id, where, read;
    bool is_first = true;
    while (fh_text_next(&ids, ' ', &id)) {
        if (!fh_source_find(id, &where, &read))
            continue;
        if (!is_first)
            fh_buffer_add_string(buffer, "; ");
        fh_buffer_add(buffer, where);
        is_first = false;
    }
}
