/* Products of matrices against plain loops in double precision (integers: wrapping), with every
 * layout, type and edge. */
#include "device/kern/operators_matrix.h"
#include "device/kern/scratch.h"
#include "tests/unit/kernels.h"

static const enum layout layouts[] = {PLAIN, REVERSED, SPREAD, BACKWARD};
static const fh_dtype floats[] = {FH_F32, FH_F64, FH_F16, FH_BF16};

static fh_argument of_type(void)
{
    return of_integer(1);
}

/* beta d + alpha a b at `index` of out; a and b broadcast over the batch, d over all. */
static double expected(const fh_view *a, const fh_view *b, const fh_view *d, const fh_view *out,
                       const int64_t *index, double alpha, double beta, double *magnitude)
{
    int64_t ia[FH_MAX_RANK], ib[FH_MAX_RANK];
    uint32_t r = out->rank;
    int64_t k = a->sizes[a->rank - 1];
    double sum = 0, size = 0;
    for (int64_t l = 0; l < k; l++) {
        fh_view shape_a = *out, shape_b = *out;
        memcpy(ia, index, sizeof ia), memcpy(ib, index, sizeof ib);
        ia[r - 1] = l, ib[r - 2] = l;
        shape_a.sizes[r - 1] = k, shape_b.sizes[r - 2] = k;
        double x = get_broadcast(a, &shape_a, ia) * get_broadcast(b, &shape_b, ib);
        sum += x, size += fabs(x);
    }
    sum *= alpha, size *= fabs(alpha);
    if (d && beta != 0) {
        double x = beta * get_broadcast(d, out, index);
        sum += x, size += fabs(x);
    }
    *magnitude = size;
    return sum;
}

/* Sums of k terms: the error grows with their size; then one rounding to the type. */
static void check_product(const fh_view *a, const fh_view *b, const fh_view *d, const fh_view *out,
                          double alpha, double beta, const char *what)
{
    int64_t index[FH_MAX_RANK] = {0};
    if (!fh_view_count(out))
        return;
    do {
        double size, want = expected(a, b, d, out, index, alpha, beta, &size);
        double got = get(out, index), step = out->dtype == FH_F64 ? 1e-15 : 3e-7;
        double bound = size * step * 8 + fabs(want) * tolerance(out->dtype) + 1e-7;
        bool good = isnan(want)   ? isnan(got)
                    : isinf(want) ? got == want
                                  : fabs(got - want) <= bound;
        if (!good)
            printf("%s: at %lld %lld got %g, want %g\n", what, (long long)index[0],
                   (long long)index[1], got, want);
        CHECK(good);
        if (!good)
            return;
    } while (next_index(out, index));
}

static void free_tensors(tensor *t, int count)
{
    for (int i = 0; i < count; i++)
        free(t[i].memory);
}

static void run_addmm(fh_dtype dtype, int64_t m, int64_t k, int64_t n, const enum layout *l,
                      double beta, double alpha, const fh_team *team)
{
    tensor t[] = {make_random(dtype, l[3], 2, (int64_t[]){m, n}, -2, 2),
                  make_random(dtype, l[0], 2, (int64_t[]){m, k}, -2, 2),
                  make_random(dtype, l[1], 2, (int64_t[]){k, n}, -2, 2),
                  make_random(dtype, l[2], 2, (int64_t[]){m, n}, NAN, NAN)};
    fh_number numbers[] = {{.dtype = FH_F64, .f64 = beta}, {.dtype = FH_F64, .f64 = alpha}};
    fh_argument arguments[] = {
        of_view(&t[0]),         of_view(&t[1]), of_view(&t[2]), of_number(&numbers[0]),
        of_number(&numbers[1]), of_view(&t[3]), of_type()};
    char what[128];
    snprintf(what, sizeof what, "addmm %s %lldx%lldx%lld layouts %d%d%d%d", fh_dtype_name(dtype),
             (long long)m, (long long)k, (long long)n, l[0], l[1], l[2], l[3]);
    CHECK(fh_op_addmm(arguments, team) == FH_OK);
    check_product(&t[1].view, &t[2].view, &t[0].view, &t[3].view, alpha, beta, what);
    free_tensors(t, 4);
}

