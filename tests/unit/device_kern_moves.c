/* Lists of tensors, optimisers, joins, indices, sorting and random numbers. */
#include "device/kern/operators.h"
#include "tests/unit/kernels.h"

#define FREE(t) free((t).memory)
static const fh_argument absent = {.kind = FH_ARGUMENT_ABSENT};

static fh_argument of_views(fh_view *views, uint32_t count)
{
    return (fh_argument){.kind = FH_ARGUMENT_VIEWS, .count = count, .view = views};
}

static void foreach_is_each(void)
{
    static const int64_t sizes[2][2] = {{3, 70}, {40, 5}};
    tensor a[2], b[2], y[2];
    fh_view av[2], bv[2], yv[2];
    for (int i = 0; i < 2; i++) {
        a[i] = make_random(FH_F32, i, 2, sizes[i], 1, 2),
        b[i] = make_random(FH_F32, PLAIN, 2, sizes[i], 1, 2);
        y[i] = make(FH_F32, PLAIN, 2, sizes[i]);
        av[i] = a[i].view, bv[i] = b[i].view, yv[i] = y[i].view;
    }
    fh_number two = {.dtype = FH_F64, .f64 = 2},
              list[] = {{.dtype = FH_F64, .f64 = 3}, {.dtype = FH_I64, .i64 = 5}};
    fh_argument x1 = of_views(av, 2), x2 = of_views(bv, 2), out = of_views(yv, 2);
    fh_argument scalars = {.kind = FH_ARGUMENT_NUMBERS, .count = 2, .number = list};
    static const int64_t one[] = {1};
    tensor scalar = make_random(FH_F32, PLAIN, 1, one, 4, 4);
    fh_argument add[] = {x1, x2, of_number(&two), out};
    CHECK(fh_op_foreach_add_list(add, &fh_team_alone) == FH_OK);
    double p = get(&av[1], (int64_t[]){7, 3}), q = get(&bv[1], (int64_t[]){7, 3});
    CHECK(close_to(get(&yv[1], (int64_t[]){7, 3}), p + 2 * q, 1e-6));
    fh_argument mul[] = {x1, scalars, out};
    CHECK(fh_op_foreach_mul_scalars(mul, &fh_team_alone) == FH_OK);
    CHECK(close_to(get(&yv[1], (int64_t[]){7, 3}), p * 5, 1e-6));
    mul[1] = of_view(&scalar);
    CHECK(fh_op_foreach_div_scalar(mul, &fh_team_alone) == FH_OK);
    CHECK(close_to(get(&yv[1], (int64_t[]){7, 3}), p / 4, 1e-6));
    fh_argument addcdiv[] = {x1, x1, x2, of_view(&scalar), out};
    CHECK(fh_op_foreach_addcdiv_scalar(addcdiv, &fh_team_alone) == FH_OK);
    CHECK(close_to(get(&yv[1], (int64_t[]){7, 3}), p + 4 * p / q, 1e-6));
    addcdiv[3] = scalars;
    CHECK(fh_op_foreach_addcmul_scalars(addcdiv, &fh_team_alone) == FH_OK);
    CHECK(close_to(get(&yv[1], (int64_t[]){7, 3}), p + 5 * p * q, 1e-6));
    fh_argument lerp[] = {x1, x2, of_number(&two), out};
    CHECK(fh_op_foreach_lerp_scalar(lerp, &fh_team_alone) == FH_OK);
    CHECK(close_to(get(&yv[1], (int64_t[]){7, 3}), p + 2 * (q - p), 1e-6));
    fh_argument root[] = {x1, out};
    CHECK(fh_op_foreach_sqrt(root, &fh_team_alone) == FH_OK);
    CHECK(close_to(get(&yv[0], (int64_t[]){2, 69}), sqrt(get(&av[0], (int64_t[]){2, 69})), 1e-6));
    tensor norms[] = {make(FH_F32, PLAIN, 0, NULL), make(FH_F32, PLAIN, 0, NULL)};
    fh_view nv[] = {norms[0].view, norms[1].view};
    fh_argument norm[] = {x1, of_number(&two), of_views(nv, 2)};
    CHECK(fh_op_foreach_norm(norm, &fh_team_alone) == FH_OK);
    double sum = 0;
    int64_t index[2] = {0};
    do
        sum += pow(get(&av[0], index), 2);
    while (next_index(&av[0], index));
    CHECK(close_to(get(&nv[0], NULL), sqrt(sum), 1e-6));
    for (int i = 0; i < 2; i++)
        FREE(a[i]), FREE(b[i]), FREE(y[i]), FREE(norms[i]);
    FREE(scalar);
}

