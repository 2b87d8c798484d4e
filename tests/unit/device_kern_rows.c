/* Reductions, softmax, layer norm, embedding and the classes' loss, against sums written out in
 * double. */
#include "device/kern/operators.h"
#include "tests/unit/kernels.h"

enum kind { SUM, MEAN, PROD, AMAX, AMIN, ANY, ALL, VAR, STD, NORM, LOGSUMEXP, ARGMAX, KINDS };

/* The reduction of values[0..n), by the plainest way. */
static double plain(enum kind kind, const double *x, int64_t n)
{
    double sum = 0, product = 1, squares = 0, exponents = 0, high = -INFINITY, low = INFINITY;
    bool any = false, all = true;
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += x[i];
        product *= x[i];
        exponents += exp(x[i]);
        if (isnan(x[i]) && !isnan(high))
            at = i;
        if (x[i] > high)
            at = i;
        high = isnan(high) || isnan(x[i]) ? NAN : x[i] > high ? x[i] : high;
        low = isnan(low) || isnan(x[i]) ? NAN : x[i] < low ? x[i] : low;
        any |= x[i] != 0;
        all &= x[i] != 0;
        squares += x[i] * x[i];
    }
    double mean = sum / (double)n, deviation = 0;
    for (int64_t i = 0; i < n; i++)
        deviation += (x[i] - mean) * (x[i] - mean);
    double variance = deviation / (double)(n > 1 ? n - 1 : 0);
    const double results[KINDS] = {
        sum,      mean,           product,       high,           low,       any, all,
        variance, sqrt(variance), sqrt(squares), log(exponents), (double)at};
    return results[kind];
}

static const struct {
    fh_kernel *kernel;
    bool dtype, correction, order; /* which arguments it has beside self, dims, keepdim, out */
} calls[KINDS] = {
    [SUM] = {fh_op_sum, true, false, false},
    [MEAN] = {fh_op_mean, true, false, false},
    [PROD] = {fh_op_prod_dim, true, false, false},
    [AMAX] = {fh_op_amax, false, false, false},
    [AMIN] = {fh_op_amin, false, false, false},
    [ANY] = {fh_op_any, false, false, false},
    [ALL] = {fh_op_all, false, false, false},
    [VAR] = {fh_op_var, false, true, false},
    [STD] = {fh_op_std, false, true, false},
    [NORM] = {fh_op_norm, false, false, true},
    [LOGSUMEXP] = {fh_op_logsumexp, false, false, false},
    [ARGMAX] = {fh_op_argmax, false, false, false},
};

static bool reduced(uint32_t mask, uint32_t dim)
{
    return mask >> dim & 1;
}

static void check_reduction(enum kind kind, fh_dtype dtype, enum layout layout, uint32_t rank,
                            const int64_t *sizes, uint32_t mask, double nan_share,
                            const fh_team *team)
{
    bool floats = dtype == FH_F32 || dtype == FH_F64 || dtype == FH_F16 || dtype == FH_BF16;
    bool truth = kind == ANY || kind == ALL;
    tensor in = make_random(dtype, layout, rank, sizes, truth ? 0 : -2,
                            kind == PROD ? 2
                            : truth      ? 2
                                         : 3);
    int64_t index[FH_MAX_RANK] = {0}, kept[FH_MAX_RANK], dims[FH_MAX_RANK];
    uint32_t count = 0;
    if (fh_view_count(&in.view))
        do
            if (floats && random_between(0, 1) < nan_share)
                set(&in.view, index, NAN);
        while (next_index(&in.view, index));
    for (uint32_t i = 0; i < rank; i++) {
        kept[i] = reduced(mask, i) ? 1 : sizes[i];
        if (reduced(mask, i))
            dims[count++] = i % 2 ? (int64_t)i - rank : i;
    }
    fh_dtype result = truth ? FH_BOOL : kind == ARGMAX || !floats ? FH_I64 : dtype;
    tensor out = make(result, layout, rank, kept);
    fh_argument list = of_integers(dims, count), keep = of_integer(1), target = of_view(&out);
    fh_argument arguments[6] = {of_view(&in), list, keep, target};
    if (kind == ARGMAX)
        arguments[1] = of_integer(dims[0]);
    if (calls[kind].dtype)
        arguments[3] = of_integer(result), arguments[4] = target;
    if (calls[kind].correction)
        arguments[2] = of_integer(1), arguments[3] = keep, arguments[4] = target;
    if (calls[kind].order)
        arguments[1] = of_double(2), arguments[2] = list, arguments[3] = keep,
        arguments[4] = target;
    CHECK(calls[kind].kernel(arguments, team) == FH_OK);
    double *values = malloc((size_t)(fh_view_count(&in.view) + 1) * sizeof *values);
    int64_t at[FH_MAX_RANK] = {0}, wrong = 0;
    if (fh_view_count(&out.view))
        do {
            int64_t n = 0;
            memset(index, 0, sizeof index);
            if (fh_view_count(&in.view))
                do {
                    bool here = true;
                    for (uint32_t i = 0; i < rank; i++)
                        here &= reduced(mask, i) || index[i] == at[i];
                    if (here)
                        values[n++] = get(&in.view, index);
                } while (next_index(&in.view, index));
            double want = plain(kind, values, n), got = get(&out.view, at);
            if (!close_to(got, want, floats ? tolerance(dtype) * 2 : 1e-15) && wrong++ == 0)
                printf("  kind %d dtype %s mask %u: %g, not %g\n", kind, fh_dtype_name(dtype), mask,
                       got, want);
        } while (next_index(&out.view, at));
    CHECK(wrong == 0);
    free(values), free(in.memory), free(out.memory);
}

