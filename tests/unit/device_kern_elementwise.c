/* The element-wise engine and its operators against one-element references in double precision. */
#include "device/kern/elementwise.h"
#include "device/kern/operators.h"
#include "tests/unit/kernels.h"

typedef double reference(double a, double b, double c, const double *s);

#define REFERENCE(name, expression) \
    static double name##_of(double a, double b, double c, const double *s) \
    { \
        (void)a, (void)b, (void)c, (void)s; \
        return expression; \
    }
#define NAN_OR(x) (isnan(a) ? a : isnan(b) ? b : (x))
#define PHI(x) (0.5 * (1 + erf((x) / sqrt(2))))

/*        name, inputs, numbers, also for integers, value */
#define CASES(X) \
    X(add, 2, 1, 1, a + s[0] * b) \
    X(sub, 2, 1, 1, a - s[0] * b) \
    X(rsub, 2, 1, 1, b - s[0] * a) \
    X(mul, 2, 0, 1, a *b) \
    X(div, 2, 0, 0, a / b) \
    X(maximum, 2, 0, 1, NAN_OR(a > b ? a : b)) \
    X(minimum, 2, 0, 1, NAN_OR(a < b ? a : b)) \
    X(eq, 2, 0, 1, a == b) \
    X(ne, 2, 0, 1, a != b) \
    X(lt, 2, 0, 1, a < b) \
    X(le, 2, 0, 1, a <= b) \
    X(gt, 2, 0, 1, a > b) \
    X(ge, 2, 0, 1, a >= b) \
    X(logical_and, 2, 0, 1, a &&b) \
    X(logical_or, 2, 0, 1, a || b) \
    X(logical_xor, 2, 0, 1, !a != !b) \
    X(logical_not, 1, 0, 1, !a) \
    X(is_finite, 1, 0, 1, isfinite(a)) \
    X(is_nan, 1, 0, 1, isnan(a)) \
    X(is_inf, 1, 0, 1, isinf(a)) \
    X(abs, 1, 0, 1, fabs(a)) \
    X(neg, 1, 0, 1, -a) \
    X(sign, 1, 0, 1, (a > 0) - (a < 0)) \
    X(floor, 1, 0, 1, floor(a)) \
    X(ceil, 1, 0, 1, ceil(a)) \
    X(trunc, 1, 0, 1, trunc(a)) \
    X(round, 1, 0, 1, nearbyint(a)) \
    X(square, 1, 0, 1, a *a) \
    X(relu, 1, 0, 1, a < 0 ? 0 : a) \
    X(exp, 1, 0, 0, exp(a)) \
    X(log, 1, 0, 0, log(a)) \
    X(sqrt, 1, 0, 0, sqrt(a)) \
    X(rsqrt, 1, 0, 0, 1 / sqrt(a)) \
    X(reciprocal, 1, 0, 0, 1 / a) \
    X(sin, 1, 0, 0, sin(a)) \
    X(cos, 1, 0, 0, cos(a)) \
    X(tanh, 1, 0, 0, tanh(a)) \
    X(erf, 1, 0, 0, erf(a)) \
    X(sigmoid, 1, 0, 0, 1 / (1 + exp(-a))) \
    X(silu, 1, 0, 0, a / (1 + exp(-a))) \
    X(gelu, 1, 0, 0, a *PHI(a)) \
    X(gelu_tanh, 1, 0, 0, 0.5 * a * (1 + tanh(sqrt(2 / M_PI) * (a + 0.044715 * a * a * a)))) \
    X(leaky_relu, 1, 1, 0, a > 0 ? a : s[0] * a) \
    X(threshold, 1, 2, 1, a <= s[0] ? s[1] : a) \
    X(softplus, 1, 2, 0, a *s[0] > s[1] ? a : log1p(exp(a * s[0])) / s[0]) \
    X(addcmul, 3, 1, 1, a + s[0] * b * c) \
    X(addcdiv, 3, 1, 0, a + s[0] * b / c) \
    X(lerp, 3, 0, 0, a + c * (b - a)) \
    X(sigmoid_backward, 2, 0, 0, a *b *(1 - b)) \
    X(tanh_backward, 2, 0, 0, a *(1 - b * b)) \
    X(silu_backward, 2, 0, 0, \
      a *(1 / (1 + exp(-b)) + b * exp(-b) / ((1 + exp(-b)) * (1 + exp(-b))))) \
    X(gelu_backward, 2, 0, 0, a *(PHI(b) + b * exp(-b * b / 2) / sqrt(2 * M_PI))) \
    X(threshold_backward, 2, 1, 1, b <= s[0] ? 0 : a)