static void adamw_is_that_of_pytorch(void)
{
    static const int64_t sizes[] = {100};
    for (int form = 0; form < 4; form++) {
        fh_dtype dtype = form == 3 ? FH_BF16 : FH_F32;
        bool amsgrad = form == 1, maximize = form == 2;
        tensor w = make_random(dtype, PLAIN, 1, sizes, -1, 1),
               m = make_random(FH_F32, PLAIN, 1, sizes, -1, 1);
        tensor v = make_random(FH_F32, PLAIN, 1, sizes, 0, 1),
               g = make_random(dtype, PLAIN, 1, sizes, -1, 1);
        tensor top = make_random(FH_F32, PLAIN, 1, sizes, 0, 1),
               step = make(FH_F32, PLAIN, 0, NULL);
        set(&step.view, NULL, 6);
        double before[100], ms[100], vs[100], tops[100];
        for (int64_t i = 0; i < 100; i++)
            before[i] = get(&w.view, &i), ms[i] = get(&m.view, &i), vs[i] = get(&v.view, &i),
            tops[i] = get(&top.view, &i);
        fh_argument a[] = {
            of_view(&w),         of_view(&m),    of_view(&v),     amsgrad ? of_view(&top) : absent,
            of_view(&g),         of_view(&step), of_double(0.01), of_double(0.9),
            of_double(0.99),     of_double(0.1), of_double(1e-8), of_integer(amsgrad),
            of_integer(maximize)};
        CHECK(fh_op_adamw(a, &team_of_three) == FH_OK);
        int64_t wrong = 0;
        for (int64_t i = 0; i < 100; i++) {
            double gi = get(&g.view, &i) * (maximize ? -1 : 1), p = before[i] * (1 - 0.01 * 0.1);
            double mi = 0.9 * ms[i] + 0.1 * gi, vi = 0.99 * vs[i] + 0.01 * gi * gi;
            double used = amsgrad && tops[i] > vi ? tops[i] : vi;
            p -= 0.01 / (1 - pow(0.9, 7)) * mi / (sqrt(used) / sqrt(1 - pow(0.99, 7)) + 1e-8);
            wrong += !close_to(get(&w.view, &i), p, form == 3 ? 4e-3 : 1e-6) +
                     !close_to(get(&m.view, &i), mi, 1e-6) + !close_to(get(&v.view, &i), vi, 1e-6);
            wrong += amsgrad && !close_to(get(&top.view, &i), used, 1e-6);
        }
        CHECK(wrong == 0);
        FREE(w), FREE(m), FREE(v), FREE(g), FREE(top), FREE(step);
    }
}

static void sgd_and_the_scaler(void)
{
    static const int64_t sizes[] = {50}, one[] = {1};
    tensor w = make_random(FH_F32, PLAIN, 1, sizes, -1, 1),
           g = make_random(FH_F32, PLAIN, 1, sizes, -1, 1),
           b = make_random(FH_F32, PLAIN, 1, sizes, -1, 1);
    int64_t at = 20;
    double p = get(&w.view, &at), d = get(&g.view, &at), k = get(&b.view, &at);
    fh_argument a[] = {
        of_views(&w.view, 1), of_views(&g.view, 1), of_views(&b.view, 1), absent,
        of_double(0.1),       of_double(0.9),       of_double(0.5),       of_double(0.2),
        of_integer(1),        of_integer(0),        of_integer(0)};
    CHECK(fh_op_fused_sgd(a, &fh_team_alone) == FH_OK);
    double gi = d + 0.1 * p, moved = 0.9 * k + 0.8 * gi;
    CHECK(close_to(get(&b.view, &at), moved, 1e-6));
    CHECK(close_to(get(&w.view, &at), p - 0.5 * (gi + 0.9 * moved), 1e-6));
    tensor found = make_random(FH_F32, PLAIN, 1, one, 0, 0),
           scale = make_random(FH_F32, PLAIN, 1, one, 0.5, 0.5);
    fh_argument u[] = {of_views(&g.view, 1), of_view(&found), of_view(&scale)};
    CHECK(fh_op_unscale(u, &team_of_three) == FH_OK);
    CHECK(get(&found.view, (int64_t[]){0}) == 0 && close_to(get(&g.view, &at), d / 2, 1e-6));
    set(&g.view, (int64_t[]){49}, NAN);
    CHECK(fh_op_unscale(u, &team_of_three) == FH_OK);
    CHECK(get(&found.view, (int64_t[]){0}) == 1);
    FREE(w), FREE(g), FREE(b), FREE(found), FREE(scale);
}

