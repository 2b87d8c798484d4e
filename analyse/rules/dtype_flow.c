#include "analyse/rules/dtype_flow.h"

#include <string.h>

typedef struct {
    const fh_rule_run *run;
    const fh_unit *unit;
    const fh_callee *callees;
    fh_dtype_flow flow;
    fh_number_type *returned; /* by function, from the pass before */
} walk;

static const char *const gives_bool[] = {
    "eq",       "ne",       "lt",          "le",         "gt",          "ge",
    "equal_to", "greater",  "less",        "not_equal",  "less_equal",  "greater_equal",
    "isnan",    "isinf",    "isfinite",    "isin",       "isclose",     "logical_and",
    "isneginf", "isposinf", "logical_not", "logical_or", "logical_xor", "all",
    "any",      "signbit",  "isreal",      NULL};
static const char *const gives_int64[] = {
    "argmax",   "argmin",    "argsort",     "nonzero", "argwhere",      "searchsorted",
    "bincount", "bucketize", "multinomial", "one_hot", "count_nonzero", NULL};
/* Type of the first operand, whatever the others are. */
static const char *const keeps_first[] = {"gather",
                                          "index_select",
                                          "take",
                                          "take_along_dim",
                                          "masked_fill",
                                          "scatter",
                                          "scatter_add",
                                          "index_add",
                                          "index_copy",
                                          "index_fill",
                                          "masked_select",
                                          "masked_scatter",
                                          "repeat_interleave",
                                          "clamp",
                                          "topk",
                                          "sort",
                                          "new_zeros",
                                          "new_ones",
                                          "new_full",
                                          "new_empty",
                                          "zeros_like",
                                          "ones_like",
                                          "full_like",
                                          "empty_like",
                                          "rand_like",
                                          "randn_like",
                                          "copy",
                                          "detach",
                                          "clone",
                                          "contiguous",
                                          "cpu",
                                          "cuda",
                                          "npu",
                                          "pin_memory",
                                          "requires_grad",
                                          "max",
                                          "min",
                                          NULL};
static const char *const ends_complex[] = {"view_as_real", "real",   "imag",   "abs", "angle",
                                           "irfft",        "irfft2", "irfftn", NULL};
static const char *const begins_complex[] = {"torch.view_as_complex",
                                             "torch.complex",
                                             "torch.polar",
                                             "torch.fft.fft",
                                             "torch.fft.fft2",
                                             "torch.fft.fftn",
                                             "torch.fft.rfft",
                                             "torch.fft.rfft2",
                                             "torch.fft.rfftn",
                                             "torch.fft.ifft",
                                             "torch.fft.ifft2",
                                             "torch.fft.ifftn",
                                             NULL};
static const char *const float64_of_numpy[] = {
    "numpy.zeros",         "numpy.ones",        "numpy.linspace",      "numpy.eye",
    "numpy.random.randn",  "numpy.random.rand", "numpy.random.normal", "numpy.random.uniform",
    "numpy.random.random", "numpy.logspace",    "numpy.identity",      NULL};
static const char *const takes_numpy[] = {"torch.from_numpy", "torch.tensor", "torch.as_tensor",
                                          NULL};

static fh_number_type type_of(fh_numbers numbers, fh_certainty certainty, fh_value_index origin)
{
    return (fh_number_type){.numbers = (uint8_t)numbers,
                            .certainty = (uint8_t)certainty,
                            .origin = numbers >= FH_NUMBERS_FLOAT64 ? origin : 0};
}

static const fh_number_type *at(const walk *w, fh_value_index value)
{
    return &w->flow.types[value];
}

/* What an operator with operands of both types gives. An operand whose type is not known may be
 * of a higher one, but is seldom. */
static fh_number_type promoted(fh_number_type a, fh_number_type b)
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
    more.is_numpy = a.is_numpy && b.is_numpy;
    return more;
}

