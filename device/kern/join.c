/* Tensors joined, cut, repeated and turned: copies between parts of views. */
#include "device/kern/elementwise.h"
#include "device/kern/operators.h"

static uint32_t dimension(int64_t dim, uint32_t rank)
{
    return (uint32_t)(dim < 0 ? dim + rank : dim);
}

/* The part of `view` from `start` on along `dim`, `length` long. */
static fh_view part_of(const fh_view *view, uint32_t dim, int64_t start, int64_t length)
{
    fh_view part = *view;
    part.data =
        (char *)view->data + start * view->strides[dim] * (int64_t)fh_dtype_size(view->dtype);
    part.sizes[dim] = length;
    return part;
}

/* An empty tensor of one dimension is left out whatever the others' shape is, as in PyTorch. */
static bool is_nothing(const fh_view *view)
{
    return view->rank == 1 && view->sizes[0] == 0;
}

fh_status fh_op_cat(const fh_argument *a, const fh_team *team)
{
    const fh_view *out = a[2].view;
    uint32_t dim = dimension(a[1].integer, out->rank);
    fh_status status = FH_OK;
    int64_t start = 0;
    for (uint32_t i = 0; i < a[0].count && !status; i++) {
        const fh_view *from = a[0].view + i;
        if (is_nothing(from))
            continue;
        fh_view part = part_of(out, dim, start, from->sizes[dim]);
        status = fh_copy(&part, from, team);
        start += from->sizes[dim];
    }
    return status;
}

fh_status fh_op_stack(const fh_argument *a, const fh_team *team)
{
    const fh_view *out = a[2].view;
    uint32_t dim = dimension(a[1].integer, out->rank);
    fh_status status = FH_OK;
    for (uint32_t i = 0; i < a[0].count && !status; i++) {
        fh_view part = part_of(out, dim, i, 1);
        for (uint32_t d = dim; d + 1 < part.rank; d++) {
            part.sizes[d] = part.sizes[d + 1];
            part.strides[d] = part.strides[d + 1];
        }
        part.rank--;
        status = fh_copy(&part, a[0].view + i, team);
    }
    return status;
}

fh_status fh_op_split(const fh_argument *a, const fh_team *team)
{
    const fh_view *self = a[0].view;
    uint32_t dim = dimension(a[2].integer, self->rank);
    fh_status status = FH_OK;
    int64_t start = 0;
    for (uint32_t i = 0; i < a[3].count && !status; i++) {
        const fh_view *to = a[3].view + i;
        fh_view part = part_of(self, dim, start, to->sizes[dim]);
        status = fh_copy(to, &part, team);
        start += to->sizes[dim];
    }
    return status;
}

fh_status fh_op_repeat(const fh_argument *a, const fh_team *team)
{
    const fh_view *self = a[0].view;
    fh_view out = *a[2].view;
    int64_t counts[FH_MAX_RANK], index[FH_MAX_RANK] = {0}, copies = 1;
    for (uint32_t i = 0; i < out.rank; i++) {
        int64_t own = i + self->rank >= out.rank ? self->sizes[i + self->rank - out.rank] : 1;
        counts[i] = own ? out.sizes[i] / own : 0;
        out.sizes[i] = own;
        copies *= counts[i];
    }
    fh_status status = FH_OK;
    for (int64_t k = 0; k < copies && !status; k++) {
        int64_t rest = k, offset = 0;
        for (uint32_t i = out.rank; i-- > 0;) {
            index[i] = rest % counts[i];
            rest /= counts[i];
            offset += index[i] * out.sizes[i] * out.strides[i];
        }
        fh_view part = out;
        part.data = (char *)out.data + offset * (int64_t)fh_dtype_size(out.dtype);
        status = fh_copy(&part, self, team);
    }
    return status;
}

fh_status fh_op_flip(const fh_argument *a, const fh_team *team)
{
    fh_view from = *a[0].view;
    for (uint32_t i = 0; i < a[1].count; i++) {
        uint32_t dim = dimension(a[1].integers[i], from.rank);
        if (from.sizes[dim] == 0)
            return FH_OK;
        from.data = (char *)from.data +
                    (from.sizes[dim] - 1) * from.strides[dim] * (int64_t)fh_dtype_size(from.dtype);
        from.strides[dim] = -from.strides[dim];
    }
    return fh_copy(a[2].view, &from, team);
}

/* Pads come in pairs, the last dimension's first; a negative one cuts. */
fh_status fh_op_constant_pad(const fh_argument *a, const fh_team *team)
{
    fh_view from = *a[0].view, to = *a[3].view;
    fh_status status = fh_fill(&to, &a[2], team);
    for (uint32_t i = 0; i < a[1].count / 2 && !status; i++) {
        uint32_t dim = from.rank - 1 - i;
        int64_t before = a[1].integers[2 * i], after = a[1].integers[2 * i + 1];
        int64_t cut = (before < 0 ? -before : 0), end = (after < 0 ? -after : 0);
        from = part_of(&from, dim, cut, from.sizes[dim] - cut - end);
        to = part_of(&to, dim, before > 0 ? before : 0, from.sizes[dim]);
    }
    return status ? status : fh_copy(&to, &from, team);
}
