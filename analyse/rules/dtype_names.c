/* Names of number types, and of what fixes the type of a result. */
#include "analyse/rules/dtype_flow.h"

#include <string.h>

static const struct {
    const char *name;
    fh_numbers numbers;
} names[] = {
    {"float64", FH_NUMBERS_FLOAT64},   {"double", FH_NUMBERS_FLOAT64},
    {"float32", FH_NUMBERS_REAL},      {"float16", FH_NUMBERS_REAL},
    {"bfloat16", FH_NUMBERS_REAL},     {"half", FH_NUMBERS_REAL},
    {"complex64", FH_NUMBERS_COMPLEX}, {"complex128", FH_NUMBERS_COMPLEX},
    {"complex32", FH_NUMBERS_COMPLEX}, {"cfloat", FH_NUMBERS_COMPLEX},
    {"cdouble", FH_NUMBERS_COMPLEX},   {"chalf", FH_NUMBERS_COMPLEX},
    {"bool", FH_NUMBERS_BOOL},         {"bool_", FH_NUMBERS_BOOL},
    {"int64", FH_NUMBERS_INT64},       {"long", FH_NUMBERS_INT64},
    {"int32", FH_NUMBERS_INTEGER},     {"int16", FH_NUMBERS_INTEGER},
    {"int8", FH_NUMBERS_INTEGER},      {"uint8", FH_NUMBERS_INTEGER},
    {"short", FH_NUMBERS_INTEGER},     {"byte", FH_NUMBERS_INTEGER},
};

static fh_numbers by_name(fh_text name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fh_text_is(name, names[i].name))
            return names[i].numbers;
    return FH_NUMBERS_UNKNOWN;
}

fh_numbers fh_numbers_named(const fh_rule_run *run, fh_value_index value)
{
    fh_meanings all;
    fh_resolve(run->resolver, run->unit_index, value, &all);
    if (all.count != 1)
        return FH_NUMBERS_UNKNOWN; /* one of several */
    const fh_meaning *m = &all.items[0];
    if (m->kind == FH_MEANS_LITERAL) {
        const fh_unit *u = fh_resolver_look(run->resolver, m->unit);
        const fh_value *v = fh_unit_value(u, m->index);
        return v->kind == FH_VALUE_STRING ? by_name(fh_unit_text(u, v->a)) : FH_NUMBERS_UNKNOWN;
    }
    if (m->kind != FH_MEANS_EXTERNAL)
        return FH_NUMBERS_UNKNOWN;
    fh_text path = fh_resolver_path(run->resolver, m->path), name = fh_text_last_part(path);
    bool numpy = fh_text_starts(path, "numpy.");
    /* Python's own types, as PyTorch and NumPy read them. */
    if (fh_text_starts(path, "builtins.") || (numpy && fh_text_is(name, "float")))
        return fh_text_is(name, "bool")      ? FH_NUMBERS_BOOL
               : fh_text_is(name, "int")     ? FH_NUMBERS_INT64
               : fh_text_is(name, "float")   ? FH_NUMBERS_FLOAT64
               : fh_text_is(name, "complex") ? FH_NUMBERS_COMPLEX
                                             : FH_NUMBERS_UNKNOWN;
    if (!numpy && fh_text_is(path, "torch.float"))
        return FH_NUMBERS_REAL;
    if (!numpy && fh_text_is(path, "torch.int"))
        return FH_NUMBERS_INTEGER;
    return numpy || fh_text_starts(path, "torch.") ? by_name(name) : FH_NUMBERS_UNKNOWN;
}

/* x.to(y), where y is no type: a device, or something that cannot be told. */
static bool is_device(const fh_rule_run *run, fh_value_index value)
{
    const fh_value *v = fh_unit_value(run->unit, value);
    fh_text text;
    fh_certainty certainty;
    if (v->kind == FH_VALUE_ATTRIBUTE)
        return fh_text_ends(fh_unit_text(run->unit, v->b), "device");
    if (v->kind == FH_VALUE_PARAMETER) {
        const fh_function *f = &run->unit->functions.items[v->a];
        fh_text name =
            fh_unit_text(run->unit, run->unit->parameters.items[f->parameters + v->b].name);
        return fh_text_is(name, "device") || fh_text_is(name, "dev");
    }
    if (v->kind == FH_VALUE_INTEGER)
        return true;
    return fh_resolve_is_instance(run->resolver, run->unit_index, value, "torch.device") ||
           fh_resolve_string(run->resolver, run->unit_index, value, &text, &certainty, NULL);
}

static fh_numbers of_to(const fh_rule_run *run, const fh_call *call, bool *is_cast)
{
    fh_value_index given = fh_call_argument(run->unit, call, -1, "dtype");
    *is_cast = true;
    for (uint32_t i = 0; !given && i < call->count && i < 2; i++) {
        const fh_argument *argument = &run->unit->arguments.items[call->arguments + i];
        if (argument->name)
            continue;
        fh_numbers numbers = fh_numbers_named(run, argument->value);
        if (numbers)
            return numbers;
        if (!is_device(run, argument->value))
            return FH_NUMBERS_UNKNOWN;
    }
    if (given)
        return fh_numbers_named(run, given);
    *is_cast = false;
    return FH_NUMBERS_UNKNOWN;
}

fh_numbers fh_numbers_of_cast(const fh_rule_run *run, const fh_call *call, const fh_callee *callee,
                              bool *is_cast)
{
    static const struct {
        const char *name;
        fh_numbers numbers;
    } casts[] = {
        {"double", FH_NUMBERS_FLOAT64}, {"float", FH_NUMBERS_REAL},
        {"half", FH_NUMBERS_REAL},      {"bfloat16", FH_NUMBERS_REAL},
        {"long", FH_NUMBERS_INT64},     {"int", FH_NUMBERS_INTEGER},
        {"short", FH_NUMBERS_INTEGER},  {"char", FH_NUMBERS_INTEGER},
        {"byte", FH_NUMBERS_INTEGER},   {"bool", FH_NUMBERS_BOOL},
        {"cfloat", FH_NUMBERS_COMPLEX}, {"cdouble", FH_NUMBERS_COMPLEX},
    };
    *is_cast = false;
    if (callee->is_numpy && fh_text_is(callee->name, "astype")) {
        *is_cast = true;
        return fh_numbers_named(run, fh_call_argument(run->unit, call, 0, "dtype"));
    }
    if (!callee->is_method)
        return FH_NUMBERS_UNKNOWN;
    for (size_t i = 0; i < sizeof casts / sizeof *casts; i++)
        if (fh_text_is(callee->name, casts[i].name)) {
            *is_cast = true;
            return casts[i].numbers;
        }
    if (fh_text_is(callee->name, "to"))
        return of_to(run, call, is_cast);
    if (fh_text_is(callee->name, "type")) {
        *is_cast = true;
        return fh_numbers_named(run, fh_call_argument(run->unit, call, 0, "dtype"));
    }
    *is_cast = fh_text_is(callee->name, "type_as");
    return FH_NUMBERS_UNKNOWN;
}

bool fh_callee_creates(const fh_callee *callee)
{
    static const char *const names_of[] = {
        "torch.tensor", "torch.zeros",   "torch.ones",     "torch.empty",    "torch.full",
        "torch.arange", "torch.range",   "torch.linspace", "torch.eye",      "torch.rand",
        "torch.randn",  "torch.randint", "torch.logspace", "torch.randperm", NULL};
    return fh_text_is_any(callee->path, names_of);
}
