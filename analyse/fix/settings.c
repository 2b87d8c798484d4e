/* Environment variables that scripts, Dockerfiles and files of settings set. */
#include "analyse/fix/fix_build.h"
#include "facts/environment.h"

#include <string.h>

uint32_t fh_fix_rule_of_variable(fh_text name)
{
    if (fh_text_starts(name, "NCCL_") || fh_text_starts(name, "TORCH_NCCL_"))
        return FH_RULE_506;
    return fh_text_contains(name, "ALLOC_CONF") ? FH_RULE_805 : FH_RULE_606;
}

/* Whether the text expands the variable: $NAME, ${NAME...}. */
static bool is_read(fh_text text, fh_text name)
{
    const char *at = text.data, *end = text.data + text.length;
    while (name.length && (at = memmem(at, (size_t)(end - at), name.data, name.length))) {
        char before = at > text.data ? at[-1] : 0, earlier = at > text.data + 1 ? at[-2] : 0;
        if (before == '$' || (earlier == '$' && (before == '{' || before == '(')) ||
            (before == '#' && earlier == '{'))
            return true;
        at += name.length;
    }
    return false;
}

/* Indices of devices are all that ASCEND_RT_VISIBLE_DEVICES takes; a blank ends it. */
static bool value_fits(fh_text name, fh_text value)
{
    if (!fh_text_is(name, "CUDA_VISIBLE_DEVICES"))
        return true;
    return !fh_text_contains(value, "GPU-") && !fh_text_contains(value, "MIG-") &&
           fh_text_find(fh_text_trim(value), ' ') == fh_text_trim(value).length;
}

static void fix_setting(fh_fixer *f, const fh_setting *setting)
{
    fh_text name = fh_unit_text(f->unit, setting->key);
    fh_environment row;
    if (!fh_environment_find(name, &row) || fh_text_equal(row.replacement, row.name))
        return;
    if (!row.mechanical || !value_fits(name, fh_unit_text(f->unit, setting->value))) {
        fh_fix_leave(f, FH_FIX_NO_VARIABLE, setting->offset, name);
        return;
    }
    if (is_read(f->text, name)) {
        fh_fix_leave(f, FH_FIX_VARIABLE_READ, setting->offset, name);
        return;
    }
    uint32_t at = setting->offset;
    if (at < f->text.length && (f->text.data[at] == '"' || f->text.data[at] == '\''))
        at++;
    fh_fix_edit(f, fh_fix_rule_of_variable(name), at, name, row.replacement);
}

void fh_fix_settings(fh_fixer *f)
{
    for (uint32_t i = 1; i < f->unit->settings.count; i++)
        if (f->unit->settings.items[i].kind == FH_SETTING_ENVIRONMENT)
            fix_setting(f, &f->unit->settings.items[i]);
}
