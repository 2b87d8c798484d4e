/* Strings of Python that name a device, a backend or an environment variable.
 *
 * "cuda:0" can only be a device. "cuda" alone is one when it reaches a place where a device is
 * expected (first pass), or when what it is given to, or stands beside, says so.
 */
#include "analyse/fix/fix_build.h"
#include "analyse/fix/python_text.h"
#include "facts/environment.h"

#include <string.h>

/* By value: what is known of the place of a string. */
enum {
    DEVICE = 1,
    BACKEND = 2,
    VARIABLE = 4,
    COMPARED = 8,
    OTHER = 16, /* a message, a name, ... */
    KEY = 32,
    BESIDE_NPU = 64, /* in a list that has "npu" too */
};

typedef struct {
    fh_fixer *fixer;
    uint8_t *uses;
    uint32_t *rules;  /* of the first pass, by value */
    uint32_t *groups; /* by value: offset of the list that is compared as a whole, plus 1 */
} scan;

static bool is_string(const fh_value *v)
{
    return v->kind == FH_VALUE_STRING || v->kind == FH_VALUE_FORMAT;
}

static fh_text string_of(const fh_unit *u, fh_value_index value)
{
    const fh_value *v = fh_unit_value(u, value);
    return v->kind == FH_VALUE_STRING ? fh_unit_text(u, v->a) : (fh_text){0};
}

/* "cpu", "mps", "cuda:1": what stands beside it is a device too. */
static bool is_other_device(fh_text text)
{
    return fh_text_is(text, "cpu") || fh_text_is(text, "mps") || fh_text_is(text, "xpu") ||
           fh_text_is(text, "npu") || fh_text_starts(text, "cuda:");
}

static void mark(scan *s, fh_value_index value, uint8_t use)
{
    if (is_string(fh_unit_value(s->fixer->unit, value)))
        s->uses[value] |= use;
}

/* Elements of a tuple, list, set, or alternatives: compared, or devices all. */
static void mark_group(scan *s, const fh_value *group)
{
    const fh_unit *u = s->fixer->unit;
    uint8_t use = 0;
    bool is_list = group->kind != FH_VALUE_PHI;
    if (is_list && fh_python_is_compared(s->fixer->text, group->offset, s->fixer->text.length))
        use = COMPARED;
    for (uint32_t i = 0; i < group->b; i++) {
        fh_text text = string_of(u, u->lists.items[group->a + i]);
        if (!use && is_other_device(text))
            use = DEVICE;
        if (is_list && fh_text_is(text, "npu"))
            use |= BESIDE_NPU;
    }
    for (uint32_t i = 0; use && i < group->b; i++) {
        fh_value_index value = u->lists.items[group->a + i];
        mark(s, value, use);
        if (use & COMPARED)
            s->groups[value] = group->offset + 1;
    }
}

/* Whether {...}[device.type] or {...}.get(str(device)) looks a dictionary up where it stands. */
static bool is_looked_up_by_device(fh_text text, const fh_value *dictionary)
{
    size_t at = fh_python_close(text, dictionary->offset);
    if (fh_text_starts(fh_text_slice(text, at, text.length), ".get"))
        at += strlen(".get");
    if (at >= text.length || !strchr("[(", text.data[at]))
        return false;
    size_t end = fh_python_close(text, at);
    fh_text inside = fh_text_slice(text, at + 1, end - 1);
    if (text.data[at] == '(')
        inside = fh_text_slice(inside, 0, fh_text_find(inside, ','));
    return fh_fix_is_named(inside, fh_fix_is_device_name);
}

static void mark_dictionary(scan *s, const fh_value *dictionary)
{
    const fh_unit *u = s->fixer->unit;
    uint8_t use = KEY;
    if (dictionary->b && is_looked_up_by_device(s->fixer->text, dictionary))
        use = DEVICE;
    for (uint32_t i = 0; i + 1 < dictionary->b; i += 2)
        if (fh_text_is(string_of(u, u->lists.items[dictionary->a + i]), "npu"))
            use = DEVICE | BESIDE_NPU;
    for (uint32_t i = 0; i + 1 < dictionary->b; i += 2) {
        fh_value_index key = u->lists.items[dictionary->a + i];
        fh_literal literal;
        const fh_value *k = fh_unit_value(u, key);
        /* A name as the key stands elsewhere: only its own text is followed by the colon. */
        if (is_string(k) && fh_python_literal(s->fixer->text, k->offset, &literal)) {
            size_t after = literal.literal_end;
            while (after < s->fixer->text.length && strchr(" \t\r\n", s->fixer->text.data[after]))
                after++;
            if (after < s->fixer->text.length && s->fixer->text.data[after] == ':')
                mark(s, key, use);
        }
        /* {"cuda": "nccl"}: the value stays with its key. */
        if (use != DEVICE && fh_text_is(string_of(u, key), "cuda"))
            mark(s, u->lists.items[dictionary->a + i + 1], use & (KEY | BESIDE_NPU));
        if (fh_fix_is_device_name(string_of(u, key)))
            mark(s, u->lists.items[dictionary->a + i + 1], DEVICE);
        if (fh_fix_is_backend_name(string_of(u, key)))
            mark(s, u->lists.items[dictionary->a + i + 1], BACKEND);
    }
}

