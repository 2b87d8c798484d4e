/* Calls: which number type an operator of PyTorch or NumPy, a cast or a function gives. */
#include "analyse/rules/dtype_flow_build.h"

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
static const char *const ends_complex[] = {"view_as_real", "real",   "imag",   "abs",   "angle",
                                           "irfft",        "irfft2", "irfftn", "istft", NULL};
static const char *const begins_complex[] = {"torch.view_as_complex",
                                             "torch.complex",
                                             "torch.polar",
                                             "torch.stft",
                                             "torch.Tensor.stft",
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

static fh_number_type of_operands(const fh_dtype_walk *w, const fh_call *call,
                                  const fh_callee *callee)
{
    fh_number_type all = *fh_dtype_at(w, callee->self);
    if (fh_text_is_any(callee->name, keeps_first))
        return all;
    uint32_t first = callee->is_method ? 0 : 1;
    if (fh_text_is(callee->path, "torch.where")) {
        all = *fh_dtype_at(w, fh_call_argument(w->unit, call, 1, "input"));
        first = 2;
    }
    uint32_t position = 0;
    for (uint32_t i = 0; i < call->count && i < 8; i++) {
        const fh_argument *argument = &w->unit->arguments.items[call->arguments + i];
        if (argument->name && !fh_text_is(fh_unit_text(w->unit, argument->name), "other"))
            continue;
        if (position++ >= first) {
            fh_number_type one = *fh_dtype_at(w, argument->value);
            if (one.numbers)
                all = fh_dtype_promoted(all, one);
        }
    }
    return all;
}

/* numpy.something(...), or a method of an array. */
static fh_number_type of_numpy(const fh_dtype_walk *w, const fh_call *call, const fh_callee *callee)
{
    fh_value_index dtype = fh_call_argument(w->unit, call, -1, "dtype");
    fh_number_type result = {0};
    if (dtype)
        result = fh_dtype_of(fh_numbers_named(w->run, dtype), FH_CERTAIN, call->value);
    else if (fh_text_is_any(callee->path, float64_of_numpy) &&
             !fh_call_argument(w->unit, call, fh_text_starts(callee->path, "numpy.random.") ? 9 : 1,
                               NULL))
        result = fh_dtype_of(FH_NUMBERS_FLOAT64, FH_CERTAIN, call->value);
    else if (fh_text_is(callee->path, "numpy.linspace"))
        result = fh_dtype_of(FH_NUMBERS_FLOAT64, FH_CERTAIN, call->value);
    else
        result = of_operands(w, call, callee);
    result.is_numpy = true;
    result.is_scalar = false;
    return result;
}

/* torch.from_numpy(x), torch.tensor(x): the type of what it is made of. */
static fh_number_type of_conversion(const fh_dtype_walk *w, const fh_call *call,
                                    const fh_callee *callee)
{
    fh_number_type kept = *fh_dtype_at(w, fh_call_argument(w->unit, call, 0, NULL));
    bool number = kept.is_scalar || (!kept.is_numpy && fh_text_ends(callee->path, "tensor"));
    kept.is_numpy = false;
    /* Numbers of Python become float32 or int64. */
    if (number && kept.numbers == FH_NUMBERS_FLOAT64 && kept.is_scalar)
        kept = fh_dtype_of(FH_NUMBERS_REAL, (fh_certainty)callee->certainty, 0);
    kept.is_scalar = false;
    return kept;
}

/* torch.arange of integers: int64; a float among them makes it float32. */
static fh_number_type of_range(const fh_dtype_walk *w, const fh_call *call, fh_certainty certainty)
{
    for (uint32_t i = 0; i < call->count; i++) {
        const fh_argument *argument = &w->unit->arguments.items[call->arguments + i];
        int64_t number;
        if (!argument->name &&
            !fh_resolve_integer(w->run->resolver, w->run->unit_index, argument->value, &number))
            return (fh_number_type){0};
    }
    return fh_dtype_of(FH_NUMBERS_INT64, certainty, 0);
}

/* Whether an operator gives what it is given also of bools and integers: not so the sum of a bool
 * and the mean of an int. */
static bool keeps_integers(const fh_callee *callee)
{
    return fh_text_is(callee->api->class, "shape") || fh_text_is(callee->api->class, "indexing") ||
           fh_text_is(callee->api->class, "other") || fh_text_is_any(callee->name, keeps_first) ||
           fh_text_starts(callee->name, "bitwise_") || fh_text_is(callee->name, "cat") ||
           fh_text_is(callee->name, "stack");
}

/* An operator that makes no tensor of its own accord. */
static fh_number_type of_operator(const fh_dtype_walk *w, const fh_call *call,
                                  const fh_callee *callee)
{
    fh_certainty certainty = (fh_certainty)callee->certainty;
    if (callee->api->returns != FH_RETURNS_TENSOR && callee->api->returns != FH_RETURNS_TENSORS &&
        !callee->is_method)
        return (fh_number_type){0};
    if (fh_text_is_any(callee->name, gives_bool))
        return fh_dtype_of(FH_NUMBERS_BOOL, certainty, 0);
    if (fh_text_is_any(callee->name, gives_int64))
        return fh_dtype_of(FH_NUMBERS_INT64, certainty, 0);
    fh_number_type kept = of_operands(w, call, callee);
    if (kept.numbers == FH_NUMBERS_COMPLEX && fh_text_is_any(callee->name, ends_complex))
        return (fh_number_type){0};
    if (kept.numbers < FH_NUMBERS_REAL && !keeps_integers(callee))
        return (fh_number_type){0};
    kept.is_scalar = false;
    return kept;
}

/* stft(..., return_complex=False): real and imaginary parts in a last dimension. */
static bool gives_real_pairs(const fh_dtype_walk *w, const fh_call *call, const fh_callee *callee)
{
    bool is_complex;
    fh_value_index option = fh_call_argument(w->unit, call, -1, "return_complex");
    return option && fh_text_is(callee->name, "stft") &&
           fh_resolve_bool(w->run->resolver, w->run->unit_index, option, &is_complex) &&
           !is_complex;
}

static fh_number_type of_torch(const fh_dtype_walk *w, const fh_call *call, const fh_callee *callee)
{
    fh_value_index dtype = fh_call_argument(w->unit, call, -1, "dtype");
    fh_certainty certainty = (fh_certainty)callee->certainty;
    bool is_class = callee->api->kind == FH_API_CLASS;
    if (dtype && !is_class && callee->api->returns == FH_RETURNS_TENSOR)
        return fh_dtype_of(fh_numbers_named(w->run, dtype), certainty, call->value);
    if (fh_text_is(callee->path, "torch.DoubleTensor"))
        return fh_dtype_of(FH_NUMBERS_FLOAT64, certainty, call->value);
    if (gives_real_pairs(w, call, callee))
        return fh_dtype_of(FH_NUMBERS_REAL, certainty, 0);
    if (fh_text_is_any(callee->path, begins_complex)) {
        fh_number_type kept = *fh_dtype_at(w, callee->self);
        return kept.numbers == FH_NUMBERS_COMPLEX
                   ? kept
                   : fh_dtype_of(FH_NUMBERS_COMPLEX, certainty, call->value);
    }
    if (fh_text_is_any(callee->path, takes_numpy))
        return of_conversion(w, call, callee);
    if (fh_text_is(callee->path, "torch.randperm"))
        return fh_dtype_of(FH_NUMBERS_INT64, certainty, 0);
    if (fh_text_is(callee->path, "torch.arange"))
        return of_range(w, call, certainty);
    if (fh_callee_creates(callee))
        return fh_dtype_of(FH_NUMBERS_REAL, certainty, 0);
    return of_operator(w, call, callee);
}

/* What a function of this unit returned in the pass before. */
static fh_number_type of_function(const fh_dtype_walk *w, const fh_call *call)
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

fh_number_type fh_dtype_of_call(const fh_dtype_walk *w, uint32_t index)
{
    const fh_call *call = &w->unit->calls.items[index];
    const fh_callee *callee = &w->callees[index];
    bool is_cast;
    fh_numbers numbers = fh_numbers_of_cast(w->run, call, callee, &is_cast);
    if (is_cast) {
        fh_number_type before = *fh_dtype_at(w, callee->self);
        if (before.numbers == FH_NUMBERS_FLOAT64 && numbers != FH_NUMBERS_FLOAT64 && before.origin)
            w->flow.is_cast[before.origin] = 1;
        if (before.numbers == FH_NUMBERS_FLOAT64 && numbers == FH_NUMBERS_FLOAT64)
            return before;
        fh_number_type after = fh_dtype_of(numbers, (fh_certainty)callee->certainty, call->value);
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
