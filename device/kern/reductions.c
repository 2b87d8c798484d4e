/* Reductions: what each does with a run of elements. NaN wins in max and min. */
#include "device/kern/reductions.h"
#include "device/kern/vecmath.h"

enum { BLOCK = 512 }; /* elements that f32 lanes add up before f64 takes over */

typedef float lanes16 __attribute__((vector_size(64), aligned(4), may_alias));

/* A run of f32 added up: `expression` of v, 16 elements at a time, and of x for the rest. */
#define SUM_F32(name, expression) \
    FH_SIMD static void name(fh_partial *into, int64_t n, const void *data, int64_t first, \
                             const fh_parameters *p) \
    { \
        const float *x_ = data; \
        (void)first, (void)p; \
        for (int64_t from = 0; from < n; from += BLOCK) { \
            int64_t end = n - from < BLOCK ? n : from + BLOCK, i = from; \
            lanes16 s0 = {0}, s1 = {0}; \
            for (; i + 32 <= end; i += 32) { \
                lanes16 v = *(const lanes16 *)(x_ + i); \
                s0 += expression; \
                v = *(const lanes16 *)(x_ + i + 16); \
                s1 += expression; \
            } \
            s0 += s1; \
            double sum = 0; \
            for (int k = 0; k < 16; k++) \
                sum += s0[k]; \
            for (; i < end; i++) { \
                float v = x_[i]; \
                sum += expression; \
            } \
            into->a += sum; \
        } \
    }

#define RUN(name, T, statement) \
    FH_SIMD static void name(fh_partial *into, int64_t n, const void *data, int64_t first, \
                             const fh_parameters *p) \
    { \
        const T *x_ = data; \
        (void)first, (void)p; \
        for (int64_t i = 0; i < n; i++) { \
            T x = x_[i]; \
            statement; \
        } \
    }

SUM_F32(sum_f32, v)
RUN(sum_f64, double, into->a += x)
RUN(sum_i64, int64_t, into->i += x)
RUN(product_f32, float, into->a *= x)
RUN(product_f64, double, into->a *= x)
RUN(product_i64, int64_t, into->i *= x)
RUN(any_f32, float, into->i |= x != 0)
RUN(any_f64, double, into->i |= x != 0)
RUN(any_i64, int64_t, into->i |= x != 0)
RUN(all_f32, float, into->i &= x != 0)
RUN(all_f64, double, into->i &= x != 0)
RUN(all_i64, int64_t, into->i &= x != 0)

/* The largest or smallest of a run, NaN first: lanes that ignore NaN, and whether there was one. */
#define EXTREME(name, better) \
    FH_SIMD static float name(int64_t n, const float *x) \
    { \
        float lanes[32], best = x[0]; \
        int32_t bad[32] = {0}; \
        int64_t i = 0; \
        for (int k = 0; k < 32; k++) \
            lanes[k] = x[0]; \
        for (; i + 32 <= n; i += 32) \
            for (int k = 0; k < 32; k++) { \
                lanes[k] = x[i + k] better lanes[k] ? x[i + k] : lanes[k]; \
                bad[k] |= x[i + k] != x[i + k]; \
            } \
        for (int k = 0; k < 32; k++) \
            best = bad[k] || best != best ? NAN : lanes[k] better best ? lanes[k] : best; \
        for (; i < n; i++) \
            best = x[i] != x[i] || best != best ? NAN : x[i] better best ? x[i] : best; \
        return best; \
    }
EXTREME(largest_f32, >)
EXTREME(smallest_f32, <)

static bool beats(double value, double best, bool smallest)
{
    return best == best && (value != value || (smallest ? value < best : value > best));
}

/* a is the value, i its index, j whether there was one yet; p->i[0] says whether the smallest is
 * sought. */
static void extreme_run_f32(fh_partial *into, int64_t n, const void *data, int64_t first,
                            const fh_parameters *p)
{
    const float *x = data;
    float best = (p->i[0] ? smallest_f32 : largest_f32)(n, x);
    if (into->j && !beats(best, into->a, p->i[0] != 0))
        return;
    int64_t at = 0;
    while (best == best ? x[at] != best : x[at] == x[at])
        at++;
    *into = (fh_partial){.a = best, .b = (double)p->i[0], .i = first + at, .j = 1};
}

static void extreme_run_f64(fh_partial *into, int64_t n, const void *data, int64_t first,
                            const fh_parameters *p)
{
    const double *x = data;
    for (int64_t at = 0; at < n; at++)
        if (!into->j || beats(x[at], into->a, p->i[0] != 0))
            *into = (fh_partial){.a = x[at], .b = (double)p->i[0], .i = first + at, .j = 1};
}

