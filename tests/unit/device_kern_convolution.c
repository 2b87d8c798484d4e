/* Convolutions of one to three dimensions and their gradients against plain loops in double
 * precision. */
#include "device/kern/operators_nn.h"
#include "device/kern/scratch.h"
#include "tests/unit/kernels.h"

typedef struct {
    uint32_t space; /* dimensions */
    int64_t n, groups, inputs, outputs;
    int64_t in[3], kernel[3], stride[3], pad[3], dilation[3], more[3]; /* more: output_padding */
    bool transposed, bias;
    fh_dtype dtype;
    enum layout layout;
} setting;

static int64_t size_out(const setting *s, uint32_t i)
{
    int64_t reach = s->dilation[i] * (s->kernel[i] - 1);
    if (s->transposed)
        return (s->in[i] - 1) * s->stride[i] - 2 * s->pad[i] + reach + s->more[i] + 1;
    return (s->in[i] + 2 * s->pad[i] - reach - 1) / s->stride[i] + 1;
}

static fh_view flat_view(const tensor *t)
{
    return t->view;
}

/* Calls for every term of the convolution: big is the side with the stride, small the other. */
typedef void term(void *context, const int64_t *big, const int64_t *w, const int64_t *small);

static void over_terms(const setting *s, const tensor *w, const tensor *small, const tensor *big,
                       term *each, void *context)
{
    int64_t i[FH_MAX_RANK] = {0}, k[FH_MAX_RANK] = {0}, b[FH_MAX_RANK];
    fh_view weights = flat_view(w);
    if (!fh_view_count(&small->view))
        return;
    do {
        memset(k, 0, sizeof k);
        do {
            int64_t per_group = w->view.sizes[0] / s->groups, group = k[0] / per_group;
            bool inside = i[1] == k[0];
            b[0] = i[0], b[1] = group * w->view.sizes[1] + k[1];
            for (uint32_t d = 0; d < s->space; d++) {
                b[d + 2] = i[d + 2] * s->stride[d] - s->pad[d] + k[d + 2] * s->dilation[d];
                inside &= b[d + 2] >= 0 && b[d + 2] < big->view.sizes[d + 2];
            }
            if (inside)
                each(context, b, k, i);
        } while (next_index(&weights, k));
    } while (next_index(&small->view, i));
}

typedef struct {
    const tensor *small, *w, *big;    /* values */
    tensor small_sum, w_sum, big_sum; /* f64: what each is as a result of the other two */
} sums;

static void add_to(const tensor *t, const int64_t *index, double value)
{
    set(&t->view, index, get(&t->view, index) + value);
}

static void add_term(void *context, const int64_t *big, const int64_t *w, const int64_t *small)
{
    sums *s = context;
    double x = get(&s->big->view, big), y = get(&s->small->view, small), k = get(&s->w->view, w);
    add_to(&s->small_sum, small, x * k);
    add_to(&s->big_sum, big, y * k);
    add_to(&s->w_sum, w, x * y);
}

static tensor zeros_like(const tensor *t)
{
    tensor z = make(FH_F64, PLAIN, t->view.rank, t->view.sizes);
    int64_t index[FH_MAX_RANK] = {0};
    if (fh_view_count(&z.view))
        do
            set(&z.view, index, 0);
        while (next_index(&z.view, index));
    return z;
}

static void compare(const setting *s, const tensor *got, const tensor *want, const tensor *bias,
                    const char *what)
{
    int64_t index[FH_MAX_RANK] = {0};
    double bound = s->dtype == FH_F32 ? 2e-5 : s->dtype == FH_F16 ? 2e-2 : 1e-1;
    if (!fh_view_count(&got->view))
        return;
    do {
        double value = get(&want->view, index) + (bias ? get(&bias->view, &index[1]) : 0);
        bool good = close_to(get(&got->view, index), value, bound);
        CHECK(good);
        if (!good) {
            printf("%s: %uD n%d g%d kernel %d stride %d transposed %d %s: %g, want %g\n", what,
                   s->space, (int)s->n, (int)s->groups, (int)s->kernel[0], (int)s->stride[0],
                   s->transposed, fh_dtype_name(s->dtype), get(&got->view, index), value);
            return;
        }
    } while (next_index(&got->view, index));
}

