/* The negative log-likelihood of classes: loss and gradient. self is [N, C] or [C], target [N] or
 * []. Reductions: 0 none, 1 mean (by the classes' weights), 2 sum. Sums are in f64, in order. */
#include "device/kern/dense.h"
#include "device/kern/operators.h"

#include <string.h>

typedef struct {
    fh_dense self, target, weight, out, total;
    int64_t n, c, ignored, reduction;
} loss;

static fh_status wrong_class(int64_t target, int64_t c)
{
    return fh_error(FH_INVALID, "target %lld is outside of %lld classes", (long long)target,
                    (long long)c);
}

static void shape_of(loss *l, const fh_view *self)
{
    l->n = self->rank > 1 ? self->sizes[0] : 1;
    l->c = self->rank ? self->sizes[self->rank - 1] : 1;
}

fh_status fh_op_nll_loss(const fh_argument *a, const fh_team *team)
{
    fh_dense d[5] = {{.data = NULL}};
    fh_dtype dtypes[] = {FH_F64, FH_I64, FH_F64, FH_F64, FH_F64};
    int which[] = {0, 1, 2, 5, 6};
    loss l = {.ignored = a[4].integer, .reduction = a[3].integer};
    shape_of(&l, a[0].view);
    fh_status status = FH_OK;
    /* The logits stay where they are: one element of each row is read. */
    for (int k = 1; k < 5 && !status; k++)
        status = fh_dense_begin(&d[k], &a[which[k]], dtypes[k], k < 3, team);
    double sum = 0, weights = 0;
    const fh_view *self = a[0].view;
    const int64_t *targets = d[1].data;
    const double *weight = d[2].data;
    for (int64_t i = 0; i < l.n && !status; i++) {
        int64_t target = targets[i];
        double value = 0, own = 0;
        if (target != l.ignored) {
            if (target < 0 || target >= l.c) {
                status = wrong_class(target, l.c);
                break;
            }
            fh_view element = {.dtype = self->dtype};
            int64_t at = (self->rank > 1 ? i * self->strides[0] : 0) +
                         (self->rank ? target * self->strides[self->rank - 1] : 0);
            element.data = (char *)self->data + at * (int64_t)fh_dtype_size(self->dtype);
            fh_view read = {.data = &value, .dtype = FH_F64};
            status = fh_copy(&read, &element, &fh_team_alone);
            own = weight ? weight[target] : 1;
            value = -value * own;
        }
        if (l.reduction == 0)
            ((double *)d[3].data)[i] = value;
        sum += value;
        weights += own;
    }
    if (!status && l.reduction != 0)
        *(double *)d[3].data = l.reduction == 1 ? sum / weights : sum;
    if (!status && d[4].data)
        *(double *)d[4].data = l.reduction == 0 ? 0 : weights;
    for (int k = 3; k < 5 && !status; k++)
        status = fh_dense_write(&d[k], team);
    fh_dense_end(d, 5);
    return status;
}

/* grad_input is 0 but at the targets: -weight grad, over the sum of weights for a mean. */
fh_status fh_op_nll_loss_backward(const fh_argument *a, const fh_team *team)
{
    fh_dense d[4] = {{.data = NULL}};
    int which[] = {0, 2, 3, 6};
    loss l = {.ignored = a[5].integer, .reduction = a[4].integer};
    const fh_view *out = a[7].view;
    shape_of(&l, out);
    fh_status status = fh_fill_zero(out, team);
    for (int k = 0; k < 4 && !status; k++)
        status = fh_dense_begin(&d[k], &a[which[k]], k == 1 ? FH_I64 : FH_F64, true, team);
    for (int64_t i = 0; i < l.n && !status; i++) {
        int64_t target = ((const int64_t *)d[1].data)[i];
        if (target == l.ignored)
            continue;
        if (target < 0 || target >= l.c) {
            status = wrong_class(target, l.c);
            break;
        }
        double value = -(d[2].data ? ((const double *)d[2].data)[target] : 1);
        value *= ((const double *)d[0].data)[l.reduction == 0 ? i : 0];
        if (l.reduction == 1)
            value /= *(const double *)d[3].data;
        int64_t at = (out->rank > 1 ? i * out->strides[0] : 0) +
                     (out->rank ? target * out->strides[out->rank - 1] : 0);
        fh_view element = {.dtype = out->dtype};
        element.data = (char *)out->data + at * (int64_t)fh_dtype_size(out->dtype);
        fh_view from = {.data = &value, .dtype = FH_F64};
        status = fh_copy(&element, &from, &fh_team_alone);
    }
    fh_dense_end(d, 4);
    return status;
}