/* An index written in the brackets, alone or in a tuple. */
static void mark_index(scan *s, fh_value_index index)
{
    const fh_unit *u = s->fixer->unit;
    const fh_value *v = fh_unit_value(u, index);
    if (v->kind == FH_VALUE_TUPLE) {
        for (uint32_t i = 0; i < v->b; i++)
            mark(s, u->lists.items[v->a + i], KEY);
        return;
    }
    size_t before = fh_python_before(s->fixer->text, v->offset);
    if (before < s->fixer->text.length && s->fixer->text.data[before] == '[')
        mark(s, index, KEY);
}

/* Methods of strings that look into them. */
static bool is_comparison_method(fh_text name)
{
    static const char *const names[] = {"startswith", "endswith", "find",   "index",
                                        "count",      "replace",  "split",  "rsplit",
                                        "partition",  "strip",    "lstrip", "removeprefix"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fh_text_is(name, names[i]))
            return true;
    return false;
}

static fh_text name_of_callee(const fh_unit *u, const fh_call *call)
{
    const fh_value *callee = fh_unit_value(u, call->callee);
    if (callee->kind == FH_VALUE_ATTRIBUTE)
        return fh_unit_text(u, callee->b);
    return callee->kind == FH_VALUE_NAME ? fh_unit_text(u, callee->a) : (fh_text){0};
}

/* Arguments written in the call itself. */
static void mark_arguments(scan *s, const fh_call *call)
{
    const fh_unit *u = s->fixer->unit;
    fh_text name = name_of_callee(u, call);
    uint8_t use = is_comparison_method(name) ? COMPARED : 0, all = 0;
    if (fh_text_is(name, "print") || fh_text_is(name, "getattr") || fh_text_is(name, "hasattr") ||
        fh_text_is(name, "setattr") || fh_text_is(name, "import_module"))
        use = OTHER;
    for (uint32_t i = 0; !use && i < call->count; i++) {
        const fh_argument *argument = &u->arguments.items[call->arguments + i];
        fh_text text = argument->name ? (fh_text){0} : string_of(u, argument->value);
        if (fh_fix_is_device_name(text))
            all |= DEVICE; /* add_argument("--device", default="cuda"), get("device", "cuda") */
        if (fh_fix_is_backend_name(text))
            all |= BACKEND;
    }
    for (uint32_t i = 0; i < call->count; i++) {
        fh_value_index value = u->arguments.items[call->arguments + i].value;
        const fh_value *v = fh_unit_value(u, value);
        if (v->offset < call->offset || v->offset >= call->end)
            continue;
        mark(s, value, use | all);
        for (uint32_t k = 0; all && v->kind == FH_VALUE_LIST && k < v->b; k++)
            mark(s, u->lists.items[v->a + k], all);
    }
}

static void mark_all(scan *s)
{
    const fh_unit *u = s->fixer->unit;
    for (uint32_t i = 0; i < s->fixer->own_count; i++) {
        const fh_fix_proposal *p = &s->fixer->own[i];
        s->uses[p->value] |= p->target == FH_FIX_DEVICE     ? DEVICE
                             : p->target == FH_FIX_BACKEND  ? BACKEND
                             : p->target == FH_FIX_VARIABLE ? VARIABLE
                                                            : 0;
        if (!s->rules[p->value] || p->rule < s->rules[p->value])
            s->rules[p->value] = p->rule;
    }
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        switch (v->kind) {
        case FH_VALUE_TUPLE:
        case FH_VALUE_LIST:
        case FH_VALUE_SET:
        case FH_VALUE_PHI:
            mark_group(s, v);
            break;
        case FH_VALUE_DICT:
            mark_dictionary(s, v);
            break;
        case FH_VALUE_SUBSCRIPT:
            mark_index(s, v->b);
            break;
        default:
            break;
        }
    }
    for (uint32_t i = 1; i < u->calls.count; i++)
        mark_arguments(s, &u->calls.items[i]);
}

