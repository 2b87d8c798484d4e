/* vecmath.h: elementary functions of f32 without branches or calls, so that loops over them become
 * vectors.
 *
 * All over f32, NaN in NaN out, infinities and denormals as the C library has
 * them. Errors in units of the last place against double precision, measured
 * by tests/unit/device_kern_math.c over all exponents: exp 1, log 1, tanh 1.5,
 * erf 1.2, sigmoid 2.5 (0 where it is below 2^-126), sin and cos 2.5 below
 * FH_TRIG_LIMIT (2^-25 near their zeros). The coefficients were fitted for this project (minimax by
 * Lawson's method on Chebyshev points, 60 digits).
 */
#ifndef FH_KERN_VECMATH_H
#define FH_KERN_VECMATH_H

#include "device/kern/convert.h"

#include <math.h>

FH_INLINE float fh_select(bool condition, float yes, float no)
{
    return condition ? yes : no;
}

/* To the nearest integer, for |x| < 2^22: the sum loses the fraction. */
FH_INLINE float fh_nearest(float x)
{
    return (x + 0x1.8p23f) - 0x1.8p23f;
}

/* exp(x) = 2^n exp(r), |r| <= ln 2 / 2; 2^n in two steps, so that results may be denormal. */
FH_INLINE float fh_expf(float x)
{
    float bounded = fh_select(x < 89.0f, x, 89.0f);
    bounded = fh_select(bounded > -104.0f, bounded, -104.0f);
    float n = fh_nearest(bounded * 0x1.715476p0f);
    float r = bounded - n * 0x1.62e4p-1f; /* ln 2, its first 13 bits: exact */
    r = r - n * 0x1.7f7d1cp-20f;
    float p = 1.381301937e-03f;
    p = p * r + 8.369429536e-03f;
    p = p * r + 4.166845940e-02f;
    p = p * r + 1.666651467e-01f;
    p = p * r + 4.999999304e-01f;
    p = r * r * p + r;
    p = p + 1.0f;
    int32_t power = (int32_t)n, half = power >> 1;
    p = p * fh_float_of_bits((uint32_t)(half + 127) << 23);
    p = p * fh_float_of_bits((uint32_t)(power - half + 127) << 23);
    return fh_select(x != x, x, p);
}

/* exp(x) for x in [-87, 88], where one step scales; NaN stays NaN. */
FH_INLINE float fh_exp_within(float x)
{
    float moved = x * 0x1.715476p0f + 0x1.8p23f; /* n stands in its last bits */
    float n = moved - 0x1.8p23f;
    float r = x - n * 0x1.62e4p-1f;
    r = r - n * 0x1.7f7d1cp-20f;
    float p = 1.381301937e-03f;
    p = p * r + 8.369429536e-03f;
    p = p * r + 4.166845940e-02f;
    p = p * r + 1.666651467e-01f;
    p = p * r + 4.999999304e-01f;
    p = r * r * p + r;
    p = p + 1.0f;
    return p * fh_float_of_bits((fh_bits_of_float(moved) - 0x4b400000 + 127) << 23);
}

/* exp(x) for x <= 0; what would be below 2^-125 is 0. */
FH_INLINE float fh_exp_below(float x)
{
    float bounded = fh_select(x < -87.0f, -87.0f, x);
    return fh_select(x < -87.0f, 0.0f, fh_exp_within(bounded));
}

/* log(x) = e ln 2 + log(1 + f), f in [sqrt(1/2) - 1, sqrt(2) - 1]. */
FH_INLINE float fh_logf(float x)
{
    bool small = x < 0x1p-126f;
    float scaled = fh_select(small, x * 0x1p24f, x);
    uint32_t bits = fh_bits_of_float(scaled);
    int32_t exponent = (int32_t)((bits - 0x3f3504f3) >> 23 << 23); /* sqrt(1/2) and up */
    float f = fh_float_of_bits(bits - (uint32_t)exponent) - 1.0f;
    float e = (float)(exponent >> 23) - fh_select(small, 24.0f, 0.0f);
    float p = 6.756867640e-02f;
    p = p * f - 1.168484078e-01f;
    p = p * f + 1.188836569e-01f;
    p = p * f - 1.240387053e-01f;
    p = p * f + 1.421926724e-01f;
    p = p * f - 1.666809879e-01f;
    p = p * f + 2.000214030e-01f;
    p = p * f - 2.500000764e-01f;
    p = p * f + 3.333331217e-01f;
    float s = f * f;
    float low = e * -0x1.bd0106p-13f + f * s * p - 0.5f * s; /* ln 2 - 0x1.63p-1 */
    float result = e * 0x1.63p-1f + (f + low);
    result = fh_select(x == 0.0f, -INFINITY, result);
    result = fh_select(x < 0.0f, NAN, result);
    return fh_select(x == INFINITY || x != x, x, result);
}

