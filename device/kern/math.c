/* Functions of one tensor. Those that matter are vectorised (vecmath.h); the rest is the C
 * library's. */
#include "device/kern/loops.h"

#define FLOAT(name) FH_FLOAT_OPERATOR(name, 1, 0, name##f(a), name(a))

FH_FLOAT_OPERATOR(exp, 1, 0, fh_expf(a), exp(a))
FH_FLOAT_OPERATOR(log, 1, 0, fh_logf(a), log(a))
FH_FLOAT_OPERATOR(tanh, 1, 0, fh_tanhf(a), tanh(a))
FH_FLOAT_OPERATOR(erf, 1, 0, fh_erff(a), erf(a))
FH_FLOAT_OPERATOR(sqrt, 1, 0, sqrtf(a), sqrt(a))
FH_FLOAT_OPERATOR(rsqrt, 1, 0, 1 / sqrtf(a), 1 / sqrt(a))
FH_FLOAT_OPERATOR(reciprocal, 1, 0, 1 / a, 1 / a)
FLOAT(exp2)
FLOAT(expm1)
FLOAT(log2)
FLOAT(log10)
FLOAT(log1p)
FLOAT(tan)
FLOAT(asin)
FLOAT(acos)
FLOAT(atan)
FLOAT(sinh)
FLOAT(cosh)
FLOAT(asinh)
FLOAT(acosh)
FLOAT(atanh)
FLOAT(erfc)

FH_ANY_OPERATOR(abs, 1, 0, _Generic(a, float : fabsf, default : fabs)(a), a < 0 ? -a : a)
FH_ANY_OPERATOR(neg, 1, 0, -a, -a)
FH_ANY_OPERATOR(sign, 1, 0, (T)((a > 0) - (a < 0)), (T)((a > 0) - (a < 0)))
FH_ANY_OPERATOR(floor, 1, 0, _Generic(a, float : floorf, default : floor)(a), a)
FH_ANY_OPERATOR(ceil, 1, 0, _Generic(a, float : ceilf, default : ceil)(a), a)
FH_ANY_OPERATOR(trunc, 1, 0, _Generic(a, float : truncf, default : trunc)(a), a)
FH_ANY_OPERATOR(round, 1, 0, _Generic(a, float : rintf, default : rint)(a), a)
FH_ANY_OPERATOR(frac, 1, 0, a - _Generic(a, float : truncf, default : trunc)(a), 0)
FH_ANY_OPERATOR(nan_to_num, 1, 3, a != a ? s0 : a - a == 0 ? a : a > 0 ? s1 : s2, a)

/* Sine and cosine: vectors where the whole block is within the reduction, else the C library. */
static bool all_below(int64_t n, const float *a, float limit)
{
    bool below = true;
    for (int64_t i = 0; i < n; i++)
        below &= fabsf(a[i]) < limit;
    return below;
}

#define TRIGONOMETRIC(name, shift) \
    FH_LOOP(name##_near, float, float, 1, fh_trigf(a, shift)) \
    FH_LOOP(name##_far, float, float, 1, name##f(a)) \
    FH_LOOP(name##_f64, double, double, 1, name(a)) \
    static void name##_f32(int64_t n, const void *const *in, void *const *out, \
                           const fh_parameters *p) \
    { \
        for (int64_t i = 0; i < n; i += 1024) { \
            int64_t block = n - i < 1024 ? n - i : 1024; \
            const void *from = (const float *)in[0] + i; \
            void *to = (float *)out[0] + i; \
            bool near = all_below(block, from, FH_TRIG_LIMIT); \
            (near ? name##_near : name##_far)(block, &from, &to, p); \
        } \
    } \
    static const fh_elementwise name##_op = {{name##_f32, name##_f64, NULL, NULL}, false, 1, 0}; \
    FH_KERNEL(name)

TRIGONOMETRIC(sin, 0)
TRIGONOMETRIC(cos, 1)
