/* Pooling, resizing, batch and group normalisation against plain loops in double precision. */
#include "device/kern/operators_nn.h"
#include "device/kern/scratch.h"
#include "tests/unit/kernels.h"

static const enum layout layouts[] = {PLAIN, REVERSED, SPREAD, BACKWARD};
static const fh_dtype floats[] = {FH_F32, FH_F16, FH_BF16};
static const fh_argument none = {.kind = FH_ARGUMENT_ABSENT};

static double bound_of(fh_dtype dtype)
{
    return dtype == FH_F32 ? 2e-5 : tolerance(dtype) * 4;
}

static void expect(const tensor *got, const tensor *want, const char *what)
{
    int64_t index[FH_MAX_RANK] = {0};
    if (!fh_view_count(&got->view))
        return;
    do {
        bool good =
            close_to(get(&got->view, index), get(&want->view, index), bound_of(got->view.dtype));
        CHECK(good);
        if (!good) {
            printf("%s: %g, want %g\n", what, get(&got->view, index), get(&want->view, index));
            return;
        }
    } while (next_index(&got->view, index));
}

static tensor zeros(uint32_t rank, const int64_t *sizes)
{
    tensor z = make(FH_F64, PLAIN, rank, sizes);
    int64_t index[FH_MAX_RANK] = {0};
    if (fh_view_count(&z.view))
        do
            set(&z.view, index, 0);
        while (next_index(&z.view, index));
    return z;
}

static void add_to(const tensor *t, const int64_t *index, double value)
{
    set(&t->view, index, get(&t->view, index) + value);
}

typedef struct {
    int64_t in[4], out[2], kernel[2], stride[2], pad[2], dilation[2];
    bool include_pad;
    int64_t divisor;
} window;

static const window windows[] = {
    {{2, 3, 6, 7}, {3, 3}, {2, 2}, {2, 2}, {0, 0}, {1, 1}, true, 0},
    {{2, 3, 6, 7}, {3, 4}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, true, 0},
    {{2, 3, 6, 7}, {4, 4}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, true, 0}, /* ceil_mode */
    {{2, 3, 6, 7}, {3, 4}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, false, 0},
    {{1, 2, 9, 8}, {7, 2}, {2, 3}, {1, 3}, {0, 1}, {2, 2}, false, 5},
    {{0, 2, 9, 8}, {7, 2}, {2, 3}, {1, 3}, {0, 1}, {2, 2}, false, 5},
};

/* The place of the largest value of a window; ties take the first. */
static bool largest(const window *w, const tensor *x, const int64_t *out, int64_t *place)
{
    double best = 0;
    bool found = false;
    for (int64_t i = 0; i < w->kernel[0]; i++)
        for (int64_t j = 0; j < w->kernel[1]; j++) {
            int64_t at[4] = {out[0], out[1], out[2] * w->stride[0] - w->pad[0] + i * w->dilation[0],
                             out[3] * w->stride[1] - w->pad[1] + j * w->dilation[1]};
            if (at[2] < 0 || at[3] < 0 || at[2] >= w->in[2] || at[3] >= w->in[3])
                continue;
            double value = get(&x->view, at);
            if (!found || value > best || isnan(value))
                best = value, memcpy(place, at, sizeof at), found = true;
        }
    return found;
}