static void joins_and_cuts(void)
{
    static const int64_t parts[2][3] = {{4, 5, 6}, {4, 9, 6}}, whole[] = {4, 14, 6}, zero[] = {0};
    tensor a = make_random(FH_BF16, REVERSED, 3, parts[0], -1, 1),
           b = make_random(FH_BF16, PLAIN, 3, parts[1], -1, 1), y = make(FH_BF16, PLAIN, 3, whole);
    tensor none = make(FH_BF16, PLAIN, 1, zero), c = make(FH_BF16, PLAIN, 3, parts[0]),
           d = make(FH_BF16, SPREAD, 3, parts[1]);
    fh_view list[] = {a.view, none.view, b.view}, outs[] = {c.view, d.view};
    fh_argument cat[] = {of_views(list, 3), of_integer(-2), of_view(&y)};
    CHECK(fh_op_cat(cat, &fh_team_alone) == FH_OK);
    fh_argument split[] = {of_view(&y), of_integers((int64_t[]){5, 9}, 2), of_integer(1),
                           of_views(outs, 2)};
    CHECK(fh_op_split(split, &fh_team_alone) == FH_OK);
    int64_t index[3] = {0}, wrong = 0;
    do
        wrong += get(&b.view, index) != get(&d.view, index);
    while (next_index(&b.view, index));
    CHECK(wrong == 0);
    static const int64_t stacked[] = {4, 2, 5, 6};
    tensor s = make(FH_BF16, PLAIN, 4, stacked);
    fh_view pair[] = {a.view, c.view};
    fh_argument stack[] = {of_views(pair, 2), of_integer(1), of_view(&s)};
    CHECK(fh_op_stack(stack, &fh_team_alone) == FH_OK);
    do
        wrong += get(&s.view, (int64_t[]){index[0], 1, index[1], index[2]}) != get(&a.view, index);
    while (next_index(&a.view, index));
    static const int64_t padded[] = {4, 7, 5};
    tensor p = make(FH_BF16, PLAIN, 3, padded);
    fh_number seven = {.dtype = FH_F64, .f64 = 7};
    fh_argument pad[] = {of_view(&a), of_integers((int64_t[]){-1, 0, 1, 1}, 4), of_number(&seven),
                         of_view(&p)};
    CHECK(fh_op_constant_pad(pad, &fh_team_alone) == FH_OK);
    CHECK(get(&p.view, (int64_t[]){1, 0, 0}) == 7 && get(&p.view, (int64_t[]){1, 6, 4}) == 7);
    CHECK(get(&p.view, (int64_t[]){1, 2, 3}) == get(&a.view, (int64_t[]){1, 1, 4}));
    fh_argument flip[] = {of_view(&a), of_integers((int64_t[]){0, -1}, 2), of_view(&c)};
    CHECK(fh_op_flip(flip, &fh_team_alone) == FH_OK);
    CHECK(get(&c.view, (int64_t[]){0, 2, 1}) == get(&a.view, (int64_t[]){3, 2, 4}));
    static const int64_t repeated[] = {2, 8, 5, 6};
    tensor r = make(FH_BF16, PLAIN, 4, repeated);
    fh_argument repeat[] = {of_view(&a), of_integers((int64_t[]){2, 2, 1, 1}, 4), of_view(&r)};
    CHECK(fh_op_repeat(repeat, &fh_team_alone) == FH_OK);
    CHECK(get(&r.view, (int64_t[]){1, 6, 3, 2}) == get(&a.view, (int64_t[]){2, 3, 2}));
    CHECK(wrong == 0);
    FREE(a), FREE(b), FREE(c), FREE(d), FREE(y), FREE(none), FREE(s), FREE(p), FREE(r);
}

