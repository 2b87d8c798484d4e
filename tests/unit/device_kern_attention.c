/* Attention, forward and backward, against plain loops in double precision: layouts, masks that
 * hide whole rows, bands, groups of heads, dropout, lengths, empty tensors. */
#include "device/kern/operators_attention.h"
#include "device/kern/scratch.h"
#include "tests/unit/kernels.h"

typedef struct {
    int64_t b, n, nk, s, t, d, e; /* batches, heads, key heads, queries, keys, depths */
    const char *layout;
    fh_dtype dtype;
    int mask; /* 0: none; 1: [s, t]; 2: [b, 1, s, t]; 3: [b, n, s, t]; 4: with hidden rows */
    int64_t sparse, before, after;
    double keep;
    bool pse;
} setting;

static tensor in_layout(const setting *c, int64_t heads, int64_t tokens, int64_t depth, bool random)
{
    int64_t bnsd[] = {c->b, heads, tokens, depth}, bsnd[] = {c->b, tokens, heads, depth};
    int64_t bsh[] = {c->b, tokens, heads * depth}, sbh[] = {tokens, c->b, heads * depth};
    const int64_t *sizes = !strcmp(c->layout, "BNSD")   ? bnsd
                           : !strcmp(c->layout, "BSND") ? bsnd
                           : !strcmp(c->layout, "BSH")  ? bsh
                                                        : sbh;
    uint32_t rank = strlen(c->layout) == 4 ? 4 : 3;
    return random ? make_random(c->dtype, PLAIN, rank, sizes, -1, 1)
                  : make_random(c->dtype, PLAIN, rank, sizes, NAN, NAN);
}

static double at(const setting *c, const tensor *t, int64_t depth, int64_t b, int64_t n, int64_t s,
                 int64_t d)
{
    if (!strcmp(c->layout, "BNSD"))
        return get(&t->view, (int64_t[]){b, n, s, d});
    if (!strcmp(c->layout, "BSND"))
        return get(&t->view, (int64_t[]){b, s, n, d});
    if (!strcmp(c->layout, "BSH"))
        return get(&t->view, (int64_t[]){b, s, n * depth + d});
    return get(&t->view, (int64_t[]){s, b, n * depth + d});
}

static bool is_hidden(const setting *c, const tensor *mask, int64_t b, int64_t n, int64_t i,
                      int64_t j)
{
    int64_t shift = c->sparse >= 3 ? c->t - c->s : 0;
    if (c->sparse >= 2) {
        int64_t after = c->sparse == 4 ? c->after : 0;
        return j > i + shift + after || (c->sparse == 4 && j < i + shift - c->before);
    }
    if (!c->mask)
        return false;
    if (c->sparse == 0 && (j - i > c->after || i - j > c->before))
        return true;
    fh_view shape = {.rank = 4, .sizes = {c->b, c->n, c->s, c->t}};
    return get_broadcast(&mask->view, &shape, (int64_t[]){b, n, i, j}) != 0;
}

static bool is_kept(const setting *c, const tensor *drop, int64_t b, int64_t n, int64_t i,
                    int64_t j)
{
    int64_t bit = ((b * c->n + n) * c->s + i) * c->t + j;
    return c->keep >= 1 || (((const uint8_t *)drop->view.data)[bit / 8] >> bit % 8 & 1);
}

/* p[j] for a query: softmax of its logits. */
static void softmax_of(const setting *c, const tensor *q, const tensor *k, const tensor *mask,
                       const tensor *pse, double scale, int64_t b, int64_t n, int64_t i, double *p)
{
    double max = -INFINITY, sum = 0;
    int64_t kn = n / (c->n / c->nk);
    for (int64_t j = 0; j < c->t; j++) {
        double dot = 0;
        for (int64_t d = 0; d < c->d; d++)
            dot += at(c, q, c->d, b, n, i, d) * at(c, k, c->d, b, kn, j, d);
        if (c->pse)
            dot += get(&pse->view, (int64_t[]){b, n, i, j});
        p[j] = is_hidden(c, mask, b, n, i, j) ? -INFINITY : dot * scale;
        max = p[j] > max ? p[j] : max;
    }
    for (int64_t j = 0; j < c->t; j++)
        sum += p[j] = p[j] == -INFINITY ? 0 : exp(p[j] - max);
    for (int64_t j = 0; j < c->t; j++)
        p[j] = sum > 0 ? p[j] / sum : 0;
}

static tensor make_mask(const setting *c)
{
    int64_t two[] = {c->s, c->t}, four[] = {c->b, c->mask == 2 ? 1 : c->n, c->s, c->t};
    uint32_t rank = c->mask == 1 ? 2 : 4;
    tensor t = make(FH_BOOL, PLAIN, rank, c->mask == 1 ? two : four);
    int64_t index[FH_MAX_RANK] = {0};
    do
        set(&t.view, index, random_bits() % 3 == 0 || (c->mask == 4 && index[2] % 3 == 1));
    while (next_index(&t.view, index));
    return t;
}