static void max_pool(void)
{
    for (size_t c = 0; c < sizeof windows / sizeof *windows; c++)
        for (int l = 0; l < 12; l++) {
            const window *w = &windows[c];
            int64_t sizes[] = {w->in[0], w->in[1], w->out[0], w->out[1]};
            int64_t bits[] = {w->in[0], w->in[1], w->kernel[0] * w->kernel[1],
                              ((w->out[0] * w->out[1] + 15) / 16 + 1) * 32};
            fh_dtype dtype = floats[l / 4];
            tensor x = make_random(dtype, layouts[l & 3], 4, w->in, -9, 9);
            if (l & 1 && w->in[0])
                set(&x.view, (int64_t[]){0, 1, 3, 3}, NAN);
            tensor y = make(dtype, layouts[l & 3], 4, sizes), i32 = make(FH_I32, PLAIN, 4, sizes);
            tensor mask = make(FH_I8, PLAIN, 4, bits),
                   dy = make_random(dtype, PLAIN, 4, sizes, -1, 1);
            tensor dx = make(dtype, layouts[l & 3], 4, w->in), want_dx = zeros(4, w->in);
            tensor want = zeros(4, sizes);
            fh_argument k = of_integers(w->kernel, 2), s = of_integers(w->stride, 2);
            fh_argument p = of_integers(w->pad, 2), d = of_integers(w->dilation, 2);
            fh_argument a[] = {of_view(&x), k, s, p, d, of_integer(0), of_view(&y), of_view(&i32)};
            CHECK(fh_op_max_pool2d(a, l & 1 ? &team_of_three : &fh_team_alone) == FH_OK);
            fh_argument b[] = {of_view(&dy),  of_view(&x), of_view(&i32), k, s, p, d,
                               of_integer(0), of_view(&dx)};
            CHECK(fh_op_max_pool2d_backward(b, &fh_team_alone) == FH_OK);
            a[7] = of_view(&mask);
            CHECK(fh_op_max_pool2d(a, &fh_team_alone) == FH_OK);
            int64_t at[FH_MAX_RANK] = {0}, place[4];
            if (fh_view_count(&y.view))
                do {
                    if (!largest(w, &x, at, place))
                        continue;
                    int64_t index = place[2] * w->in[3] + place[3], found = 0;
                    set(&want.view, at, get(&x.view, place));
                    add_to(&want_dx, place, get(&dy.view, at));
                    CHECK(get(&i32.view, at) == (double)index);
                    int64_t o = at[2] * w->out[1] + at[3];
                    for (int64_t t = 0; t < bits[2]; t++)
                        found +=
                            (int)get(&mask.view, (int64_t[]){at[0], at[1], t, o / 8}) >> o % 8 & 1;
                    CHECK(found == 1);
                } while (next_index(&y.view, at));
            expect(&y, &want, "max");
            expect(&dx, &want_dx, "max backward");
            tensor *all[] = {&x, &y, &i32, &mask, &dy, &dx, &want, &want_dx};
            for (int i = 0; i < 8; i++)
                free(all[i]->memory);
        }
}

/* Averages: window of an output in one dimension, cut to the input, and its size before. */
static void cut(int64_t at, int64_t kernel, int64_t stride, int64_t pad, int64_t in, int64_t *from,
                int64_t *to, int64_t *size)
{
    int64_t start = at * stride - pad, end = start + kernel < in + pad ? start + kernel : in + pad;
    *size = end - start;
    *from = start < 0 ? 0 : start, *to = end > in ? in : end;
}

static void average(const window *w, bool adaptive, fh_dtype dtype, enum layout layout)
{
    int64_t sizes[] = {w->in[0], w->in[1], w->out[0], w->out[1]};
    tensor x = make_random(dtype, layout, 4, w->in, -3, 3), y = make(dtype, layout, 4, sizes);
    tensor dy = make_random(dtype, layout, 4, sizes, -3, 3), dx = make(dtype, layout, 4, w->in);
    tensor want = zeros(4, sizes), want_dx = zeros(4, w->in);
    int64_t at[FH_MAX_RANK] = {0};
    if (fh_view_count(&y.view))
        do {
            int64_t top, bottom, left, right, height, width;
            cut(at[2], w->kernel[0], w->stride[0], w->pad[0], w->in[2], &top, &bottom, &height);
            cut(at[3], w->kernel[1], w->stride[1], w->pad[1], w->in[3], &left, &right, &width);
            if (adaptive) {
                top = at[2] * w->in[2] / w->out[0], left = at[3] * w->in[3] / w->out[1];
                bottom = (int64_t)ceil((double)(at[2] + 1) * (double)w->in[2] / (double)w->out[0]);
                right = (int64_t)ceil((double)(at[3] + 1) * (double)w->in[3] / (double)w->out[1]);
            }
            double own = (double)((bottom - top) * (right - left));
            double by = adaptive         ? own
                        : w->divisor     ? (double)w->divisor
                        : w->include_pad ? (double)(height * width)
                                         : own;
            for (int64_t i = top; i < bottom; i++)
                for (int64_t j = left; j < right; j++) {
                    int64_t place[] = {at[0], at[1], i, j};
                    add_to(&want, at, get(&x.view, place) / by);
                    add_to(&want_dx, place, get(&dy.view, at) / by);
                }
        } while (next_index(&y.view, at));
    if (adaptive) {
        fh_argument a[] = {of_view(&x), none, of_view(&y)},
                    b[] = {of_view(&dy), of_view(&x), of_view(&dx)};
        CHECK(fh_op_adaptive_avg_pool2d(a, &team_of_three) == FH_OK);
        CHECK(fh_op_adaptive_avg_pool2d_backward(b, &fh_team_alone) == FH_OK);
    } else {
        fh_argument k = of_integers(w->kernel, 2), s = of_integers(w->stride, 2);
        fh_argument p = of_integers(w->pad, 2), no = of_integer(0);
        fh_argument a[] = {
            of_view(&x), k,          s, p, no, of_integer(w->include_pad), of_integer(w->divisor),
            no,          of_view(&y)};
        fh_argument b[] = {
            of_view(&dy),           of_view(&x), k,           s, p, no, of_integer(w->include_pad),
            of_integer(w->divisor), no,          of_view(&dx)};
        CHECK(fh_op_avg_pool2d(a, &fh_team_alone) == FH_OK);
        CHECK(fh_op_avg_pool2d_backward(b, &team_of_three) == FH_OK);
    }
    expect(&y, &want, "average");
    expect(&dx, &want_dx, "average backward");
    tensor *all[] = {&x, &y, &dy, &dx, &want, &want_dx};
    for (int i = 0; i < 6; i++)
        free(all[i]->memory);
}

