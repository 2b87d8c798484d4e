/* Products of matrices, cut into tiles that the libraries multiply.
 *
 * A matrix that a library can read as it lies goes to it as it lies. Others are
 * copied and converted a tile at a time, into memory that stays in the second
 * level cache or close to it: a tile's copy costs a few hundredths of its
 * product. A tile of c that cannot be written as it lies is summed in such
 * memory, too, and converted once. */
#include "device/kern/gemm.h"

#include "device/kern/blas.h"
#include "device/kern/convert.h"
#include "device/kern/scratch.h"

#include <stdatomic.h>

enum { TILE = 512, TILE_K = 1024 }; /* of copied tiles, in elements */

/* Multiplications below which a second thread costs more than it brings: it wakes in about 5 us. */
static const int64_t alone_work = 1 << 19;

typedef struct {
    const fh_gemm *gemm;
    fh_dtype compute;
    bool direct_a, direct_b, direct_c; /* the library reads, or writes, it as it lies */
    int64_t tile_m, tile_n, tile_k;
    int64_t tiles_m, tiles_n;
    atomic_bool failed;
} plan;

/* A tile of a matrix, as a library takes it. */
typedef struct {
    const void *data;
    int64_t stride;
    bool transposed;
} operand;

/* Memory of a part, and which tile of b is in it. */
typedef struct {
    char *block, *a, *b, *c;
    int64_t packed_b; /* -1: none */
} workspace;

static bool is_integer(fh_dtype dtype)
{
    return dtype != FH_F32 && dtype != FH_F64 && dtype != FH_F16 && dtype != FH_BF16;
}

static fh_dtype compute_type(const fh_gemm *g)
{
    const fh_dtype types[] = {g->a.dtype, g->b.dtype, g->c.dtype};
    bool integer = true, wide = false, f64 = false;
    for (int i = 0; i < 3; i++) {
        integer &= is_integer(types[i]);
        wide |= types[i] == FH_I64 || types[i] == FH_U64 || types[i] == FH_U32;
        f64 |= types[i] == FH_F64;
    }
    if (integer)
        return wide ? FH_I64 : FH_I32;
    return f64 ? FH_F64 : FH_F32;
}

static bool is_complex(fh_dtype dtype)
{
    return dtype == FH_C32 || dtype == FH_C64 || dtype == FH_C128;
}

/* A dimension of one element may have any stride: make it the one that suits the library. */
static void settle(fh_matrix *matrix, int64_t rows, int64_t columns)
{
    if (columns == 1)
        matrix->column = matrix->row == 1 ? rows : 1;
    if (rows == 1)
        matrix->row = matrix->column == 1 ? columns : 1;
    if (rows == 1 && columns == 1)
        matrix->row = matrix->column = 1;
}

static bool lies_in_rows(const fh_matrix *matrix, int64_t columns)
{
    return matrix->column == 1 && matrix->row >= columns && matrix->row <= INT32_MAX;
}

static bool is_direct(const fh_matrix *matrix, int64_t rows, int64_t columns, fh_dtype compute)
{
    fh_matrix turned = *matrix;
    turned.row = matrix->column;
    turned.column = matrix->row;
    return matrix->dtype == compute && !is_integer(compute) && rows <= INT32_MAX &&
           columns <= INT32_MAX && (lies_in_rows(matrix, columns) || lies_in_rows(&turned, rows));
}

/* The transposed product: c' = b' a'. */
static void transpose(fh_gemm *g)
{
    fh_matrix *matrices[] = {&g->a, &g->b, &g->c, &g->d};
    for (int i = 0; i < 4; i++) {
        int64_t row = matrices[i]->row;
        matrices[i]->row = matrices[i]->column;
        matrices[i]->column = row;
    }
    fh_matrix a = g->a;
    int64_t m = g->m;
    g->a = g->b, g->b = a;
    g->m = g->n, g->n = m;
}

/* Whether batch dimension i of a matrix continues its rows. */
static bool continues_rows(const fh_matrix *matrix, uint32_t i, int64_t rows)
{
    return !matrix->data || matrix->batch[i] == matrix->row * rows;
}