static void extreme_merge(fh_partial *into, const fh_partial *from)
{
    if (from->j && (!into->j || beats(from->a, into->a, from->b != 0)))
        *into = *from;
}

static void extreme_finish(const fh_partial *total, int64_t count, const fh_parameters *p,
                           double *f, int64_t *i)
{
    (void)count, (void)p;
    f[0] = total->a;
    i[0] = i[1] = total->i;
}

/* Integers need all 64 bits: i is the value, and a, exact below 2^53, the index. */
static void extreme_run_i64(fh_partial *into, int64_t n, const void *data, int64_t first,
                            const fh_parameters *p)
{
    const int64_t *x = data;
    for (int64_t at = 0; at < n; at++)
        if (!into->j || (p->i[0] ? x[at] < into->i : x[at] > into->i))
            *into =
                (fh_partial){.a = (double)(first + at), .b = (double)p->i[0], .i = x[at], .j = 1};
}

static void extreme_merge_i64(fh_partial *into, const fh_partial *from)
{
    if (from->j && (!into->j || (from->b != 0 ? from->i < into->i : from->i > into->i)))
        *into = *from;
}

static void extreme_finish_i64(const fh_partial *total, int64_t count, const fh_parameters *p,
                               double *f, int64_t *i)
{
    (void)count, (void)p;
    f[1] = total->a;
    i[0] = total->i;
    i[1] = (int64_t)total->a;
}

/* Means and squared distances from them, by runs, joined by Chan's formula. a mean, b distances, i
 * count. */
static void moments_merge(fh_partial *into, const fh_partial *from)
{
    if (from->i == 0)
        return;
    double total = (double)(into->i + from->i), delta = from->a - into->a;
    double share = (double)from->i / total;
    into->b += from->b + delta * delta * (double)into->i * share;
    into->a += delta * share;
    into->i += from->i;
}

#define MOMENTS(name, T, sum_of) \
    FH_SIMD static void name(fh_partial *into, int64_t n, const void *data, int64_t first, \
                             const fh_parameters *p) \
    { \
        const T *x = data; \
        fh_partial sum = {0}; \
        sum_of(&sum, n, data, first, p); \
        fh_partial run = {.a = sum.a / (double)n, .i = n}; \
        double squares[8] = {0}; \
        int64_t i = 0; \
        for (; i + 8 <= n; i += 8) \
            for (int k = 0; k < 8; k++) { \
                double d = (double)x[i + k] - run.a; \
                squares[k] += d * d; \
            } \
        for (; i < n; i++) \
            squares[0] += ((double)x[i] - run.a) * ((double)x[i] - run.a); \
        for (int k = 0; k < 8; k++) \
            run.b += squares[k]; \
        moments_merge(into, &run); \
    }
MOMENTS(moments_f32, float, sum_f32)
MOMENTS(moments_f64, double, sum_f64)

/* p->f[0] is the order of the norm. */
#define NORM(name, T) \
    FH_SIMD static void name(fh_partial *into, int64_t n, const void *data, int64_t first, \
                             const fh_parameters *p) \
    { \
        const T *x = data; \
        double order = p->f[0], sums[8] = {0}; \
        int64_t i = 0; \
        (void)first; \
        if (order == 2) \
            for (; i + 8 <= n; i += 8) \
                for (int k = 0; k < 8; k++) \
                    sums[k] += (double)x[i + k] * (double)x[i + k]; \
        for (int k = 0; k < 8; k++) \
            into->a += sums[k]; \
        for (; i < n; i++) { \
            double m = fabs((double)x[i]); \
            if (isinf(order)) { \
                bool better = order > 0 ? m > into->a : m < into->a || !into->j; \
                into->a = m != m || (better && into->a == into->a) ? m : into->a; \
            } else { \
                into->a += order == 2   ? m * m \
                           : order == 1 ? m \
                           : order == 0 ? m != 0 \
                                        : pow(m, order); \
            } \
            into->b = order; \
            into->j = 1; \
        } \
        into->b = order; \
    }
NORM(norm_f32, float)
NORM(norm_f64, double)

static void norm_merge(fh_partial *into, const fh_partial *from)
{
    if (!isinf(from->b)) {
        into->a += from->a;
    } else if (from->j) {
        bool better = !into->j || (from->b > 0 ? from->a > into->a : from->a < into->a);
        into->a = from->a != from->a || (better && into->a == into->a) ? from->a : into->a;
    }
    into->j |= from->j;
}

/* a is the largest so far (0 where that is infinite or NaN), b the sum of exp(x - a). */
#define EXPONENTS(name, T, largest, exponential) \
    FH_SIMD static void name(fh_partial *into, int64_t n, const void *data, int64_t first, \
                             const fh_parameters *p) \
    { \
        const T *x = data; \
        T top = largest; \
        double sum = 0; \
        (void)first, (void)p; \
        top = isfinite(top) ? top : 0; \
        for (int64_t i = 0; i < n; i++) \
            sum += exponential(x[i] - top); \
        fh_partial run = {.a = top, .b = sum, .j = 1}; \
        exponents_merge(into, &run); \
    }

