/* Results whose size is known only afterwards: where something is not zero, and what a mask
 * selects. The output's memory holds the largest result; its view is made as small as what was
 * found, contiguous. */
#include "device/kern/dense.h"
#include "device/kern/operators.h"
#include "device/kern/walk.h"

static void shrink(fh_view *view, uint32_t dim, int64_t size)
{
    int64_t stride = 1;
    view->sizes[dim] = size;
    for (uint32_t i = view->rank; i-- > 0;) {
        view->strides[i] = stride;
        stride *= view->sizes[i];
    }
}

/* `turned`: [dimensions, found] (aclnnNonzeroV2) instead of [found, dimensions] */
static fh_status nonzero(const fh_argument *a, bool turned, const fh_team *team)
{
    fh_dense d = {.data = NULL};
    fh_view *out = a[1].view;
    const fh_view *self = a[0].view;
    fh_status status = fh_dense_begin(&d, &a[0], FH_BOOL, true, team);
    if (!status && out->dtype != FH_I64)
        status = fh_error(FH_UNSUPPORTED, "positions in %s: only INT64 is supported",
                          fh_dtype_name(out->dtype));
    int64_t count = fh_view_count(self), found = 0, rank = self->rank, row = 0;
    const uint8_t *truth = d.data;
    for (int64_t i = 0; i < count && !status; i++)
        found += truth[i] != 0;
    for (int64_t i = 0; i < count && !status; i++) {
        if (!truth[i])
            continue;
        int64_t rest = i, *to = out->data;
        for (int64_t k = rank; k-- > 0;) {
            to[turned ? k * found + row : row * rank + k] = rest % self->sizes[k];
            rest /= self->sizes[k];
        }
        row++;
    }
    if (!status)
        shrink(out, turned ? 1 : 0, found);
    fh_dense_end(&d, 1);
    return status;
}

fh_status fh_op_nonzero(const fh_argument *a, const fh_team *team)
{
    return nonzero(a, false, team);
}

fh_status fh_op_nonzero_turned(const fh_argument *a, const fh_team *team)
{
    return nonzero(a, true, team);
}

/* self and mask broadcast to each other. */
fh_status fh_op_masked_select(const fh_argument *a, const fh_team *team)
{
    const fh_view *views[] = {a[0].view, a[1].view};
    fh_view *out = a[2].view;
    fh_walk w = {.count = 2};
    int64_t count = 1, found = 0;
    size_t size = fh_dtype_size(views[0]->dtype);
    w.rank = views[0]->rank > views[1]->rank ? views[0]->rank : views[1]->rank;
    (void)team;
    for (uint32_t i = 0; i < w.rank; i++) {
        w.sizes[i] = 1;
        for (int k = 0; k < 2; k++) {
            int own = (int)i - (int)(w.rank - views[k]->rank);
            if (own < 0 || views[k]->sizes[own] == 1)
                continue;
            w.sizes[i] = views[k]->sizes[own];
            w.strides[k][i] = views[k]->strides[own] * (int64_t)fh_dtype_size(views[k]->dtype);
        }
        count *= w.sizes[i];
    }
    fh_walk_seek(&w, 0);
    for (int64_t i = 0; i < count; i++, fh_walk_next(&w))
        if (((const char *)views[1]->data)[w.offsets[1]])
            fh_walk_move((char *)out->data + (size_t)found++ * size,
                         (const char *)views[0]->data + w.offsets[0], size);
    shrink(out, 0, found);
    return FH_OK;
}