static void drop_batch(fh_gemm *g, uint32_t dimension)
{
    fh_matrix *matrices[] = {&g->a, &g->b, &g->c, &g->d};
    g->batch_rank--;
    for (uint32_t i = dimension; i < g->batch_rank; i++) {
        g->batch_sizes[i] = g->batch_sizes[i + 1];
        for (int j = 0; j < 4; j++)
            matrices[j]->batch[i] = matrices[j]->batch[i + 1];
    }
}

/* Batches that share b are one product with more rows, where a, c and d lie so. */
static void fold_batch(fh_gemm *g)
{
    for (uint32_t i = g->batch_rank; i-- > 0;) {
        bool one = g->batch_sizes[i] == 1;
        bool more_rows = g->b.batch[i] == 0 && continues_rows(&g->a, i, g->m) &&
                         continues_rows(&g->c, i, g->m) && continues_rows(&g->d, i, g->m);
        if (!one && !more_rows)
            continue;
        g->m *= g->batch_sizes[i];
        drop_batch(g, i);
    }
}

static int64_t batch_count(const fh_gemm *g)
{
    int64_t count = 1;
    for (uint32_t i = 0; i < g->batch_rank; i++)
        count *= g->batch_sizes[i];
    return count;
}

static const char *batch_data(const fh_gemm *g, const fh_matrix *matrix, int64_t index)
{
    int64_t offset = 0;
    for (uint32_t i = g->batch_rank; i-- > 0; index /= g->batch_sizes[i])
        offset += index % g->batch_sizes[i] * matrix->batch[i];
    return matrix->data
               ? (const char *)matrix->data + offset * (int64_t)fh_dtype_size(matrix->dtype)
               : NULL;
}

static fh_product product_of(const plan *p, int64_t batch)
{
    const fh_gemm *g = p->gemm;
    return (fh_product){
        .gemm = g,
        .compute = p->compute,
        .a = batch_data(g, &g->a, batch),
        .b = batch_data(g, &g->b, batch),
        .c = (char *)(uintptr_t)batch_data(g, &g->c, batch),
        .d = batch_data(g, &g->d, batch),
    };
}

