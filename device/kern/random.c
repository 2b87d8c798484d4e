/* Random fills from Philox streams (philox.h says which number is which). */
#include "device/kern/philox.h"

#include "base/memory.h"
#include "device/kern/dense.h"
#include "device/kern/operators.h"
#include "device/kern/vecmath.h"

enum { BLOCKS = 256, GRAIN = 64 }; /* blocks at a time; such chunks worth a thread */

typedef struct fill fill;
typedef void transform(const fill *f, const uint32_t *words, int64_t n, void *out);

struct fill {
    transform *transform;
    uint64_t seed, offset, range;
    int64_t low, count, per_block; /* elements */
    double a, b;                   /* bounds, or mean and deviation */
    int dropped_bits;              /* of a word, for a uniform number */
    size_t size;
    char *out;
};

FH_SIMD static void uniform(const fill *f, const uint32_t *words, int64_t n, void *out)
{
    float *y = out, low = (float)f->a, width = (float)(f->b - f->a);
    float unit = ldexpf(1, f->dropped_bits - 32);
    int shift = f->dropped_bits;
    FH_IVDEP for (int64_t i = 0; i < n; i++) y[i] =
        (float)(int32_t)(words[i] >> shift) * unit * width + low;
}

static double unit_double(const uint32_t *words)
{
    return (double)(((uint64_t)words[0] << 32 | words[1]) >> 11) * 0x1p-53;
}

static void uniform_f64(const fill *f, const uint32_t *words, int64_t n, void *out)
{
    for (int64_t i = 0; i < n; i++)
        ((double *)out)[i] = unit_double(words + 2 * i) * (f->b - f->a) + f->a;
}

FH_SIMD static void normal(const fill *f, const uint32_t *words, int64_t n, void *out)
{
    float *y = out, mean = (float)f->a, deviation = (float)f->b;
    FH_IVDEP for (int64_t i = 0; i < n / 2; i++)
    {
        float u = ((float)(int32_t)(words[2 * i] >> 8) + 1) * 0x1p-24f;
        float angle = (float)(int32_t)(words[2 * i + 1] >> 8) * 0x1p-24f * 6.28318530718f;
        float radius = sqrtf(-2 * fh_logf(u)) * deviation;
        y[2 * i] = radius * fh_trigf(angle, 1) + mean;
        y[2 * i + 1] = radius * fh_trigf(angle, 0) + mean;
    }
}

static void normal_f64(const fill *f, const uint32_t *words, int64_t n, void *out)
{
    double *y = out;
    for (int64_t i = 0; i < n / 2; i++) {
        double radius = sqrt(-2 * log(unit_double(words + 4 * i) + 0x1p-53)) * f->b;
        double angle = unit_double(words + 4 * i + 2) * 6.283185307179586476925;
        y[2 * i] = radius * cos(angle) + f->a;
        y[2 * i + 1] = radius * sin(angle) + f->a;
    }
}

static void integers(const fill *f, const uint32_t *words, int64_t n, void *out)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = (uint64_t)words[2 * i] << 32 | words[2 * i + 1];
        ((int64_t *)out)[i] = (int64_t)((uint64_t)f->low + (f->range ? bits % f->range : bits));
    }
}

static void fill_chunks(void *context, int64_t begin, int64_t end, unsigned slot)
{
    const fill *f = context;
    _Alignas(64) uint32_t words[4 * BLOCKS];
    _Alignas(64) char last[4 * BLOCKS * 8];
    (void)slot;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        int64_t whole = BLOCKS * f->per_block, from = chunk * whole;
        fh_philox(f->seed, f->offset, (uint64_t)chunk * BLOCKS, BLOCKS, words);
        if (from + whole <= f->count) {
            f->transform(f, words, whole, f->out + (size_t)from * f->size);
            continue;
        }
        f->transform(f, words, whole, last);
        memcpy(f->out + (size_t)from * f->size, last, (size_t)(f->count - from) * f->size);
    }
}

/* Fills `self` by `f`, whose transform makes elements of `dtype`. */
static fh_status run(fill *f, const fh_argument *self, fh_dtype dtype, const fh_argument *seed,
                     const fh_team *team)
{
    fh_dense d = {.data = NULL};
    fh_status status = fh_dense_begin(&d, self, dtype, false, team);
    if (!status) {
        f->seed = (uint64_t)fh_argument_integer(&seed[0], 0);
        f->offset = (uint64_t)fh_argument_integer(&seed[1], 0);
        f->count = fh_view_count(self->view);
        f->size = fh_dtype_size(dtype);
        f->out = d.data;
        int64_t whole = BLOCKS * f->per_block;
        fh_team_split(team, (f->count + whole - 1) / whole, GRAIN, fill_chunks, f);
        status = fh_dense_write(&d, team);
    }
    fh_dense_end(&d, 1);
    return status;
}

