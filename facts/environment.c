#include "facts/environment.h"
#include "facts/table.h"

static const fh_table *variables(void)
{
    return fh_facts_table(FH_TABLE_ENVIRONMENT);
}

static fh_environment from_row(fh_text row)
{
    const fh_table *table = variables();
    return (fh_environment){
        .name = fh_table_column(row, 0),
        .replacement = fh_table_field(table, row, "replacement"),
        .mechanical = fh_text_is(fh_table_field(table, row, "mechanical"), "1"),
        .note = fh_table_field(table, row, "note"),
        .source = fh_table_field(table, row, "source"),
    };
}

bool fh_environment_find(fh_text name, fh_environment *environment)
{
    fh_text row;
    if (fh_table_find(variables(), name, &row)) {
        *environment = from_row(row);
        return true;
    }
    if (!fh_text_starts(name, "NCCL_") || name.length == 5)
        return false;
    *environment = (fh_environment){.name = name,
                                    .note = FH_TEXT("HCCL does not read variables of NCCL."),
                                    .source = FH_TEXT("hccl-env")};
    return true;
}

bool fh_environment_next(fh_text *rest, fh_environment *environment)
{
    fh_text row;
    if (!rest->data)
        *rest = variables()->rows;
    if (!fh_table_next(rest, &row))
        return false;
    *environment = from_row(row);
    return true;
}