static const char *element(const char *data, const fh_matrix *matrix, int64_t row, int64_t column)
{
    return data +
           (row * matrix->row + column * matrix->column) * (int64_t)fh_dtype_size(matrix->dtype);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* What the library takes of a direct matrix. */
static operand as_it_lies(const fh_matrix *matrix, const char *data, int64_t row, int64_t column,
                          int64_t columns)
{
    bool rows_first = lies_in_rows(matrix, columns);
    return (operand){element(data, matrix, row, column), rows_first ? matrix->row : matrix->column,
                     !rows_first};
}

/* Copies a tile into `to`, row-major, converted. */
static operand packed(const fh_matrix *matrix, const char *data, int64_t row, int64_t column,
                      int64_t rows, int64_t columns, fh_dtype compute, char *to)
{
    fh_convert *convert = fh_convert_between(matrix->dtype, compute);
    const char *from = element(data, matrix, row, column);
    /* Along the dimension that lies together, so that both sides are read and written in order. */
    if (matrix->row == 1 && matrix->column != 1) {
        convert(columns, rows, from, matrix->column, 1, to, rows, 1);
        return (operand){to, rows, true};
    }
    convert(rows, columns, from, matrix->row, matrix->column, to, columns, 1);
    return (operand){to, columns, false};
}

/* Loops for integers: the libraries have none. Row-major or transposed tiles in, row-major out. */
#define INTEGER_PRODUCT(name, T) \
    FH_SIMD static void name(int64_t m, int64_t n, int64_t k, T alpha, operand a, operand b, T *c, \
                             int64_t ldc) \
    { \
        const T *x = a.data, *y = b.data; \
        const int64_t x_row = a.transposed ? 1 : a.stride, x_col = a.transposed ? a.stride : 1; \
        for (int64_t i = 0; i < m; i++) { \
            T *row = c + i * ldc; \
            if (b.transposed) { \
                for (int64_t j = 0; j < n; j++) { \
                    T sum = 0; \
                    for (int64_t l = 0; l < k; l++) \
                        sum += x[i * x_row + l * x_col] * y[j * b.stride + l]; \
                    row[j] += alpha * sum; \
                } \
                continue; \
            } \
            for (int64_t l = 0; l < k; l++) { \
                const T factor = alpha * x[i * x_row + l * x_col], *line = y + l * b.stride; \
                FH_IVDEP for (int64_t j = 0; j < n; j++) row[j] += factor * line[j]; \
            } \
        } \
    }
/* Unsigned, so that sums wrap. */
INTEGER_PRODUCT(product_i32, uint32_t)
INTEGER_PRODUCT(product_i64, uint64_t)

/* c (row-major, of the compute type) = alpha a b + beta c. */
static bool multiply(const plan *p, int64_t m, int64_t n, int64_t k, operand a, operand b,
                     double beta, void *c, int64_t ldc)
{
    double alpha = p->gemm->alpha;
    fh_blas_shape shape = {a.transposed, b.transposed, m,   n,     k,
                           a.stride,     b.stride,     ldc, alpha, beta};
    switch (p->compute) {
    case FH_F32:
        return fh_blas_f32(&shape, a.data, b.data, c);
    case FH_F64:
        return fh_blas_f64(&shape, a.data, b.data, c);
    case FH_I32:
        product_i32(m, n, k, (uint32_t)(int64_t)alpha, a, b, c, ldc);
        return true;
    default:
        product_i64(m, n, k, (uint64_t)(int64_t)alpha, a, b, c, ldc);
        return true;
    }
}

#define SCALE(name, T, factor_type) \
    FH_SIMD static void name(int64_t rows, int64_t columns, T *c, int64_t ldc, double by) \
    { \
        const T factor = (T)(factor_type)by; \
        for (int64_t i = 0; i < rows; i++) \
            FH_IVDEP for (int64_t j = 0; j < columns; j++) c[i * ldc + j] *= factor; \
    }
SCALE(scale_f32, float, float)
SCALE(scale_f64, double, double)
SCALE(scale_i32, uint32_t, int64_t)
SCALE(scale_i64, uint64_t, int64_t)

/* Multiplies a tile by beta; with 0 what was there, NaN too, is gone. */
static void scale(fh_dtype compute, int64_t rows, int64_t columns, void *c, int64_t ldc,
                  double beta)
{
    size_t size = fh_dtype_size(compute);
    if (beta == 0)
        for (int64_t i = 0; i < rows; i++)
            memset((char *)c + (size_t)(i * ldc) * size, 0, (size_t)columns * size);
    else if (compute == FH_F32)
        scale_f32(rows, columns, c, ldc, beta);
    else if (compute == FH_F64)
        scale_f64(rows, columns, c, ldc, beta);
    else if (compute == FH_I32)
        scale_i32(rows, columns, c, ldc, beta);
    else
        scale_i64(rows, columns, c, ldc, beta);
}

static bool same_place(const fh_product *q)
{
    const fh_matrix *c = &q->gemm->c, *d = &q->gemm->d;
    return q->d == q->c && d->dtype == c->dtype && d->row == c->row && d->column == c->column;
}

/* Where a tile of c is summed: in place, or in the workspace. */
typedef struct {
    void *data;
    int64_t stride;
} target;

static target begin_tile(const plan *p, const fh_product *q, const workspace *w, int64_t row,
                         int64_t column, int64_t rows, int64_t columns)
{
    const fh_matrix *c = &p->gemm->c, *d = &p->gemm->d;
    target t = {w->c, columns};
    if (p->direct_c)
        t = (target){(void *)(uintptr_t)element(q->c, c, row, column), c->row};
    if (q->d && p->gemm->beta != 0 && !(p->direct_c && same_place(q)))
        fh_convert_between(d->dtype, p->compute)(rows, columns, element(q->d, d, row, column),
                                                 d->row, d->column, t.data, t.stride, 1);
    return t;
}

static void end_tile(const plan *p, const fh_product *q, target t, int64_t row, int64_t column,
                     int64_t rows, int64_t columns)
{
    const fh_matrix *c = &p->gemm->c;
    void *to = (void *)(uintptr_t)element(q->c, c, row, column);
    if (!p->direct_c)
        fh_convert_between(p->compute, c->dtype)(rows, columns, t.data, t.stride, 1, to, c->row,
                                                 c->column);
}

static bool run_tile(const plan *p, int64_t batch, int64_t tile_n, int64_t tile_m, workspace *w)
{
    const fh_gemm *g = p->gemm;
    const fh_product q = product_of(p, batch);
    int64_t row = tile_m * p->tile_m, rows = smaller(p->tile_m, g->m - row);
    int64_t column = tile_n * p->tile_n, columns = smaller(p->tile_n, g->n - column);
    target t = begin_tile(p, &q, w, row, column, rows, columns);
    double beta = q.d ? g->beta : 0;
    if (g->k == 0 || is_integer(p->compute)) {
        scale(p->compute, rows, columns, t.data, t.stride, beta);
        beta = 1;
    }
    bool whole = p->tile_k >= g->k;
    int64_t tile = batch * p->tiles_n + tile_n;
    for (int64_t l = 0; l < g->k; l += p->tile_k, beta = 1) {
        int64_t depth = smaller(p->tile_k, g->k - l);
        operand a = p->direct_a ? as_it_lies(&g->a, q.a, row, l, g->k)
                                : packed(&g->a, q.a, row, l, rows, depth, p->compute, w->a);
        operand b = {w->b, g->b.row == 1 && g->b.column != 1 ? depth : columns,
                     g->b.row == 1 && g->b.column != 1};
        if (p->direct_b)
            b = as_it_lies(&g->b, q.b, l, column, g->n);
        else if (!whole || w->packed_b != tile)
            b = packed(&g->b, q.b, l, column, depth, columns, p->compute, w->b);
        w->packed_b = whole ? tile : -1;
        if (!multiply(p, rows, columns, depth, a, b, beta, t.data, t.stride))
            return false;
    }
    end_tile(p, &q, t, row, column, rows, columns);
    return true;
}

static bool make_workspace(const plan *p, workspace *w)
{
    int64_t size = (int64_t)fh_dtype_size(p->compute);
    int64_t a = p->direct_a ? 0 : (p->tile_m * p->tile_k * size + 63) / 64 * 64;
    int64_t b = p->direct_b ? 0 : (p->tile_n * p->tile_k * size + 63) / 64 * 64;
    int64_t c = p->direct_c ? 0 : p->tile_m * p->tile_n * size;
    *w = (workspace){.packed_b = -1};
    if (a + b + c == 0)
        return true;
    w->block = fh_scratch_take((size_t)(a + b + c));
    w->a = w->block, w->b = w->block + a, w->c = w->block + a + b;
    return w->block != NULL;
}

static void run_part(void *context, int64_t begin, int64_t end, unsigned slot)
{
    (void)slot;
    plan *p = context;
    workspace w;
    bool good = make_workspace(p, &w);
    for (int64_t i = begin; i < end && good; i++) {
        int64_t tile_m = i % p->tiles_m, rest = i / p->tiles_m;
        good = run_tile(p, rest / p->tiles_n, rest % p->tiles_n, tile_m, &w);
    }
    fh_scratch_give(w.block);
    if (!good)
        atomic_store(&p->failed, true);
}

static void run_vectors(void *context, int64_t begin, int64_t end, unsigned slot)
{
    (void)slot;
    plan *p = context;
    for (int64_t i = begin; i < end;) {
        int64_t batch = i / p->gemm->m, row = i % p->gemm->m;
        int64_t rows = smaller(p->gemm->m - row, end - i);
        fh_product q = product_of(p, batch);
        if (!fh_gemv_rows(&q, row, row + rows))
            atomic_store(&p->failed, true);
        i += rows;
    }
}

static int64_t up(int64_t value, int64_t by)
{
    return (value + by - 1) / by * by;
}

/* Tiles of what is copied are small; of what is not, as many as the team can use. */
static void plan_tiles(plan *p, int64_t batches, const fh_team *team)
{
    const fh_gemm *g = p->gemm;
    bool copies = !p->direct_a || !p->direct_b || !p->direct_c;
    int64_t width = team->width, wanted = (width + batches - 1) / batches;
    p->tile_k = copies && !(p->direct_a && p->direct_b) ? smaller(g->k, TILE_K) : g->k;
    p->tile_m = copies ? smaller(g->m, TILE) : g->m;
    p->tile_n = copies ? smaller(g->n, TILE) : g->n;
    if (width > 1 && g->m * g->n * g->k / width >= alone_work / 4) {
        int64_t tiles = ((g->m + p->tile_m - 1) / p->tile_m) * ((g->n + p->tile_n - 1) / p->tile_n);
        if (tiles < wanted && g->m >= g->n)
            p->tile_m = smaller(p->tile_m, up((g->m + wanted - 1) / wanted, 16));
        else if (tiles < wanted)
            p->tile_n = smaller(p->tile_n, up((g->n + wanted - 1) / wanted, 16));
    }
    p->tiles_m = (g->m + p->tile_m - 1) / p->tile_m;
    p->tiles_n = (g->n + p->tile_n - 1) / p->tile_n;
}

static fh_status check_types(const fh_gemm *g)
{
    const fh_matrix *matrices[] = {&g->a, &g->b, &g->c, &g->d};
    for (int i = 0; i < 4; i++)
        if (matrices[i]->data && is_complex(matrices[i]->dtype))
            return fh_error(FH_UNSUPPORTED,
                            "matrices of %s cannot be multiplied; use a real floating type",
                            fh_dtype_name(matrices[i]->dtype));
    return FH_OK;
}

fh_status fh_gemm_run(const fh_gemm *gemm, const fh_team *team)
{
    fh_gemm g = *gemm;
    fh_status status = check_types(&g);
    if (status)
        return status;
    if (g.m == 0 || g.n == 0 || batch_count(&g) == 0)
        return FH_OK;
    fold_batch(&g);
    if (g.m == 1 || (g.n != 1 && g.c.column != 1 && g.c.row == 1)) {
        transpose(&g);
        fold_batch(&g);
    }
    settle(&g.a, g.m, g.k), settle(&g.b, g.k, g.n);
    settle(&g.c, g.m, g.n), settle(&g.d, g.m, g.n);
    plan p = {.gemm = &g, .compute = compute_type(&g)};
    int64_t batches = batch_count(&g);
    /* Only what a second thread is worth waking for is split. */
    int64_t work = g.m * g.n * (g.k ? g.k : 1);
    if (fh_gemv_takes(&g, p.compute)) {
        int64_t grain = g.k > alone_work / 8 ? 1 : alone_work / 8 / (g.k ? g.k : 1) + 1;
        /* Columns are read in runs: the longer, the better memory delivers. */
        if (g.a.column != 1 && grain < (g.m + team->width - 1) / team->width)
            grain = (g.m + team->width - 1) / team->width;
        fh_team_split(team, batches * g.m, grain, run_vectors, &p);
    } else {
        p.direct_a = is_direct(&g.a, g.m, g.k, p.compute);
        p.direct_b = is_direct(&g.b, g.k, g.n, p.compute);
        p.direct_c = g.c.dtype == p.compute && g.m <= INT32_MAX && lies_in_rows(&g.c, g.n);
        plan_tiles(&p, batches, team);
        int64_t tiles = batches * p.tiles_m * p.tiles_n, tile_work = batches * work / tiles;
        fh_team_split(team, tiles, tile_work >= alone_work ? 1 : alone_work / (tile_work + 1) + 1,
                      run_part, &p);
    }
    if (atomic_load(&p.failed))
        return fh_error(FH_NO_MEMORY,
                        "no host memory for the buffers of a product of %lld x %lld x %lld; free "
                        "memory or make the batch smaller",
                        (long long)g.m, (long long)g.k, (long long)g.n);
    return FH_OK;
}
