/* gemm.h: products of matrices of any type and layout, over a team.
 *
 *     c = alpha a b + beta d
 *
 * a is m x k, b is k x n, c and d are m x n; a row of any of them may be any
 * number of elements from the next (0 repeats it), and so may a column. All
 * have the same batch dimensions, with strides of their own. d may be c itself,
 * or absent; with beta 0 it is not read. Nothing else overlaps c.
 *
 * a, b and c may have different types. f16 and bf16 are multiplied and summed
 * in f32 and rounded once; integers wrap. With k = 0 the product is 0.
 */
#ifndef FH_KERN_GEMM_H
#define FH_KERN_GEMM_H

#include "base/status.h"
#include "device/kern/team.h"
#include "device/kern/view.h"

typedef struct {
    void *data; /* NULL: absent */
    fh_dtype dtype;
    int64_t row, column; /* strides, in elements */
    int64_t batch[FH_MAX_RANK];
} fh_matrix;

typedef struct {
    int64_t m, n, k;
    uint32_t batch_rank;
    int64_t batch_sizes[FH_MAX_RANK];
    fh_matrix a, b, c, d;
    double alpha, beta;
} fh_gemm;

/* Fails with FH_UNSUPPORTED for complex types, with FH_NO_MEMORY. */
fh_status fh_gemm_run(const fh_gemm *gemm, const fh_team *team);

/* What one product of the batch is, to the parts below. */
typedef struct {
    const fh_gemm *gemm;
    fh_dtype compute; /* F32, F64, I32 or I64 */
    const char *a, *b, *d;
    char *c;
} fh_product;

/* gemv.c: rows [begin, end) of a product with n = 1; false when memory ran out. */
bool fh_gemv_rows(const fh_product *product, int64_t begin, int64_t end);

/* Whether gemv.c takes it: n = 1, in f32 or f64. */
bool fh_gemv_takes(const fh_gemm *gemm, fh_dtype compute);

#endif