static void averages(void)
{
    for (size_t c = 0; c < sizeof windows / sizeof *windows; c++)
        for (int l = 0; l < 12; l++) {
            window w = windows[c];
            average(&w, true, floats[l / 4], layouts[l & 3]);
            if (w.dilation[0] == 1)
                average(&w, false, floats[l / 4], layouts[l & 3]);
        }
}

/* Bilinear and nearest: weights of an output's neighbours in one dimension. */
static void weights_of(int64_t at, int64_t in, int64_t out, bool linear, bool align, double *w)
{
    for (int64_t i = 0; i < in; i++)
        w[i] = 0;
    double scale =
        align ? (out > 1 ? (double)(in - 1) / (double)(out - 1) : 0) : (double)in / (double)out;
    if (!linear) {
        w[(int64_t)(at * scale)] = 1;
        return;
    }
    double place = align ? (double)at * scale : fmax(0, ((double)at + 0.5) * scale - 0.5);
    int64_t first = (int64_t)place < in - 1 ? (int64_t)place : in - 1;
    w[first] += 1 - (place - (double)first);
    w[first + 1 < in ? first + 1 : first] += place - (double)first;
}

static void resizing(void)
{
    static const int64_t shapes[][4] = {{4, 5, 8, 10}, {4, 5, 7, 3}, {1, 3, 4, 1}, {6, 6, 3, 3}};
    for (int c = 0; c < 4; c++)
        for (int form = 0; form < 3; form++)
            for (int l = 0; l < 4; l++) {
                int64_t in[] = {2, 2, shapes[c][0], shapes[c][1]};
                int64_t out[] = {2, 2, shapes[c][2], shapes[c][3]}, at[FH_MAX_RANK] = {0};
                tensor x = make_random(FH_F32, layouts[l], 4, in, -1, 1);
                tensor dy = make_random(FH_F32, layouts[l], 4, out, -1, 1);
                tensor y = make(FH_F32, PLAIN, 4, out), dx = make(FH_F32, PLAIN, 4, in);
                tensor want = zeros(4, out), want_dx = zeros(4, in);
                do {
                    double rows[16], columns[16];
                    weights_of(at[2], in[2], out[2], form > 0, form == 2, rows);
                    weights_of(at[3], in[3], out[3], form > 0, form == 2, columns);
                    for (int64_t i = 0; i < in[2]; i++)
                        for (int64_t j = 0; j < in[3]; j++) {
                            int64_t place[] = {at[0], at[1], i, j};
                            double w = rows[i] * columns[j];
                            add_to(&want, at, w * get(&x.view, place));
                            add_to(&want_dx, place, w * get(&dy.view, at));
                        }
                } while (next_index(&y.view, at));
                fh_argument z = of_double(-1), align = of_integer(form == 2);
                fh_argument near[] = {of_view(&x), none, of_view(&y)};
                fh_argument near_back[] = {of_view(&dy), none, none, z, z, of_view(&dx)};
                fh_argument linear[] = {of_view(&x), none, align, z, z, of_view(&y)};
                fh_argument linear_back[] = {of_view(&dy), none, none, align, z, z, of_view(&dx)};
                if (form == 0) {
                    CHECK(fh_op_upsample_nearest2d(near, &fh_team_alone) == FH_OK);
                    CHECK(fh_op_upsample_nearest2d_backward(near_back, &fh_team_alone) == FH_OK);
                } else {
                    CHECK(fh_op_upsample_bilinear2d(linear, &fh_team_alone) == FH_OK);
                    CHECK(fh_op_upsample_bilinear2d_backward(linear_back, &fh_team_alone) == FH_OK);
                }
                expect(&y, &want, "resize");
                expect(&dx, &want_dx, "resize backward");
                tensor *all[] = {&x, &y, &dy, &dx, &want, &want_dx};
                for (int i = 0; i < 6; i++)
                    free(all[i]->memory);
            }
}

