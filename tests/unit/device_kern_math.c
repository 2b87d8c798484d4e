/* Elementary functions of f32: every exponent, both signs, many fractions, against double
 * precision. */
#include "device/kern/operators.h"
#include "tests/unit/kernels.h"

typedef double reference(double x);

static double sigmoid_of(double x)
{
    return 1 / (1 + exp(-x));
}

/* The distance of got from the exact value, in units of the last place of the nearest f32 to it. */
static double ulps(float got, double exact)
{
    if (isnan(exact))
        return isnan(got) ? 0 : 1e9;
    float nearest = (float)exact;
    if (isinf(nearest) || isinf(got))
        return got == nearest ? 0 : (fabs(exact) > 3.4e38 && fabsf(got) > 3.4e38f) ? 1 : 1e9;
    int exponent;
    frexp(nearest == 0 ? 0x1p-149 : fabs(exact), &exponent);
    double unit = ldexp(1, exponent - 24 > -149 ? exponent - 24 : -149);
    return fabs((double)got - exact) / unit;
}

/* `least` is what a difference may be without counting, for zeros of periodic functions. */
static void check(const char *name, fh_kernel *kernel, reference *exact, double limit, float below,
                  double least)
{
    enum { FRACTIONS = 1 << 11 };
    static float x[2 * 256 * FRACTIONS], y[2 * 256 * FRACTIONS];
    int64_t count = 0;
    for (uint32_t top = 0; top < 512; top++)
        for (int i = 0; i < FRACTIONS; i++) {
            uint32_t fraction = i < 3   ? (uint32_t)i
                                : i < 6 ? 0x7fffffu - (uint32_t)(i - 3)
                                        : (uint32_t)random_bits() & 0x7fffff;
            uint32_t bits = top << 23 | fraction;
            float value;
            memcpy(&value, &bits, 4);
            if (!(fabsf(value) >= below) || isnan(value))
                x[count++] = value;
        }
    fh_view in = {x, FH_F32, 1, {count}, {1}}, out = {y, FH_F32, 1, {count}, {1}};
    fh_argument arguments[] = {{.kind = FH_ARGUMENT_VIEW, .view = &in},
                               {.kind = FH_ARGUMENT_VIEW, .view = &out}};
    CHECK(kernel(arguments, &fh_team_alone) == FH_OK);
    double worst = 0;
    float where = 0;
    for (int64_t i = 0; i < count; i++) {
        double want = exact(x[i]), error = ulps(y[i], want);
        if (error > worst && !(fabs(y[i] - want) <= least)) {
            worst = error;
            where = x[i];
        }
    }
    printf("  %-10s %.2f ulp at %a\n", name, worst, (double)where);
    CHECK(worst <= limit);
}

static void functions_are_as_exact_as_stated(void)
{
    check("exp", fh_op_exp, exp, 1, INFINITY, 0);
    check("log", fh_op_log, log, 1, INFINITY, 0);
    check("tanh", fh_op_tanh, tanh, 1.5, INFINITY, 0);
    check("erf", fh_op_erf, erf, 1.2, INFINITY, 0);
    check("sigmoid", fh_op_sigmoid, sigmoid_of, 2.5, INFINITY, 0x1p-126);
    check("sin", fh_op_sin, sin, 2.5, INFINITY, 0x1p-25);
    check("cos", fh_op_cos, cos, 2.5, INFINITY, 0x1p-25);
    check("sqrt", fh_op_sqrt, sqrt, 0.51, INFINITY, 0);
}

static void halves_convert_exactly(void)
{
    static uint16_t half[65536];
    static float single[65536];
    int64_t wrong = 0, back = 0;
    for (int i = 0; i < 65536; i++)
        half[i] = (uint16_t)i;
    fh_view h = {half, FH_F16, 1, {65536}, {1}}, f = {single, FH_F32, 1, {65536}, {1}};
    fh_argument arguments[] = {{.kind = FH_ARGUMENT_VIEW, .view = &f},
                               {.kind = FH_ARGUMENT_VIEW, .view = &h}};
    CHECK(fh_op_inplace_copy(arguments, &fh_team_alone) == FH_OK);
    for (int i = 0; i < 65536; i++) {
        double want = half_value((uint16_t)i);
        wrong += isnan(want) ? !isnan(single[i])
                             : single[i] != want || !signbit(single[i]) != !signbit(want);
    }
    CHECK(wrong == 0);
    /* Back, from numbers at and around the middle between halves. */
    for (int i = 0; i < 65536; i++) {
        uint32_t bits = (uint32_t)random_bits();
        memcpy(&single[i], &bits, 4);
        if (i % 2)
            single[i] =
                (float)((half_value((uint16_t)(i / 2)) + half_value((uint16_t)(i / 2 + 1))) / 2);
        if (i % 8 == 3)
            single[i] = nextafterf(single[i], INFINITY);
    }
    fh_argument reverse[] = {arguments[1], arguments[0]};
    CHECK(fh_op_inplace_copy(reverse, &fh_team_alone) == FH_OK);
    for (int i = 0; i < 65536; i++)
        back += half[i] != half_of(single[i]) && !isnan(single[i]);
    CHECK(back == 0);
}

int main(void)
{
    TEST(functions_are_as_exact_as_stated);
    TEST(halves_convert_exactly);
    return test_report();
}
