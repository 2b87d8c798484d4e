/* Rows of a table by index, and the gradient of the table. */
#include "base/memory.h"
#include "device/kern/dense.h"
#include "device/kern/operators.h"
#include "device/kern/simd.h"

#include <string.h>

enum { GRAIN = 32768 };

typedef struct {
    const char *weight;
    char *out;
    const int64_t *indices;
    int64_t rows, row_bytes, bad;
} lookup;

static void copy_rows(void *context, int64_t begin, int64_t end, unsigned slot)
{
    lookup *l = context;
    (void)slot;
    for (int64_t i = begin; i < end; i++) {
        int64_t row = l->indices[i];
        if (row < 0 || row >= l->rows) {
            __atomic_store_n(&l->bad, row ? row : -1, __ATOMIC_RELAXED);
            memset(l->out + i * l->row_bytes, 0, (size_t)l->row_bytes);
            continue;
        }
        memcpy(l->out + i * l->row_bytes, l->weight + row * l->row_bytes, (size_t)l->row_bytes);
    }
}

static fh_status out_of_range(int64_t index, int64_t rows)
{
    return fh_error(FH_INVALID, "index %lld is outside of a table of %lld rows", (long long)index,
                    (long long)rows);
}

fh_status fh_op_embedding(const fh_argument *a, const fh_team *team)
{
    fh_dense d[3] = {{.data = NULL}};
    fh_dtype dtype = a[0].view->dtype;
    fh_status status = fh_dense_begin(&d[0], &a[0], dtype, true, team);
    if (!status)
        status = fh_dense_begin(&d[1], &a[1], FH_I64, true, team);
    if (!status)
        status = fh_dense_begin(&d[2], &a[2], dtype, false, team);
    if (!status) {
        lookup l = {.weight = d[0].data, .out = d[2].data, .indices = d[1].data};
        l.rows = a[0].view->sizes[0];
        int64_t width = a[0].view->sizes[1];
        l.row_bytes = width * (int64_t)fh_dtype_size(dtype);
        fh_team_split(team, fh_view_count(a[1].view), GRAIN / (width + 1) + 1, copy_rows, &l);
        status = l.bad ? out_of_range(l.bad, l.rows) : fh_dense_write(&d[2], team);
    }
    fh_dense_end(d, 3);
    return status;
}

typedef struct {
    const float *grad;
    float *out;
    const int64_t *order,
        *starts; /* of row r: gradients order[starts[r]] to order[starts[r + 1]] */
    int64_t width;
    bool by_frequency;
} gather;

/* Each row of the table adds its gradients in the order of the indices: always the same result. */
FH_SIMD static void add_gradients(void *context, int64_t begin, int64_t end, unsigned slot)
{
    const gather *g = context;
    (void)slot;
    for (int64_t row = begin; row < end; row++) {
        float *out = g->out + row * g->width;
        int64_t count = g->starts[row + 1] - g->starts[row];
        memset(out, 0, (size_t)g->width * sizeof *out);
        for (int64_t k = g->starts[row]; k < g->starts[row + 1]; k++) {
            const float *grad = g->grad + g->order[k] * g->width;
            FH_IVDEP for (int64_t c = 0; c < g->width; c++) out[c] += grad[c];
        }
        float scale = 1 / (float)(count ? count : 1);
        for (int64_t c = 0; g->by_frequency && c < g->width; c++)
            out[c] *= scale;
    }
}

/* Sorts the positions by their index, with a count per row; `padding` is left out. */
static int64_t sort_positions(const int64_t *indices, int64_t count, int64_t rows, int64_t padding,
                              int64_t *order, int64_t *starts)
{
    memset(starts, 0, (size_t)(rows + 1) * sizeof *starts);
    for (int64_t i = 0; i < count; i++) {
        if (indices[i] < 0 || indices[i] >= rows)
            return indices[i] ? indices[i] : -1;
        starts[indices[i]] += indices[i] != padding;
    }
    int64_t total = 0;
    for (int64_t r = 0; r <= rows; r++) {
        int64_t own = starts[r];
        starts[r] = total;
        total += own;
    }
    for (int64_t i = 0; i < count; i++)
        if (indices[i] != padding)
            order[starts[indices[i]]++] = i;
    memmove(starts + 1, starts, (size_t)rows * sizeof *starts);
    starts[0] = 0;
    return 0;
}

fh_status fh_op_embedding_backward(const fh_argument *a, const fh_team *team)
{
    fh_dense d[3] = {{.data = NULL}};
    int64_t rows = a[2].integer, count = fh_view_count(a[1].view);
    int64_t *order = fh_alloc((size_t)(count + rows + 2) * sizeof *order);
    fh_status status =
        order ? FH_OK : fh_error(FH_NO_MEMORY, "no memory to sort %lld indices", (long long)count);
    if (!status)
        status = fh_dense_begin(&d[0], &a[0], FH_F32, true, team);
    if (!status)
        status = fh_dense_begin(&d[1], &a[1], FH_I64, true, team);
    if (!status)
        status = fh_dense_begin(&d[2], &a[5], FH_F32, false, team);
    if (!status) {
        gather g = {.grad = d[0].data, .out = d[2].data, .order = order, .starts = order + count};
        g.width = a[5].view->sizes[1];
        g.by_frequency = a[4].integer != 0;
        int64_t bad = sort_positions(d[1].data, count, rows, a[3].integer, order, order + count);
        if (!bad)
            fh_team_split(team, rows, GRAIN / (g.width + 1) + 1, add_gradients, &g);
        status = bad ? out_of_range(bad, rows) : fh_dense_write(&d[2], team);
    }
    fh_dense_end(d, 3);
    fh_free(order);
    return status;
}