static void check(const setting *c, const fh_team *team)
{
    double scale = 0.3, *p = malloc((size_t)(c->t + 1) * sizeof *p), error = 0, bound;
    int64_t stats[] = {c->b, c->n, c->s, 8}, full[] = {c->b, c->n, c->s, c->t};
    int64_t bits = (c->b * c->n * c->s * c->t + 127) / 128 * 16;
    tensor q = in_layout(c, c->n, c->s, c->d, true), k = in_layout(c, c->nk, c->t, c->d, true);
    tensor v = in_layout(c, c->nk, c->t, c->e, true), dy = in_layout(c, c->n, c->s, c->e, true);
    tensor out = in_layout(c, c->n, c->s, c->e, false), dq = in_layout(c, c->n, c->s, c->d, false);
    tensor dk = in_layout(c, c->nk, c->t, c->d, false), dv = in_layout(c, c->nk, c->t, c->e, false);
    tensor max = make(FH_F32, PLAIN, 4, stats), sum = make(FH_F32, PLAIN, 4, stats);
    tensor mask = c->mask ? make_mask(c) : make(FH_BOOL, PLAIN, 1, (int64_t[]){0});
    tensor pse = c->pse ? make_random(c->dtype, PLAIN, 4, full, -1, 1)
                        : make(c->dtype, PLAIN, 1, (int64_t[]){0});
    tensor drop = make(FH_U8, PLAIN, 1, &bits);
    for (int64_t i = 0; i < bits; i++)
        ((uint8_t *)drop.view.data)[i] = (uint8_t)random_bits();
    fh_argument none = {.kind = FH_ARGUMENT_ABSENT}, a_mask = of_view(&mask);
    fh_argument a_pse = of_view(&pse), a_drop = c->keep < 1 ? of_view(&drop) : none;
    fh_argument layout = {.kind = FH_ARGUMENT_TEXT, .text = c->layout};
    fh_argument forward[] = {of_view(&q),
                             of_view(&k),
                             of_view(&v),
                             a_pse,
                             a_drop,
                             none,
                             a_mask,
                             none,
                             of_double(scale),
                             of_double(c->keep),
                             of_integer(c->before),
                             of_integer(c->after),
                             of_integer(c->n),
                             layout,
                             of_integer(0),
                             of_integer(c->sparse),
                             of_view(&max),
                             of_view(&sum),
                             none,
                             of_view(&out)};
    CHECK(fh_op_flash_attention(forward, team) == FH_OK);
    fh_argument backward[] = {of_view(&q),
                              of_view(&k),
                              of_view(&v),
                              of_view(&dy),
                              a_pse,
                              a_drop,
                              none,
                              a_mask,
                              of_view(&max),
                              of_view(&sum),
                              none,
                              of_view(&out),
                              none,
                              of_double(scale),
                              of_double(c->keep),
                              of_integer(c->before),
                              of_integer(c->after),
                              of_integer(c->n),
                              layout,
                              of_integer(0),
                              of_integer(c->sparse),
                              of_view(&dq),
                              of_view(&dk),
                              of_view(&dv),
                              none};
    CHECK(fh_op_flash_attention_grad(backward, team) == FH_OK);
    size_t nk = (size_t)(c->b * c->nk * c->t * c->d), nv = (size_t)(c->b * c->nk * c->t * c->e);
    double *want_k = calloc(nk + 1, sizeof(double)), *want_v = calloc(nv + 1, sizeof(double));
    for (int64_t b = 0; b < c->b; b++)
        for (int64_t n = 0; n < c->n; n++)
            for (int64_t i = 0; i < c->s; i++) {
                int64_t kn = n / (c->n / c->nk);
                double delta = 0;
                softmax_of(c, &q, &k, &mask, &pse, scale, b, n, i, p);
                for (int64_t d = 0; d < c->e; d++) {
                    double want = 0;
                    for (int64_t j = 0; j < c->t; j++)
                        if (is_kept(c, &drop, b, n, i, j))
                            want += p[j] / c->keep * at(c, &v, c->e, b, kn, j, d);
                    double got = at(c, &out, c->e, b, n, i, d);
                    error = fmax(error, isnan(got) ? 1e9 : fabs(got - want));
                    delta += want * at(c, &dy, c->e, b, n, i, d);
                }
                for (int64_t d = 0; d < c->d; d++) {
                    double want = 0;
                    for (int64_t j = 0; j < c->t; j++) {
                        double dp = 0, kept = is_kept(c, &drop, b, n, i, j) / c->keep;
                        for (int64_t l = 0; l < c->e; l++)
                            dp += at(c, &dy, c->e, b, n, i, l) * at(c, &v, c->e, b, kn, j, l);
                        double ds = p[j] * (dp * kept - delta) * scale;
                        want += ds * at(c, &k, c->d, b, kn, j, d);
                        want_k[((b * c->nk + kn) * c->t + j) * c->d + d] +=
                            ds * at(c, &q, c->d, b, n, i, d);
                        for (int64_t l = 0; l < c->e && d == 0; l++)
                            want_v[((b * c->nk + kn) * c->t + j) * c->e + l] +=
                                p[j] * kept * at(c, &dy, c->e, b, n, i, l);
                    }
                    double got = at(c, &dq, c->d, b, n, i, d);
                    error = fmax(error, isnan(got) ? 1e9 : fabs(got - want));
                }
            }
    for (int64_t b = 0; b < c->b; b++)
        for (int64_t n = 0; n < c->nk; n++)
            for (int64_t j = 0; j < c->t; j++) {
                for (int64_t d = 0; d < c->d; d++)
                    error = fmax(error, fabs(at(c, &dk, c->d, b, n, j, d) -
                                             want_k[((b * c->nk + n) * c->t + j) * c->d + d]));
                for (int64_t d = 0; d < c->e; d++)
                    error = fmax(error, fabs(at(c, &dv, c->e, b, n, j, d) -
                                             want_v[((b * c->nk + n) * c->t + j) * c->e + d]));
            }
    bound = c->dtype == FH_F32 ? 2e-5 : c->dtype == FH_F16 ? 2e-2 : 1e-1;
    if (!(error < bound))
        printf("%s %s b%d n%d/%d s%d t%d d%d mask %d sparse %d: error %g\n",
               fh_dtype_name(c->dtype), c->layout, (int)c->b, (int)c->n, (int)c->nk, (int)c->s,
               (int)c->t, (int)c->d, c->mask, (int)c->sparse, error);
    CHECK(error < bound);
    tensor *all[] = {&q, &k, &v, &dy, &out, &dq, &dk, &dv, &max, &sum, &mask, &pse, &drop};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]->memory);
    free(p), free(want_k), free(want_v);
}

