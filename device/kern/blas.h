/* blas.h: products of matrices through the libraries, on the calling thread alone.
 *
 * c = alpha a b + beta c, row-major; a is m x k and b is k x n after their
 * transpositions. Leading dimensions are in elements. With beta 0, c is not
 * read. Neither library starts a thread, and the client's OpenMP settings are
 * as before when a call returns. False when memory ran out; c is then undefined.
 */
#ifndef FH_KERN_BLAS_H
#define FH_KERN_BLAS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    bool transposed_a, transposed_b; /* how they are stored */
    int64_t m, n, k;                 /* at least 1, below 2^31, as are leading dimensions */
    int64_t lda, ldb, ldc;
    double alpha, beta;
} fh_blas_shape;

bool fh_blas_f32(const fh_blas_shape *shape, const float *a, const float *b, float *c);
bool fh_blas_f64(const fh_blas_shape *shape, const double *a, const double *b, double *c);

/* The libraries, and the choice between them, for bench/gemm.c. */
typedef enum { FH_BLAS_OPENBLAS, FH_BLAS_ONEDNN, FH_BLAS_LIBRARIES } fh_blas_library;
fh_blas_library fh_blas_choose(const fh_blas_shape *shape);
bool fh_blas_f32_with(fh_blas_library library, const fh_blas_shape *shape, const float *a,
                      const float *b, float *c);

#endif
