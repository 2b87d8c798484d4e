/* A matrix times a vector: bound by memory, so every element of the matrix is read once, in the
 * order in which it lies, and converted on the way. */
#include "device/kern/convert.h"
#include "device/kern/gemm.h"
#include "device/kern/scratch.h"

/* Outputs at a time, and elements of a row that are converted at a time. */
enum { ROWS = 2048, CHUNK = 512, ON_STACK = 1024 };

bool fh_gemv_takes(const fh_gemm *g, fh_dtype compute)
{
    bool floating = compute == FH_F32 || compute == FH_F64;
    return g->n == 1 && floating && (g->a.column == 1 || g->a.row == 1);
}

/* DOT: sums[i] += row i times x, for four rows; rows are `stride` apart.
 * AXPY: sums[0..n) += four columns, `stride` apart, times x[0..4). */
#define VECTOR_LOOPS(T, type) \
    FH_SIMD static void dot_##type(int64_t n, const T *rows, int64_t stride, const T *x, T *sums) \
    { \
        typedef T vector __attribute__((vector_size(32), aligned(sizeof(T)))); \
        enum { LANES = sizeof(vector) / sizeof(T) }; \
        vector a = {0}, b = {0}, c = {0}, d = {0}, a2 = {0}, b2 = {0}, c2 = {0}, d2 = {0}; \
        const T *r0 = rows, *r1 = r0 + stride, *r2 = r1 + stride, *r3 = r2 + stride; \
        int64_t i = 0; \
        for (; i + 2 * LANES <= n; i += 2 * LANES) { \
            vector y = *(const vector *)(x + i), y2 = *(const vector *)(x + i + LANES); \
            a += *(const vector *)(r0 + i) * y, a2 += *(const vector *)(r0 + i + LANES) * y2; \
            b += *(const vector *)(r1 + i) * y, b2 += *(const vector *)(r1 + i + LANES) * y2; \
            c += *(const vector *)(r2 + i) * y, c2 += *(const vector *)(r2 + i + LANES) * y2; \
            d += *(const vector *)(r3 + i) * y, d2 += *(const vector *)(r3 + i + LANES) * y2; \
        } \
        a += a2, b += b2, c += c2, d += d2; \
        for (int j = 0; j < LANES; j++) \
            sums[0] += a[j], sums[1] += b[j], sums[2] += c[j], sums[3] += d[j]; \
        for (; i < n; i++) { \
            sums[0] += r0[i] * x[i], sums[1] += r1[i] * x[i]; \
            sums[2] += r2[i] * x[i], sums[3] += r3[i] * x[i]; \
        } \
    } \
    FH_SIMD static void axpy_##type(int64_t n, const T *columns, int64_t stride, const T *x, \
                                    T *sums) \
    { \
        const T *c0 = columns, *c1 = c0 + stride, *c2 = c1 + stride, *c3 = c2 + stride; \
        const T x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3]; \
        FH_IVDEP for (int64_t i = 0; i < n; i++) sums[i] += \
            c0[i] * x0 + c1[i] * x1 + c2[i] * x2 + c3[i] * x3; \
    } \
    static void axpy_few_##type(int64_t n, const T *columns, int64_t stride, int64_t count, \
                                const T *x, T *sums) \
    { \
        for (int64_t j = 0; j < count; j++) \
            FH_IVDEP for (int64_t i = 0; i < n; i++) sums[i] += columns[j * stride + i] * x[j]; \
    } \
    static void finish_##type(int64_t n, T *sums, const T *d, double alpha, double beta) \
    { \
        for (int64_t i = 0; i < n; i++) \
            sums[i] = (T)alpha * sums[i] + (beta != 0 ? (T)beta * d[i] : 0); \
    }
VECTOR_LOOPS(float, f32)
VECTOR_LOOPS(double, f64)

typedef union {
    float f32[ROWS];
    double f64[ROWS];
} block;

