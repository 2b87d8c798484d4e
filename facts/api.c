#include "facts/api.h"
#include "facts/table.h"

enum { NAME, KIND, CLASS, HEAVY, RETURNS, FORWARD, BACKWARD };

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
    } kinds[] = {{"Tensor", FH_RETURNS_TENSOR}, {"tensors", FH_RETURNS_TENSORS},
                 {"list", FH_RETURNS_TENSORS},  {"int", FH_RETURNS_NUMBER},
                 {"float", FH_RETURNS_NUMBER},  {"bool", FH_RETURNS_NUMBER},
                 {"Scalar", FH_RETURNS_NUMBER}, {"number", FH_RETURNS_NUMBER},
                 {"Module", FH_RETURNS_MODULE}, {"none", FH_RETURNS_NONE},
                 {"tuple", FH_RETURNS_TENSORS}};
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
        .name = fh_table_column(row, NAME),
        .kind = kind_of(fh_table_column(row, KIND)),
        .returns = returns_of(fh_table_column(row, RETURNS)),
        .class = fh_table_column(row, CLASS),
        .heavy = fh_text_is(fh_table_column(row, HEAVY), "1"),
        .forward = fh_table_column(row, FORWARD),
        .backward = fh_table_column(row, BACKWARD),
        .row = row,
    };
    return true;
}