#define FAR INT64_MAX
static const setting settings[] = {
    {2, 3, 3, 5, 7, 8, 8, "BNSD", FH_F32, 0, 0, FAR, FAR, 1, false},
    {2, 3, 3, 5, 7, 8, 8, "BSH", FH_F32, 1, 0, FAR, FAR, 1, false},
    {2, 3, 3, 5, 7, 8, 8, "SBH", FH_F32, 2, 1, 0, 0, 1, false},
    {2, 4, 2, 5, 7, 8, 8, "BSND", FH_F32, 3, 1, 0, 0, 1, true},
    {2, 4, 1, 5, 7, 8, 12, "BNSD", FH_F32, 4, 1, 0, 0, 1, false},
    {1, 2, 2, 9, 6, 4, 4, "BNSD", FH_F32, 0, 2, FAR, FAR, 1, false},
    {1, 2, 2, 9, 6, 4, 4, "BNSD", FH_F32, 0, 3, FAR, FAR, 1, false},
    {1, 2, 2, 6, 9, 4, 4, "BNSD", FH_F32, 0, 3, FAR, FAR, 1, false},
    {1, 2, 2, 9, 9, 4, 4, "BNSD", FH_F32, 0, 4, 2, 1, 1, false},
    {1, 2, 2, 9, 7, 4, 4, "BNSD", FH_F32, 0, 4, 3, -1, 1, false},
    {1, 2, 2, 9, 9, 4, 4, "BNSD", FH_F32, 1, 0, 2, 3, 1, false},
    {2, 2, 2, 5, 7, 8, 8, "BNSD", FH_F32, 0, 0, FAR, FAR, 0.7, false},
    {1, 2, 1, 70, 300, 16, 16, "BSH", FH_F32, 4, 1, 0, 0, 0.5, true},
    {1, 2, 2, 130, 520, 24, 24, "BSND", FH_F32, 0, 3, 0, 0, 1, false},
    {1, 2, 1, 70, 300, 16, 16, "BSH", FH_F16, 3, 1, 0, 0, 1, true},
    {1, 2, 2, 130, 130, 24, 24, "BNSD", FH_BF16, 0, 2, 0, 0, 1, false},
    {1, 2, 2, 1, 1, 1, 1, "BNSD", FH_F32, 0, 0, 0, 0, 1, false},
    {1, 2, 2, 3, 0, 4, 4, "BNSD", FH_F32, 0, 0, 0, 0, 1, false},
    {0, 2, 2, 3, 3, 4, 4, "BNSD", FH_F32, 0, 0, 0, 0, 1, false},
    {1, 2, 2, 0, 3, 4, 4, "BNSD", FH_F32, 0, 0, 0, 0, 1, false},
};

