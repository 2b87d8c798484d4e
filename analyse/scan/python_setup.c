/* setup.py: the requirements in a call of setup(). */
#include "analyse/scan/requirements.h"

static void add_text(fh_unit *unit, fh_text lines, uint32_t offset)
{
    fh_text line;
    while (fh_text_next(&lines, '\n', &line)) /* setuptools takes one string of lines too */
        if (fh_text_trim(line).length)
            (void)fh_requirement_add(unit, line, offset);
}

/* A string, or what of a list are strings; of a table its values; `deep` bounds tables in lists. */
static void add_value(fh_unit *unit, fh_value_index index, unsigned deep)
{
    const fh_value v = unit->values.items[index];
    uint32_t step = v.kind == FH_VALUE_DICT ? 2 : 1;
    if (v.kind == FH_VALUE_STRING)
        add_text(unit, fh_unit_text(unit, v.a), v.offset);
    if (v.kind == FH_VALUE_BINARY && v.op == FH_OP_ADD && deep) {
        add_value(unit, v.a, deep - 1);
        add_value(unit, v.b, deep - 1);
    }
    if (v.kind != FH_VALUE_LIST && v.kind != FH_VALUE_TUPLE && v.kind != FH_VALUE_SET &&
        v.kind != FH_VALUE_DICT)
        return;
    for (uint32_t i = step - 1; i < v.b && deep; i += step)
        add_value(unit, unit->lists.items[v.a + i], deep - 1);
}

void fh_setup_requirements(fh_unit *unit)
{
    static const char *const keywords[] = {"install_requires", "setup_requires", "tests_require",
                                           "extras_require"};
    enum { DEEP = 4 };
    bool has_any = false;
    for (size_t k = 0; k < sizeof keywords / sizeof *keywords; k++)
        has_any |= fh_symbols_find(&unit->symbols, fh_text_from(keywords[k])) != 0;
    for (uint32_t i = 1; has_any && i < unit->calls.count; i++) {
        const fh_call call = unit->calls.items[i];
        for (size_t k = 0; k < sizeof keywords / sizeof *keywords; k++) {
            fh_value_index value = fh_call_argument(unit, &call, -1, keywords[k]);
            if (value)
                add_value(unit, value, DEEP);
        }
    }
}