static void layouts_and_types(void)
{
    static const int64_t shapes[][3] = {{1, 1, 1},  {5, 7, 3},  {1, 33, 17}, {17, 33, 1},
                                        {4, 0, 5},  {0, 3, 4},  {3, 4, 0},   {1, 0, 1},
                                        {40, 9, 2}, {2, 70, 9}, {1, 1, 9},   {9, 1, 1}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s += TEST_EVERY)
        for (size_t f = 0; f < 4; f++)
            for (int i = 0; i < 256; i++) {
                const enum layout l[] = {layouts[i & 3], layouts[i >> 2 & 3], layouts[i >> 4 & 3],
                                         layouts[i >> 6 & 3]};
                run_addmm(floats[f], shapes[s][0], shapes[s][1], shapes[s][2], l, i & 1 ? 0.5 : 0,
                          1.25, &fh_team_alone);
            }
}

/* More than a tile in every direction, cut over threads. */
static void large(void)
{
    static const int64_t shapes[][3] = {{530, 40, 30}, {30, 40, 530},  {20, 1100, 20},
                                        {520, 1, 520}, {300, 1025, 1}, {1, 1025, 600}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s += TEST_EVERY)
        for (size_t f = 0; f < 4; f++)
            for (int i = 0; i < 5; i++) {
                const enum layout l[] = {layouts[i & 3], layouts[(i + 1) & 3], layouts[i >> 1],
                                         PLAIN};
                run_addmm(floats[f], shapes[s][0], shapes[s][1], shapes[s][2], l, -1, 2,
                          i & 1 ? &team_of_three : &fh_team_alone);
            }
}

static void in_place(void)
{
    for (size_t f = 0; f < 4; f++)
        for (int i = 0; i < 4; i++) {
            tensor t[] = {make_random(floats[f], layouts[i], 2, (int64_t[]){6, 9}, -2, 2),
                          make_random(floats[f], PLAIN, 2, (int64_t[]){6, 5}, -2, 2),
                          make_random(floats[f], PLAIN, 2, (int64_t[]){5, 9}, -2, 2),
                          make(FH_F64, PLAIN, 2, (int64_t[]){6, 9})};
            int64_t index[FH_MAX_RANK] = {0};
            do
                set(&t[3].view, index, get(&t[0].view, index));
            while (next_index(&t[0].view, index));
            fh_number half = {.dtype = FH_F32, .f64 = 0.5}, two = {.dtype = FH_I64, .i64 = 2};
            fh_argument arguments[] = {of_view(&t[0]),   of_view(&t[1]),  of_view(&t[2]),
                                       of_number(&half), of_number(&two), of_type()};
            CHECK(fh_op_inplace_addmm(arguments, &fh_team_alone) == FH_OK);
            check_product(&t[1].view, &t[2].view, &t[3].view, &t[0].view, 2, 0.5, "addmm_");
            free_tensors(t, 4);
        }
}

/* self is [n], [1], [m, 1] and of no dimensions; of another type than the matrices. */
static void bias(void)
{
    static const struct {
        uint32_t rank;
        int64_t sizes[2];
    } shapes[] = {{1, {9}}, {1, {1}}, {2, {6, 1}}, {2, {1, 9}}, {0, {0}}};
    for (size_t s = 0; s < 5; s++)
        for (size_t f = 0; f < 4; f++) {
            tensor t[] = {make_random(f == 1 ? FH_F64 : FH_F32, SPREAD, shapes[s].rank,
                                      shapes[s].sizes, -2, 2),
                          make_random(floats[f], REVERSED, 2, (int64_t[]){6, 70}, -2, 2),
                          make_random(floats[f], PLAIN, 2, (int64_t[]){70, 9}, -2, 2),
                          make_random(floats[f], PLAIN, 2, (int64_t[]){6, 9}, NAN, NAN)};
            fh_argument arguments[] = {of_view(&t[0]), of_view(&t[1]), of_view(&t[2]),
                                       of_integer(1),  of_integer(1),  of_view(&t[3]),
                                       of_type()};
            CHECK(fh_op_addmm(arguments, &fh_team_alone) == FH_OK);
            check_product(&t[1].view, &t[2].view, &t[0].view, &t[3].view, 1, 1, "bias");
            free_tensors(t, 4);
        }
}