/* Whether the place itself tells: `device = "cuda"`, `return "cuda"` of get_device. */
static bool place_says(scan *s, const fh_value *v, bool (*is_name)(fh_text name))
{
    fh_fixer *f = s->fixer;
    if (is_name(fh_python_assigned_name(f->text, v->offset)))
        return true;
    uint32_t function = f->unit->blocks.items[v->block].function;
    return function && fh_text_is(fh_python_word_before(f->text, v->offset), "return") &&
           is_name(fh_unit_text(f->unit, f->unit->functions.items[function].name));
}

/* The string whose method takes the literal: `device` in `device.startswith("cuda")`. */
static fh_text asked_string(fh_text text, uint32_t offset)
{
    static const char *const methods[] = {"startswith", "endswith", "find", "index", "count", NULL};
    size_t open = fh_python_before(text, offset);
    if (open >= text.length || text.data[open] != '(')
        return (fh_text){0};
    fh_text method = fh_python_word_before(text, open);
    size_t dot = method.length ? (size_t)(method.data - text.data) : 0;
    if (!fh_text_is_any(method, methods) || dot == 0 || text.data[dot - 1] != '.')
        return (fh_text){0};
    return fh_python_operand_before(text, dot - 1);
}

/* A literal that is compared: changed when what it is compared with is a device, or backend. */
static void fix_compared(scan *s, fh_value_index index, const fh_literal *literal,
                         bool (*is_name)(fh_text name), const fh_edit *edit)
{
    fh_fixer *f = s->fixer;
    const fh_value *v = fh_unit_value(f->unit, index);
    fh_text content = fh_text_slice(f->text, literal->begin, literal->end), operand;
    fh_fix_reason reason = FH_FIX_COMPARED;
    if (s->groups[index])
        operand = fh_python_compared_with(f->text, s->groups[index] - 1, f->text.length);
    else if (fh_python_is_compared(f->text, v->offset, literal->literal_end))
        operand = fh_python_compared_with(f->text, v->offset, literal->literal_end);
    else
        operand = asked_string(f->text, v->offset);
    if (!fh_fix_is_named(operand, is_name) || !fh_fix_may_test(f, v, &reason))
        fh_fix_leave(f, reason, v->offset, content);
    else
        fh_fix_edit(f, edit->rule, edit->begin, fh_text_slice(f->text, edit->begin, edit->end),
                    edit->text);
}

static void fix_device(scan *s, fh_value_index index, const fh_literal *literal, fh_text content)
{
    fh_fixer *f = s->fixer;
    const fh_value *v = fh_unit_value(f->unit, index);
    uint8_t use = s->uses[index];
    fh_text rest = fh_text_slice(content, strlen("cuda"), content.length);
    bool alone = !rest.length;
    bool is_name = alone || rest.data[0] == ':';
    for (size_t i = 1; i < rest.length && v->kind == FH_VALUE_STRING; i++)
        is_name &= (rest.data[i] >= '0' && rest.data[i] <= '9') || fh_text_is(rest, ":{}") ||
                   fh_text_is(rest, ":%d") || fh_text_is(rest, ":%s") || fh_text_is(rest, ":{:d}");
    if (!is_name || (v->kind == FH_VALUE_FORMAT && rest.length < 2))
        return;
    fh_edit edit = {literal->begin, literal->begin + (uint32_t)strlen("cuda"), FH_TEXT("npu"),
                    s->rules[index] ? s->rules[index] : FH_RULE_604};
    bool is_compared =
        use & COMPARED || fh_python_is_compared(f->text, v->offset, literal->literal_end);
    if (use & BESIDE_NPU)
        fh_fix_leave(f, FH_FIX_HAS_NPU, v->offset, content);
    else if (is_compared)
        fix_compared(s, index, literal, fh_fix_is_device_name, &edit);
    else if (use & KEY)
        fh_fix_leave(f, FH_FIX_KEY, v->offset, content);
    else if (use & OTHER)
        return;
    else if (alone && !(use & DEVICE) && !place_says(s, v, fh_fix_is_device_name))
        fh_fix_leave(f, FH_FIX_UNSURE_STRING, v->offset, content);
    else
        fh_fix_edit(f, edit.rule, edit.begin, FH_TEXT("cuda"), edit.text);
}