static void made_from_nothing(void)
{
    static const int64_t sizes[] = {3, 7, 9}, row[] = {10};
    for (int64_t diagonal = -9; diagonal < 11; diagonal++) {
        tensor x = make_random(FH_I32, REVERSED, 3, sizes, 1, 9),
               low = make(FH_I32, PLAIN, 3, sizes), high = make(FH_I32, PLAIN, 3, sizes);
        fh_argument a[] = {of_view(&x), of_integer(diagonal), of_view(&low)},
                    b[] = {a[0], a[1], of_view(&high)};
        CHECK(fh_op_tril(a, &fh_team_alone) == FH_OK && fh_op_triu(b, &fh_team_alone) == FH_OK);
        int64_t index[3] = {0}, wrong = 0;
        do {
            double v = get(&x.view, index);
            wrong += get(&low.view, index) != (index[2] - index[1] <= diagonal ? v : 0);
            wrong += get(&high.view, index) != (index[2] - index[1] >= diagonal ? v : 0);
        } while (next_index(&x.view, index));
        CHECK(wrong == 0);
        FREE(x), FREE(low), FREE(high);
    }
    tensor r = make(FH_F16, SPREAD, 1, row);
    fh_number start = {.dtype = FH_F64, .f64 = 1}, end = {.dtype = FH_F64, .f64 = 6},
              step = {.dtype = FH_F64, .f64 = 0.5};
    fh_argument range[] = {of_number(&start), of_number(&end), of_number(&step), of_view(&r)};
    CHECK(fh_op_arange(range, &fh_team_alone) == FH_OK);
    CHECK(get(&r.view, (int64_t[]){9}) == 5.5);
    FREE(r);
}

static void indices(void)
{
    static const int64_t sizes[] = {5, 6, 7}, list[] = {4}, taken[] = {5, 4, 7};
    tensor x = make_random(FH_F32, REVERSED, 3, sizes, -1, 1), i = make(FH_I64, PLAIN, 1, list),
           y = make(FH_F32, PLAIN, 3, taken);
    const int64_t at[] = {5, 0, -1, 2};
    for (int64_t k = 0; k < 4; k++)
        set(&i.view, &k, (double)at[k]);
    fh_argument a[] = {of_view(&x), of_integer(1), of_view(&i), of_view(&y)};
    CHECK(fh_op_index_select(a, &team_of_three) == FH_OK);
    int64_t index[3] = {0}, wrong = 0;
    do
        wrong += get(&y.view, index) !=
                 get(&x.view, (int64_t[]){index[0], (at[index[1]] + 6) % 6, index[2]});
    while (next_index(&y.view, index));
    /* scatter_add of what gather took, with equal indices */
    tensor g = make(FH_I64, PLAIN, 3, taken), z = make_random(FH_F32, PLAIN, 3, sizes, 0, 0),
           back = make(FH_F32, PLAIN, 3, sizes);
    do
        set(&g.view, index, (double)((index[0] + 2 * index[1]) % 6));
    while (next_index(&g.view, index));
    fh_argument b[] = {of_view(&x), of_integer(1), of_view(&g), of_view(&y)};
    CHECK(fh_op_gather(b, &team_of_three) == FH_OK);
    double want[5][6][7] = {{{0}}};
    do {
        int64_t j = (index[0] + 2 * index[1]) % 6;
        wrong += get(&y.view, index) != get(&x.view, (int64_t[]){index[0], j, index[2]});
        want[index[0]][j][index[2]] += get(&y.view, index);
    } while (next_index(&y.view, index));
    fh_argument c[] = {of_view(&z), of_integer(1), of_view(&g), of_view(&y), of_view(&back)};
    CHECK(fh_op_scatter_add(c, &team_of_three) == FH_OK);
    do
        wrong += !close_to(get(&back.view, index), want[index[0]][index[1]][index[2]], 1e-6);
    while (next_index(&back.view, index));
    CHECK(wrong == 0);
    set(&g.view, (int64_t[]){1, 1, 1}, 6);
    CHECK(fh_op_gather(b, &team_of_three) == FH_INVALID);
    FREE(x), FREE(i), FREE(y), FREE(g), FREE(z), FREE(back);
}

