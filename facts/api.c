#include "facts/api.h"
#include "facts/table.h"

static fh_text column(fh_text row, const char *name)
{
    int index = fh_table_column_index(fh_facts_table(FH_TABLE_API), name);
    return index < 0 ? (fh_text){0} : fh_table_column(row, (unsigned)index);
}

static fh_api_kind kind_of(fh_text text)
{
    static const struct {
        const char *name;
        fh_api_kind kind;
    } kinds[] = {{"module", FH_API_MODULE},     {"class", FH_API_CLASS},
                 {"function", FH_API_FUNCTION}, {"method", FH_API_METHOD},
                 {"property", FH_API_PROPERTY}, {"attribute", FH_API_ATTRIBUTE}};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (fh_text_is(text, kinds[i].name))
            return kinds[i].kind;
    return FH_API_ATTRIBUTE;
}

static fh_api_returns returns_of(fh_text text)
{
    static const struct {
        const char *name;
        fh_api_returns returns;
    } kinds[] = {{"Tensor", FH_RETURNS_TENSOR}, {"list", FH_RETURNS_TENSORS},
                 {"int", FH_RETURNS_NUMBER},    {"float", FH_RETURNS_NUMBER},
                 {"bool", FH_RETURNS_NUMBER},   {"scalar", FH_RETURNS_NUMBER},
                 {"Module", FH_RETURNS_MODULE}, {"none", FH_RETURNS_NONE},
                 {"tuple", FH_RETURNS_TENSORS}, {"Tensor|tuple", FH_RETURNS_TENSOR}};
    if (!text.length)
        return FH_RETURNS_UNKNOWN;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (fh_text_is(text, kinds[i].name))
            return kinds[i].returns;
    return FH_RETURNS_OTHER;
}

bool fh_api_find(fh_text name, fh_api *api)
{
    fh_text row;
    if (fh_table_find(fh_facts_table(FH_TABLE_ALIAS), name, &row))
        name = fh_table_column(row, 1);
    if (!fh_table_find(fh_facts_table(FH_TABLE_API), name, &row))
        return false;
    *api = (fh_api){
        .name = column(row, "api"),
        .kind = kind_of(column(row, "kind")),
        .returns = returns_of(column(row, "returns")),
        .class = column(row, "class"),
        .heavy = fh_text_is(column(row, "heavy"), "1"),
        .forward = column(row, "forward"),
        .backward = column(row, "backward"),
        .row = row,
    };
    return true;
}