static void exponents_merge(fh_partial *into, const fh_partial *from)
{
    if (!from->j)
        return;
    double top = into->j && into->a > from->a ? into->a : from->a;
    into->b = (into->j ? into->b * exp(into->a - top) : 0) + from->b * exp(from->a - top);
    into->a = top;
    into->j = 1;
}

static double largest_f64(int64_t n, const double *x)
{
    double top = x[0];
    for (int64_t i = 1; i < n; i++)
        top = x[i] > top ? x[i] : top;
    return top;
}
EXPONENTS(exponents_f32, float, largest_f32(n, x), fh_expf)
EXPONENTS(exponents_f64, double, largest_f64(n, x), exp)

static void add_partial(fh_partial *into, const fh_partial *from)
{
    into->a += from->a;
    into->i += from->i;
}
static void multiply_partial(fh_partial *into, const fh_partial *from)
{
    into->a *= from->a;
    into->i *= from->i;
}
static void or_partial(fh_partial *into, const fh_partial *from)
{
    into->i |= from->i;
}
static void and_partial(fh_partial *into, const fh_partial *from)
{
    into->i &= from->i;
}

#define FINISH(name, value) \
    static void name(const fh_partial *t, int64_t n, const fh_parameters *p, double *f, \
                     int64_t *i) \
    { \
        (void)n, (void)p, (void)t; \
        f[0] = value; \
        f[1] = t->a; \
        i[0] = t->i; \
    }
FINISH(plain, t->a)
FINISH(mean, t->a / (double)n)
FINISH(variance, t->b / ((double)n - p->f[0] > 0 ? (double)n - p->f[0] : 0))
FINISH(deviation, sqrt(t->b / ((double)n - p->f[0] > 0 ? (double)n - p->f[0] : 0)))
FINISH(root, isinf(p->f[0]) || p->f[0] == 0 ? t->a
             : p->f[0] == 2                 ? sqrt(t->a)
                                            : pow(t->a, 1 / p->f[0]))
FINISH(logarithm, t->j ? t->a + log(t->b) : -INFINITY)

const fh_reduction fh_reduction_sum = {sum_f32, sum_f64,  NULL, add_partial,
                                       plain,   {.a = 0}, true, {false}};
const fh_reduction fh_reduction_sum_integers = {NULL,  NULL,     sum_i64, add_partial,
                                                plain, {.a = 0}, false,   {true}};
const fh_reduction fh_reduction_mean = {sum_f32, sum_f64,  NULL, add_partial,
                                        mean,    {.a = 0}, true, {false}};
const fh_reduction fh_reduction_product = {product_f32, product_f64,      NULL,  multiply_partial,
                                           plain,       {.a = 1, .i = 1}, false, {false}};
const fh_reduction fh_reduction_product_integers = {
    NULL, NULL, product_i64, multiply_partial, plain, {.a = 1, .i = 1}, false, {true}};
const fh_reduction fh_reduction_any = {any_f32, any_f64,  any_i64, or_partial,
                                       plain,   {.a = 0}, false,   {true}};
const fh_reduction fh_reduction_all = {all_f32, all_f64,  all_i64, and_partial,
                                       plain,   {.i = 1}, false,   {true}};
const fh_reduction fh_reduction_extreme = {extreme_run_f32, extreme_run_f64, NULL,  extreme_merge,
                                           extreme_finish,  {.a = 0},        false, {false, true}};
const fh_reduction fh_reduction_extreme_integers = {
    NULL,     NULL,  extreme_run_i64, extreme_merge_i64, extreme_finish_i64,
    {.a = 0}, false, {true, true}};
const fh_reduction fh_reduction_extreme_index = {extreme_run_f32, extreme_run_f64, NULL,
                                                 extreme_merge,   extreme_finish,  {.a = 0},
                                                 false,           {true, true}};
const fh_reduction fh_reduction_variance = {moments_f32, moments_f64, NULL,  moments_merge,
                                            variance,    {.a = 0},    false, {false}};
const fh_reduction fh_reduction_deviation = {moments_f32, moments_f64, NULL,  moments_merge,
                                             deviation,   {.a = 0},    false, {false}};
const fh_reduction fh_reduction_norm = {norm_f32, norm_f64, NULL,  norm_merge,
                                        root,     {.a = 0}, false, {false}};
const fh_reduction fh_reduction_exponents = {exponents_f32, exponents_f64, NULL,  exponents_merge,
                                             logarithm,     {.a = 0},      false, {false}};
