/* What OpenBLAS and oneDNN reach on one thread, shape by shape and interleaved, and what the
 * project's own product (fh_gemm_run) makes of it: the numbers behind device/kern/blas.c.
 *
 *   ninja bench_gemm && bench_gemm [SECONDS]     SECONDS for each figure, 0.2 by default
 */
#include "device/kern/gemm.h"
#include "device/kern/blas.h"
#include "device/kern/onednn.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const struct {
    const char *what;
    int64_t m, n, k;
} shapes[] = {
    {"gpt qkv", 2048, 768, 256},
    {"gpt mlp", 2048, 1024, 256},
    {"gpt mlp out", 2048, 256, 1024},
    {"gpt head", 2048, 8192, 256},
    {"gpt weights", 256, 1024, 2048},
    {"bert qkv", 512, 768, 768},
    {"bert mlp", 512, 3072, 768},
    {"bert mlp out", 512, 768, 3072},
    {"llama mlp", 256, 5632, 2048},
    {"llama decode", 1, 2048, 2048},
    {"decode of 4", 4, 2048, 2048},
    {"attention qk", 64, 256, 64},
    {"attention pv", 64, 64, 256},
    {"resnet 1x1", 64, 3136, 256},
    {"resnet 3x3", 64, 113, 576},
    {"resnet fc", 64, 1000, 2048},
    {"64", 64, 64, 64},
    {"32", 32, 32, 32},
    {"8", 8, 8, 8},
    {"thin", 1024, 1024, 16},
};

/* Of this thread: others on the machine do not count. */
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

typedef struct {
    fh_blas_shape shape;
    fh_gemm gemm;
} product;

static void run(const product *p, int how)
{
    if (how < FH_BLAS_LIBRARIES)
        fh_blas_f32_with((fh_blas_library)how, &p->shape, p->gemm.a.data, p->gemm.b.data,
                         p->gemm.c.data);
    else
        fh_gemm_run(&p->gemm, &fh_team_alone);
}

/* GF/s of each way, the best of rounds that take turns. */
static void measure(const product *p, double budget, double *best)
{
    enum { WAYS = FH_BLAS_LIBRARIES + 1, ROUNDS = 5 };
    double work = 2e-9 * (double)p->shape.m * (double)p->shape.n * (double)p->shape.k;
    for (int how = 0; how < WAYS; how++)
        best[how] = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int how = 0; how < WAYS; how++) {
            double start = seconds(), spent;
            long runs = 0;
            do {
                run(p, how);
                runs++;
                spent = seconds() - start;
            } while (spent < budget / ROUNDS);
            double rate = work * (double)runs / spent;
            best[how] = rate > best[how] ? rate : best[how];
        }
}

static float *numbers(int64_t count)
{
    float *x = malloc((size_t)count * sizeof *x);
    for (int64_t i = 0; x && i < count; i++)
        x[i] = (float)(i % 7 - 3);
    return x;
}

int main(int argc, char **argv)
{
    double budget = argc > 1 ? strtod(argv[1], NULL) : 0.2;
    if (!(budget > 0) || !fh_onednn_ready()) {
        fprintf(stderr, "bench_gemm: give seconds above 0; oneDNN must be installed\n");
        return 2;
    }
    printf("%-14s %5s %5s %5s    %9s %9s %9s  GF/s of one thread\n", "", "m", "n", "k", "OpenBLAS",
           "oneDNN", "ours");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int t = 0; t < 4; t++) {
            int64_t m = shapes[i].m, n = shapes[i].n, k = shapes[i].k;
            bool ta = t & 1, tb = t >> 1;
            double best[FH_BLAS_LIBRARIES + 1];
            product p = {.shape = {ta, tb, m, n, k, ta ? m : k, tb ? k : n, n, 1, 0}};
            p.gemm = (fh_gemm){.m = m, .n = n, .k = k, .alpha = 1};
            p.gemm.a = (fh_matrix){numbers(m * k), FH_F32, ta ? 1 : k, ta ? m : 1, {0}};
            p.gemm.b = (fh_matrix){numbers(k * n), FH_F32, tb ? 1 : n, tb ? k : 1, {0}};
            p.gemm.c = (fh_matrix){numbers(m * n), FH_F32, n, 1, {0}};
            measure(&p, budget, best);
            printf("%-14s %5lld %5lld %5lld %c%c %9.1f %9.1f %9.1f\n", shapes[i].what, (long long)m,
                   (long long)n, (long long)k, ta ? 'T' : 'N', tb ? 'T' : 'N',
                   best[FH_BLAS_OPENBLAS], best[FH_BLAS_ONEDNN], best[FH_BLAS_LIBRARIES]);
            free(p.gemm.a.data), free(p.gemm.b.data), free(p.gemm.c.data);
        }
    return 0;
}