/* Normalisation of one set of elements: batch (a channel) or group (channels of a sample). */
static bool in_set(const int64_t *index, int64_t channels, int64_t groups, int64_t set_)
{
    if (!groups)
        return index[1] == set_;
    return index[0] == set_ / groups && index[1] / (channels / groups) == set_ % groups;
}

static void normalise(uint32_t rank, const int64_t *sizes, int64_t groups, bool training,
                      enum layout layout, fh_dtype dtype)
{
    int64_t n = sizes[0], c = sizes[1], sets = groups ? n * groups : c, stats[] = {n, groups};
    int64_t space = 1;
    for (uint32_t i = 2; i < rank; i++)
        space *= sizes[i];
    tensor x = make_random(dtype, layout, rank, sizes, -1, 5);
    tensor dy = make_random(dtype, groups ? layout : REVERSED, rank, sizes, -1, 1);
    tensor y = make(dtype, layout, rank, sizes), dx = make(dtype, layout, rank, sizes);
    tensor w = make_random(FH_F32, PLAIN, 1, &c, -1, 1),
           b = make_random(FH_F32, SPREAD, 1, &c, -1, 1);
    tensor running = make_random(FH_F32, PLAIN, 1, &c, 1, 2),
           variance = make_random(FH_F32, PLAIN, 1, &c, 1, 2);
    tensor mean = groups ? make(FH_F32, PLAIN, 2, stats) : make(FH_F32, PLAIN, 1, &c);
    tensor rstd = groups ? make(FH_F32, PLAIN, 2, stats) : make(FH_F32, PLAIN, 1, &c);
    tensor dw = make(FH_F32, PLAIN, 1, &c), db = make(FH_F32, PLAIN, 1, &c);
    tensor want = zeros(rank, sizes), want_dx = zeros(rank, sizes), want_dw = zeros(1, &c),
           want_db = zeros(1, &c);
    tensor want_mean = zeros(1, &c), want_variance = zeros(1, &c);
    set(&w.view, (int64_t[]){0}, 0); /* a channel that lets nothing through */
    for (int64_t i = 0; i < sets; i++) {
        double m = groups || training ? 0 : get(&running.view, &i), v = 0, count = 0, s1 = 0,
               s2 = 0;
        int64_t at[FH_MAX_RANK];
        for (int pass = 0; pass < 4; pass++) {
            memset(at, 0, sizeof at);
            do {
                if (!in_set(at, c, groups, i))
                    continue;
                double value = get(&x.view, at), hat = (value - m) / sqrt(v + 1e-5);
                double g = get(&dy.view, at) * get(&w.view, &at[1]);
                if (pass == 0)
                    count += 1, m += groups || training ? value : 0;
                else if (pass == 1)
                    v += (value - m) * (value - m);
                else if (pass == 2) {
                    s1 += g, s2 += g * hat;
                    set(&want.view, at, hat * get(&w.view, &at[1]) + get(&b.view, &at[1]));
                    add_to(&want_dw, &at[1], get(&dy.view, at) * hat);
                    add_to(&want_db, &at[1], get(&dy.view, at));
                } else {
                    double rest = groups || training ? (s1 + hat * s2) / count : 0;
                    set(&want_dx.view, at, (g - rest) / sqrt(v + 1e-5));
                }
            } while (next_index(&x.view, at));
            if (pass == 0 && (groups || training))
                m /= count;
            if (pass == 1)
                v = groups || training ? v / count : get(&variance.view, &i);
        }
        if (!groups) {
            double old = get(&running.view, &i), old_v = get(&variance.view, &i);
            set(&want_mean.view, &i, training ? 0.9 * old + 0.1 * m : old);
            set(&want_variance.view, &i,
                training ? 0.9 * old_v + 0.1 * v * count / (count - 1) : old_v);
        }
    }
    static const bool all_of[] = {true, true, true};
    fh_argument mask = {.kind = FH_ARGUMENT_BOOLS, .count = 3, .bools = all_of};
    if (groups) {
        fh_argument N = of_integer(n), C = of_integer(c), S = of_integer(space),
                    G = of_integer(groups);
        fh_argument a[] = {of_view(&x), of_view(&w),    of_view(&b),   N, C, S, G, of_double(1e-5),
                           of_view(&y), of_view(&mean), of_view(&rstd)};
        CHECK(fh_op_group_norm(a, &team_of_three) == FH_OK);
        fh_argument g[] = {
            of_view(&dy), of_view(&x),  of_view(&mean), of_view(&rstd), of_view(&w), N, C, S, G,
            mask,         of_view(&dx), of_view(&dw),   of_view(&db)};
        CHECK(fh_op_group_norm_backward(g, &team_of_three) == FH_OK);
    } else {
        fh_argument t = of_integer(training);
        fh_argument a[] = {
            of_view(&x),    of_view(&w),     of_view(&b), of_view(&running), of_view(&variance), t,
            of_double(0.1), of_double(1e-5), of_view(&y), of_view(&mean),    of_view(&rstd)};
        CHECK(fh_op_batch_norm(a, &team_of_three) == FH_OK);
        fh_argument g[] = {of_view(&dy),       of_view(&x),    of_view(&w),    of_view(&running),
                           of_view(&variance), of_view(&mean), of_view(&rstd), t,
                           of_double(1e-5),    mask,           of_view(&dx),   of_view(&dw),
                           of_view(&db)};
        CHECK(fh_op_batch_norm_backward(g, &team_of_three) == FH_OK);
        expect(&running, &want_mean, "running mean");
        expect(&variance, &want_variance, "running variance");
    }
    expect(&y, &want, "norm");
    expect(&dx, &want_dx, "norm backward");
    expect(&dw, &want_dw, "norm weight");
    expect(&db, &want_db, "norm bias");
    tensor *all[] = {&x,       &dy,       &y,       &dx,      &w,         &b,
                     &running, &variance, &mean,    &rstd,    &dw,        &db,
                     &want,    &want_dx,  &want_dw, &want_db, &want_mean, &want_variance};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]->memory);
}