static void advanced_indices(void)
{
    static const int64_t sizes[] = {5, 6, 7}, column[] = {3, 1}, row[] = {4}, zero[] = {0};
    static const int64_t together[] = {3, 4, 7}, apart[] = {3, 4, 6};
    tensor x = make_random(FH_F16, SPREAD, 3, sizes, -1, 1), i = make(FH_I32, PLAIN, 2, column),
           j = make(FH_I64, PLAIN, 1, row), none = make(FH_F16, PLAIN, 1, zero);
    tensor y = make(FH_F16, PLAIN, 3, together), z = make(FH_F16, PLAIN, 3, apart);
    for (int64_t k = 0; k < 3; k++)
        set(&i.view, (int64_t[]){k, 0}, (double)(k - 1)); /* -1, 0, 1 */
    for (int64_t k = 0; k < 4; k++)
        set(&j.view, &k, (double)(k + 1));
    fh_view first[] = {i.view, j.view}, second[] = {i.view, none.view, j.view};
    fh_argument a[] = {of_view(&x), of_views(first, 2), of_view(&y)},
                b[] = {of_view(&x), of_views(second, 3), of_view(&z)};
    CHECK(fh_op_index(a, &team_of_three) == FH_OK && fh_op_index(b, &team_of_three) == FH_OK);
    int64_t index[3] = {0}, wrong = 0;
    do
        wrong += get(&y.view, index) !=
                 get(&x.view, (int64_t[]){(index[0] + 4) % 5, index[1] + 1, index[2]});
    while (next_index(&y.view, index));
    do
        wrong += get(&z.view, index) !=
                 get(&x.view, (int64_t[]){(index[0] + 4) % 5, index[2], index[1] + 1});
    while (next_index(&z.view, index));
    CHECK(wrong == 0);
    static const int64_t one[] = {1};
    tensor v = make_random(FH_F32, PLAIN, 1, one, 8, 8);
    double before = get(&x.view, (int64_t[]){4, 1, 2});
    fh_argument put[] = {of_view(&x), of_views(first, 2), of_view(&v), of_integer(1),
                         of_integer(0)};
    CHECK(fh_op_index_put(put, &team_of_three) == FH_OK);
    CHECK(close_to(get(&x.view, (int64_t[]){4, 1, 2}), before + 8, 4e-3));
    put[3] = of_integer(0);
    CHECK(fh_op_index_put(put, &team_of_three) == FH_OK);
    CHECK(get(&x.view, (int64_t[]){0, 4, 6}) == 8);
    FREE(x), FREE(i), FREE(j), FREE(none), FREE(y), FREE(z), FREE(v);
}

static void found_things(void)
{
    static const int64_t sizes[] = {4, 5}, most[] = {20, 2}, flat[] = {20};
    tensor x = make(FH_F32, REVERSED, 2, sizes), p = make(FH_I64, PLAIN, 2, most),
           m = make(FH_BOOL, PLAIN, 2, sizes), y = make(FH_F32, PLAIN, 1, flat);
    int64_t index[2] = {0};
    do {
        bool odd = (index[0] + index[1]) % 2;
        set(&x.view, index, odd ? (double)(index[0] * 5 + index[1]) : 0);
        set(&m.view, index, odd);
    } while (next_index(&x.view, index));
    fh_argument a[] = {of_view(&x), of_view(&p)}, b[] = {of_view(&x), of_view(&m), of_view(&y)};
    CHECK(fh_op_nonzero(a, &fh_team_alone) == FH_OK && p.view.sizes[0] == 10);
    CHECK(get(&p.view, (int64_t[]){2, 0}) == 1 && get(&p.view, (int64_t[]){2, 1}) == 0);
    CHECK(fh_op_masked_select(b, &fh_team_alone) == FH_OK && y.view.sizes[0] == 10);
    CHECK(get(&y.view, (int64_t[]){9}) == 19);
    FREE(x), FREE(p), FREE(m), FREE(y);
}