#define X(name, inputs, numbers, integers, value) REFERENCE(name, value)
CASES(X)
#undef X

typedef struct {
    const char *name;
    fh_kernel *kernel, *in_place;
    reference *value;
    unsigned inputs, numbers;
    bool integers;
} operator_case;

static const operator_case cases[] = {
#define X(name, inputs, numbers, integers, value) \
    {#name, fh_op_##name, fh_op_inplace_##name, name##_of, inputs, numbers, integers},
    CASES(X)
#undef X
};

static const double numbers_of_test[] = {2, 3, 1};

static bool is_predicate(const operator_case *op)
{
    return strstr(
               "eq ne lt le gt ge logical_and logical_or logical_xor logical_not is_finite is_nan "
               "is_inf",
               op->name) != NULL;
}

/* What a wrong element was, once per call. */
static void compare(const operator_case *op, const tensor *in, const tensor *out, double relative)
{
    int64_t index[FH_MAX_RANK] = {0}, wrong = 0;
    if (!fh_view_count(&out->view))
        return;
    do {
        double x[3] = {0};
        for (unsigned k = 0; k < op->inputs; k++)
            x[k] = get_broadcast(&in[k].view, &out->view, index);
        double want = op->value(x[0], x[1], x[2], numbers_of_test), got = get(&out->view, index);
        if (out->view.dtype == FH_BOOL)
            want = want != 0;
        if (out->view.dtype == FH_U8)
            want = (uint8_t)(int64_t)want; /* integers wrap */
        if (out->view.dtype == FH_F16 && fabs(want) > 1000)
            continue; /* near what f16 can hold, rounding decides */
        double scale = fabs(x[0]) + fabs(x[1] * (op->inputs == 3 ? x[2] : 1)) * 4 + 1;
        if (!close_to(got, want, relative * (isfinite(scale) ? scale : 1)) && wrong++ == 0)
            printf("  %s: of %g %g %g: %g, not %g\n", op->name, x[0], x[1], x[2], got, want);
    } while (next_index(&out->view, index));
    CHECK(wrong == 0);
}

static void run(const operator_case *op, fh_dtype dtype, const enum layout *layouts, uint32_t rank,
                const int64_t *sizes, bool broadcast, const fh_team *team)
{
    tensor t[4];
    fh_argument arguments[8];
    fh_number numbers[3];
    bool integers = dtype != FH_F32 && dtype != FH_F64 && dtype != FH_F16 && dtype != FH_BF16;
    double low = dtype == FH_U8 || dtype == FH_BOOL ? 0
                 : integers                         ? -5
                                                    : -3,
           high = integers ? 6 : 3;
    for (unsigned k = 0; k < op->inputs; k++) {
        int64_t own[FH_MAX_RANK];
        for (uint32_t i = 0; i < rank; i++)
            own[i] = broadcast && (i + k) % 2 ? 1 : sizes[i];
        bool shorter = broadcast && k == 1 && rank > 1;
        t[k] = make_random(dtype, layouts[k], rank - shorter, own + shorter, low, high);
        arguments[k] = of_view(&t[k]);
    }
    for (unsigned k = 0; k < op->numbers; k++) {
        numbers[k] = (fh_number){.dtype = FH_I64, .i64 = (int64_t)numbers_of_test[k]};
        arguments[op->inputs + k] = of_number(&numbers[k]);
    }
    bool predicate = is_predicate(op);
    fh_dtype result = predicate ? FH_BOOL : dtype;
    t[3] = make(result, layouts[3], rank, sizes);
    arguments[op->inputs + op->numbers] = of_view(&t[3]);
    CHECK(op->kernel(arguments, team) == FH_OK);
    compare(op, t, &t[3], integers && !predicate ? 0 : predicate ? 0 : tolerance(dtype));
    for (unsigned k = 0; k < op->inputs; k++)
        free(t[k].memory);
    free(t[3].memory);
}

static void operators_match_their_formulas(void)
{
    static const fh_dtype dtypes[] = {FH_F32, FH_F16, FH_BF16, FH_F64, FH_I32,
                                      FH_I64, FH_I8,  FH_I16,  FH_U8};
    static const struct {
        uint32_t rank;
        int64_t sizes[4];
    } shapes[] = {{0, {0}},      {1, {0}},      {1, {1}},         {1, {1027}},       {2, {3, 0}},
                  {2, {37, 41}}, {2, {300, 5}}, {3, {2, 65, 33}}, {4, {3, 2, 9, 70}}};
    static const enum layout layouts[][4] = {
        {PLAIN, PLAIN, PLAIN, PLAIN},        {REVERSED, PLAIN, SPREAD, PLAIN},
        {SPREAD, BACKWARD, PLAIN, REVERSED}, {BACKWARD, REVERSED, PLAIN, BACKWARD},
        {PLAIN, PLAIN, REVERSED, SPREAD},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c += TEST_EVERY)
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
            if (d >= 4 && !cases[c].integers)
                continue;
            for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
                run(&cases[c], dtypes[d], layouts[(c + d + s) % 5], shapes[s].rank, shapes[s].sizes,
                    (c + s) % 3 == 0, s % 2 ? &team_of_three : &fh_team_alone);
        }
}

