/* The calls that reduce: which reduction, over which dimensions, into which outputs. */
#include "device/kern/operators.h"
#include "device/kern/reductions.h"

#include <string.h>

static bool is_floating(fh_dtype dtype)
{
    return dtype == FH_F32 || dtype == FH_F64 || dtype == FH_F16 || dtype == FH_BF16;
}

static fh_status reduce(const fh_reduction *reduction, const fh_argument *self,
                        const fh_argument *dims, const fh_argument *out, fh_parameters parameters,
                        const fh_team *team)
{
    const fh_view *outs[] = {out->view};
    return fh_reduce(reduction, self->view, fh_dimensions_of(dims, self->view->rank), outs, 1, true,
                     &parameters, team);
}

static fh_status reduce_exact(const fh_reduction *floats, const fh_reduction *integers,
                              const fh_argument *self, const fh_argument *dims,
                              const fh_argument *out, fh_parameters parameters, const fh_team *team)
{
    const fh_view *outs[] = {out->view};
    bool floating = is_floating(self->view->dtype);
    return fh_reduce(floating ? floats : integers, self->view,
                     fh_dimensions_of(dims, self->view->rank), outs, 1, false, &parameters, team);
}

static const fh_argument all_dimensions = {.kind = FH_ARGUMENT_ABSENT};
static const fh_parameters none;
static const fh_parameters smallest = {.i = {1}};

#define CALL(name, expression) \
    fh_status fh_op_##name(const fh_argument *a, const fh_team *team) \
    { \
        return expression; \
    }

#define SUMS &fh_reduction_sum, &fh_reduction_sum_integers
#define PRODUCTS &fh_reduction_product, &fh_reduction_product_integers
#define EXTREMES &fh_reduction_extreme, &fh_reduction_extreme_integers

CALL(sum, reduce_exact(SUMS, &a[0], &a[1], &a[4], none, team))
CALL(mean, reduce(&fh_reduction_mean, &a[0], &a[1], &a[4], none, team))
CALL(prod_dim, reduce_exact(PRODUCTS, &a[0], &a[1], &a[4], none, team))
CALL(prod, reduce_exact(PRODUCTS, &a[0], &all_dimensions, &a[2], none, team))
CALL(amax, reduce_exact(EXTREMES, &a[0], &a[1], &a[3], none, team))
CALL(amin, reduce_exact(EXTREMES, &a[0], &a[1], &a[3], smallest, team))
CALL(max, reduce_exact(EXTREMES, &a[0], &all_dimensions, &a[1], none, team))
CALL(min, reduce_exact(EXTREMES, &a[0], &all_dimensions, &a[1], smallest, team))
CALL(all, reduce_exact(&fh_reduction_all, &fh_reduction_all, &a[0], &a[1], &a[3], none, team))
CALL(any, reduce_exact(&fh_reduction_any, &fh_reduction_any, &a[0], &a[1], &a[3], none, team))
CALL(logsumexp, reduce(&fh_reduction_exponents, &a[0], &a[1], &a[3], none, team))

static fh_status extreme_dim(const fh_argument *a, fh_parameters parameters, const fh_team *team)
{
    const fh_view *outs[] = {a[3].view, a[4].view};
    bool floating = is_floating(a[0].view->dtype);
    return fh_reduce(floating ? &fh_reduction_extreme : &fh_reduction_extreme_integers, a[0].view,
                     fh_dimensions_of(&a[1], a[0].view->rank), outs, 2, false, &parameters, team);
}

CALL(max_dim, extreme_dim(a, none, team))
CALL(min_dim, extreme_dim(a, smallest, team))

/* Of integers, the index is the second result; the first goes nowhere. */
static fh_status extreme_index(const fh_argument *a, fh_parameters parameters, const fh_team *team)
{
    if (is_floating(a[0].view->dtype))
        return reduce(&fh_reduction_extreme_index, &a[0], &a[1], &a[3], parameters, team);
    fh_reduction index = fh_reduction_extreme_integers;
    int64_t nowhere;
    fh_view discarded = *a[3].view;
    discarded.data = &nowhere;
    discarded.dtype = FH_I64;
    memset(discarded.strides, 0, sizeof discarded.strides);
    const fh_view *outs[] = {&discarded, a[3].view};
    return fh_reduce(&index, a[0].view, fh_dimensions_of(&a[1], a[0].view->rank), outs, 2, false,
                     &parameters, &fh_team_alone);
}

CALL(argmax, extreme_index(a, none, team))
CALL(argmin, extreme_index(a, smallest, team))

/* The correction is a number (absent: 1). */
static fh_parameters correction(const fh_argument *argument)
{
    return (fh_parameters){.f = {fh_argument_double(argument, 1)}};
}

CALL(var, reduce(&fh_reduction_variance, &a[0], &a[1], &a[4], correction(&a[2]), team))
CALL(std, reduce(&fh_reduction_deviation, &a[0], &a[1], &a[4], correction(&a[2]), team))

fh_status fh_op_var_mean(const fh_argument *a, const fh_team *team)
{
    const fh_view *outs[] = {a[4].view, a[5].view};
    fh_parameters parameters = correction(&a[2]);
    return fh_reduce(&fh_reduction_variance, a[0].view, fh_dimensions_of(&a[1], a[0].view->rank),
                     outs, 2, true, &parameters, team);
}

static fh_status norm(const fh_argument *self, const fh_argument *order, const fh_argument *dims,
                      const fh_argument *out, const fh_team *team)
{
    fh_reduction reduction = fh_reduction_norm;
    fh_parameters parameters = {.f = {fh_argument_double(order, 2)}};
    reduction.start.b = parameters.f[0];
    const fh_view *outs[] = {out->view};
    return fh_reduce(&reduction, self->view, fh_dimensions_of(dims, self->view->rank), outs, 1,
                     true, &parameters, team);
}

CALL(norm, norm(&a[0], &a[1], &a[2], &a[4], team))
CALL(vector_norm, norm(&a[0], &a[1], &a[2], &a[5], team))
