#include "analyse/rules/dtype_flow_build.h"

#include <string.h>

fh_number_type fh_dtype_promoted(fh_number_type a, fh_number_type b)
{
    if (a.is_scalar && b.is_scalar)
        return a.numbers >= b.numbers ? a : b;
    if (a.is_scalar && a.numbers != FH_NUMBERS_COMPLEX)
        return b;
    if (b.is_scalar && b.numbers != FH_NUMBERS_COMPLEX)
        return a;
    fh_number_type more = a.numbers >= b.numbers ? a : b, other = a.numbers >= b.numbers ? b : a;
    /* 1j * t, where t may be a number of Python as well. */
    if (more.is_scalar && !other.numbers)
        return (fh_number_type){0};
    if (!other.numbers && more.numbers < FH_NUMBERS_FLOAT64)
        return (fh_number_type){0};
    if (!other.numbers && more.certainty > FH_LIKELY)
        more.certainty = FH_LIKELY;
    more.is_scalar = false;
    more.is_numpy = (a.is_numpy || a.is_scalar) && (b.is_numpy || b.is_scalar);
    return more;
}

static fh_number_type of_list(const fh_dtype_walk *w, const fh_value *v)
{
    fh_number_type all = {0};
    for (uint32_t i = 0; i < v->b; i++) {
        fh_number_type one = *fh_dtype_at(w, w->unit->lists.items[v->a + i]);
        all = i ? fh_dtype_promoted(all, one) : one;
    }
    return all;
}

static fh_number_type of_phi(const fh_dtype_walk *w, const fh_value *v)
{
    fh_number_type all = {0};
    bool first = true;
    for (uint32_t i = 0; i < v->b; i++) {
        fh_value_index value = w->unit->lists.items[v->a + i];
        fh_number_type one = *fh_dtype_at(w, value);
        if (fh_unit_value(w->unit, value)->kind == FH_VALUE_NONE)
            continue;
        if (first)
            all = one;
        else if (one.numbers != all.numbers || one.is_numpy != all.is_numpy)
            return (fh_number_type){0};
        first = false;
    }
    if (all.certainty > FH_LIKELY)
        all.certainty = FH_LIKELY;
    return all;
}

/* values, indices = x.max(-1): the second is int64. */
static fh_number_type of_item(const fh_dtype_walk *w, const fh_value *v)
{
    static const char *const pairs[] = {"max",  "min",    "topk",   "sort",     "median",
                                        "mode", "cummax", "cummin", "kthvalue", NULL};
    const fh_value *source = fh_unit_value(w->unit, v->a);
    if (source->kind == FH_VALUE_TUPLE || source->kind == FH_VALUE_LIST)
        return v->b < source->b ? *fh_dtype_at(w, w->unit->lists.items[source->a + v->b])
                                : (fh_number_type){0};
    if (source->kind == FH_VALUE_CALL && v->b == 1 && w->callees[source->a].is_torch &&
        fh_text_is_any(w->callees[source->a].name, pairs))
        return fh_dtype_of(FH_NUMBERS_INT64, FH_LIKELY, 0);
    return *fh_dtype_at(w, v->a);
}

/* x + 1j, 1j * x of a tensor: complex from here on. UNKNOWN where it is no such thing. */
static fh_number_type of_imaginary(const fh_dtype_walk *w, fh_value_index index)
{
    const fh_value *v = fh_unit_value(w->unit, index);
    bool left = fh_dtype_at(w, v->a)->is_scalar;
    fh_number_type number = *fh_dtype_at(w, left ? v->a : v->b);
    fh_number_type other = *fh_dtype_at(w, left ? v->b : v->a);
    fh_certainty certainty = (fh_certainty)other.certainty;
    if (!number.is_scalar || number.numbers != FH_NUMBERS_COMPLEX || other.is_scalar ||
        other.is_numpy || v->op > FH_OP_POWER || other.numbers == FH_NUMBERS_COMPLEX ||
        (!other.numbers && !fh_resolve_is_tensor(w->run->resolver, w->run->unit_index,
                                                 left ? v->b : v->a, &certainty)))
        return (fh_number_type){0};
    return fh_dtype_of(FH_NUMBERS_COMPLEX, certainty, index);
}

static fh_number_type of_binary(const fh_dtype_walk *w, fh_value_index index)
{
    const fh_value *v = fh_unit_value(w->unit, index);
    fh_number_type a = *fh_dtype_at(w, v->a), b = *fh_dtype_at(w, v->b);
    fh_number_type imaginary = of_imaginary(w, index);
    if (imaginary.numbers)
        return imaginary;
    switch (v->op) {
    case FH_OP_AND:
    case FH_OP_OR:
        return (fh_number_type){0};
    case FH_OP_BIT_AND:
    case FH_OP_BIT_OR:
    case FH_OP_BIT_XOR:
        /* A mask with something that is not known is a mask. */
        if (a.numbers == FH_NUMBERS_BOOL && !b.numbers)
            return a;
        if (b.numbers == FH_NUMBERS_BOOL && !a.numbers)
            return b;
        return fh_dtype_promoted(a, b);
    default: {
        fh_number_type result = fh_dtype_promoted(a, b);
        bool arithmetic = result.numbers >= FH_NUMBERS_REAL || v->op == FH_OP_FLOOR_DIVIDE;
        return arithmetic || result.numbers == FH_NUMBERS_INT64 ? result : (fh_number_type){0};
    }
    }
}