static void check(const setting *s, const fh_team *team)
{
    int64_t in[5] = {s->n, s->inputs}, out[5] = {s->n, s->outputs};
    int64_t w[5] = {s->transposed ? s->inputs : s->outputs,
                    (s->transposed ? s->outputs : s->inputs) / s->groups};
    uint32_t rank = s->space + 2;
    for (uint32_t i = 0; i < s->space; i++)
        in[i + 2] = s->in[i], out[i + 2] = size_out(s, i), w[i + 2] = s->kernel[i];
    tensor x = make_random(s->dtype, s->layout, rank, in, -1, 1);
    tensor k = make_random(s->dtype, s->layout == REVERSED ? PLAIN : s->layout, rank, w, -1, 1);
    tensor dy = make_random(s->dtype, s->layout, rank, out, -1, 1);
    tensor bias = make_random(s->dtype, PLAIN, 1, &s->outputs, -1, 1);
    tensor y = make_random(s->dtype, s->layout, rank, out, NAN, NAN);
    tensor dx = make_random(s->dtype, s->layout, rank, in, NAN, NAN);
    tensor dk = make_random(s->dtype, PLAIN, rank, w, NAN, NAN);
    tensor db = make_random(s->dtype, PLAIN, 1, &s->outputs, NAN, NAN);
    fh_argument none = {.kind = FH_ARGUMENT_ABSENT};
    fh_argument stride = of_integers(s->stride, s->space), pad = of_integers(s->pad, s->space);
    fh_argument dilation = of_integers(s->dilation, s->space);
    fh_argument more = of_integers(s->more, s->space);
    fh_argument forward[] = {of_view(&x),
                             of_view(&k),
                             s->bias ? of_view(&bias) : none,
                             stride,
                             pad,
                             dilation,
                             of_integer(s->transposed),
                             more,
                             of_integer(s->groups),
                             of_view(&y),
                             of_integer(0)};
    CHECK(fh_op_convolution(forward, team) == FH_OK);
    static const bool all[] = {true, true, true};
    fh_argument mask = {.kind = FH_ARGUMENT_BOOLS, .count = 3, .bools = all};
    fh_argument backward[] = {of_view(&dy), of_view(&x),
                              of_view(&k),  none,
                              stride,       pad,
                              dilation,     of_integer(s->transposed),
                              more,         of_integer(s->groups),
                              mask,         of_integer(0),
                              of_view(&dx), of_view(&dk),
                              of_view(&db)};
    CHECK(fh_op_convolution_backward(backward, team) == FH_OK);
    /* One pass with the values of forward, one with those of backward. */
    const tensor *small = s->transposed ? &x : &y, *big = s->transposed ? &y : &x;
    sums f = {s->transposed ? &x : &dy, &k,
              s->transposed ? &dy : &x, zeros_like(small),
              zeros_like(&k),           zeros_like(big)};
    over_terms(s, &k, small, big, add_term, &f);
    /* small_sum is y of x and w, or dx of dy and w; big_sum the other way; w_sum is dw. */
    if (s->transposed) {
        compare(s, &y, &f.big_sum, s->bias ? &bias : NULL, "forward");
        compare(s, &dx, &f.small_sum, NULL, "input");
    } else {
        compare(s, &y, &f.small_sum, s->bias ? &bias : NULL, "forward");
        compare(s, &dx, &f.big_sum, NULL, "input");
    }
    compare(s, &dk, &f.w_sum, NULL, "weight");
    tensor want = zeros_like(&db);
    int64_t index[FH_MAX_RANK] = {0};
    if (fh_view_count(&dy.view))
        do
            add_to(&want, &index[1], get(&dy.view, index));
        while (next_index(&dy.view, index));
    compare(s, &db, &want, NULL, "bias");
    tensor *ts[] = {&x,  &k,  &dy,          &bias,    &y,         &dx,
                    &dk, &db, &f.small_sum, &f.w_sum, &f.big_sum, &want};
    for (size_t i = 0; i < sizeof ts / sizeof *ts; i++)
        free(ts[i]->memory);
}

#define ONES \
    { \
        1, 1, 1 \
    }