static void fix_backend(scan *s, fh_value_index index, const fh_literal *literal, fh_text content)
{
    fh_fixer *f = s->fixer;
    const fh_value *v = fh_unit_value(f->unit, index);
    static const char pair[] = "cuda:nccl";
    bool whole = fh_text_is(content, "nccl") || fh_text_is(content, "NCCL");
    const char *in_list = memmem(content.data, content.length, pair, sizeof pair - 1);
    if (!whole && !in_list)
        return;
    uint32_t at = literal->begin + (whole ? 0 : (uint32_t)(in_list - content.data));
    fh_text old = whole ? content : FH_TEXT("cuda:nccl");
    fh_edit edit = {at, at + (uint32_t)old.length,
                    !whole                        ? FH_TEXT("npu:hccl")
                    : fh_text_is(content, "NCCL") ? FH_TEXT("HCCL")
                                                  : FH_TEXT("hccl"),
                    FH_RULE_501};
    if (fh_python_is_compared(f->text, v->offset, literal->literal_end) ||
        (s->uses[index] & COMPARED)) {
        fix_compared(s, index, literal, fh_fix_is_backend_name, &edit);
        return;
    }
    if (s->uses[index] & (KEY | BESIDE_NPU)) {
        fh_fix_leave(f, s->uses[index] & KEY ? FH_FIX_KEY : FH_FIX_HAS_NPU, v->offset, content);
        return;
    }
    if ((s->uses[index] & OTHER) ||
        !((s->uses[index] & BACKEND) || place_says(s, v, fh_fix_is_backend_name)))
        return;
    fh_fix_edit(f, edit.rule, at, old, edit.text);
}

static void fix_variable(scan *s, fh_value_index index, const fh_literal *literal, fh_text content)
{
    fh_fixer *f = s->fixer;
    fh_environment row;
    if (!(s->uses[index] & VARIABLE) || !fh_environment_find(content, &row))
        return;
    if (!row.mechanical) {
        if (!fh_text_equal(row.replacement, row.name))
            fh_fix_leave(f, FH_FIX_NO_VARIABLE, fh_unit_value(f->unit, index)->offset, content);
        return;
    }
    fh_fix_edit(f, fh_fix_rule_of_variable(content), literal->begin, content, row.replacement);
}

static void fix_string(scan *s, fh_value_index index)
{
    fh_fixer *f = s->fixer;
    const fh_value *v = fh_unit_value(f->unit, index);
    fh_literal literal;
    if (!fh_python_literal(f->text, v->offset, &literal))
        return;
    fh_text content = fh_text_slice(f->text, literal.begin, literal.end);
    if (v->kind == FH_VALUE_STRING && !fh_text_equal(content, fh_unit_text(f->unit, v->a))) {
        /* In pieces, or with escapes. */
        bool is_used = s->uses[index] & (DEVICE | BACKEND | VARIABLE | COMPARED | KEY) ||
                       fh_python_is_compared(f->text, v->offset, literal.literal_end);
        if (is_used && fh_text_starts(fh_unit_text(f->unit, v->a), "cuda"))
            fh_fix_leave(f, FH_FIX_UNEXPECTED, v->offset, fh_unit_text(f->unit, v->a));
        return;
    }
    if (literal.is_format != (v->kind == FH_VALUE_FORMAT) && v->kind == FH_VALUE_FORMAT)
        return;
    if (fh_text_starts(content, "cuda") && !fh_text_contains(content, "nccl"))
        fix_device(s, index, &literal, content);
    else if (v->kind == FH_VALUE_STRING &&
             (fh_text_contains(content, "nccl") || fh_text_is(content, "NCCL")))
        fix_backend(s, index, &literal, content);
    else if (v->kind == FH_VALUE_STRING)
        fix_variable(s, index, &literal, content);
}

void fh_fix_strings(fh_fixer *f)
{
    const fh_unit *u = f->unit;
    scan s = {f, fh_alloc_zero(u->values.count, 1),
              fh_alloc_zero(u->values.count, sizeof(uint32_t)),
              fh_alloc_zero(u->values.count, sizeof(uint32_t))};
    if (s.uses && s.rules && s.groups) {
        mark_all(&s);
        for (uint32_t i = 1; i < u->values.count; i++)
            if (is_string(&u->values.items[i]))
                fix_string(&s, i);
    } else {
        f->edits.failed = true;
    }
    fh_free(s.uses);
    fh_free(s.rules);
    fh_free(s.groups);
}