static void against_loops(void)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i += TEST_EVERY) {
        check(&settings[i], &fh_team_alone);
        check(&settings[i], &team_of_three);
    }
}

/* A token against a cache of which a part is filled: as forward over that part. */
static void decoding(void)
{
    int64_t q_sizes[] = {2, 1, 4 * 8}, kv_sizes[] = {2, 40, 2 * 8}, lengths[] = {17, 40};
    tensor q = make_random(FH_F16, PLAIN, 3, q_sizes, -1, 1), out = make(FH_F16, PLAIN, 3, q_sizes);
    tensor k = make_random(FH_F16, PLAIN, 3, kv_sizes, -1, 1);
    tensor v = make_random(FH_F16, PLAIN, 3, kv_sizes, -1, 1);
    fh_argument x[50] = {0};
    x[0] = of_view(&q), x[5] = of_integers(lengths, 2);
    x[1] = (fh_argument){.kind = FH_ARGUMENT_VIEWS, .count = 1, .view = &k.view};
    x[2] = (fh_argument){.kind = FH_ARGUMENT_VIEWS, .count = 1, .view = &v.view};
    x[15] = of_integer(4), x[16] = of_double(0.4), x[18] = of_integer(2), x[19] = of_integer(0);
    x[17] = (fh_argument){.kind = FH_ARGUMENT_TEXT, .text = "BSH"};
    x[21] = of_view(&out);
    for (int form = 0; form < 3; form++) {
        memset(out.view.data, 0xff, 2 * 32 * 2);
        if (form == 0) {
            CHECK(fh_op_incre_attention(x, &fh_team_alone) == FH_OK);
        } else {
            fh_argument y[50] = {0}, *o = form == 1 ? &y[24] : &y[27];
            memcpy(y, x, 3 * sizeof *x);
            y[6] = x[5];
            o[0] = of_integer(4), o[1] = of_double(0.4), o[2] = o[3] = of_integer(FAR);
            o[4] = x[17], o[5] = of_integer(2), o[6] = of_integer(0), o[13] = of_view(&out);
            o[10] = of_integer(0);
            CHECK((form == 1 ? fh_op_fused_infer_attention(y, &fh_team_alone)
                             : fh_op_fused_infer_attention_rope(y, &fh_team_alone)) == FH_OK);
        }
        for (int64_t b = 0; b < 2; b++)
            for (int64_t n = 0; n < 4; n++) {
                double p[40], sum = 0;
                for (int64_t j = 0; j < lengths[b]; j++) {
                    p[j] = 0;
                    for (int64_t d = 0; d < 8; d++)
                        p[j] += get(&q.view, (int64_t[]){b, 0, n * 8 + d}) *
                                get(&k.view, (int64_t[]){b, j, n / 2 * 8 + d});
                    sum += p[j] = exp(p[j] * 0.4);
                }
                for (int64_t d = 0; d < 8; d++) {
                    double want = 0;
                    for (int64_t j = 0; j < lengths[b]; j++)
                        want += p[j] / sum * get(&v.view, (int64_t[]){b, j, n / 2 * 8 + d});
                    CHECK(fabs(get(&out.view, (int64_t[]){b, 0, n * 8 + d}) - want) < 2e-3);
                }
            }
    }
    x[6] = of_view(&q);
    CHECK(fh_op_incre_attention(x, &fh_team_alone) == FH_UNSUPPORTED);
    free(q.memory), free(k.memory), free(v.memory), free(out.memory);
}

static void refused(void)
{
    int64_t sizes[] = {3, 2, 4};
    tensor t = make(FH_F32, PLAIN, 3, sizes), stats = make(FH_F32, PLAIN, 1, sizes);
    fh_argument none = {.kind = FH_ARGUMENT_ABSENT};
    fh_argument x[20];
    for (int i = 0; i < 20; i++)
        x[i] = none;
    x[0] = x[1] = x[2] = x[19] = of_view(&t), x[16] = x[17] = of_view(&stats);
    x[8] = x[9] = of_double(1), x[10] = x[11] = x[12] = x[14] = x[15] = of_integer(2);
    x[13] = (fh_argument){.kind = FH_ARGUMENT_TEXT, .text = "TND"};
    CHECK(fh_op_flash_attention(x, &fh_team_alone) == FH_UNSUPPORTED);
    x[13].text = "BSH", x[12] = of_integer(3);
    CHECK(fh_op_flash_attention(x, &fh_team_alone) == FH_INVALID);
    x[12] = of_integer(2), x[15] = of_integer(5);
    CHECK(fh_op_flash_attention(x, &fh_team_alone) == FH_UNSUPPORTED);
    free(t.memory), free(stats.memory);
}

int main(void)
{
    TEST(against_loops);
    TEST(decoding);
    TEST(refused);
    fh_scratch_trim();
    return test_report();
}
