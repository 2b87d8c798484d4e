/* kernels.h: tensors of any dtype and layout for the tests of device/kern, read and written as
 * doubles one element at a time, by index: no code of the kernels is used for it. */
#ifndef FH_TESTS_KERNELS_H
#define FH_TESTS_KERNELS_H

#include "device/kern/argument.h"
#include "os/thread.h"
#include "tests/test.h"

#include <math.h>
#include <stdlib.h>

/* What a test holds: a view, and the memory it lies in (filled with a pattern around it). */
typedef struct {
    fh_view view;
    char *memory;
} tensor;

static uint64_t random_state = 88172645463325252u;

__attribute__((unused)) static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

__attribute__((unused)) static double random_between(double low, double high)
{
    return low + (high - low) * ((double)(random_bits() >> 11) / 9007199254740992.0);
}

static double half_value(uint16_t h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double value = exponent == 31 ? (fraction ? NAN : INFINITY)
                   : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                  : ldexp(fraction, -24);
    return h & 0x8000 ? -value : value;
}

static uint16_t half_of(double value)
{
    uint16_t best = 0;
    if (isnan(value))
        return 0x7e00;
    if (fabs(value) >= 65520)
        return value < 0 ? 0xfc00 : 0x7c00;
    /* Halves of one sign are ordered as their bits are: bisect, then take the nearer, ties to even.
     */
    uint16_t low = 0, high = 0x7bff;
    double magnitude = fabs(value);
    while (low < high) {
        uint16_t middle = (uint16_t)((low + high + 1) / 2);
        if (half_value(middle) <= magnitude)
            low = middle;
        else
            high = (uint16_t)(middle - 1);
    }
    best = low;
    double next = low == 0x7bff ? 65536 : half_value((uint16_t)(low + 1));
    double below = magnitude - half_value(low), above = next - magnitude;
    if (above < below || (above == below && (low & 1)))
        best = (uint16_t)(low + 1);
    return (uint16_t)(best | (signbit(value) ? 0x8000 : 0));
}

static char *address(const fh_view *view, const int64_t *index)
{
    int64_t offset = 0;
    for (uint32_t i = 0; i < view->rank; i++)
        offset += index[i] * view->strides[i];
    return (char *)view->data + offset * (int64_t)fh_dtype_size(view->dtype);
}

static double get(const fh_view *view, const int64_t *index)
{
    const void *at = address(view, index);
    uint32_t bits;
    float single;
    switch (view->dtype) {
    case FH_F32:
        return *(const float *)at;
    case FH_F64:
        return *(const double *)at;
    case FH_F16:
        return half_value(*(const uint16_t *)at);
    case FH_BF16:
        bits = (uint32_t) * (const uint16_t *)at << 16;
        memcpy(&single, &bits, 4);
        return single;
    case FH_I8:
        return *(const int8_t *)at;
    case FH_I16:
        return *(const int16_t *)at;
    case FH_I32:
        return *(const int32_t *)at;
    case FH_I64:
        return (double)*(const int64_t *)at;
    case FH_U16:
        return *(const uint16_t *)at;
    case FH_U32:
        return *(const uint32_t *)at;
    case FH_U64:
        return (double)*(const uint64_t *)at;
    default:
        return *(const uint8_t *)at;
    }
}

static uint16_t bf16_of(double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, 4);
    if (isnan(value))
        return 0x7fc0;
    uint32_t rest = bits & 0xffff, kept = bits >> 16;
    return (uint16_t)(kept + (rest > 0x8000 || (rest == 0x8000 && (kept & 1))));
}

static void set(const fh_view *view, const int64_t *index, double value)
{
    void *at = address(view, index);
    switch (view->dtype) {
    case FH_F32:
        *(float *)at = (float)value;
        break;
    case FH_F64:
        *(double *)at = value;
        break;
    case FH_F16:
        *(uint16_t *)at = half_of(value);
        break;
    case FH_BF16:
        *(uint16_t *)at = bf16_of(value);
        break;
    case FH_I8:
        *(int8_t *)at = (int8_t)(int64_t)value;
        break;
    case FH_I16:
        *(int16_t *)at = (int16_t)(int64_t)value;
        break;
    case FH_I32:
        *(int32_t *)at = (int32_t)(int64_t)value;
        break;
    case FH_I64:
        *(int64_t *)at = (int64_t)value;
        break;
    case FH_U16:
        *(uint16_t *)at = (uint16_t)value;
        break;
    case FH_U32:
        *(uint32_t *)at = (uint32_t)value;
        break;
    case FH_U64:
        *(uint64_t *)at = (uint64_t)value;
        break;
    case FH_BOOL:
        *(uint8_t *)at = value != 0;
        break;
    default:
        *(uint8_t *)at = (uint8_t)(int64_t)value;
        break;
    }
}