/* Four rows, or the last ones with the last repeated, of a times x. */
static void four_rows(const fh_product *q, int64_t row, int64_t rows, const char *x, char *sums)
{
    const fh_matrix *a = &q->gemm->a;
    bool wide = q->compute == FH_F64, copied = a->dtype != q->compute || rows < 4;
    size_t size = wide ? 8 : 4, from_size = fh_dtype_size(a->dtype);
    union {
        float f32[4 * CHUNK];
        double f64[4 * CHUNK];
    } chunk;
    union {
        float f32[4];
        double f64[4];
    } four = {.f64 = {0}};
    fh_convert *convert = fh_convert_between(a->dtype, q->compute);
    int64_t k = q->gemm->k, step = copied ? CHUNK : k;
    for (int64_t l = 0; l < k; l += step) {
        int64_t n = k - l < step ? k - l : step, stride = a->row;
        const char *from = q->a + (row * a->row + l) * (int64_t)from_size;
        if (copied) {
            convert(rows, n, from, a->row, 1, &chunk, CHUNK, 1);
            from = (const char *)&chunk, stride = CHUNK;
            for (int64_t i = rows; i < 4; i++)
                memset((char *)&chunk + (size_t)(i * CHUNK) * size, 0, (size_t)n * size);
        }
        if (wide)
            dot_f64(n, (const double *)from, stride, (const double *)x + l, four.f64);
        else
            dot_f32(n, (const float *)from, stride, (const float *)x + l, four.f32);
    }
    memcpy(sums, &four, (size_t)rows * size);
}

/* a's columns lie together: sums += column times its element of x. */
static void by_columns(const fh_product *q, int64_t row, int64_t rows, const char *x, char *sums)
{
    const fh_matrix *a = &q->gemm->a;
    bool wide = q->compute == FH_F64, copied = a->dtype != q->compute;
    size_t size = wide ? 8 : 4, from_size = fh_dtype_size(a->dtype);
    fh_convert *convert = fh_convert_between(a->dtype, q->compute);
    union {
        float f32[4 * ROWS];
        double f64[4 * ROWS];
    } chunk;
    for (int64_t l = 0; l < q->gemm->k; l += 4) {
        int64_t count = q->gemm->k - l < 4 ? q->gemm->k - l : 4, stride = a->column;
        const char *from = q->a + (row + l * a->column) * (int64_t)from_size;
        const char *factors = x + (size_t)l * size;
        if (copied) {
            convert(count, rows, from, a->column, 1, &chunk, ROWS, 1);
            from = (const char *)&chunk, stride = ROWS;
        }
        if (count == 4 && wide)
            axpy_f64(rows, (const double *)from, stride, (const double *)factors, (double *)sums);
        else if (count == 4)
            axpy_f32(rows, (const float *)from, stride, (const float *)factors, (float *)sums);
        else if (wide)
            axpy_few_f64(rows, (const double *)from, stride, count, (const double *)factors,
                         (double *)sums);
        else
            axpy_few_f32(rows, (const float *)from, stride, count, (const float *)factors,
                         (float *)sums);
    }
}

static void store(const fh_product *q, int64_t row, int64_t rows, block *sums)
{
    const fh_gemm *g = q->gemm;
    block old;
    bool added = q->d && g->beta != 0;
    if (added)
        fh_convert_between(g->d.dtype, q->compute)(
            rows, 1, q->d + row * g->d.row * (int64_t)fh_dtype_size(g->d.dtype), g->d.row, 1, &old,
            1, 1);
    if (q->compute == FH_F64)
        finish_f64(rows, sums->f64, old.f64, g->alpha, added ? g->beta : 0);
    else
        finish_f32(rows, sums->f32, old.f32, g->alpha, added ? g->beta : 0);
    fh_convert_between(q->compute, g->c.dtype)(
        rows, 1, sums, 1, 1, q->c + row * g->c.row * (int64_t)fh_dtype_size(g->c.dtype), g->c.row,
        1);
}

bool fh_gemv_rows(const fh_product *q, int64_t begin, int64_t end)
{
    const fh_gemm *g = q->gemm;
    size_t size = q->compute == FH_F64 ? 8 : 4;
    union {
        float f32[ON_STACK];
        double f64[ON_STACK];
    } small;
    char *x = g->k <= ON_STACK ? (char *)&small : fh_scratch_take((size_t)g->k * size);
    if (!x)
        return false;
    fh_convert_between(g->b.dtype, q->compute)(g->k, 1, q->b, g->b.row, 1, x, 1, 1);
    bool rows_lie = g->a.column == 1;
    for (int64_t row = begin; row < end; row += ROWS) {
        block sums;
        int64_t rows = end - row < ROWS ? end - row : ROWS;
        memset(&sums, 0, sizeof sums);
        if (rows_lie)
            for (int64_t i = 0; i < rows; i += 4)
                four_rows(q, row + i, rows - i < 4 ? rows - i : 4, x,
                          (char *)&sums + (size_t)i * size);
        else
            by_columns(q, row, rows, x, (char *)&sums);
        store(q, row, rows, &sums);
    }
    if (x != (char *)&small)
        fh_scratch_give(x);
    return true;
}