static void reductions_match(void)
{
    static const int64_t sizes[] = {5, 33, 12}, long_row[] = {2, 200}, tall[] = {150, 70};
    static const fh_dtype dtypes[] = {FH_F32, FH_F16, FH_BF16, FH_F64, FH_I64, FH_I32, FH_U8};
    for (int kind = 0; kind < KINDS; kind += TEST_EVERY)
        for (int d = 0; d < 7; d++) {
            bool floats = d < 4;
            if (!floats &&
                (kind == MEAN || kind == VAR || kind == STD || kind == NORM || kind == LOGSUMEXP))
                continue;
            for (uint32_t mask = 1; mask < 8; mask++) {
                if ((kind == ARGMAX || kind == PROD) && mask != 1 && mask != 2 && mask != 4)
                    continue;
                double share = kind == AMAX || kind == AMIN || kind == ARGMAX ? 0.05 : 0;
                check_reduction(kind, dtypes[d], (kind + (int)mask) % 4, 3, sizes, mask, share,
                                mask % 2 ? &team_of_three : &fh_team_alone);
            }
            if (kind == PROD)
                continue;
            check_reduction(kind, dtypes[d], PLAIN, 2, long_row, 2, 0, &team_of_three);
            check_reduction(kind, dtypes[d], PLAIN, 2, tall, 1, 0, &team_of_three);
        }
}

static void empty_reductions(void)
{
    static const int64_t sizes[] = {3, 0};
    check_reduction(SUM, FH_F32, PLAIN, 2, sizes, 2, 0, &fh_team_alone);
    check_reduction(MEAN, FH_F32, PLAIN, 2, sizes, 2, 0, &fh_team_alone);
    check_reduction(ALL, FH_BOOL, PLAIN, 2, sizes, 2, 0, &fh_team_alone);
    check_reduction(SUM, FH_F32, PLAIN, 2, sizes, 1, 0, &fh_team_alone);
    check_reduction(SUM, FH_I64, PLAIN, 0, NULL, 0, 0, &fh_team_alone);
    check_reduction(LOGSUMEXP, FH_F32, PLAIN, 2, sizes, 2, 0, &fh_team_alone);
}

/* Ten million ones and a bit: what f32 addition in a row gets wrong by far. */
static void long_sums_are_exact(void)
{
    static const int64_t sizes[] = {1 << 23};
    tensor x = make(FH_F32, PLAIN, 1, sizes), one = make(FH_F32, PLAIN, 0, NULL),
           three = make(FH_F32, PLAIN, 0, NULL);
    double exact = 0;
    for (int64_t i = 0; i < sizes[0]; i++) {
        ((float *)x.view.data)[i] = (float)random_between(0, 2);
        exact += ((float *)x.view.data)[i];
    }
    fh_argument a[] = {
        of_view(&x), {.kind = FH_ARGUMENT_ABSENT}, of_integer(0), of_integer(0), of_view(&one)};
    CHECK(fh_op_sum(a, &fh_team_alone) == FH_OK);
    CHECK(fabs(get(&one.view, NULL) / exact - 1) < 1e-7);
    a[4] = of_view(&three);
    CHECK(fh_op_sum(a, &team_of_three) == FH_OK);
    CHECK(get(&three.view, NULL) == get(&one.view, NULL));
    free(x.memory), free(one.memory), free(three.memory);
}

