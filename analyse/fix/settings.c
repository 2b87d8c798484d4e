/* Files of settings, scripts and Dockerfiles: environment variables, devices, backends. */
#include "analyse/fix/fix_build.h"
#include "analyse/rules/text_match.h"
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

/* Where the variable's name stands: at the setting, or, of `NAME: value`, in front of it. */
static uint32_t find_name(fh_text text, uint32_t offset, fh_text name)
{
    size_t at = offset;
    if (at < text.length && (text.data[at] == '"' || text.data[at] == '\''))
        at++;
    if (fh_text_equal(fh_text_slice(text, at, at + name.length), name))
        return (uint32_t)at;
    size_t end = offset;
    while (end > 0 && strchr(" \t:=\"'", text.data[end - 1]))
        end--;
    if (end >= name.length && fh_text_equal(fh_text_slice(text, end - name.length, end), name))
        return (uint32_t)(end - name.length);
    return (uint32_t)at;
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
    if (fh_fix_edit(f, fh_fix_rule_of_variable(name), find_name(f->text, setting->offset, name),
                    name, row.replacement))
        fh_vector_push(&f->done, (fh_fix_done){f->unit_index, setting->offset});
}

/* The last part of "deepspeed.comm.backend"; of an element of a list that of the list. */
static fh_text last_key(fh_text path)
{
    for (;;) {
        fh_text last = fh_text_last_part(path);
        int64_t number;
        if (!fh_text_to_integer(last, &number) || last.length >= path.length)
            return last;
        path.length -= last.length + 1;
    }
}

/* Where the value stands: at the setting, or, of `key = value`, behind the sign. */
static uint32_t find_value(fh_text text, uint32_t offset, fh_text value)
{
    for (size_t at = offset; at < text.length && !strchr("\r\n", text.data[at]); at++) {
        bool is_here = at == offset || strchr(" \t=:\"'", text.data[at - 1]);
        if (is_here && fh_text_equal(fh_text_slice(text, at, at + value.length), value))
            return (uint32_t)at;
        if (at > offset && strchr("=:", text.data[at - 1]) && !strchr(" \t\"'", text.data[at]))
            break;
    }
    return offset;
}

/* device: cuda:0, dist_backend: nccl. */
static void fix_value(fh_fixer *f, const fh_setting *setting)
{
    fh_text key = last_key(fh_unit_text(f->unit, setting->key));
    fh_text value = fh_unit_text(f->unit, setting->value);
    bool is_device = fh_text_is_cuda_device(value), is_backend = fh_text_is(value, "nccl");
    if (!is_device && !is_backend)
        return;
    uint32_t at = find_value(f->text, setting->offset, value);
    if (is_device && fh_fix_is_device_name(key))
        fh_fix_edit(f, FH_RULE_604, at, FH_TEXT("cuda"), FH_TEXT("npu"));
    else if (is_backend && fh_fix_is_backend_name(key))
        fh_fix_edit(f, FH_RULE_501, at, value, FH_TEXT("hccl"));
    else
        fh_fix_leave(f, FH_FIX_UNSURE_SETTING, at, key);
}

void fh_fix_settings(fh_fixer *f)
{
    for (uint32_t i = 1; i < f->unit->settings.count; i++) {
        const fh_setting *setting = &f->unit->settings.items[i];
        if (setting->kind == FH_SETTING_ENVIRONMENT)
            fix_setting(f, setting);
        else if (setting->kind == FH_SETTING_KEY)
            fix_value(f, setting);
    }
}
