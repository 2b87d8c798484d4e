/* Tests for CUDA: whether what is tested is a device, and whether an NPU may take the same way. */
#include "analyse/fix/fix_build.h"
#include "analyse/fix/python_text.h"

#include <string.h>
#include <strings.h>

static bool contains_word(fh_text text, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= text.length; i++)
        if (strncasecmp(text.data + i, word, length) == 0)
            return true;
    return false;
}

bool fh_fix_is_device_name(fh_text name)
{
    return contains_word(name, "device") || contains_word(name, "map_location") ||
           fh_text_is(name, "dev") || fh_text_is(name, "DEV") || fh_text_ends(name, "_dev") ||
           fh_text_starts(name, "dev_");
}

bool fh_fix_is_backend_name(fh_text name)
{
    return contains_word(name, "backend");
}

static bool drop_end(fh_text *text, const char *end)
{
    if (!fh_text_ends(*text, end))
        return false;
    text->length -= strlen(end);
    return true;
}

static bool has_any(fh_text text, const char *marks)
{
    for (size_t i = 0; i < text.length; i++)
        if (strchr(marks, text.data[i]))
            return true;
    return false;
}

bool fh_fix_is_named(fh_text operand, bool (*is_name)(fh_text name))
{
    operand = fh_text_trim(operand);
    while (drop_end(&operand, ".type") || drop_end(&operand, ".lower()") ||
           drop_end(&operand, ".strip()"))
        ;
    if (!operand.length)
        return false;
    char last = operand.data[operand.length - 1];
    size_t open = fh_text_find(operand, last == ')' ? '(' : '[');
    if (last == ')' && fh_text_is(fh_text_slice(operand, 0, open), "str"))
        return fh_fix_is_named(fh_text_slice(operand, open + 1, operand.length - 1), is_name);
    if (last == ')') { /* get_device(x), dist.get_backend(); of a chain of calls the last */
        open = fh_text_find_last(operand, '(');
        if (fh_text_contains(fh_text_slice(operand, open, operand.length), ")."))
            return false;
        operand = fh_text_slice(operand, 0, open);
    } else if (last == ']') { /* args["device"] */
        open = fh_text_find_last(operand, '[');
        fh_text key = fh_text_slice(operand, open + 1, operand.length - 1);
        return key.length > 2 && strchr("\"'", *key.data) &&
               is_name(fh_text_slice(key, 1, key.length - 1));
    }
    size_t dot = fh_text_find_last(operand, '.');
    fh_text name = dot < operand.length ? fh_text_slice(operand, dot + 1, operand.length) : operand;
    return !has_any(name, "()[]{}\"' \t\r\n") && is_name(name);
}

static uint32_t function_of(const fh_unit *u, const fh_value *v)
{
    return u->blocks.items[v->block].function;
}

/* Whether a string of the same function, or outside of all, names an NPU. */
static bool speaks_of_npu(const fh_unit *u, uint32_t function)
{
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        if (v->kind != FH_VALUE_STRING || function_of(u, v) != function)
            continue;
        fh_text text = fh_unit_text(u, v->a);
        if (fh_text_is(text, "npu") || fh_text_starts(text, "npu:"))
            return true;
    }
    return false;
}

static bool is_edited(const fh_fixer *f, size_t begin, size_t end)
{
    for (uint32_t i = 0; i < f->edits.count; i++)
        if (f->edits.items[i].begin >= begin && f->edits.items[i].begin < end)
            return true;
    return false;
}

/* Whether a call, as written, is of something for CUDA that stays as it is. */
static bool is_cuda_code(const fh_fixer *f, const fh_call *call)
{
    static const char *const words[] = {"cuda", "triton", "nvtx", "flash_attn", "xformers", "_C."};
    fh_text name = fh_text_slice(f->text, call->anchor, call->end);
    name = fh_text_slice(name, 0, fh_text_find(name, '('));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (i + 1 < sizeof words / sizeof *words ? contains_word(name, words[i])
                                                 : fh_text_contains(name, words[i]))
            return !is_edited(f, call->anchor, call->anchor + name.length);
    return false;
}

bool fh_fix_may_test(const fh_fixer *f, const fh_value *value, fh_fix_reason *reason)
{
    const fh_unit *u = f->unit;
    uint32_t function = function_of(u, value);
    *reason = FH_FIX_HAS_NPU;
    if (speaks_of_npu(u, function))
        return false;
    *reason = FH_FIX_GUARDS_CUDA;
    for (uint32_t i = 1; i < u->calls.count; i++) {
        const fh_call *call = &u->calls.items[i];
        if (call->function == function && call->offset > value->offset && is_cuda_code(f, call))
            return false;
    }
    return true;
}

/* Whether the program has an attribute of that name of its own. */
static bool is_own_attribute(const fh_program *program, const char *name)
{
    for (uint32_t i = 0; i < program->units.count; i++) {
        const fh_unit *u = &program->units.items[i];
        fh_symbol symbol = fh_symbols_find(&u->symbols, fh_text_from(name));
        for (uint32_t k = 1; symbol && k < u->functions.count; k++)
            if (u->functions.items[k].name == symbol && u->functions.items[k].class)
                return true;
        for (uint32_t k = 1; symbol && k < u->stores.count; k++)
            if (u->stores.items[k].name == symbol)
                return true;
    }
    return false;
}

void fh_fix_tests(fh_fixer *f)
{
    const fh_unit *u = f->unit;
    fh_symbol symbol = fh_symbols_find(&u->symbols, FH_TEXT("is_cuda"));
    if (!symbol)
        return;
    bool is_own = is_own_attribute(f->program, "is_cuda");
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        fh_certainty certainty = FH_POSSIBLE;
        fh_fix_reason reason = FH_FIX_UNSURE_OBJECT;
        if (v->kind != FH_VALUE_ATTRIBUTE || v->b != symbol)
            continue;
        bool is_tensor = fh_resolve_is_tensor(f->resolver, f->unit_index, v->a, &certainty) &&
                         certainty >= FH_LIKELY;
        if (is_own || !is_tensor || !fh_fix_may_test(f, v, &reason))
            fh_fix_leave(f, reason, v->offset, FH_TEXT("is_cuda"));
        else
            fh_fix_edit(f, FH_RULE_604, v->offset, FH_TEXT("is_cuda"), FH_TEXT("is_npu"));
    }
}
