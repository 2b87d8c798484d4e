/* Tensors made from nothing: ranges, triangles, diagonals, one-hot rows. */
#include "base/memory.h"
#include "device/kern/dense.h"
#include "device/kern/operators.h"

#include <string.h>

static bool is_floating(fh_dtype dtype)
{
    return dtype == FH_F32 || dtype == FH_F64 || dtype == FH_F16 || dtype == FH_BF16;
}

typedef struct {
    double start, step;
    int64_t istart, istep;
    void *out;
    bool floating;
} range;

static void fill_range(void *context, int64_t begin, int64_t end, unsigned slot)
{
    const range *r = context;
    (void)slot;
    for (int64_t i = begin; i < end; i++)
        if (r->floating)
            ((double *)r->out)[i] = r->start + (double)i * r->step;
        else
            ((int64_t *)r->out)[i] = r->istart + i * r->istep;
}

fh_status fh_op_arange(const fh_argument *a, const fh_team *team)
{
    fh_dense out = {.data = NULL};
    range r = {fh_argument_double(&a[0], 0),
               fh_argument_double(&a[2], 1),
               fh_argument_integer(&a[0], 0),
               fh_argument_integer(&a[2], 1),
               NULL,
               is_floating(a[3].view->dtype)};
    fh_status status = fh_dense_begin(&out, &a[3], r.floating ? FH_F64 : FH_I64, false, team);
    if (!status) {
        r.out = out.data;
        fh_team_split(team, fh_view_count(a[3].view), 32768, fill_range, &r);
        status = fh_dense_write(&out, team);
    }
    fh_dense_end(&out, 1);
    return status;
}

/* Each row keeps what is at or left (tril) or right (triu) of the diagonal, moved by `diagonal`. */
static fh_status triangle(const fh_view *self, int64_t diagonal, const fh_view *out, bool lower,
                          const fh_team *team)
{
    fh_status status = FH_OK;
    uint32_t rank = out->rank, row = rank - 2, col = rank - 1;
    int64_t size = (int64_t)fh_dtype_size(out->dtype);
    if (self->data != out->data)
        status = fh_copy(out, self, team);
    for (int64_t i = 0; i < out->sizes[row] && !status; i++) {
        int64_t edge = i + diagonal + (lower ? 1 : 0), width = out->sizes[col];
        edge = edge < 0 ? 0 : edge > width ? width : edge;
        fh_view part = *out; /* all matrices' row i, beyond the edge */
        part.data = (char *)out->data +
                    (i * out->strides[row] + (lower ? edge * out->strides[col] : 0)) * size;
        part.sizes[row] = 1;
        part.sizes[col] = lower ? width - edge : edge;
        status = fh_fill_zero(&part, team);
    }
    return status;
}

fh_status fh_op_tril(const fh_argument *a, const fh_team *team)
{
    return triangle(a[0].view, fh_argument_integer(&a[1], 0), a[2].view, true, team);
}

fh_status fh_op_triu(const fh_argument *a, const fh_team *team)
{
    return triangle(a[0].view, fh_argument_integer(&a[1], 0), a[2].view, false, team);
}

fh_status fh_op_inplace_tril(const fh_argument *a, const fh_team *team)
{
    return triangle(a[0].view, fh_argument_integer(&a[1], 0), a[0].view, true, team);
}

fh_status fh_op_inplace_triu(const fh_argument *a, const fh_team *team)
{
    return triangle(a[0].view, fh_argument_integer(&a[1], 0), a[0].view, false, team);
}

fh_status fh_op_eye(const fh_argument *a, const fh_team *team)
{
    fh_view diagonal = *a[2].view;
    fh_status status = fh_fill_zero(&diagonal, team);
    diagonal.rank = 1;
    diagonal.sizes[0] =
        diagonal.sizes[0] < diagonal.sizes[1] ? diagonal.sizes[0] : diagonal.sizes[1];
    diagonal.strides[0] += diagonal.strides[1];
    const fh_argument one = {.kind = FH_ARGUMENT_INTEGER, .integer = 1};
    return status ? status : fh_fill(&diagonal, &one, team);
}

/* out[..., self[...]] = on along the last dimension (axis -1), else off; classes out of range stay
 * off. */
fh_status fh_op_one_hot(const fh_argument *a, const fh_team *team)
{
    const fh_view *out = a[5].view;
    fh_dense index = {.data = NULL}, to = {.data = NULL};
    int64_t width = out->rank ? out->sizes[out->rank - 1] : 1;
    if (a[4].integer != -1 && a[4].integer != (int64_t)out->rank - 1)
        return fh_error(FH_UNSUPPORTED,
                        "axis %lld of a one-hot tensor: only the last one is supported",
                        (long long)a[4].integer);
    fh_argument off = a[3];
    fh_view off_element = *a[3].view, on_element = *a[2].view;
    off_element.rank = on_element.rank = 0;
    off.view = &off_element;
    fh_status status = fh_copy(out, off.view, team);
    if (!status)
        status = fh_dense_begin(&index, &a[0], FH_I64, true, team);
    if (!status)
        status = fh_dense_begin(&to, &a[5], out->dtype, true, team);
    size_t size = fh_dtype_size(out->dtype);
    uint64_t on[2];
    fh_view on_view = {.data = on, .dtype = out->dtype};
    if (!status)
        status = fh_copy(&on_view, &on_element, &fh_team_alone);
    for (int64_t i = 0; i < fh_view_count(a[0].view) && !status; i++) {
        int64_t class = ((const int64_t *)index.data)[i];
        if (class >= 0 && class < width)
            memcpy((char *)to.data + (size_t)(i * width + class) * size, on, size);
    }
    if (!status)
        status = fh_dense_write(&to, team);
    fh_dense_end(&index, 1);
    fh_dense_end(&to, 1);
    return status;
}