FH_INLINE float fh_sigmoidf(float x)
{
    return 1.0f / (1.0f + fh_expf(-x));
}

/* x + x^3 P(x^2) near 0; 1 - 2 / (exp(2|x|) + 1) beyond. */
FH_INLINE float fh_tanhf(float x)
{
    float magnitude = fabsf(x), s = x * x;
    float p = 2.142805012e-03f;
    p = p * s - 8.177212357e-03f;
    p = p * s + 2.170062052e-02f;
    p = p * s - 5.394674612e-02f;
    p = p * s + 1.333320585e-01f;
    p = p * s - 3.333333080e-01f;
    float near = p * s * x + x;
    float bounded = fh_select(magnitude > 16.0f, 16.0f, magnitude);
    float far = copysignf(1.0f - 2.0f / (fh_exp_within(2.0f * bounded) + 1.0f), x);
    return fh_select(magnitude < 0.625f, near, far);
}

/* x P(x^2) up to 1; 1 - exp(-Q(|x|)) beyond, which is 1 from 4 on. */
FH_INLINE float fh_erff(float x)
{
    float magnitude = fabsf(x), s = x * x;
    float p = -9.641333816e-06f;
    p = p * s + 1.125688344e-04f;
    p = p * s - 8.482819868e-04f;
    p = p * s + 5.220944811e-03f;
    p = p * s - 2.686539982e-02f;
    p = p * s + 1.128378197e-01f;
    p = p * s - 3.761263843e-01f;
    float near = x + x * (p * s + 1.283791671e-01f); /* 2 / sqrt(pi) - 1 */
    float t = fh_select(magnitude < 4.0f, magnitude, 4.0f);
    float q = -2.140464435e-07f;
    q = q * t + 2.478169678e-05f;
    q = q * t - 4.605224884e-04f;
    q = q * t + 4.271188602e-03f;
    q = q * t - 2.535005980e-02f;
    q = q * t + 1.086080610e-01f;
    q = q * t + 6.330645798e-01f;
    q = q * t + 1.129649858e+00f;
    q = q * t - 2.021631360e-04f;
    float far = copysignf(1.0f - fh_exp_within(-q), x);
    return fh_select(x != x, x, fh_select(magnitude < 1.0f, near, far));
}

/* Beyond it the reduction below loses bits: use the C library. */
#define FH_TRIG_LIMIT 8192.0f

/* sin (shift 0) or cos (shift 1) by quadrants; |x| below FH_TRIG_LIMIT. */
FH_INLINE float fh_trigf(float x, int32_t shift)
{
    float n = fh_nearest(x * 0x1.45f306p-1f);
    float r = x - n * 0x1.92p0f; /* pi / 2 in four pieces; the first three times n are exact */
    r = r - n * 0x1.fbp-12f;
    r = r - n * 0x1.51p-22f;
    r = r - n * 0x1.0b4612p-34f;
    int32_t quadrant = (int32_t)n + shift;
    float s = r * r;
    float sine = 2.717362107e-06f;
    sine = sine * s - 1.983923206e-04f;
    sine = sine * s + 8.333329054e-03f;
    sine = sine * s - 1.666666664e-01f;
    sine = sine * s * r + r;
    float cosine = -2.719855256e-07f;
    cosine = cosine * s + 2.479937165e-05f;
    cosine = cosine * s - 1.388888316e-03f;
    cosine = cosine * s + 4.166666662e-02f;
    cosine = cosine * s * s - 0.5f * s + 1.0f;
    float result = fh_select(quadrant & 1, cosine, sine);
    return fh_float_of_bits(fh_bits_of_float(result) ^ (uint32_t)(quadrant & 2) << 30);
}

#endif
