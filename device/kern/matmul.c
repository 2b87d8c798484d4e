/* Products of matrices as PyTorch and CANN name them: their shapes become those of gemm.h. */
#include "device/kern/gemm.h"
#include "device/kern/operators_matrix.h"

/* Of an optional number argument. */
static double number_of(const fh_argument *argument)
{
    switch (argument->kind) {
    case FH_ARGUMENT_NUMBER:
        return fh_number_double(argument->number);
    case FH_ARGUMENT_INTEGER:
        return (double)argument->integer;
    case FH_ARGUMENT_DOUBLE:
        return argument->real;
    default:
        return 1;
    }
}

/* The last two dimensions of a view; missing or broadcast ones have stride 0. */
static fh_matrix matrix_of(const fh_view *view)
{
    fh_matrix matrix = {.data = view->data, .dtype = view->dtype};
    uint32_t rank = view->rank;
    if (rank >= 1)
        matrix.column = view->strides[rank - 1];
    if (rank >= 2)
        matrix.row = view->strides[rank - 2];
    return matrix;
}

/* Where size 1 stands for more. */
static void spread(fh_matrix *matrix, const fh_view *view, int64_t rows, int64_t columns)
{
    uint32_t rank = view->rank;
    if (rank < 1 || (view->sizes[rank - 1] == 1 && columns != 1))
        matrix->column = 0;
    if (rank < 2 || (view->sizes[rank - 2] == 1 && rows != 1))
        matrix->row = 0;
}

/* The batch strides of a view whose batch dimensions, all but its last `own`, broadcast to those of
 * the product. */
static void set_batch(fh_matrix *matrix, const fh_view *view, uint32_t own, const fh_gemm *g)
{
    uint32_t rank = view->rank > own ? view->rank - own : 0;
    for (uint32_t i = 0; i < g->batch_rank; i++) {
        int64_t j = (int64_t)i - (int64_t)(g->batch_rank - rank);
        matrix->batch[i] = j < 0 || view->sizes[j] == 1 ? 0 : view->strides[j];
    }
}

/* m, n, k and the batch of a x b -> out, all of rank 2 or more. */
static fh_gemm product_of_views(const fh_view *a, const fh_view *b, const fh_view *out)
{
    fh_gemm g = {.m = out->sizes[out->rank - 2],
                 .n = out->sizes[out->rank - 1],
                 .k = a->sizes[a->rank - 1],
                 .batch_rank = out->rank - 2,
                 .alpha = 1};
    for (uint32_t i = 0; i < g.batch_rank; i++)
        g.batch_sizes[i] = out->sizes[i];
    g.a = matrix_of(a), g.b = matrix_of(b), g.c = matrix_of(out);
    set_batch(&g.a, a, 2, &g), set_batch(&g.b, b, 2, &g), set_batch(&g.c, out, 2, &g);
    return g;
}

/* A dimension of size 1 before the last `behind` ones. */
static fh_view with_one(const fh_view *view, uint32_t behind)
{
    fh_view result = *view;
    uint32_t at = view->rank - behind;
    result.rank++;
    for (uint32_t i = view->rank; i > at; i--) {
        result.sizes[i] = view->sizes[i - 1];
        result.strides[i] = view->strides[i - 1];
    }
    result.sizes[at] = 1;
    result.strides[at] = 1;
    return result;
}

static fh_status matmul(const fh_view *self, const fh_view *other, const fh_view *result,
                        const fh_team *team)
{
    fh_view a = *self, b = *other, out = *result;
    bool row = a.rank == 1, column = b.rank == 1;
    /* With the ones below a rank may be one above the limit. */
    if (out.rank + row + column > FH_MAX_RANK)
        return fh_error(FH_UNSUPPORTED, "a product of rank %u: at most %d dimensions are supported",
                        out.rank + row + column, FH_MAX_RANK);
    if (row)
        a = with_one(&a, 1);
    if (column)
        b = with_one(&b, 0);
    if (row)
        out = with_one(&out, column ? 0 : 1);
    if (column)
        out = with_one(&out, 0);
    fh_gemm g = product_of_views(&a, &b, &out);
    return fh_gemm_run(&g, team);
}

fh_status fh_op_matmul(const fh_argument *arguments, const fh_team *team)
{
    return matmul(arguments[0].view, arguments[1].view, arguments[2].view, team);
}

fh_status fh_op_dot(const fh_argument *arguments, const fh_team *team)
{
    return matmul(arguments[0].view, arguments[1].view, arguments[2].view, team);
}

