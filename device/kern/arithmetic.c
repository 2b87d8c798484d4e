/* Arithmetic of two and three tensors. Integers wrap; dividing them by zero fails, as in PyTorch.
 */
#include "device/kern/loops.h"

FH_INLINE int64_t divide(int64_t a, int64_t b, const fh_parameters *p)
{
    if (b == 0)
        __atomic_store_n(p->failed, 1, __ATOMIC_RELAXED);
    return b == 0 ? 0 : b == -1 ? -a : a / b; /* the lowest number by -1 would trap */
}

FH_INLINE int64_t divide_floor(int64_t a, int64_t b, const fh_parameters *p)
{
    int64_t quotient = divide(a, b, p);
    return quotient - (quotient * b != a && (a < 0) != (b < 0));
}

FH_INLINE int64_t modulo(int64_t a, int64_t b, const fh_parameters *p)
{
    return a - divide(a, b, p) * b;
}

FH_INLINE int64_t modulo_floor(int64_t a, int64_t b, const fh_parameters *p)
{
    return a - divide_floor(a, b, p) * b;
}

FH_INLINE double remainder_floor(double a, double b)
{
    double rest = fmod(a, b);
    return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}

/* As Python's //: from the exact remainder, so that the floor is not off by one. */
FH_INLINE double quotient_floor(double a, double b)
{
    if (b == 0)
        return a / b;
    double rest = fmod(a, b), quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0))
        quotient -= 1;
    if (quotient == 0)
        return copysign(0, a / b);
    double low = floor(quotient);
    return quotient - low > 0.5 ? low + 1 : low;
}

FH_INLINE float remainder_floorf(float a, float b)
{
    float rest = fmodf(a, b);
    return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}

FH_INLINE float quotient_floorf(float a, float b)
{
    if (b == 0)
        return a / b;
    float rest = fmodf(a, b), quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0))
        quotient -= 1;
    if (quotient == 0)
        return copysignf(0, a / b);
    float low = floorf(quotient);
    return quotient - low > 0.5f ? low + 1 : low;
}

/* A negative power of an integer is 0 but for 1 and -1, as in PyTorch. */
FH_INLINE int64_t integer_power(int64_t a, int64_t b)
{
    if (b < 0)
        return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
    int64_t result = 1;
    for (; b; b >>= 1, a *= a)
        result = b & 1 ? result * a : result;
    return result;
}

/*                  name  inputs, numbers, floats, integers */
FH_ANY_OPERATOR(add, 2, 1, a + s0 * b, a + s0 * b)
FH_ANY_OPERATOR(sub, 2, 1, a - s0 * b, a - s0 * b)
FH_ANY_OPERATOR(rsub, 2, 1, b - s0 * a, b - s0 * a)
FH_ANY_OPERATOR(mul, 2, 0, a *b, a *b)
FH_ANY_OPERATOR(maximum, 2, 0, a > b || a != a ? a : b, a > b ? a : b)
FH_ANY_OPERATOR(minimum, 2, 0, a < b || a != a ? a : b, a < b ? a : b)
FH_FLOAT_OPERATOR(div, 2, 0, a / b, a / b)
FH_FLOAT_OPERATOR(atan2, 2, 0, atan2f(a, b), atan2(a, b))
FH_FLOAT_OPERATOR(xlogy, 2, 0,
                  b != b   ? NAN
                  : a == 0 ? 0
                           : a * fh_logf(b),
                  b != b   ? NAN
                  : a == 0 ? 0
                           : a * log(b))
FH_ANY_OPERATOR(div_trunc, 2, 0, (T)trunc(a / b), (T)divide(a, b, p))
FH_ANY_OPERATOR(floor_divide, 2, 0,
                _Generic(a, float
                         : quotient_floorf, default
                         : quotient_floor)(a, b),
                (T)divide_floor(a, b, p))
FH_ANY_OPERATOR(remainder, 2, 0,
                _Generic(a, float
                         : remainder_floorf, default
                         : remainder_floor)(a, b),
                (T)modulo_floor(a, b, p))