static void softmax_matches(void)
{
    static const int64_t sizes[] = {7, 130, 20};
    static const fh_dtype dtypes[] = {FH_F32, FH_F16, FH_BF16, FH_F64};
    for (int code = 0; code < 48; code += TEST_EVERY) {
        fh_dtype dtype = dtypes[code % 4];
        int64_t dim = code / 4 % 3, layout = code / 12;
        tensor x = make_random(dtype, (enum layout)layout, 3, sizes, -30, 30),
               y = make(dtype, PLAIN, 3, sizes);
        tensor l = make(dtype, PLAIN, 3, sizes), g = make_random(dtype, PLAIN, 3, sizes, -1, 1),
               dx = make(dtype, PLAIN, 3, sizes);
        tensor dl = make(dtype, REVERSED, 3, sizes);
        set(&x.view, (int64_t[]){1, 2, 3}, -INFINITY);
        fh_argument a[] = {of_view(&x), of_integer(code % 2 ? dim : dim - 3), of_view(&y)};
        CHECK(fh_op_softmax(a, &team_of_three) == FH_OK);
        a[2] = of_view(&l);
        CHECK(fh_op_log_softmax(a, &fh_team_alone) == FH_OK);
        fh_argument b[] = {of_view(&g), of_view(&y), a[1], of_view(&dx)};
        CHECK(fh_op_softmax_backward(b, &team_of_three) == FH_OK);
        b[1] = of_view(&l), b[3] = of_view(&dl);
        CHECK(fh_op_log_softmax_backward(b, &team_of_three) == FH_OK);
        int64_t index[3] = {0}, wrong = 0;
        do {
            double sum = 0, top = -INFINITY, dot = 0, total = 0;
            int64_t at[3] = {index[0], index[1], index[2]};
            for (at[dim] = 0; at[dim] < sizes[dim]; at[dim]++) {
                double v = get(&x.view, at);
                top = v > top ? v : top;
            }
            for (at[dim] = 0; at[dim] < sizes[dim]; at[dim]++) {
                sum += exp(get(&x.view, at) - top);
                dot += get(&g.view, at) * get(&y.view, at);
                total += get(&g.view, at);
            }
            double v = get(&x.view, index), e = exp(v - top) / sum, t = tolerance(dtype);
            wrong += !close_to(get(&y.view, index), e, t);
            wrong += !close_to(get(&l.view, index), v - top - log(sum), t);
            double p = get(&y.view, index), q = get(&l.view, index), d = get(&g.view, index);
            wrong += !close_to(get(&dx.view, index), p * (d - dot), t * 4);
            wrong += !close_to(get(&dl.view, index), d - exp(q) * total, t * 8);
        } while (next_index(&x.view, index));
        CHECK(wrong == 0);
        free(x.memory), free(y.memory), free(l.memory), free(g.memory), free(dx.memory),
            free(dl.memory);
    }
}