static fh_status addmm(const fh_view *self, const fh_view *a, const fh_view *b, double beta,
                       double alpha, const fh_view *out, const fh_team *team)
{
    fh_gemm g = product_of_views(a, b, out);
    g.alpha = alpha, g.beta = beta;
    g.d = matrix_of(self);
    spread(&g.d, self, g.m, g.n);
    set_batch(&g.d, self, 2, &g);
    return fh_gemm_run(&g, team);
}

fh_status fh_op_addmm(const fh_argument *arguments, const fh_team *team)
{
    return addmm(arguments[0].view, arguments[1].view, arguments[2].view, number_of(&arguments[3]),
                 number_of(&arguments[4]), arguments[5].view, team);
}

fh_status fh_op_inplace_addmm(const fh_argument *arguments, const fh_team *team)
{
    return addmm(arguments[0].view, arguments[1].view, arguments[2].view, number_of(&arguments[3]),
                 number_of(&arguments[4]), arguments[0].view, team);
}

fh_status fh_op_addmv(const fh_argument *arguments, const fh_team *team)
{
    const fh_view *self = arguments[0].view;
    fh_view column = with_one(self, 0), vector = with_one(arguments[2].view, 0);
    fh_view out = with_one(arguments[5].view, 0);
    if (self->rank == 0)
        column = *self;
    return addmm(&column, arguments[1].view, &vector, number_of(&arguments[4]),
                 number_of(&arguments[3]), &out, team);
}

fh_status fh_op_addr(const fh_argument *arguments, const fh_team *team)
{
    fh_view column = with_one(arguments[1].view, 0), row = with_one(arguments[2].view, 1);
    return addmm(arguments[0].view, &column, &row, number_of(&arguments[3]),
                 number_of(&arguments[4]), arguments[5].view, team);
}

fh_status fh_op_inplace_addr(const fh_argument *arguments, const fh_team *team)
{
    fh_view column = with_one(arguments[1].view, 0), row = with_one(arguments[2].view, 1);
    return addmm(arguments[0].view, &column, &row, number_of(&arguments[3]),
                 number_of(&arguments[4]), arguments[0].view, team);
}

/* A product is added per batch, in the type of out, as PyTorch does. */
static fh_status addbmm(const fh_argument *arguments, const fh_view *out, const fh_team *team)
{
    const fh_view *self = arguments[0].view;
    fh_view a = *arguments[1].view, b = *arguments[2].view;
    double beta = number_of(&arguments[3]), alpha = number_of(&arguments[4]);
    int64_t batches = a.sizes[0];
    fh_view one_a = a, one_b = b;
    one_a.rank = one_b.rank = 2;
    for (int i = 0; i < 2; i++) {
        one_a.sizes[i] = a.sizes[i + 1], one_a.strides[i] = a.strides[i + 1];
        one_b.sizes[i] = b.sizes[i + 1], one_b.strides[i] = b.strides[i + 1];
    }
    if (batches == 0)
        one_a.sizes[1] = one_b.sizes[0] = 0;
    fh_status status = addmm(self, &one_a, &one_b, beta, alpha, out, team);
    for (int64_t i = 1; i < batches && status == FH_OK; i++) {
        one_a.data = (char *)a.data + i * a.strides[0] * (int64_t)fh_dtype_size(a.dtype);
        one_b.data = (char *)b.data + i * b.strides[0] * (int64_t)fh_dtype_size(b.dtype);
        status = addmm(out, &one_a, &one_b, 1, alpha, out, team);
    }
    return status;
}

fh_status fh_op_addbmm(const fh_argument *arguments, const fh_team *team)
{
    return addbmm(arguments, arguments[5].view, team);
}

fh_status fh_op_inplace_addbmm(const fh_argument *arguments, const fh_team *team)
{
    return addbmm(arguments, arguments[0].view, team);
}

static fh_view turned(const fh_view *view)
{
    fh_view result = *view;
    result.sizes[0] = view->sizes[1], result.sizes[1] = view->sizes[0];
    result.strides[0] = view->strides[1], result.strides[1] = view->strides[0];
    return result;
}

fh_status fh_op_gemm(const fh_argument *arguments, const fh_team *team)
{
    fh_view a = *arguments[0].view, b = *arguments[1].view;
    if (arguments[5].integer)
        a = turned(&a);
    if (arguments[6].integer)
        b = turned(&b);
    return addmm(arguments[2].view, &a, &b, number_of(&arguments[4]), number_of(&arguments[3]),
                 arguments[7].view, team);
}