static void sorted_things(void)
{
    static const int64_t sizes[] = {6, 33, 3}, three[] = {6, 4, 3};
    for (int down = 0; down < 2; down++) {
        tensor x = make_random(FH_BF16, REVERSED, 3, sizes, -3, 3),
               v = make(FH_BF16, PLAIN, 3, sizes), i = make(FH_I64, SPREAD, 3, sizes);
        tensor tv = make(FH_BF16, PLAIN, 3, three), ti = make(FH_I64, PLAIN, 3, three),
               s = make(FH_F32, PLAIN, 3, sizes);
        set(&x.view, (int64_t[]){2, 5, 1}, NAN);
        fh_argument a[] = {of_view(&x),      of_integer(1), of_integer(1),
                           of_integer(down), of_view(&v),   of_view(&i)};
        CHECK(fh_op_sort(a, &team_of_three) == FH_OK);
        fh_argument b[] = {of_view(&x),   of_integer(4), of_integer(-2), of_integer(down),
                           of_integer(1), of_view(&tv),  of_view(&ti)};
        CHECK(fh_op_topk(b, &fh_team_alone) == FH_OK);
        fh_argument c[] = {of_view(&x), of_integer(1), of_integer(FH_F32), of_view(&s)};
        CHECK(fh_op_cumsum(c, &team_of_three) == FH_OK);
        int64_t index[3] = {0}, wrong = 0;
        do {
            double here = get(&v.view, index);
            int64_t from = (int64_t)get(&i.view, index), own[] = {index[0], from, index[2]};
            wrong += !close_to(get(&x.view, own), here, 0);
            if (index[1] < 4)
                wrong += !close_to(get(&tv.view, index), here, 0) +
                         (get(&ti.view, index) != (double)from);
            if (index[1] > 0) {
                int64_t before[] = {index[0], index[1] - 1, index[2]};
                double last = get(&v.view, before);
                wrong += down ? last < here : last > here;
                wrong += last == here && get(&i.view, before) > get(&i.view, index);
                wrong += !close_to(get(&s.view, index), get(&s.view, before) + get(&x.view, index),
                                   1e-5);
            }
        } while (next_index(&v.view, index));
        CHECK(wrong == 0);
        CHECK(isnan(get(&v.view, (int64_t[]){2, down ? 0 : 32, 1})));
        FREE(x), FREE(v), FREE(i), FREE(tv), FREE(ti), FREE(s);
    }
}

/* Ranges and moments, the same for every number of threads. */
static void random_numbers(void)
{
    static const int64_t count[] = {1 << 18};
    static const fh_dtype dtypes[] = {FH_F32, FH_F64, FH_F16, FH_BF16};
    for (int d = 0; d < 4; d++) {
        tensor x = make(dtypes[d], PLAIN, 1, count), y = make(dtypes[d], PLAIN, 1, count);
        fh_argument a[] = {of_view(&x), of_double(-1), of_double(3), of_integer(42), of_integer(7)};
        fh_argument b[] = {of_view(&y), of_double(-1), of_double(3), of_integer(42), of_integer(7)};
        CHECK(fh_op_inplace_uniform(a, &fh_team_alone) == FH_OK &&
              fh_op_inplace_uniform(b, &team_of_three) == FH_OK);
        double sum = 0, squares = 0, low = 9, high = -9;
        int64_t differ = 0;
        for (int64_t i = 0; i < count[0]; i++) {
            double v = get(&x.view, &i);
            sum += v, squares += v * v, low = v < low ? v : low, high = v > high ? v : high;
            differ += v != get(&y.view, &i);
        }
        double n = (double)count[0], mean = sum / n;
        CHECK(differ == 0 && low >= -1 && high <= 3);
        CHECK(fabs(mean - 1) < 0.02 && fabs(squares / n - mean * mean - 16.0 / 12) < 0.02);
        CHECK(fh_op_inplace_normal(a, &team_of_three) == FH_OK);
        sum = squares = 0;
        double fourth = 0;
        for (int64_t i = 0; i < count[0]; i++) {
            double v = (get(&x.view, &i) + 1) / 3;
            sum += v, squares += v * v, fourth += v * v * v * v;
        }
        CHECK(fabs(sum / n) < 0.01 && fabs(squares / n - 1) < 0.02 && fabs(fourth / n - 3) < 0.1);
        b[4] = of_integer(8);
        CHECK(fh_op_inplace_uniform(b, &fh_team_alone) == FH_OK);
        FREE(x), FREE(y);
    }
}