static void every_layout_works(void)
{
    static const int64_t small[] = {3, 4, 9, 5}, large[] = {70, 1, 133, 40};
    for (int code = 0; code < 64; code++) {
        enum layout layouts[4] = {code & 3, code >> 2 & 3, PLAIN, code >> 4 & 3};
        run(&cases[0], FH_F32, layouts, 4, small, code % 2, &fh_team_alone);
        run(&cases[0], FH_BF16, layouts, 4, large, code % 2, &team_of_three);
    }
}

static void special_values_pass_through(void)
{
    static const double values[] = {NAN,   INFINITY, -INFINITY, 0.0, -0.0,
                                    1e-40, 1.5e38,   -1.5e38,   1,   -1.5};
    enum { COUNT = sizeof values / sizeof *values };
    static const int64_t sizes[] = {COUNT, COUNT};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c += TEST_EVERY) {
        if (cases[c].inputs == 3 || strstr(cases[c].name, "backward"))
            continue;
        tensor t[4] = {make(FH_F32, PLAIN, 2, sizes),
                       make(FH_F32, REVERSED, 2, sizes),
                       {.memory = NULL},
                       {.memory = NULL}};
        fh_number numbers[3];
        fh_argument arguments[8] = {of_view(&t[0]), of_view(&t[1])};
        for (int64_t i = 0; i < COUNT; i++)
            for (int64_t j = 0; j < COUNT; j++) {
                set(&t[0].view, (int64_t[]){i, j}, values[i]);
                set(&t[1].view, (int64_t[]){i, j}, values[j]);
            }
        for (unsigned k = 0; k < cases[c].numbers; k++) {
            numbers[k] = (fh_number){.dtype = FH_F64, .f64 = numbers_of_test[k]};
            arguments[cases[c].inputs + k] = of_number(&numbers[k]);
        }
        bool predicate = is_predicate(&cases[c]);
        t[3] = make(predicate ? FH_BOOL : FH_F32, PLAIN, 2, sizes);
        arguments[cases[c].inputs + cases[c].numbers] = of_view(&t[3]);
        CHECK(cases[c].kernel(arguments, &fh_team_alone) == FH_OK);
        int64_t wrong = 0;
        for (int64_t i = 0; i < COUNT; i++)
            for (int64_t j = 0; j < COUNT; j++) {
                double a = (float)values[i], b = (float)values[j];
                double want = cases[c].value(a, b, 0, numbers_of_test);
                double got = get(&t[3].view, (int64_t[]){i, j});
                want = predicate ? want != 0 : (double)(float)want;
                if (!close_to(got, want, 2e-6) && wrong++ == 0)
                    printf("  %s(%g, %g) = %g, not %g\n", cases[c].name, a, b, got, want);
            }
        CHECK(wrong == 0);
        for (int k = 0; k < 4; k++)
            free(t[k].memory);
    }
}

static void in_place_is_the_same(void)
{
    static const int64_t sizes[] = {33, 1030};
    for (int layout = PLAIN; layout <= BACKWARD; layout++) {
        tensor a = make_random(FH_F32, layout, 2, sizes, -2, 2),
               b = make_random(FH_BF16, PLAIN, 2, sizes, -2, 2);
        tensor sum = make(FH_F32, PLAIN, 2, sizes);
        fh_argument add[] = {of_view(&a), of_view(&b), of_integer(1), of_view(&sum)};
        CHECK(fh_op_add(add, &team_of_three) == FH_OK);
        CHECK(fh_op_inplace_add(add, &team_of_three) == FH_OK);
        int64_t index[2] = {0}, wrong = 0;
        do
            wrong += get(&a.view, index) != get(&sum.view, index);
        while (next_index(&a.view, index));
        CHECK(wrong == 0);
        free(a.memory), free(b.memory), free(sum.memory);
    }
}