static void normalisation(void)
{
    static const int64_t sizes[] = {3, 6, 5, 7, 2};
    for (uint32_t rank = 2; rank <= 5; rank++)
        for (int i = 0; i < 8; i++)
            normalise(rank, sizes, 0, i & 1, layouts[i / 2], i == 7 ? FH_F16 : FH_F32);
    for (int64_t groups = 1; groups <= 6; groups += groups == 3 ? 3 : 1)
        normalise(4, sizes, groups, true, PLAIN, groups == 2 ? FH_BF16 : FH_F32);
    normalise(3, (int64_t[]){2, 3, 2100}, 0, true, PLAIN, FH_F32);
    normalise(3, (int64_t[]){2, 3, 2100}, 3, true, PLAIN, FH_F32);
}

static void refused(void)
{
    tensor t = make(FH_F32, PLAIN, 1, (int64_t[]){3});
    fh_argument a[] = {of_view(&t), none, of_view(&t)};
    CHECK(fh_op_adaptive_avg_pool2d(a, &fh_team_alone) == FH_UNSUPPORTED);
    fh_argument b[] = {of_view(&t),  none,         none,        none, none, of_integer(1),
                       of_double(1), of_double(1), of_view(&t), none, none};
    CHECK(fh_op_batch_norm(b, &fh_team_alone) == FH_UNSUPPORTED);
    free(t.memory);
}

int main(void)
{
    TEST(max_pool);
    TEST(averages);
    TEST(resizing);
    TEST(normalisation);
    TEST(refused);
    fh_scratch_trim();
    return test_report();
}