static fh_number_type of_attribute(const fh_dtype_walk *w, const fh_value *v)
{
    static const char *const same[] = {"data", "T", "mT", "H", "mH", "grad", NULL};
    fh_text name = fh_unit_text(w->unit, v->b);
    return fh_text_is_any(name, same) ? *fh_dtype_at(w, v->a) : (fh_number_type){0};
}

static fh_number_type of_value(const fh_dtype_walk *w, fh_value_index index)
{
    const fh_value *v = fh_unit_value(w->unit, index);
    fh_number_type result = {0};
    switch ((fh_value_kind)v->kind) {
    case FH_VALUE_FLOAT:
        result =
            fh_dtype_of(v->flags & FH_VALUE_IMAGINARY ? FH_NUMBERS_COMPLEX : FH_NUMBERS_FLOAT64,
                        FH_CERTAIN, index);
        result.is_scalar = true;
        return result;
    case FH_VALUE_INTEGER:
    case FH_VALUE_BOOL:
        result = fh_dtype_of(v->kind == FH_VALUE_BOOL ? FH_NUMBERS_BOOL : FH_NUMBERS_INT64,
                             FH_CERTAIN, 0);
        result.is_scalar = true;
        return result;
    case FH_VALUE_CALL:
        return fh_dtype_of_call(w, v->a);
    case FH_VALUE_BINARY:
        return of_binary(w, index);
    case FH_VALUE_COMPARE:
        return v->op == FH_OP_IS || v->op == FH_OP_IS_NOT || v->op == FH_OP_IN ||
                       v->op == FH_OP_NOT_IN
                   ? result
                   : fh_dtype_of(FH_NUMBERS_BOOL, FH_LIKELY, 0);
    case FH_VALUE_UNARY:
        return v->op == FH_OP_NOT ? result : *fh_dtype_at(w, v->a);
    case FH_VALUE_TUPLE:
    case FH_VALUE_LIST:
        return of_list(w, v);
    case FH_VALUE_COMPREHENSION:
    case FH_VALUE_SUBSCRIPT:
    case FH_VALUE_ELEMENT:
        return *fh_dtype_at(w, v->a);
    case FH_VALUE_ITEM:
        return of_item(w, v);
    case FH_VALUE_PHI:
        return of_phi(w, v);
    case FH_VALUE_ATTRIBUTE:
        return of_attribute(w, v);
    default:
        return result;
    }
}

static fh_number_type of_returns(const fh_dtype_walk *w, const fh_function *function)
{
    fh_number_type all = {0};
    for (uint32_t i = 0; i < function->return_count; i++) {
        fh_value_index value = w->unit->lists.items[function->returns + i];
        fh_number_type one = *fh_dtype_at(w, value);
        if (fh_unit_value(w->unit, value)->kind == FH_VALUE_NONE)
            continue;
        if (all.numbers && one.numbers != all.numbers)
            return (fh_number_type){0};
        all = one;
    }
    if (function->return_count > 1 && all.certainty > FH_LIKELY)
        all.certainty = FH_LIKELY;
    return all;
}

fh_dtype_flow fh_dtype_flow_find(const fh_rule_run *run, const fh_callee *callees, fh_arena *arena)
{
    const fh_unit *u = run->unit;
    fh_dtype_walk w = {run, u, callees, {0}, NULL};
    w.flow.types = fh_arena_alloc(arena, u->values.count * sizeof *w.flow.types);
    w.flow.is_cast = fh_arena_alloc(arena, u->values.count);
    w.returned = fh_arena_alloc(arena, u->functions.count * sizeof *w.returned);
    if (!w.flow.types || !w.flow.is_cast || !w.returned)
        return (fh_dtype_flow){0};
    memset(w.flow.types, 0, u->values.count * sizeof *w.flow.types);
    memset(w.flow.is_cast, 0, u->values.count);
    memset(w.returned, 0, u->functions.count * sizeof *w.returned);
    /* Bodies come after the module's own statements and in any order, so that what functions
     * return is known only from the second pass on. */
    bool any = true;
    for (unsigned pass = 0; pass < 2 && any; pass++) {
        for (uint32_t i = 1; i < u->values.count && !fh_rules_stop(i); i++)
            w.flow.types[i] = of_value(&w, i);
        any = false;
        for (uint32_t i = 1; i < u->functions.count; i++) {
            w.returned[i] = of_returns(&w, &u->functions.items[i]);
            any |= w.returned[i].numbers != FH_NUMBERS_UNKNOWN;
        }
    }
    return w.flow;
}