static void layer_norm_matches(void)
{
    static const int64_t sizes[] = {3, 70, 67}, row[] = {67}, outer[] = {3, 70, 1};
    const fh_dtype dtypes[] = {FH_F32, FH_F16, FH_BF16};
    for (int code = 0; code < 6; code++) {
        fh_dtype dtype = dtypes[code % 3];
        bool plain_form = code >= 3;
        tensor x = make_random(dtype, code % 4, 3, sizes, -1, 3),
               w = make_random(dtype, PLAIN, 1, row, -1, 1);
        tensor b = make_random(dtype, PLAIN, 1, row, -1, 1), y = make(dtype, PLAIN, 3, sizes),
               g = make_random(dtype, PLAIN, 3, sizes, -1, 1);
        tensor mean = make(FH_F32, PLAIN, 3, outer), rstd = make(FH_F32, PLAIN, 3, outer),
               dx = make(dtype, PLAIN, 3, sizes);
        tensor dw = make(FH_F32, PLAIN, 1, row), db = make(FH_F32, PLAIN, 1, row);
        fh_argument none = {.kind = FH_ARGUMENT_ABSENT}, shape = of_integers(row, 1);
        fh_argument a[] = {of_view(&x),
                           shape,
                           plain_form ? none : of_view(&w),
                           plain_form ? none : of_view(&b),
                           of_double(1e-5),
                           of_view(&y),
                           of_view(&mean),
                           of_view(&rstd)};
        CHECK(fh_op_layer_norm(a, &team_of_three) == FH_OK);
        static const bool mask[] = {true, true, true};
        fh_argument c[] = {of_view(&g),    of_view(&x),
                           shape,          of_view(&mean),
                           of_view(&rstd), a[2],
                           a[3],           {.kind = FH_ARGUMENT_BOOLS, .count = 3, .bools = mask},
                           of_view(&dx),   of_view(&dw),
                           of_view(&db)};
        CHECK(fh_op_layer_norm_backward(c, &team_of_three) == FH_OK);
        double dws[67] = {0}, dbs[67] = {0}, t = tolerance(dtype);
        int64_t wrong = 0;
        for (int64_t i = 0; i < 3; i++)
            for (int64_t j = 0; j < 70; j++) {
                double m = 0, v = 0, s1 = 0, s2 = 0;
                for (int64_t k = 0; k < 67; k++)
                    m += get(&x.view, (int64_t[]){i, j, k}) / 67;
                for (int64_t k = 0; k < 67; k++)
                    v += pow(get(&x.view, (int64_t[]){i, j, k}) - m, 2) / 67;
                double r = 1 / sqrt(v + 1e-5);
                for (int64_t k = 0; k < 67; k++) {
                    double xh = (get(&x.view, (int64_t[]){i, j, k}) - m) * r,
                           gw = get(&g.view, (int64_t[]){i, j, k});
                    dws[k] += gw * xh, dbs[k] += gw;
                    gw *= plain_form ? 1 : get(&w.view, &k);
                    s1 += gw / 67, s2 += gw * xh / 67;
                    double want = plain_form ? xh : xh * get(&w.view, &k) + get(&b.view, &k);
                    wrong += !close_to(get(&y.view, (int64_t[]){i, j, k}), want, t * 2);
                }
                for (int64_t k = 0; k < 67; k++) {
                    double xh = (get(&x.view, (int64_t[]){i, j, k}) - m) * r,
                           gw = get(&g.view, (int64_t[]){i, j, k});
                    gw *= plain_form ? 1 : get(&w.view, &k);
                    wrong += !close_to(get(&dx.view, (int64_t[]){i, j, k}), r * (gw - s1 - xh * s2),
                                       t * 8);
                }
                wrong += !close_to(get(&mean.view, (int64_t[]){i, j, 0}), m, 1e-6);
                wrong += !close_to(get(&rstd.view, (int64_t[]){i, j, 0}), r, 1e-5);
            }
        for (int64_t k = 0; k < 67; k++)
            wrong += !close_to(get(&dw.view, &k), dws[k], 2e-5) +
                     !close_to(get(&db.view, &k), dbs[k], 2e-5);
        CHECK(wrong == 0);
        free(x.memory), free(w.memory), free(b.memory), free(y.memory), free(g.memory),
            free(mean.memory);
        free(rstd.memory), free(dx.memory), free(dw.memory), free(db.memory);
    }
}

/* Results that are written past the caches are the same as those of a part that is not. */
static void big_results_match(void)
{
    static const int64_t sizes[] = {13001, 1003}, few[] = {3, 1003}, outer[] = {13001, 1},
                         row[] = {1003};
    tensor x = make(FH_F32, PLAIN, 2, sizes), y = make(FH_F32, PLAIN, 2, sizes),
           small = make(FH_F32, PLAIN, 2, few);
    tensor mean = make(FH_F32, PLAIN, 2, outer), rstd = make(FH_F32, PLAIN, 2, outer);
    for (int64_t i = 0; i < sizes[0] * sizes[1]; i++)
        ((float *)x.view.data)[i] = (float)(random_bits() % 1000) / 100;
    fh_argument none = {.kind = FH_ARGUMENT_ABSENT};
    for (int kind = 0; kind < 3; kind++) {
        tensor part = {.view = small.view};
        fh_view last = x.view;
        last.sizes[0] = 3;
        last.data = (float *)x.view.data + 12998 * 1003;
        part.view = last;
        fh_argument a[] = {of_view(&x), of_integer(1), of_view(&y)},
                    b[] = {of_view(&part), of_integer(1), of_view(&small)};
        fh_argument c[] = {of_view(&x),     of_integers(row, 1), none,           none,
                           of_double(1e-5), of_view(&y),         of_view(&mean), of_view(&rstd)};
        fh_argument d[] = {of_view(&part),  of_integers(row, 1), none, none,
                           of_double(1e-5), of_view(&small),     none, none};
        fh_argument e[] = {of_view(&x), of_view(&y)}, f[] = {of_view(&part), of_view(&small)};
        fh_kernel *kernel = kind == 0 ? fh_op_softmax : kind == 1 ? fh_op_layer_norm : fh_op_exp;
        CHECK(kernel(kind == 0 ? a : kind == 1 ? c : e, &team_of_three) == FH_OK);
        CHECK(kernel(kind == 0 ? b : kind == 1 ? d : f, &fh_team_alone) == FH_OK);
        CHECK(memcmp((float *)y.view.data + 12998 * 1003, small.view.data,
                     3 * 1003 * sizeof(float)) == 0);
    }
    free(x.memory), free(y.memory), free(small.memory), free(mean.memory), free(rstd.memory);
}

