/* How fast kernels are beside memcpy: in each round every kernel runs once, and so does a copy of
 * as many bytes as one f32 tensor of the same size; the figure is the median over the rounds of
 * time over the copy's.
 *
 *   bench_kernels [ROUNDS [THREADS [ELEMENTS]]]      21 rounds, all processors, 2^24 elements
 */
#include "device/kern/operators.h"
#include "os/clock.h"
#include "os/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t count, piece;
    fh_part *part;
    void *context;
} job;

static void run_piece(void *context, size_t index, unsigned worker)
{
    const job *j = context;
    int64_t begin = (int64_t)index * j->piece, end = begin + j->piece;
    if (begin < j->count)
        j->part(j->context, begin, end < j->count ? end : j->count, worker);
}

/* Eight pieces a thread, so that one that is slowed down does not hold up all. */
static void split(const fh_team *team, int64_t count, int64_t grain, fh_part *part, void *context)
{
    int64_t pieces = 8 * (int64_t)team->width, piece = (count + pieces - 1) / pieces;
    job j = {count, piece < grain ? grain : piece, part, context};
    fh_parallel_for(team->width, (size_t)((count + j.piece - 1) / j.piece), run_piece, &j);
}

typedef struct {
    char *to;
    const char *from;
} copying;

static void copy_part(void *context, int64_t begin, int64_t end, unsigned slot)
{
    const copying *c = context;
    (void)slot;
    memcpy(c->to + begin, c->from + begin, (size_t)(end - begin));
}

static fh_view tensor(fh_dtype dtype, int64_t rows, int64_t cols)
{
    fh_view view = {.dtype = dtype, .rank = 2, .sizes = {rows, cols}, .strides = {cols, 1}};
    size_t bytes = (size_t)(rows * cols) * fh_dtype_size(dtype);
    view.data = malloc(bytes + 64);
    for (int64_t i = 0; i < rows * cols; i++)
        if (dtype == FH_F32)
            ((float *)view.data)[i] = (float)(i % 1000) / 250 - 2;
        else
            ((uint16_t *)view.data)[i] = (uint16_t)(0x3c00 + i % 300); /* small positive numbers */
    return view;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[count / 2];
}

enum { MOST_ROUNDS = 999, ROWS = 24 };

typedef struct {
    const char *name;
    fh_kernel *kernel;
    const fh_argument *arguments;
} row;