static fh_status fill_uniform(const fh_argument *self, double low, double high,
                              const fh_argument *seed, const fh_team *team)
{
    fh_dtype dtype = self->view->dtype;
    bool wide = dtype == FH_F64;
    fill f = {.transform = wide ? uniform_f64 : uniform, .a = low, .b = high};
    f.per_block = wide ? 2 : 4;
    f.dropped_bits = dtype == FH_F16 ? 21 : dtype == FH_BF16 ? 24 : 8;
    return run(&f, self, wide ? FH_F64 : FH_F32, seed, team);
}

static fh_status fill_normal(const fh_argument *self, double mean, double deviation,
                             const fh_argument *seed, const fh_team *team)
{
    bool wide = self->view->dtype == FH_F64;
    fill f = {.transform = wide ? normal_f64 : normal, .a = mean, .b = deviation};
    f.per_block = wide ? 2 : 4;
    return run(&f, self, wide ? FH_F64 : FH_F32, seed, team);
}

fh_status fh_op_inplace_uniform(const fh_argument *a, const fh_team *team)
{
    return fill_uniform(&a[0], fh_argument_double(&a[1], 0), fh_argument_double(&a[2], 1), &a[3],
                        team);
}

fh_status fh_op_inplace_normal(const fh_argument *a, const fh_team *team)
{
    return fill_normal(&a[0], fh_argument_double(&a[1], 0), fh_argument_double(&a[2], 1), &a[3],
                       team);
}

/* Means and deviations may be tensors: then standard numbers are scaled and moved. */
fh_status fh_op_normal(const fh_argument *a, const fh_team *team)
{
    const fh_argument *out = &a[4], one = {.kind = FH_ARGUMENT_INTEGER, .integer = 1};
    if (a[0].kind != FH_ARGUMENT_VIEW && a[1].kind != FH_ARGUMENT_VIEW)
        return fill_normal(out, fh_argument_double(&a[0], 0), fh_argument_double(&a[1], 1), &a[2],
                           team);
    fh_argument scale[] = {*out, a[1]}, move[] = {*out, a[0], one};
    fh_status status = fill_normal(out, 0, 1, &a[2], team);
    status = status ? status : fh_op_inplace_mul(scale, team);
    return status ? status : fh_op_inplace_add(move, team);
}

fh_status fh_op_inplace_bernoulli(const fh_argument *a, const fh_team *team)
{
    fh_view numbers = *a[0].view;
    int64_t stride = 1;
    for (uint32_t i = numbers.rank; i-- > 0;) {
        numbers.strides[i] = stride;
        stride *= numbers.sizes[i];
    }
    numbers.dtype = FH_F32;
    numbers.data = fh_alloc((size_t)stride * sizeof(float) + 1);
    if (!numbers.data)
        return fh_error(FH_NO_MEMORY, "no memory for %lld random numbers", (long long)stride);
    fh_argument self = {.kind = FH_ARGUMENT_VIEW, .view = &numbers}, below[] = {self, a[1], a[0]};
    fh_status status = fill_uniform(&self, 0, 1, &a[2], team);
    status = status ? status : fh_op_lt(below, team);
    fh_free(numbers.data);
    return status;
}

fh_status fh_op_inplace_random(const fh_argument *a, const fh_team *team)
{
    int64_t low = fh_argument_integer(&a[1], 0), high = fh_argument_integer(&a[2], 0);
    fill f = {.transform = integers, .low = low, .range = (uint64_t)high - (uint64_t)low};
    f.per_block = 2;
    return run(&f, &a[0], FH_I64, &a[3], team);
}

/* Fisher and Yates: element i changes places with one from i on. */
fh_status fh_op_randperm(const fh_argument *a, const fh_team *team)
{
    fh_dense d = {.data = NULL};
    fh_status status = fh_dense_begin(&d, &a[3], FH_I64, false, team);
    int64_t *out = d.data, n = fh_view_count(a[3].view);
    uint64_t seed = (uint64_t)fh_argument_integer(&a[1], 0);
    uint64_t offset = (uint64_t)fh_argument_integer(&a[2], 0);
    for (int64_t i = 0; i < n && !status; i++)
        out[i] = i;
    for (int64_t i = 0; i + 1 < n && !status; i++) {
        uint32_t words[4];
        fh_philox(seed, offset, (uint64_t)i, 1, words);
        uint64_t bits = (uint64_t)words[0] << 32 | words[1];
        int64_t other = i + (int64_t)(bits % (uint64_t)(n - i)), kept = out[i];
        out[i] = out[other];
        out[other] = kept;
    }
    status = status ? status : fh_dense_write(&d, team);
    fh_dense_end(&d, 1);
    return status;
}
