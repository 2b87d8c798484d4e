#include "facts/packages.h"
#include "base/names.h"
#include "facts/table.h"

static const fh_table *packages(void)
{
    return fh_facts_table(FH_TABLE_PACKAGES);
}

FH_NAMES(fh_package_verdict_name, fh_package_verdict, FH_PACKAGE_MAP)

static fh_package from_row(fh_text row)
{
    const fh_table *table = packages();
    fh_text verdict = fh_table_field(table, row, "verdict");
    fh_package package = {
        .name = fh_table_column(row, 0),
        .pip = fh_table_field(table, row, "pip"),
        .verdict = FH_PACKAGE_UNKNOWN,
        .what = fh_table_field(table, row, "what"),
        .counterpart = fh_table_field(table, row, "counterpart"),
        .advice = fh_table_field(table, row, "advice"),
        .source = fh_table_field(table, row, "source"),
    };
    for (unsigned i = 0; i < FH_PACKAGE_VERDICTS; i++)
        if (fh_text_is(verdict, fh_package_verdict_name((fh_package_verdict)i)))
            package.verdict = (fh_package_verdict)i;
    return package;
}

bool fh_package_of(fh_text name, fh_package *package)
{
    fh_text row;
    if (!fh_table_find(packages(), name, &row))
        return false;
    *package = from_row(row);
    return true;
}

bool fh_package_find(fh_text name, fh_package *package)
{
    while (name.length) {
        if (fh_package_of(name, package))
            return true;
        size_t dot = fh_text_find_last(name, '.');
        name = fh_text_slice(name, 0, dot < name.length ? dot : 0);
    }
    return false;
}

/* The next character as PEP 503 normalizes it: runs of '-', '_', '.' are one '-'. */
static char next_normalized(fh_text *text)
{
    if (!text->length)
        return 0;
    char c = *text->data;
    size_t used = 1;
    if (c == '-' || c == '_' || c == '.') {
        c = '-';
        while (used < text->length &&
               (text->data[used] == '-' || text->data[used] == '_' || text->data[used] == '.'))
            used++;
    }
    *text = fh_text_slice(*text, used, text->length);
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c ? c : 1;
}

static bool same_project(fh_text a, fh_text b)
{
    for (;;) {
        char x = next_normalized(&a), y = next_normalized(&b);
        if (x != y)
            return false;
        if (!x)
            return true;
    }
}

bool fh_package_find_project(fh_text project, fh_package *package)
{
    fh_text rest = {0};
    fh_package candidate;
    bool found = false;
    while (fh_package_next(&rest, &candidate)) {
        /* An API of PyTorch itself says nothing about installing PyTorch. */
        if (fh_text_starts(candidate.name, "torch.") ||
            fh_text_starts(candidate.name, "torchvision."))
            continue;
        fh_text names = candidate.pip, name;
        bool is_root = fh_text_find(candidate.name, '.') == candidate.name.length;
        while ((is_root || !found) && fh_text_next(&names, ' ', &name)) {
            if (!same_project(name, project))
                continue;
            *package = candidate;
            if (is_root)
                return true;
            found = true;
        }
    }
    return found;
}

bool fh_package_next(fh_text *rest, fh_package *package)
{
    fh_text row;
    if (!rest->data)
        *rest = packages()->rows;
    if (!fh_table_next(rest, &row))
        return false;
    *package = from_row(row);
    return true;
}