static void rms_norm_matches(void)
{
    static const int64_t sizes[] = {9, 40}, row[] = {40}, outer[] = {9, 1};
    tensor x = make_random(FH_F32, PLAIN, 2, sizes, -1, 3),
           w = make_random(FH_F32, PLAIN, 1, row, -1, 1), y = make(FH_F32, PLAIN, 2, sizes);
    tensor rstd = make(FH_F32, PLAIN, 2, outer), g = make_random(FH_F32, PLAIN, 2, sizes, -1, 1),
           dx = make(FH_F32, PLAIN, 2, sizes), dw = make(FH_F32, PLAIN, 1, row);
    fh_argument a[] = {of_view(&x), of_view(&w), of_double(1e-6), of_view(&y), of_view(&rstd)};
    CHECK(fh_op_rms_norm(a, &team_of_three) == FH_OK);
    fh_argument b[] = {of_view(&g), of_view(&x),  of_view(&rstd),
                       of_view(&w), of_view(&dx), of_view(&dw)};
    CHECK(fh_op_rms_norm_backward(b, &fh_team_alone) == FH_OK);
    int64_t wrong = 0;
    for (int64_t i = 0; i < 9; i++) {
        double s = 0, c = 0;
        for (int64_t k = 0; k < 40; k++)
            s += pow(get(&x.view, (int64_t[]){i, k}), 2) / 40;
        double r = 1 / sqrt(s + 1e-6);
        for (int64_t k = 0; k < 40; k++)
            c += get(&g.view, (int64_t[]){i, k}) * get(&w.view, &k) *
                 get(&x.view, (int64_t[]){i, k}) * r / 40;
        for (int64_t k = 0; k < 40; k++) {
            double xh = get(&x.view, (int64_t[]){i, k}) * r;
            wrong += !close_to(get(&y.view, (int64_t[]){i, k}), xh * get(&w.view, &k), 2e-6);
            wrong +=
                !close_to(get(&dx.view, (int64_t[]){i, k}),
                          r * (get(&g.view, (int64_t[]){i, k}) * get(&w.view, &k) - xh * c), 1e-5);
        }
    }
    CHECK(wrong == 0);
    free(x.memory), free(w.memory), free(y.memory), free(rstd.memory), free(g.memory),
        free(dx.memory), free(dw.memory);
}