static fh_number_type of_list(const walk *w, const fh_value *v)
{
    fh_number_type all = {0};
    for (uint32_t i = 0; i < v->b; i++) {
        fh_number_type one = *at(w, w->unit->lists.items[v->a + i]);
        all = i ? promoted(all, one) : one;
    }
    return all;
}

static fh_number_type of_phi(const walk *w, const fh_value *v)
{
    fh_number_type all = {0};
    bool first = true;
    for (uint32_t i = 0; i < v->b; i++) {
        fh_value_index value = w->unit->lists.items[v->a + i];
        fh_number_type one = *at(w, value);
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

static fh_number_type of_operands(const walk *w, const fh_call *call, const fh_callee *callee)
{
    fh_number_type all = *at(w, callee->self);
    if (fh_text_is_any(callee->name, keeps_first))
        return all;
    uint32_t first = callee->is_method ? 0 : 1;
    if (fh_text_is(callee->path, "torch.where")) {
        all = *at(w, fh_call_argument(w->unit, call, 1, "input"));
        first = 2;
    }
    uint32_t position = 0;
    for (uint32_t i = 0; i < call->count && i < 8; i++) {
        const fh_argument *argument = &w->unit->arguments.items[call->arguments + i];
        if (argument->name && !fh_text_is(fh_unit_text(w->unit, argument->name), "other"))
            continue;
        if (position++ >= first) {
            fh_number_type one = *at(w, argument->value);
            if (one.numbers)
                all = promoted(all, one);
        }
    }
    return all;
}

/* numpy.something(...), or a method of an array. */
static fh_number_type of_numpy(const walk *w, const fh_call *call, const fh_callee *callee)
{
    fh_value_index dtype = fh_call_argument(w->unit, call, -1, "dtype");
    fh_number_type result = {0};
    if (dtype)
        result = type_of(fh_numbers_named(w->run, dtype), FH_CERTAIN, call->value);
    else if (fh_text_is_any(callee->path, float64_of_numpy) &&
             !fh_call_argument(w->unit, call, fh_text_starts(callee->path, "numpy.random.") ? 9 : 1,
                               NULL))
        result = type_of(FH_NUMBERS_FLOAT64, FH_CERTAIN, call->value);
    else if (fh_text_is(callee->path, "numpy.linspace"))
        result = type_of(FH_NUMBERS_FLOAT64, FH_CERTAIN, call->value);
    else
        result = of_operands(w, call, callee);
    result.is_numpy = true;
    result.is_scalar = false;
    return result;
}

static fh_number_type of_torch(const walk *w, const fh_call *call, const fh_callee *callee)
{
    fh_value_index dtype = fh_call_argument(w->unit, call, -1, "dtype");
    fh_number_type kept;
    fh_certainty certainty = (fh_certainty)callee->certainty;
    bool is_class = callee->api->kind == FH_API_CLASS;
    if (dtype && !is_class && callee->api->returns == FH_RETURNS_TENSOR)
        return type_of(fh_numbers_named(w->run, dtype), certainty, call->value);
    if (fh_text_is(callee->path, "torch.DoubleTensor"))
        return type_of(FH_NUMBERS_FLOAT64, certainty, call->value);
    if (fh_text_is_any(callee->path, begins_complex)) {
        kept = *at(w, callee->self);
        return kept.numbers == FH_NUMBERS_COMPLEX
                   ? kept
                   : type_of(FH_NUMBERS_COMPLEX, certainty, call->value);
    }
    if (fh_text_is_any(callee->path, takes_numpy)) {
        kept = *at(w, fh_call_argument(w->unit, call, 0, NULL));
        bool number = kept.is_scalar || (!kept.is_numpy && fh_text_ends(callee->path, "tensor"));
        kept.is_numpy = false;
        /* Numbers of Python become float32 or int64. */
        if (number && kept.numbers == FH_NUMBERS_FLOAT64 && kept.is_scalar)
            kept = type_of(FH_NUMBERS_REAL, certainty, 0);
        kept.is_scalar = false;
        return kept;
    }
    if (fh_text_is(callee->path, "torch.randperm"))
        return type_of(FH_NUMBERS_INT64, certainty, 0);
    if (fh_text_is(callee->path, "torch.arange")) {
        /* Of integers: int64; a float among them makes it float32. */
        for (uint32_t i = 0; i < call->count; i++) {
            const fh_argument *argument = &w->unit->arguments.items[call->arguments + i];
            int64_t number;
            if (!argument->name &&
                !fh_resolve_integer(w->run->resolver, w->run->unit_index, argument->value, &number))
                return (fh_number_type){0};
        }
        return type_of(FH_NUMBERS_INT64, certainty, 0);
    }
    if (fh_callee_creates(callee))
        return type_of(FH_NUMBERS_REAL, certainty, 0);
    if (callee->api->returns != FH_RETURNS_TENSOR && callee->api->returns != FH_RETURNS_TENSORS &&
        !callee->is_method)
        return (fh_number_type){0};
    if (fh_text_is_any(callee->name, gives_bool))
        return type_of(FH_NUMBERS_BOOL, certainty, 0);
    if (fh_text_is_any(callee->name, gives_int64))
        return type_of(FH_NUMBERS_INT64, certainty, 0);
    kept = of_operands(w, call, callee);
    if (kept.numbers == FH_NUMBERS_COMPLEX && fh_text_is_any(callee->name, ends_complex))
        return (fh_number_type){0};
    if (kept.numbers < FH_NUMBERS_REAL) { /* sum of a bool, mean of an int: not the same type */
        bool same =
            fh_text_is(callee->api->class, "shape") || fh_text_is(callee->api->class, "indexing") ||
            fh_text_is(callee->api->class, "other") || fh_text_is_any(callee->name, keeps_first) ||
            fh_text_starts(callee->name, "bitwise_") || fh_text_is(callee->name, "cat") ||
            fh_text_is(callee->name, "stack");
        if (!same)
            return (fh_number_type){0};
    }
    kept.is_scalar = false;
    return kept;
}

/* What a function of this unit returned in the pass before. */
static fh_number_type of_function(const walk *w, const fh_call *call)
{
    fh_meanings callees;
    fh_resolve(w->run->resolver, w->run->unit_index, call->callee, &callees);
    for (uint32_t i = 0; i < callees.count; i++) {
        const fh_meaning *m = &callees.items[i];
        if ((m->kind == FH_MEANS_FUNCTION || m->kind == FH_MEANS_METHOD) &&
            m->unit == w->run->unit_index)
            return w->returned[m->index];
    }
    return (fh_number_type){0};
}

static fh_number_type of_call(const walk *w, uint32_t index)
{
    const fh_call *call = &w->unit->calls.items[index];
    const fh_callee *callee = &w->callees[index];
    bool is_cast;
    fh_numbers numbers = fh_numbers_of_cast(w->run, call, callee, &is_cast);
    if (is_cast) {
        fh_number_type before = *at(w, callee->self);
        if (before.numbers == FH_NUMBERS_FLOAT64 && numbers != FH_NUMBERS_FLOAT64 && before.origin)
            w->flow.is_cast[before.origin] = 1;
        if (before.numbers == FH_NUMBERS_FLOAT64 && numbers == FH_NUMBERS_FLOAT64)
            return before;
        fh_number_type after = type_of(numbers, (fh_certainty)callee->certainty, call->value);
        after.is_numpy = callee->is_numpy;
        return after;
    }
    if (!callee->path.length)
        return of_function(w, call);
    if (callee->is_numpy)
        return of_numpy(w, call, callee);
    if (callee->is_torch)
        return of_torch(w, call, callee);
    return (fh_number_type){0};
}

/* values, indices = x.max(-1): the second is int64. */
static fh_number_type of_item(const walk *w, const fh_value *v)
{
    static const char *const pairs[] = {"max",  "min",    "topk",   "sort",     "median",
                                        "mode", "cummax", "cummin", "kthvalue", NULL};
    const fh_value *source = fh_unit_value(w->unit, v->a);
    if (source->kind == FH_VALUE_TUPLE || source->kind == FH_VALUE_LIST)
        return v->b < source->b ? *at(w, w->unit->lists.items[source->a + v->b])
                                : (fh_number_type){0};
    if (source->kind == FH_VALUE_CALL && v->b == 1 && w->callees[source->a].is_torch &&
        fh_text_is_any(w->callees[source->a].name, pairs))
        return type_of(FH_NUMBERS_INT64, FH_LIKELY, 0);
    return *at(w, v->a);
}

static fh_number_type of_binary(const walk *w, const fh_value *v)
{
    fh_number_type a = *at(w, v->a), b = *at(w, v->b);
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
        return promoted(a, b);
    default: {
        fh_number_type result = promoted(a, b);
        bool arithmetic = result.numbers >= FH_NUMBERS_REAL || v->op == FH_OP_FLOOR_DIVIDE;
        return arithmetic || result.numbers == FH_NUMBERS_INT64 ? result : (fh_number_type){0};
    }
    }
}

static fh_number_type of_attribute(const walk *w, const fh_value *v)
{
    static const char *const same[] = {"data", "T", "mT", "H", "mH", "grad", NULL};
    fh_text name = fh_unit_text(w->unit, v->b);
    return fh_text_is_any(name, same) ? *at(w, v->a) : (fh_number_type){0};
}

static fh_number_type of_value(const walk *w, fh_value_index index)
{
    const fh_value *v = fh_unit_value(w->unit, index);
    fh_number_type result = {0};
    switch ((fh_value_kind)v->kind) {
    case FH_VALUE_FLOAT:
        result = type_of(v->flags & FH_VALUE_IMAGINARY ? FH_NUMBERS_COMPLEX : FH_NUMBERS_FLOAT64,
                         FH_CERTAIN, index);
        result.is_scalar = true;
        return result;
    case FH_VALUE_INTEGER:
    case FH_VALUE_BOOL:
        result =
            type_of(v->kind == FH_VALUE_BOOL ? FH_NUMBERS_BOOL : FH_NUMBERS_INT64, FH_CERTAIN, 0);
        result.is_scalar = true;
        return result;
    case FH_VALUE_CALL:
        return of_call(w, v->a);
    case FH_VALUE_BINARY:
        return of_binary(w, v);
    case FH_VALUE_COMPARE:
        return v->op == FH_OP_IS || v->op == FH_OP_IS_NOT || v->op == FH_OP_IN ||
                       v->op == FH_OP_NOT_IN
                   ? result
                   : type_of(FH_NUMBERS_BOOL, FH_LIKELY, 0);
    case FH_VALUE_UNARY:
        return v->op == FH_OP_NOT ? result : *at(w, v->a);
    case FH_VALUE_TUPLE:
    case FH_VALUE_LIST:
        return of_list(w, v);
    case FH_VALUE_COMPREHENSION:
    case FH_VALUE_SUBSCRIPT:
    case FH_VALUE_ELEMENT:
        return *at(w, v->a);
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

static fh_number_type of_returns(const walk *w, const fh_function *function)
{
    fh_number_type all = {0};
    for (uint32_t i = 0; i < function->return_count; i++) {
        fh_value_index value = w->unit->lists.items[function->returns + i];
        fh_number_type one = *at(w, value);
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
    walk w = {run, u, callees, {0}, NULL};
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
        for (uint32_t i = 1; i < u->values.count; i++)
            w.flow.types[i] = of_value(&w, i);
        any = false;
        for (uint32_t i = 1; i < u->functions.count; i++) {
            w.returned[i] = of_returns(&w, &u->functions.items[i]);
            any |= w.returned[i].numbers != FH_NUMBERS_UNKNOWN;
        }
    }
    return w.flow;
}