FH_ANY_OPERATOR(fmod, 2, 0, _Generic(a, float : fmodf, default : fmod)(a, b), (T)modulo(a, b, p))
FH_ANY_OPERATOR(pow_general, 2, 0,
                _Generic(a, float
                         : powf, default
                         : pow)(a, b),
                (T)integer_power(a, b))
FH_ANY_OPERATOR(addcmul, 3, 1, a + s0 * b * c, a + s0 * b * c)
FH_FLOAT_OPERATOR(addcdiv, 3, 1, a + s0 * b / c, a + s0 * b / c)
/* From the nearer end, so that the weight 1 gives the end itself. */
FH_FLOAT_OPERATOR(lerp, 3, 0, fabsf(c) < 0.5f ? a + c * (b - a) : b - (b - a) * (1 - c),
                  fabs(c) < 0.5 ? a + c * (b - a) : b - (b - a) * (1 - c))

/* Powers that are products or roots: exact and vectorisable. */
FH_ANY_OPERATOR(square, 1, 0, a *a, a *a)
FH_ANY_OPERATOR(cube, 1, 0, a *a *a, a *a *a)
FH_FLOAT_OPERATOR(root, 1, 0, sqrtf(a), sqrt(a))
FH_FLOAT_OPERATOR(inverse_root, 1, 0, 1 / sqrtf(a), 1 / sqrt(a))
FH_FLOAT_OPERATOR(inverse, 1, 0, 1 / a, 1 / a)
FH_FLOAT_OPERATOR(inverse_square, 1, 0, 1 / (a * a), 1 / (a * a))

static fh_status power(const fh_argument *arguments, bool in_place, const fh_team *team)
{
    static const struct {
        double exponent;
        const fh_elementwise *op;
    } simple[] = {
        {2, &square_op},          {3, &cube_op},     {0.5, &root_op},
        {-0.5, &inverse_root_op}, {-1, &inverse_op}, {-2, &inverse_square_op},
    };
    const fh_argument *inputs[] = {&arguments[0], &arguments[1]};
    const fh_view *out = arguments[in_place ? 0 : 2].view;
    bool floating = fh_elementwise_promote(inputs, 2) <= FH_IN_F64;
    if (arguments[0].kind == FH_ARGUMENT_VIEW && arguments[1].kind == FH_ARGUMENT_NUMBER) {
        double exponent = fh_number_double(arguments[1].number);
        if (!floating && exponent < 0)
            return fh_error(FH_INVALID, "integers to a negative integer power are not integers");
        for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
            if (exponent == simple[i].exponent && (floating || exponent == 2 || exponent == 3)) {
                if (fh_elementwise_promote(inputs, 1) > FH_IN_F64 && floating)
                    break; /* an integer tensor to a power like 2.0 computes in floats */
                return fh_elementwise_apply(simple[i].op, inputs, 1, out,
                                            &(fh_parameters){.f = {0}}, team);
            }
    }
    return fh_elementwise_apply(&pow_general_op, inputs, 2, out, &(fh_parameters){.f = {0}}, team);
}

fh_status fh_op_pow(const fh_argument *arguments, const fh_team *team)
{
    return power(arguments, false, team);
}

fh_status fh_op_inplace_pow(const fh_argument *arguments, const fh_team *team)
{
    return power(arguments, true, team);
}

/* Modes of aclnnDivMod: 0 exact, 1 towards zero, 2 down. */
static fh_status divide_mode(const fh_argument *arguments, bool in_place, const fh_team *team)
{
    static const fh_elementwise *const modes[] = {&div_op, &div_trunc_op, &floor_divide_op};
    int64_t mode = arguments[2].integer;
    if (mode < 0 || mode > 2)
        return fh_error(FH_INVALID, "rounding mode %lld of a division is none of 0, 1, 2",
                        (long long)mode);
    fh_argument simple[] = {arguments[0], arguments[1], arguments[in_place ? 0 : 3]};
    return fh_elementwise_call(modes[mode], simple, false, team);
}

fh_status fh_op_div_mode(const fh_argument *arguments, const fh_team *team)
{
    return divide_mode(arguments, false, team);
}

fh_status fh_op_inplace_div_mode(const fh_argument *arguments, const fh_team *team)
{
    return divide_mode(arguments, true, team);
}