static void embedding_and_its_gradient(void)
{
    static const int64_t table[] = {11, 37}, shape[] = {4, 6}, result[] = {4, 6, 37};
    tensor w = make_random(FH_BF16, PLAIN, 2, table, -1, 1), i = make(FH_I32, REVERSED, 2, shape),
           y = make(FH_BF16, PLAIN, 3, result);
    tensor g = make_random(FH_F32, PLAIN, 3, result, -1, 1), dw = make(FH_F32, PLAIN, 2, table);
    int64_t index[3] = {0}, wrong = 0;
    do
        set(&i.view, index, (double)((index[0] * 7 + index[1] * 3) % 5));
    while (next_index(&i.view, index));
    fh_argument a[] = {of_view(&w), of_view(&i), of_view(&y)};
    CHECK(fh_op_embedding(a, &team_of_three) == FH_OK);
    double want[11][37] = {{0}};
    do {
        int64_t row = (int64_t)get(&i.view, index);
        wrong += get(&y.view, index) != get(&w.view, (int64_t[]){row, index[2]});
        want[row][index[2]] += row == 3 ? 0 : get(&g.view, index);
    } while (next_index(&y.view, index));
    fh_argument b[] = {of_view(&g),   of_view(&i),   of_integer(11),
                       of_integer(3), of_integer(0), of_view(&dw)};
    CHECK(fh_op_embedding_backward(b, &team_of_three) == FH_OK);
    for (int64_t r = 0; r < 11; r++)
        for (int64_t c = 0; c < 37; c++)
            wrong += !close_to(get(&dw.view, (int64_t[]){r, c}), want[r][c], 1e-6);
    CHECK(wrong == 0);
    set(&i.view, (int64_t[]){2, 2}, 11);
    CHECK(fh_op_embedding(a, &team_of_three) == FH_INVALID);
    CHECK(fh_op_embedding_backward(b, &team_of_three) == FH_INVALID);
    set(&i.view, (int64_t[]){2, 2}, -1);
    CHECK(fh_op_embedding(a, &fh_team_alone) == FH_INVALID);
    free(w.memory), free(i.memory), free(y.memory), free(g.memory), free(dw.memory);
}

static void class_loss_and_gradient(void)
{
    static const int64_t sizes[] = {6, 5}, batch[] = {6}, classes[] = {5};
    for (int64_t reduction = 0; reduction < 3; reduction++) {
        tensor x = make_random(FH_F16, REVERSED, 2, sizes, -3, 0),
               t = make(FH_I64, PLAIN, 1, batch),
               w = make_random(FH_F32, PLAIN, 1, classes, 0.5, 1);
        tensor y = make(FH_F32, PLAIN, reduction == 0, batch), total = make(FH_F32, PLAIN, 0, NULL),
               dx = make(FH_F32, PLAIN, 2, sizes);
        tensor g = make_random(FH_F32, PLAIN, reduction == 0, batch, 1, 2);
        double sum = 0, weights = 0;
        for (int64_t i = 0; i < 6; i++) {
            int64_t class = i == 4 ? -100 : i % 5;
            set(&t.view, &i, (double)class);
            if (class >= 0) {
                sum -= get(&x.view, (int64_t[]){i, class}) * get(&w.view, &class);
                weights += get(&w.view, &class);
            }
        }
        fh_argument a[] = {of_view(&x),      of_view(&t), of_view(&w),    of_integer(reduction),
                           of_integer(-100), of_view(&y), of_view(&total)};
        CHECK(fh_op_nll_loss(a, &fh_team_alone) == FH_OK);
        if (reduction)
            CHECK(close_to(get(&y.view, NULL), reduction == 1 ? sum / weights : sum, 1e-6));
        fh_argument b[] = {of_view(&g),           of_view(&x),      of_view(&t),     of_view(&w),
                           of_integer(reduction), of_integer(-100), of_view(&total), of_view(&dx)};
        CHECK(fh_op_nll_loss_backward(b, &fh_team_alone) == FH_OK);
        double want = -get(&w.view, (int64_t[]){2}) * get(&g.view, (int64_t[]){2}) /
                      (reduction == 1 ? weights : 1);
        if (reduction)
            want =
                -get(&w.view, (int64_t[]){2}) * get(&g.view, NULL) / (reduction == 1 ? weights : 1);
        CHECK(close_to(get(&dx.view, (int64_t[]){2, 2}), want, 1e-6));
        CHECK(get(&dx.view, (int64_t[]){2, 3}) == 0 && get(&dx.view, (int64_t[]){4, 0}) == 0);
        set(&t.view, (int64_t[]){1}, 5);
        CHECK(fh_op_nll_loss(a, &fh_team_alone) == FH_INVALID);
        CHECK(fh_op_nll_loss_backward(b, &fh_team_alone) == FH_INVALID);
        free(x.memory), free(t.memory), free(w.memory), free(y.memory), free(total.memory),
            free(dx.memory), free(g.memory);
    }
}

int main(void)
{
    TEST(reductions_match);
    TEST(empty_reductions);
    TEST(long_sums_are_exact);
    TEST(softmax_matches);
    TEST(layer_norm_matches);
    TEST(big_results_match);
    TEST(rms_norm_matches);
    TEST(embedding_and_its_gradient);
    TEST(class_loss_and_gradient);
    return test_report();
}