static const setting settings[] = {
    {2, 2, 1, 3, 4, {6, 7}, {3, 3}, ONES, {1, 1}, ONES, {0}, false, true, FH_F32, PLAIN},
    {2, 2, 1, 3, 4, {6, 7}, {1, 1}, ONES, {0, 0}, ONES, {0}, false, true, FH_F32, PLAIN},
    {2, 2, 1, 3, 4, {6, 7}, {1, 1}, {2, 2}, {0, 0}, ONES, {0}, false, false, FH_F32, PLAIN},
    {2, 1, 1, 3, 5, {9, 8}, {7, 5}, {2, 3}, {3, 2}, ONES, {0}, false, false, FH_F32, PLAIN},
    {2, 2, 2, 4, 6, {6, 7}, {3, 2}, {1, 2}, {1, 0}, {2, 1}, {0}, false, true, FH_F32, PLAIN},
    {2, 2, 4, 4, 4, {6, 7}, {3, 3}, ONES, {1, 1}, ONES, {0}, false, false, FH_F32, PLAIN},
    {2, 2, 1, 3, 4, {6, 7}, {3, 3}, ONES, {1, 1}, ONES, {0}, false, true, FH_F32, REVERSED},
    {2, 2, 1, 3, 4, {6, 7}, {3, 3}, {2, 1}, {1, 1}, ONES, {0}, false, true, FH_F32, SPREAD},
    {2, 2, 1, 3, 4, {6, 7}, {1, 1}, ONES, {0, 0}, ONES, {0}, false, true, FH_F32, BACKWARD},
    {2, 2, 1, 3, 4, {6, 7}, {3, 3}, ONES, {1, 1}, ONES, {0}, false, true, FH_F16, PLAIN},
    {2, 2, 1, 3, 4, {6, 7}, {3, 3}, ONES, {1, 1}, ONES, {0}, false, true, FH_BF16, SPREAD},
    {2, 2, 1, 3, 4, {6, 7}, {3, 3}, {2, 2}, {1, 1}, ONES, {1, 0}, true, true, FH_F32, PLAIN},
    {2, 2, 2, 4, 6, {5, 4}, {2, 3}, {3, 1}, {0, 1}, {1, 2}, {2, 0}, true, true, FH_F32, PLAIN},
    {2, 2, 1, 4, 6, {5, 4}, {1, 1}, ONES, {0, 0}, ONES, {0}, true, true, FH_F16, PLAIN},
    {1, 3, 1, 3, 4, {11}, {3}, {2}, {1}, {2}, {0}, false, true, FH_F32, PLAIN},
    {1, 3, 1, 3, 4, {11}, {3}, {2}, {1}, {2}, {1}, true, true, FH_F32, PLAIN},
    {3,
     2,
     1,
     2,
     3,
     {4, 5, 6},
     {2, 3, 3},
     {1, 2, 1},
     {1, 1, 0},
     {1, 1, 2},
     {0},
     false,
     true,
     FH_F32,
     PLAIN},
    {3,
     1,
     2,
     2,
     4,
     {3, 3, 4},
     {2, 3, 3},
     {2, 2, 1},
     {1, 1, 0},
     ONES,
     {1, 0, 0},
     true,
     true,
     FH_F32,
     PLAIN},
    {2, 9, 2, 4, 6, {6, 7}, {3, 3}, ONES, {1, 1}, ONES, {0}, false, true, FH_F32, PLAIN},
    {2, 9, 1, 4, 6, {6, 7}, {1, 1}, ONES, {0, 0}, ONES, {0}, false, true, FH_F32, PLAIN},
    {2, 9, 1, 4, 6, {3, 4}, {3, 3}, {2, 2}, {1, 1}, ONES, {1, 1}, true, true, FH_F16, REVERSED},
    {2, 7, 1, 4, 6, {14, 13}, {3, 3}, ONES, {1, 1}, ONES, {0}, false, true, FH_F32, PLAIN},
    {2, 0, 1, 3, 4, {6, 7}, {3, 3}, ONES, {1, 1}, ONES, {0}, false, false, FH_F32, PLAIN},
    {2, 3, 1, 40, 17, {20, 21}, {3, 3}, ONES, {1, 1}, ONES, {0}, false, true, FH_F32, PLAIN},
    {2, 2, 1, 3, 4, {2, 2}, {3, 3}, ONES, {4, 4}, ONES, {0}, false, true, FH_F32, PLAIN},
};

static void against_loops(void)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i += TEST_EVERY) {
        check(&settings[i], &fh_team_alone);
        check(&settings[i], &team_of_three);
    }
}

static void refused(void)
{
    tensor t = make(FH_F64, PLAIN, 3, (int64_t[]){1, 1, 4});
    fh_argument none = {.kind = FH_ARGUMENT_ABSENT};
    fh_argument x[] = {of_view(&t),   of_view(&t), none,          none,        none,         none,
                       of_integer(0), none,        of_integer(1), of_view(&t), of_integer(0)};
    CHECK(fh_op_convolution(x, &fh_team_alone) == FH_UNSUPPORTED);
    t.view.dtype = FH_F32;
    static const int64_t zero[] = {0};
    x[3] = of_integers(zero, 1);
    CHECK(fh_op_convolution(x, &fh_team_alone) == FH_INVALID);
    free(t.memory);
}

int main(void)
{
    TEST(against_loops);
    TEST(refused);
    fh_scratch_trim();
    return test_report();
}