/* Steps through all indices of a shape, the last dimension fastest; false after the last. */
static bool next_index(const fh_view *view, int64_t *index)
{
    for (uint32_t i = view->rank; i-- > 0;) {
        if (++index[i] < view->sizes[i])
            return true;
        index[i] = 0;
    }
    return false;
}

enum layout { PLAIN, REVERSED, SPREAD, BACKWARD }; /* order of dimensions, gaps, negative strides */

static tensor make(fh_dtype dtype, enum layout layout, uint32_t rank, const int64_t *sizes)
{
    tensor t = {.view = {.dtype = dtype, .rank = rank}};
    int64_t stride = layout == SPREAD ? 3 : 1, offset = 0, count = 1;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t d = layout == REVERSED ? i : rank - 1 - i;
        t.view.sizes[d] = sizes[d];
        t.view.strides[d] = layout == BACKWARD ? -stride : stride;
        if (layout == BACKWARD && sizes[d])
            offset += stride * (sizes[d] - 1);
        stride *= sizes[d] + (layout == SPREAD);
        count *= sizes[d];
    }
    size_t size = fh_dtype_size(dtype);
    t.memory = malloc((size_t)(stride + 16) * size + 64);
    memset(t.memory, 0x5a, (size_t)(stride + 16) * size + 64);
    t.view.data = t.memory + 32 + (size_t)offset * size;
    (void)count;
    return t;
}

__attribute__((unused)) static tensor make_random(fh_dtype dtype, enum layout layout, uint32_t rank,
                                                  const int64_t *sizes, double low, double high)
{
    tensor t = make(dtype, layout, rank, sizes);
    int64_t index[FH_MAX_RANK] = {0};
    if (fh_view_count(&t.view))
        do
            set(&t.view, index, random_between(low, high));
        while (next_index(&t.view, index));
    return t;
}

/* The element of a broadcast input at an index of the output. */
__attribute__((unused)) static double get_broadcast(const fh_view *view, const fh_view *shape,
                                                    const int64_t *index)
{
    int64_t own[FH_MAX_RANK] = {0};
    for (uint32_t i = 0; i < view->rank; i++)
        own[i] = view->sizes[i] == 1 ? 0 : index[i + shape->rank - view->rank];
    return get(view, own);
}

__attribute__((unused)) static fh_argument of_view(tensor *t)
{
    return (fh_argument){.kind = FH_ARGUMENT_VIEW, .view = &t->view};
}

__attribute__((unused)) static fh_argument of_integer(int64_t value)
{
    return (fh_argument){.kind = FH_ARGUMENT_INTEGER, .integer = value};
}

__attribute__((unused)) static fh_argument of_double(double value)
{
    return (fh_argument){.kind = FH_ARGUMENT_DOUBLE, .real = value};
}

__attribute__((unused)) static fh_argument of_integers(const int64_t *values, uint32_t count)
{
    return (fh_argument){.kind = FH_ARGUMENT_INTEGERS, .count = count, .integers = values};
}

__attribute__((unused)) static fh_argument of_number(fh_number *number)
{
    return (fh_argument){.kind = FH_ARGUMENT_NUMBER, .number = number};
}

/* Within `relative` of the larger of 1 and the expected value; same special values. */
__attribute__((unused)) static bool close_to(double got, double want, double relative)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got);
    if (isinf(want) || isinf(got))
        return got == want;
    double scale = fabs(want) > 1 ? fabs(want) : 1;
    return fabs(got - want) <= relative * scale;
}

__attribute__((unused)) static double tolerance(fh_dtype dtype)
{
    return dtype == FH_F64 ? 1e-13 : dtype == FH_F32 ? 2e-6 : dtype == FH_F16 ? 2e-3 : 1.6e-2;
}

/* A team of three threads that really run side by side, and cut the work as finely as they may. */
typedef struct {
    int64_t count, grain;
    fh_part *part;
    void *context;
} test_split;

static void run_piece(void *context, size_t index, unsigned worker)
{
    const test_split *s = context;
    int64_t begin = (int64_t)index * s->grain, end = begin + s->grain;
    s->part(s->context, begin, end < s->count ? end : s->count, worker);
}

static void split_three(const fh_team *team, int64_t count, int64_t grain, fh_part *part,
                        void *context)
{
    test_split s = {count, grain, part, context};
    fh_parallel_for(team->width, (size_t)((count + grain - 1) / grain), run_piece, &s);
}

__attribute__((unused)) static const fh_team team_of_three = {.width = 3, .split = split_three};

#endif