/* One element through a binary operator of integers. */
static fh_status integer_call(fh_kernel *kernel, fh_dtype dtype, int64_t a, int64_t b,
                              int64_t *result)
{
    tensor x = make(dtype, PLAIN, 0, NULL), y = make(dtype, PLAIN, 0, NULL),
           z = make(dtype, PLAIN, 0, NULL);
    memcpy(x.view.data, &a, fh_dtype_size(dtype));
    memcpy(y.view.data, &b, fh_dtype_size(dtype));
    fh_argument arguments[] = {of_view(&x), of_view(&y), of_view(&z)};
    fh_status status = kernel(arguments, &fh_team_alone);
    *result = 0;
    memcpy(result, z.view.data, fh_dtype_size(dtype));
    if (dtype == FH_I32)
        *result = (int32_t)*result;
    free(x.memory), free(y.memory), free(z.memory);
    return status;
}

static void integers_never_trap(void)
{
    static const struct {
        fh_kernel *kernel;
        fh_dtype dtype;
        int64_t a, b, want;
        bool fails;
    } rows[] = {
        {fh_op_floor_divide, FH_I64, 7, -2, -4, false},
        {fh_op_floor_divide, FH_I64, -7, 2, -4, false},
        {fh_op_floor_divide, FH_I32, 7, 0, 0, true},
        {fh_op_floor_divide, FH_I64, INT64_MIN, -1, INT64_MIN, false},
        {fh_op_remainder, FH_I64, -7, 3, 2, false},
        {fh_op_remainder, FH_I64, 7, -3, -2, false},
        {fh_op_remainder, FH_I32, 7, 0, 0, true},
        {fh_op_fmod, FH_I32, -7, 3, -1, false},
        {fh_op_fmod, FH_I32, INT32_MIN, -1, 0, false},
        {fh_op_left_shift, FH_I32, 1, 31, INT32_MIN, false},
        {fh_op_left_shift, FH_I32, 1, 32, 0, false},
        {fh_op_left_shift, FH_I32, 1, -1, 0, false},
        {fh_op_right_shift, FH_I64, -8, 70, -1, false},
        {fh_op_right_shift, FH_I64, 8, 70, 0, false},
        {fh_op_right_shift, FH_I64, -8, 1, -4, false},
        {fh_op_pow, FH_I64, 3, 5, 243, false},
        {fh_op_pow, FH_I64, 2, -1, 0, false},
        {fh_op_pow, FH_I64, -1, -3, -1, false},
        {fh_op_bitwise_and, FH_I32, 12, 10, 8, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t got;
        fh_status status = integer_call(rows[i].kernel, rows[i].dtype, rows[i].a, rows[i].b, &got);
        CHECK(status == (rows[i].fails ? FH_INVALID : FH_OK));
        CHECK(rows[i].fails || got == rows[i].want);
        if (!rows[i].fails && got != rows[i].want)
            printf("  row %zu: %lld\n", i, (long long)got);
    }
}

static void casts_are_those_of_pytorch_on_x86(void)
{
    static const struct {
        fh_dtype from, to;
        double value, want;
    } rows[] = {
        {FH_F32, FH_I32, NAN, -2147483648.0},
        {FH_F32, FH_I32, 3e9, -2147483648.0},
        {FH_F32, FH_I64, 1e30, -0x1p63},
        {FH_F64, FH_I64, NAN, -0x1p63},
        {FH_F32, FH_U8, -1, 255},
        {FH_F32, FH_U8, 300, 44},
        {FH_F32, FH_I8, 300, 44},
        {FH_F32, FH_I8, NAN, 0},
        {FH_F32, FH_I32, -2.9, -2},
        {FH_F32, FH_BOOL, NAN, 1},
        {FH_F32, FH_BOOL, 0.1, 1},
        {FH_F32, FH_BOOL, 0, 0},
        {FH_I64, FH_F16, 70000, INFINITY},
        {FH_F16, FH_BF16, 1.5, 1.5},
        {FH_I8, FH_U8, -1, 255},
        {FH_I64, FH_I8, 257, 1},
        {FH_BOOL, FH_BF16, 1, 1},
        {FH_U8, FH_BOOL, 7, 1},
        {FH_F64, FH_F32, 1e300, INFINITY},
        {FH_BF16, FH_I16, 12, 12},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const int64_t sizes[] = {5};
        tensor from = make_random(rows[i].from, SPREAD, 1, sizes, rows[i].value, rows[i].value);
        for (int64_t k = 0; k < 5; k++)
            set(&from.view, &k, rows[i].value);
        tensor to = make(rows[i].to, PLAIN, 1, sizes);
        fh_argument arguments[] = {of_view(&from), of_integer(rows[i].to), of_view(&to)};
        CHECK(fh_op_cast(arguments, &fh_team_alone) == FH_OK);
        double got = get(&to.view, (int64_t[]){4});
        CHECK(got == rows[i].want);
        if (got != rows[i].want)
            printf("  row %zu: %g\n", i, got);
        free(from.memory), free(to.memory);
    }
}

static void all_pairs_of_dtypes_copy(void)
{
    static const fh_dtype dtypes[] = {FH_F32, FH_F16, FH_I8,  FH_I32, FH_U8,   FH_I16, FH_U16,
                                      FH_U32, FH_I64, FH_U64, FH_F64, FH_BOOL, FH_BF16};
    static const int64_t sizes[] = {40, 50};
    for (int f = 0; f < 13; f++)
        for (int t = 0; t < 13; t++) {
            tensor from = make_random(dtypes[f], (f + t) % 4, 2, sizes, 0, 100);
            tensor to = make(dtypes[t], t % 4, 2, sizes);
            fh_argument arguments[] = {of_view(&to), of_view(&from)};
            CHECK(fh_op_inplace_copy(arguments, &team_of_three) == FH_OK);
            int64_t index[2] = {0}, wrong = 0;
            do {
                double x = get(&from.view, index), got = get(&to.view, index);
                if (dtypes[t] == FH_BOOL)
                    x = x != 0;
                else if (t != 0 && t != 1 && t != 10 && t != 12)
                    x = trunc(x);
                wrong += !close_to(got, x,
                                   dtypes[t] == FH_BF16  ? 4e-3
                                   : dtypes[t] == FH_F16 ? 5e-4
                                                         : 1e-7);
            } while (next_index(&to.view, index));
            CHECK(wrong == 0);
            free(from.memory), free(to.memory);
        }
}

static void choices_and_fills(void)
{
    static const int64_t sizes[] = {31, 70}, row[] = {70};
    tensor mask = make_random(FH_BOOL, PLAIN, 1, row, -1, 1),
           x = make_random(FH_F16, REVERSED, 2, sizes, -9, 9);
    tensor y = make(FH_F16, PLAIN, 2, sizes);
    for (int64_t i = 0; i < 70; i++)
        set(&mask.view, &i, i % 3 == 0);
    fh_number lowest = {.dtype = FH_F64, .f64 = -INFINITY};
    fh_argument where[] = {of_view(&mask), of_number(&lowest), of_view(&x), of_view(&y)};
    CHECK(fh_op_where(where, &fh_team_alone) == FH_OK);
    fh_argument fill[] = {of_view(&x), of_view(&mask), of_number(&lowest)};
    CHECK(fh_op_inplace_masked_fill(fill, &fh_team_alone) == FH_OK);
    int64_t index[2] = {0}, wrong = 0;
    do {
        double a = get(&x.view, index), b = get(&y.view, index);
        wrong += a != b || !isinf(a) == (index[1] % 3 == 0);
    } while (next_index(&x.view, index));
    CHECK(wrong == 0);
    fh_number three = {.dtype = FH_I64, .i64 = 3};
    fh_argument value[] = {of_view(&x), of_number(&three)};
    CHECK(fh_op_inplace_fill(value, &fh_team_alone) == FH_OK);
    CHECK(get(&x.view, (int64_t[]){30, 69}) == 3);
    fh_number low = {.dtype = FH_F64, .f64 = -0.5}, high = {.dtype = FH_F64, .f64 = 0.25};
    tensor z = make_random(FH_F32, PLAIN, 2, sizes, -1, 1);
    set(&z.view, (int64_t[]){0, 0}, NAN);
    fh_argument clamp[] = {of_view(&z), of_number(&low), of_number(&high)};
    CHECK(fh_op_inplace_clamp(clamp, &fh_team_alone) == FH_OK);
    CHECK(isnan(get(&z.view, (int64_t[]){0, 0})));
    CHECK(get(&z.view, (int64_t[]){3, 4}) <= 0.25 && get(&z.view, (int64_t[]){3, 4}) >= -0.5);
    free(mask.memory), free(x.memory), free(y.memory), free(z.memory);
}

int main(void)
{
    TEST(operators_match_their_formulas);
    TEST(every_layout_works);
    TEST(special_values_pass_through);
    TEST(in_place_is_the_same);
    TEST(integers_never_trap);
    TEST(casts_are_those_of_pytorch_on_x86);
    TEST(all_pairs_of_dtypes_copy);
    TEST(choices_and_fills);
    return test_report();
}