static void batches(void)
{
    static const struct {
        uint32_t rank_a, rank_b, rank;
        int64_t a[4], b[4], out[4];
    } cases[] = {
        {3, 3, 3, {4, 5, 6}, {4, 6, 7}, {4, 5, 7}},
        {3, 2, 3, {4, 5, 6}, {6, 7}, {4, 5, 7}},
        {2, 3, 3, {5, 6}, {4, 6, 7}, {4, 5, 7}},
        {4, 4, 4, {2, 1, 5, 6}, {1, 3, 6, 7}, {2, 3, 5, 7}},
        {4, 3, 4, {2, 3, 5, 6}, {3, 6, 1}, {2, 3, 5, 1}},
        {3, 4, 4, {1, 1, 6}, {2, 3, 6, 7}, {2, 3, 1, 7}},
        {3, 3, 3, {0, 5, 6}, {0, 6, 7}, {0, 5, 7}},
        {3, 3, 3, {3, 5, 0}, {3, 0, 7}, {3, 5, 7}},
        {3, 3, 3, {1, 5, 6}, {300, 6, 2}, {300, 5, 2}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c += TEST_EVERY)
        for (size_t f = 0; f < 4; f++)
            for (int i = 0; i < 64; i++) {
                tensor t[] = {
                    make_random(floats[f], layouts[i & 3], cases[c].rank_a, cases[c].a, -2, 2),
                    make_random(floats[f], layouts[i >> 2 & 3], cases[c].rank_b, cases[c].b, -2, 2),
                    make_random(floats[f], layouts[i >> 4], cases[c].rank, cases[c].out, NAN, NAN)};
                fh_argument arguments[] = {of_view(&t[0]), of_view(&t[1]), of_view(&t[2]),
                                           of_type()};
                CHECK(fh_op_matmul(arguments, i & 1 ? &team_of_three : &fh_team_alone) == FH_OK);
                check_product(&t[0].view, &t[1].view, NULL, &t[2].view, 1, 0, "matmul");
                free_tensors(t, 3);
            }
}

/* One batch stride of 0 (expanded), and a row stride of 0. */
static void expanded(void)
{
    tensor t[] = {make_random(FH_F32, PLAIN, 3, (int64_t[]){3, 4, 5}, -2, 2),
                  make_random(FH_F32, PLAIN, 3, (int64_t[]){3, 5, 6}, -2, 2),
                  make(FH_F32, PLAIN, 3, (int64_t[]){3, 4, 6})};
    fh_argument arguments[] = {of_view(&t[0]), of_view(&t[1]), of_view(&t[2]), of_type()};
    t[0].view.strides[0] = 0, t[1].view.strides[1] = 0;
    CHECK(fh_op_matmul(arguments, &fh_team_alone) == FH_OK);
    check_product(&t[0].view, &t[1].view, NULL, &t[2].view, 1, 0, "expanded");
    t[0].view.strides[1] = 0, t[1].view.strides[2] = 0;
    CHECK(fh_op_matmul(arguments, &fh_team_alone) == FH_OK);
    check_product(&t[0].view, &t[1].view, NULL, &t[2].view, 1, 0, "expanded");
    free_tensors(t, 3);
}

static void vectors(void)
{
    for (size_t f = 0; f < 4; f++)
        for (int64_t k = 0; k < 80; k += 13) {
            tensor t[] = {make_random(floats[f], BACKWARD, 1, &k, -2, 2),
                          make_random(floats[f], SPREAD, 1, &k, -2, 2),
                          make(floats[f], PLAIN, 0, NULL)};
            fh_argument arguments[] = {of_view(&t[0]), of_view(&t[1]), of_view(&t[2])};
            CHECK(fh_op_dot(arguments, &fh_team_alone) == FH_OK);
            double sum = 0;
            for (int64_t i = 0; i < k; i++)
                sum += get(&t[0].view, &i) * get(&t[1].view, &i);
            int64_t none[FH_MAX_RANK] = {0};
            CHECK(fabs(get(&t[2].view, none) - sum) <= tolerance(floats[f]) * (fabs(sum) + 20));
            free_tensors(t, 3);
        }
    /* matrix x vector, vector x matrix, vector x batch */
    tensor t[] = {make_random(FH_F32, PLAIN, 1, (int64_t[]){7}, -2, 2),
                  make_random(FH_F32, REVERSED, 2, (int64_t[]){5, 7}, -2, 2),
                  make(FH_F32, SPREAD, 1, (int64_t[]){5}),
                  make_random(FH_F32, PLAIN, 3, (int64_t[]){2, 7, 3}, -2, 2),
                  make(FH_F32, PLAIN, 2, (int64_t[]){2, 3})};
    fh_argument mv[] = {of_view(&t[1]), of_view(&t[0]), of_view(&t[2]), of_type()};
    CHECK(fh_op_matmul(mv, &fh_team_alone) == FH_OK);
    for (int64_t i = 0; i < 5; i++) {
        double sum = 0;
        for (int64_t l = 0; l < 7; l++)
            sum += get(&t[1].view, (int64_t[]){i, l}) * get(&t[0].view, &l);
        CHECK(close_to(get(&t[2].view, &i), sum, 1e-5));
    }
    fh_argument vm[] = {of_view(&t[0]), of_view(&t[3]), of_view(&t[4]), of_type()};
    CHECK(fh_op_matmul(vm, &fh_team_alone) == FH_OK);
    for (int64_t i = 0; i < 6; i++) {
        double sum = 0;
        for (int64_t l = 0; l < 7; l++)
            sum += get(&t[3].view, (int64_t[]){i / 3, l, i % 3}) * get(&t[0].view, &l);
        CHECK(close_to(get(&t[4].view, (int64_t[]){i / 3, i % 3}), sum, 1e-5));
    }
    free_tensors(t, 5);
}

static void addmv_addr_addbmm(void)
{
    tensor self = make_random(FH_F32, PLAIN, 1, (int64_t[]){1}, -2, 2);
    tensor mat = make_random(FH_F32, REVERSED, 2, (int64_t[]){5, 7}, -2, 2);
    tensor vec = make_random(FH_F32, SPREAD, 1, (int64_t[]){7}, -2, 2);
    tensor five = make_random(FH_F32, BACKWARD, 1, (int64_t[]){5}, -2, 2);
    tensor out = make(FH_F32, SPREAD, 1, (int64_t[]){5});
    fh_argument addmv[] = {of_view(&self), of_view(&mat), of_view(&vec), of_double(3),
                           of_double(0.5), of_view(&out), of_type()};
    CHECK(fh_op_addmv(addmv, &fh_team_alone) == FH_OK);
    for (int64_t i = 0; i < 5; i++) {
        double sum = 0;
        for (int64_t l = 0; l < 7; l++)
            sum += get(&mat.view, (int64_t[]){i, l}) * get(&vec.view, &l);
        CHECK(close_to(get(&out.view, &i), 3 * sum + 0.5 * get(&self.view, (int64_t[]){0}), 1e-5));
    }
    tensor outer = make(FH_F32, REVERSED, 2, (int64_t[]){5, 7});
    fh_argument addr[] = {of_view(&self), of_view(&five),  of_view(&vec),
                          of_double(-1),  of_double(0.25), of_view(&outer)};
    CHECK(fh_op_addr(addr, &fh_team_alone) == FH_OK);
    for (int64_t i = 0; i < 5; i++)
        for (int64_t j = 0; j < 7; j++)
            CHECK(close_to(get(&outer.view, (int64_t[]){i, j}),
                           0.25 * get(&five.view, &i) * get(&vec.view, &j) -
                               get(&self.view, (int64_t[]){0}),
                           1e-5));
    for (int64_t batch = 0; batch < 4; batch++) {
        tensor a = make_random(FH_F32, PLAIN, 3, (int64_t[]){batch, 5, 3}, -2, 2);
        tensor b = make_random(FH_F32, REVERSED, 3, (int64_t[]){batch, 3, 7}, -2, 2);
        fh_argument arguments[] = {of_view(&self), of_view(&a),     of_view(&b), of_double(2),
                                   of_double(0.5), of_view(&outer), of_type()};
        CHECK(fh_op_addbmm(arguments, &fh_team_alone) == FH_OK);
        for (int64_t i = 0; i < 5; i++)
            for (int64_t j = 0; j < 7; j++) {
                double sum = 0;
                for (int64_t l = 0; l < 3 * batch; l++)
                    sum += get(&a.view, (int64_t[]){l / 3, i, l % 3}) *
                           get(&b.view, (int64_t[]){l / 3, l % 3, j});
                CHECK(close_to(get(&outer.view, (int64_t[]){i, j}),
                               2 * get(&self.view, (int64_t[]){0}) + 0.5 * sum, 1e-5));
            }
        free(a.memory), free(b.memory);
    }
    free(self.memory), free(mat.memory), free(vec.memory), free(five.memory);
    free(out.memory), free(outer.memory);
}

static void transposed_gemm(void)
{
    for (int i = 0; i < 4; i++) {
        int64_t a_sizes[] = {i & 1 ? 6 : 5, i & 1 ? 5 : 6},
                b_sizes[] = {i & 2 ? 7 : 6, i & 2 ? 6 : 7};
        tensor t[] = {make_random(FH_F16, PLAIN, 2, a_sizes, -2, 2),
                      make_random(FH_F16, PLAIN, 2, b_sizes, -2, 2),
                      make_random(FH_F16, PLAIN, 1, (int64_t[]){7}, -2, 2),
                      make(FH_F16, PLAIN, 2, (int64_t[]){5, 7})};
        fh_argument arguments[] = {of_view(&t[0]),     of_view(&t[1]), of_view(&t[2]),
                                   of_double(2),       of_double(3),   of_integer(i & 1),
                                   of_integer(i >> 1), of_view(&t[3]), of_type()};
        CHECK(fh_op_gemm(arguments, &fh_team_alone) == FH_OK);
        fh_view a = t[0].view, b = t[1].view;
        if (i & 1)
            a.sizes[0] = 5, a.sizes[1] = 6, a.strides[0] = 1, a.strides[1] = 5;
        if (i & 2)
            b.sizes[0] = 6, b.sizes[1] = 7, b.strides[0] = 1, b.strides[1] = 6;
        check_product(&a, &b, &t[2].view, &t[3].view, 2, 3, "gemm");
        free_tensors(t, 4);
    }
}

/* A NaN or infinity of an input is in its row or column; with beta 0, one of self is not. */
static void special_values(void)
{
    const enum layout l[] = {PLAIN, PLAIN, PLAIN, PLAIN};
    (void)l;
    for (size_t f = 0; f < 4; f++)
        for (int64_t n = 1; n <= 40; n += 39) {
            tensor t[] = {make_random(floats[f], PLAIN, 2, (int64_t[]){40, n}, NAN, NAN),
                          make_random(floats[f], PLAIN, 2, (int64_t[]){40, 40}, 1, 2),
                          make_random(floats[f], PLAIN, 2, (int64_t[]){40, n}, 1, 2),
                          make_random(floats[f], PLAIN, 2, (int64_t[]){40, n}, NAN, NAN)};
            set(&t[1].view, (int64_t[]){3, 5}, NAN);
            set(&t[1].view, (int64_t[]){7, 0}, INFINITY);
            set(&t[2].view, (int64_t[]){39, n - 1}, -INFINITY);
            fh_argument arguments[] = {of_view(&t[0]), of_view(&t[1]), of_view(&t[2]),
                                       of_integer(0),  of_integer(1),  of_view(&t[3]),
                                       of_type()};
            CHECK(fh_op_addmm(arguments, &fh_team_alone) == FH_OK);
            check_product(&t[1].view, &t[2].view, NULL, &t[3].view, 1, 0, "special");
            free_tensors(t, 4);
        }
}

static void integers(void)
{
    static const fh_dtype types[] = {FH_I8, FH_U8, FH_I16, FH_I32, FH_I64};
    for (size_t f = 0; f < 5; f++)
        for (int i = 0; i < 16; i++) {
            tensor t[] = {make_random(types[f], layouts[i & 3], 2, (int64_t[]){9, 11}, 0, 3.9),
                          make_random(types[f], layouts[i >> 2], 2, (int64_t[]){11, 6}, 0, 3.9),
                          make(types[f], SPREAD, 2, (int64_t[]){9, 6}),
                          make(FH_I32, PLAIN, 2, (int64_t[]){9, 6})};
            fh_argument arguments[] = {of_view(&t[0]), of_view(&t[1]), of_view(&t[2]), of_type()};
            CHECK(fh_op_matmul(arguments, &fh_team_alone) == FH_OK);
            arguments[2] = of_view(&t[3]);
            CHECK(fh_op_matmul(arguments, &fh_team_alone) == FH_OK);
            for (int64_t j = 0; j < 54; j++) {
                int64_t at[] = {j / 6, j % 6}, sum = 0;
                for (int64_t l = 0; l < 11; l++)
                    sum += (int64_t)(get(&t[0].view, (int64_t[]){at[0], l}) *
                                     get(&t[1].view, (int64_t[]){l, at[1]}));
                CHECK(get(&t[2].view, at) == (double)sum || types[f] == FH_I8);
                CHECK(types[f] != FH_I8 || (int8_t)get(&t[2].view, at) == (int8_t)sum);
                CHECK(get(&t[3].view, at) == (double)sum);
            }
            free_tensors(t, 4);
        }
    /* Sums that leave the type wrap. */
    tensor a = make(FH_I32, PLAIN, 2, (int64_t[]){1, 4}),
           b = make(FH_I32, PLAIN, 2, (int64_t[]){4, 1});
    tensor c = make(FH_I32, PLAIN, 2, (int64_t[]){1, 1});
    for (int64_t i = 0; i < 4; i++)
        set(&a.view, (int64_t[]){0, i}, 2147483647.0), set(&b.view, (int64_t[]){i, 0}, 3);
    fh_argument arguments[] = {of_view(&a), of_view(&b), of_view(&c), of_type()};
    CHECK(fh_op_matmul(arguments, &fh_team_alone) == FH_OK);
    CHECK(*(int32_t *)c.view.data == (int32_t)(UINT32_C(2147483647) * 3 * 4));
    free(a.memory), free(b.memory), free(c.memory);
}

static void refused(void)
{
    tensor a = make(FH_C64, PLAIN, 2, (int64_t[]){2, 2});
    fh_argument arguments[] = {of_view(&a), of_view(&a), of_view(&a), of_type()};
    CHECK(fh_op_matmul(arguments, &fh_team_alone) == FH_UNSUPPORTED);
    CHECK(strstr(fh_error_message(), "COMPLEX64") != NULL);
    free(a.memory);
}

/* Threads that multiply at the same time, each with its own result. */
static void multiply_some(void *context, size_t index, unsigned worker)
{
    (void)context, (void)index, (void)worker;
    const enum layout l[] = {PLAIN, REVERSED, PLAIN, PLAIN};
    static const int64_t sizes[] = {20, 70, 130};
    int64_t m = sizes[index % 3], k = sizes[index / 3 % 3];
    tensor t[] = {make(FH_F32, l[0], 2, (int64_t[]){m, k}),
                  make(FH_F32, l[1], 2, (int64_t[]){k, m}),
                  make(FH_F32, PLAIN, 2, (int64_t[]){m, m})};
    for (int i = 0; i < 2; i++)
        for (int64_t j = 0; j < m * k; j++)
            ((float *)t[i].view.data)[j] = 1;
    fh_argument arguments[] = {of_view(&t[0]), of_view(&t[1]), of_view(&t[2]), of_type()};
    int wrong = fh_op_matmul(arguments, &fh_team_alone) != FH_OK;
    for (int64_t j = 0; j < m * m; j++)
        wrong += ((float *)t[2].view.data)[j] != (float)k;
    if (wrong)
        __atomic_fetch_add((int *)context, 1, __ATOMIC_RELAXED);
    free_tensors(t, 3);
}

static void together(void)
{
    int wrong = 0;
    fh_parallel_for(4, 400, multiply_some, &wrong);
    CHECK(wrong == 0);
}

int main(void)
{
    TEST(layouts_and_types);
    TEST(large);
    TEST(in_place);
    TEST(bias);
    TEST(batches);
    TEST(expanded);
    TEST(vectors);
    TEST(addmv_addr_addbmm);
    TEST(transposed_gemm);
    TEST(special_values);
    TEST(integers);
    TEST(refused);
    TEST(together);
    fh_scratch_trim();
    return test_report();
}
