/* OpenBLAS and oneDNN, and which of them takes what.
 *
 * OpenBLAS is Debian's OpenMP build, linked statically: libtorch_cpu exports MKL's names and some
 * of cblas, and would answer for ours. (The serial build has no locks: two threads that begin at
 * once get the same buffer. 7,790 of 120,000 products of 96 x 96 were wrong, 2026-12-01.)
 *
 * Measured with bench/gemm.c on one core of an AMD EPYC of family 25, model 1 (AVX2), oneDNN 2.6.3,
 * OpenBLAS 0.3.21, f32, 2026-12-01, in GF/s:
 *
 *     m     n     k             OpenBLAS   oneDNN
 *     1024  1024  16               37-38    70-74
 *     64    64    64               54-57    72-73
 *     64    256   64               58-64    77-84
 *     2048  1024  256              67-77    75-83
 *     64    113   576              71-77    72-82
 *     512   768   768              65-73    70-78
 *     512   3072  768              77-80    72-74
 *     2048  256   1024             61-67    30-67    leading dimensions of 4 KiB
 *     256   1024  2048             74-84    38-68
 *     256   5632  2048             75-84    44-72
 *     64    1000  2048             68-75    64-89
 *
 * So there OpenBLAS has what is long in k, and what is tiny: a call costs oneDNN 0.3 us. With
 * AVX-512 oneDNN was ahead at every size of a GPT step (208-231 against 115-205, two threads,
 * 2026-11-30) and takes all but the tiny. Outside of x86-64 oneDNN has no kernels of its own
 * without the Arm library: OpenBLAS takes all.
 */
#include "device/kern/blas.h"

#include "device/kern/onednn.h"

#include <cblas.h>

static const int64_t tiny_work = 24 * 24 * 24; /* multiplications */
static const int64_t long_k = 768;

fh_blas_library fh_blas_choose(const fh_blas_shape *s)
{
#ifdef __x86_64__
    if (s->m * s->n * s->k <= tiny_work || !fh_onednn_ready())
        return FH_BLAS_OPENBLAS;
    if (__builtin_cpu_supports("avx512f"))
        return FH_BLAS_ONEDNN;
    return s->k >= long_k ? FH_BLAS_OPENBLAS : FH_BLAS_ONEDNN;
#else
    (void)s, (void)tiny_work, (void)long_k;
    return FH_BLAS_OPENBLAS;
#endif
}

/* Both libraries run on OpenMP, each maybe on its own copy of it. With one thread allowed neither
 * starts a team. Returns what was allowed before, for leave(). */
static int enter(int (*most)(void), void (*allow)(int))
{
    int threads = most();
    if (threads != 1)
        allow(1);
    return threads;
}

static void leave(void (*allow)(int), int threads)
{
    if (threads != 1)
        allow(threads);
}

static CBLAS_TRANSPOSE order(bool transposed)
{
    return transposed ? CblasTrans : CblasNoTrans;
}

bool fh_blas_f32_with(fh_blas_library library, const fh_blas_shape *s, const float *a,
                      const float *b, float *c)
{
    if (library == FH_BLAS_ONEDNN) {
        int threads = enter(fh_onednn.omp_get_max_threads, fh_onednn.omp_set_num_threads);
        dnnl_status_t status =
            dnnl_sgemm(s->transposed_a ? 'T' : 'N', s->transposed_b ? 'T' : 'N', s->m, s->n, s->k,
                       (float)s->alpha, a, s->lda, b, s->ldb, (float)s->beta, c, s->ldc);
        leave(fh_onednn.omp_set_num_threads, threads);
        return status == dnnl_success;
    }
    int threads = enter(omp_get_max_threads, omp_set_num_threads);
    cblas_sgemm(CblasRowMajor, order(s->transposed_a), order(s->transposed_b), (int)s->m, (int)s->n,
                (int)s->k, (float)s->alpha, a, (int)s->lda, b, (int)s->ldb, (float)s->beta, c,
                (int)s->ldc);
    leave(omp_set_num_threads, threads);
    return true;
}

bool fh_blas_f32(const fh_blas_shape *s, const float *a, const float *b, float *c)
{
    return fh_blas_f32_with(fh_blas_choose(s), s, a, b, c);
}

bool fh_blas_f64(const fh_blas_shape *s, const double *a, const double *b, double *c)
{
    int threads = enter(omp_get_max_threads, omp_set_num_threads);
    cblas_dgemm(CblasRowMajor, order(s->transposed_a), order(s->transposed_b), (int)s->m, (int)s->n,
                (int)s->k, s->alpha, a, (int)s->lda, b, (int)s->ldb, s->beta, c, (int)s->ldc);
    leave(omp_set_num_threads, threads);
    return true;
}