static double milliseconds(const row *r, const fh_team *team, copying *c, int64_t bytes)
{
    uint64_t start = fh_clock_now();
    if (r->kernel)
        r->kernel(r->arguments, team);
    else
        fh_team_split(team, bytes, 1 << 20, copy_part, c);
    return (double)(fh_clock_now() - start) / 1e6;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 21;
    unsigned threads = argc > 2 ? (unsigned)atoi(argv[2]) : fh_processor_count();
    int64_t cols = 1024, rows = (argc > 3 ? atoll(argv[3]) : 1 << 24) / cols;
    if (rounds < 1 || rounds > MOST_ROUNDS || rows < 1 || threads < 1) {
        fprintf(stderr, "bench_kernels: rounds 1 to %d, threads from 1, elements from 1024\n",
                MOST_ROUNDS);
        return 2;
    }
    const fh_team team = {threads, split};
    fh_view x = tensor(FH_F32, rows, cols), y = tensor(FH_F32, rows, cols),
            z = tensor(FH_F32, rows, cols);
    fh_view h = tensor(FH_BF16, rows, cols), k = tensor(FH_F16, rows, cols),
            h2 = tensor(FH_BF16, rows, cols);
    fh_view turned = x, bias = tensor(FH_F32, 1, cols), one = tensor(FH_F32, 1, 1);
    turned.sizes[0] = cols, turned.sizes[1] = rows, turned.strides[0] = 1, turned.strides[1] = cols;
    fh_view flat = z;
    flat.sizes[0] = cols, flat.sizes[1] = rows, flat.strides[0] = rows, flat.strides[1] = 1;
    fh_view column = tensor(FH_F32, rows, 1), column2 = tensor(FH_F32, rows, 1);
    bias.rank = 1, bias.sizes[0] = cols, bias.strides[0] = 1;
#define VIEW(v) \
    { \
        .kind = FH_ARGUMENT_VIEW, .view = &(v) \
    }
#define INTEGER(v) \
    { \
        .kind = FH_ARGUMENT_INTEGER, .integer = (v) \
    }
#define ABSENT \
    { \
        .kind = FH_ARGUMENT_ABSENT \
    }
#define REAL(v) \
    { \
        .kind = FH_ARGUMENT_DOUBLE, .real = (v) \
    }
    static const int64_t last[] = {-1}, first[] = {0};
    const fh_argument dims = {.kind = FH_ARGUMENT_INTEGERS, .count = 1, .integers = last};
    const fh_argument outer = {.kind = FH_ARGUMENT_INTEGERS, .count = 1, .integers = first};
    const fh_argument add[] = {VIEW(x), VIEW(y), INTEGER(1), VIEW(z)},
                      in_place[] = {VIEW(z), VIEW(y), INTEGER(1)};
    const fh_argument with_bias[] = {VIEW(x), VIEW(bias), INTEGER(1), VIEW(z)},
                      half[] = {VIEW(h), VIEW(h2), INTEGER(1), VIEW(h2)};
    const fh_argument halves[] = {VIEW(k), VIEW(k), INTEGER(1), VIEW(k)};
    const fh_argument unary[] = {VIEW(x), VIEW(z)}, cast[] = {VIEW(h), VIEW(x)},
                      uncast[] = {VIEW(x), VIEW(h)};
    const fh_argument turn[] = {VIEW(flat), VIEW(turned)}, binary[] = {VIEW(x), VIEW(y), VIEW(z)};
    const fh_argument softmax[] = {VIEW(x), INTEGER(-1), VIEW(z)}, fill[] = {VIEW(z)};
    const fh_argument norm[] = {VIEW(x),    dims,    VIEW(bias),   VIEW(bias),
                                REAL(1e-5), VIEW(z), VIEW(column), VIEW(column2)};
    const fh_argument total[] = {VIEW(x), ABSENT, INTEGER(0), INTEGER(0), VIEW(one)},
                      sums[] = {VIEW(x), dims, INTEGER(0), INTEGER(0), VIEW(column)};
    const fh_argument columns[] = {VIEW(x), outer, INTEGER(0), INTEGER(0), VIEW(bias)},
                      top[] = {VIEW(x), dims, INTEGER(0), VIEW(column)};
    const fh_argument uniform[] = {VIEW(z), REAL(0), REAL(1), INTEGER(1), INTEGER(2)};
    const row table[] = {
        {"copy (memcpy)", NULL, NULL},
        {"copy (kernel)", fh_op_inplace_copy, (const fh_argument[]){VIEW(z), VIEW(x)}},
        {"zero", fh_op_inplace_zero, fill},
        {"add", fh_op_add, add},
        {"add in place", fh_op_inplace_add, in_place},
        {"add bias", fh_op_add, with_bias},
        {"add bf16", fh_op_add, half},
        {"add f16", fh_op_add, halves},
        {"cast f32 to bf16", fh_op_inplace_copy, cast},
        {"cast bf16 to f32", fh_op_inplace_copy, uncast},
        {"transpose", fh_op_inplace_copy, turn},
        {"exp", fh_op_exp, unary},
        {"tanh", fh_op_tanh, unary},
        {"gelu", fh_op_gelu, unary},
        {"gelu tanh", fh_op_gelu_tanh, unary},
        {"gelu backward", fh_op_gelu_backward, binary},
        {"softmax", fh_op_softmax, softmax},
        {"log softmax", fh_op_log_softmax, softmax},
        {"layer norm", fh_op_layer_norm, norm},
        {"sum all", fh_op_sum, total},
        {"sum rows", fh_op_sum, sums},
        {"sum columns", fh_op_sum, columns},
        {"amax rows", fh_op_amax, top},
        {"uniform", fh_op_inplace_uniform, uniform},
    };
    static double times[ROWS][MOST_ROUNDS], ratios[ROWS][MOST_ROUNDS];
    copying c = {z.data, x.data};
    for (int round = -1; round < rounds; round++)
        for (int i = 0; i < ROWS; i++) {
            double t = milliseconds(&table[i], &team, &c, rows * cols * 4);
            if (round >= 0)
                times[i][round] = t;
        }
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < ROWS; i++)
            ratios[i][round] = times[i][round] / times[0][round];
    printf("%u threads, %lld elements, %d rounds\n%-18s %8s %8s\n", threads,
           (long long)(rows * cols), rounds, "", "ms", "/ copy");
    for (int i = 0; i < ROWS; i++)
        printf("%-18s %8.2f %8.2f\n", table[i].name, median(times[i], rounds),
               median(ratios[i], rounds));
    return 0;
}
