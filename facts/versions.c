#include "facts/versions.h"
#include "facts/table.h"

static fh_versions from_row(fh_text row)
{
    const fh_table *table = fh_facts_table(FH_TABLE_VERSIONS);
    return (fh_versions){
        .torch_npu = fh_table_column(row, 0),
        .is_on_pypi = fh_text_is(fh_table_field(table, row, "on_pypi"), "1"),
        .torch = fh_table_field(table, row, "torch"),
        .requires_torch = fh_table_field(table, row, "requires_torch"),
        .product = fh_table_field(table, row, "product"),
        .cann = fh_table_field(table, row, "cann"),
        .cann_compatible = fh_table_field(table, row, "cann_compatible"),
        .python = fh_table_field(table, row, "python"),
        .hdk = fh_table_field(table, row, "hdk"),
        .triton_ascend = fh_table_field(table, row, "triton_ascend"),
        .note = fh_table_field(table, row, "note"),
        .source = fh_table_field(table, row, "source"),
    };
}

bool fh_versions_next(fh_text *rest, fh_versions *versions)
{
    fh_text row;
    if (!rest->data)
        *rest = fh_facts_table(FH_TABLE_VERSIONS)->rows;
    if (!fh_table_next(rest, &row))
        return false;
    *versions = from_row(row);
    if (!fh_versions_is_known(versions->requires_torch))
        versions->requires_torch = (fh_text){0};
    return true;
}

bool fh_versions_find(fh_text torch_npu, fh_versions *versions)
{
    fh_version wanted, at;
    fh_versions row;
    fh_text rest = {0};
    if (!fh_version_parse(torch_npu, &wanted))
        return false;
    wanted.local = (fh_text){0};
    while (fh_versions_next(&rest, &row))
        if (fh_version_parse(row.torch_npu, &at) && fh_version_compare(&at, &wanted) == 0) {
            *versions = row;
            return true;
        }
    return false;
}

bool fh_versions_for_torch(const fh_version *torch, fh_versions *versions)
{
    fh_version wanted = *torch, made_for, at, newest = {.count = 0};
    fh_versions row;
    fh_text rest = {0};
    wanted.local = (fh_text){0};
    while (fh_versions_next(&rest, &row)) {
        if (!row.is_on_pypi || !fh_version_parse(row.torch, &made_for) ||
            fh_version_compare(&made_for, &wanted) || !fh_version_parse(row.torch_npu, &at) ||
            fh_version_is_pre(&at))
            continue;
        if (!newest.count || fh_version_compare(&at, &newest) > 0) {
            newest = at;
            *versions = row;
        }
    }
    return newest.count > 0;
}

bool fh_versions_is_known(fh_text list)
{
    return list.length && !fh_text_is(list, "unknown") && !fh_text_is(list, "none");
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same(fh_text a, fh_text b)
{
    if (a.length != b.length)
        return false;
    for (size_t i = 0; i < a.length; i++)
        if (lower(a.data[i]) != lower(b.data[i]))
            return false;
    return true;
}

/* "8.5.X" and "8.5.1": part by part; X takes what is left, also nothing. */
static bool fits(fh_text pattern, fh_text version)
{
    fh_text part, given;
    while (fh_text_next(&pattern, '.', &part)) {
        if (fh_text_is(part, "X"))
            return true;
        if (!fh_text_next(&version, '.', &given) || !same(part, given))
            return false;
    }
    return !version.length;
}

bool fh_versions_list_has(fh_text list, fh_text version)
{
    fh_text part;
    if (!fh_versions_is_known(list) || !version.length)
        return false;
    while (fh_text_next(&list, ' ', &part))
        if (fits(part, version))
            return true;
    return false;
}