static void dropout_keeps_its_share(void)
{
    static const int64_t sizes[] = {1000, 77}, bytes[] = {(77000 + 127) / 128 * 16};
    tensor x = make_random(FH_BF16, PLAIN, 2, sizes, 1, 2), y = make(FH_BF16, REVERSED, 2, sizes),
           mask = make(FH_U8, PLAIN, 1, bytes);
    fh_argument a[] = {of_integers(sizes, 2), of_double(0.3),      of_integer(1),
                       of_integer(2),         of_integer(FH_BF16), of_view(&mask)};
    CHECK(fh_op_dropout_mask_typed(a, &team_of_three) == FH_OK);
    fh_argument b[] = {of_view(&x), of_view(&mask), of_double(0.3), of_view(&y)};
    CHECK(fh_op_dropout_apply(b, &team_of_three) == FH_OK);
    int64_t index[2] = {0}, kept = 0, wrong = 0, i = 0;
    do {
        bool keep = ((const uint8_t *)mask.view.data)[i / 8] >> (i % 8) & 1;
        kept += keep;
        wrong += !close_to(get(&y.view, index), keep ? get(&x.view, index) / 0.7 : 0, 8e-3);
        i++;
    } while (next_index(&x.view, index));
    CHECK(wrong == 0);
    CHECK(fabs((double)kept / 77000 - 0.7) < 0.01);
    FREE(x), FREE(y), FREE(mask);
}

static void element_losses(void)
{
    static const int64_t sizes[] = {6, 50};
    tensor x = make_random(FH_F32, PLAIN, 2, sizes, -2, 2),
           t = make_random(FH_F32, REVERSED, 2, sizes, 0, 1), one = make(FH_F32, PLAIN, 0, NULL);
    tensor dx = make(FH_F32, PLAIN, 2, sizes), p = make_random(FH_F32, PLAIN, 2, sizes, 0.01, 0.99);
    double mse = 0, logits = 0, bce = 0;
    int64_t index[2] = {0};
    do {
        double a = get(&x.view, index), b = get(&t.view, index), c = get(&p.view, index),
               s = 1 / (1 + exp(-a));
        mse += (a - b) * (a - b) / 300;
        logits -= b * log(s) + (1 - b) * log(1 - s);
        bce -= (b * log(c) + (1 - b) * log(1 - c)) / 300;
    } while (next_index(&x.view, index));
    fh_argument a[] = {of_view(&x), of_view(&t), of_integer(1), of_view(&one)};
    CHECK(fh_op_mse_loss(a, &fh_team_alone) == FH_OK && close_to(get(&one.view, NULL), mse, 1e-6));
    fh_argument b[] = {of_view(&x), of_view(&t), absent, absent, of_integer(2), of_view(&one)};
    CHECK(fh_op_bce_logits(b, &fh_team_alone) == FH_OK &&
          close_to(get(&one.view, NULL), logits, 1e-6));
    fh_argument c[] = {of_view(&p), of_view(&t), absent, of_integer(1), of_view(&one)};
    CHECK(fh_op_bce(c, &fh_team_alone) == FH_OK && close_to(get(&one.view, NULL), bce, 1e-6));
    set(&one.view, NULL, 3);
    int64_t at[] = {2, 9};
    double v = get(&x.view, at), w = get(&t.view, at), q = get(&p.view, at);
    fh_argument d[] = {of_view(&one), of_view(&x), of_view(&t), of_integer(1), of_view(&dx)};
    CHECK(fh_op_mse_loss_backward(d, &fh_team_alone) == FH_OK &&
          close_to(get(&dx.view, at), 2 * (v - w) * 3 / 300, 1e-6));
    fh_argument e[] = {of_view(&one), of_view(&x),   of_view(&t), absent,
                       absent,        of_integer(2), of_view(&dx)};
    CHECK(fh_op_bce_logits_backward(e, &fh_team_alone) == FH_OK &&
          close_to(get(&dx.view, at), 3 * (1 / (1 + exp(-v)) - w), 1e-5));
    fh_argument f[] = {of_view(&one), of_view(&p),   of_view(&t),
                       absent,        of_integer(1), of_view(&dx)};
    CHECK(fh_op_bce_backward(f, &fh_team_alone) == FH_OK &&
          close_to(get(&dx.view, at), (q - w) / (q * (1 - q)) / 100, 1e-5));
    FREE(x), FREE(t), FREE(one), FREE(dx), FREE(p);
}

int main(void)
{
    TEST(foreach_is_each);
    TEST(adamw_is_that_of_pytorch);
    TEST(sgd_and_the_scaler);
    TEST(joins_and_cuts);
    TEST(made_from_nothing);
    TEST(indices);
    TEST(advanced_indices);
    TEST(found_things);
    TEST(sorted_things);
    TEST(random_numbers);
    TEST(dropout_keeps_its_share);
    TEST(element_losses);
    return test_report();
}
