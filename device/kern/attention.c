/* Attention forward: softmax over blocks of keys, with the maximum and sum so far corrected as it
 * grows, so that the matrix of all logits never exists. */
#include "device/kern/attention.h"

#include "device/kern/blas.h"
#include "device/kern/scratch.h"
#include "device/kern/vecmath.h"

#include <stdatomic.h>

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void fh_attention_range(const fh_attention *a, int64_t batch, int64_t i, int64_t *begin,
                        int64_t *end)
{
    int64_t keys = a->key_lengths ? smaller(a->key_lengths[batch], a->keys) : a->keys;
    int64_t queries = a->query_lengths ? smaller(a->query_lengths[batch], a->queries) : a->queries;
    int64_t shift = a->lower_right ? keys - queries : 0;
    *begin = 0, *end = keys < 0 ? 0 : keys;
    if (!a->band)
        return;
    /* Limits are as large as 2^63 - 1: no sums of two of them. */
    if (a->before < i + shift)
        *begin = i + shift - a->before;
    if (a->after < *end - i - shift - 1)
        *end = i + shift + a->after + 1;
    if (*begin > *end || *end < 0)
        *begin = *end = 0;
}

fh_rows fh_attention_rows(const fh_heads *t, int64_t batch, int64_t head, int64_t token,
                          int64_t tokens, int64_t depth, float *copy)
{
    int64_t offset = batch * t->batch + head * t->head + token * t->token;
    const char *from = (const char *)t->data + offset * (int64_t)fh_dtype_size(t->dtype);
    if (t->dtype == FH_F32 && t->element == 1 && t->token >= depth && t->token <= INT32_MAX)
        return (fh_rows){(const float *)from, t->token};
    fh_convert_between(t->dtype, FH_F32)(tokens, depth, from, t->token, t->element, copy, depth, 1);
    return (fh_rows){copy, depth};
}

FH_SIMD static void scale_row(int64_t n, float *s, float scale)
{
    FH_IVDEP for (int64_t j = 0; j < n; j++) s[j] *= scale;
}

static void add_pse(const fh_heads *pse, int64_t batch, int64_t head, int64_t i, int64_t j,
                    int64_t n, float *s)
{
    float row[FH_KEY_BLOCK];
    int64_t offset = batch * pse->batch + head * pse->head + i * pse->token + j * pse->element;
    fh_convert_between(pse->dtype, FH_F32)(
        1, n, (const char *)pse->data + offset * (int64_t)fh_dtype_size(pse->dtype), 0,
        pse->element, row, n, 1);
    for (int64_t l = 0; l < n; l++)
        s[l] += row[l];
}

FH_SIMD static void hide(int64_t n, const uint8_t *mask, int64_t stride, float *s)
{
    if (stride == 1)
        FH_IVDEP for (int64_t l = 0; l < n; l++) s[l] = mask[l] ? -INFINITY : s[l];
    else
        for (int64_t l = 0; l < n; l++)
            s[l] = mask[l * stride] ? -INFINITY : s[l];
}

void fh_attention_logits(const fh_attention *a, int64_t batch, int64_t head, int64_t i,
                         int64_t rows, int64_t j, int64_t columns, float *s)
{
    const fh_heads *mask = &a->mask;
    for (int64_t r = 0; r < rows; r++, s += FH_KEY_BLOCK) {
        int64_t begin, end;
        fh_attention_range(a, batch, i + r, &begin, &end);
        if (a->pse.data)
            add_pse(&a->pse, batch, head, i + r, j, columns, s);
        scale_row(columns, s, (float)a->scale);
        if (mask->data) {
            const uint8_t *from = mask->data;
            from += batch * mask->batch + head * mask->head + (i + r) * mask->token;
            hide(columns, from + j * mask->element, mask->element, s);
        }
        for (int64_t l = 0; l < columns && j + l < begin; l++)
            s[l] = -INFINITY;
        for (int64_t l = end > j ? end - j : 0; l < columns; l++)
            s[l] = -INFINITY;
    }
}

void fh_attention_drop(const fh_attention *a, int64_t batch, int64_t head, int64_t i, int64_t rows,
                       int64_t j, int64_t columns, float *p)
{
    float kept = (float)(1 / a->keep);
    if (!a->drop_bits)
        return;
    for (int64_t r = 0; r < rows; r++, p += FH_KEY_BLOCK) {
        int64_t bit = ((batch * a->heads + head) * a->queries + i + r) * a->keys + j;
        for (int64_t l = 0; l < columns; l++, bit++)
            p[l] *= a->drop_bits[bit >> 3] >> (bit & 7) & 1 ? kept : 0;
    }
}

/* The largest of n; -infinity of none. A NaN is lost here, and comes back from the exponential. */
FH_SIMD static float largest(int64_t n, const float *s)
{
    enum { LANES = 16 };
    float lanes[LANES], best = -INFINITY;
    int64_t j = 0;
    for (int l = 0; l < LANES; l++)
        lanes[l] = -INFINITY;
    for (; j + LANES <= n; j += LANES)
        for (int l = 0; l < LANES; l++)
            lanes[l] = s[j + l] > lanes[l] ? s[j + l] : lanes[l];
    for (int l = 0; l < LANES; l++)
        best = lanes[l] > best ? lanes[l] : best;
    for (; j < n; j++)
        best = s[j] > best ? s[j] : best;
    return best;
}

/* s = exp(s - max); returns the sum. */
FH_SIMD static float exponentials(int64_t n, float *s, float max)
{
    enum { LANES = 16 };
    float lanes[LANES] = {0}, sum = 0;
    int64_t j = 0;
    FH_IVDEP for (int64_t l = 0; l < n; l++) s[l] = fh_expf(s[l] - max);
    for (; j + LANES <= n; j += LANES)
        for (int l = 0; l < LANES; l++)
            lanes[l] += s[j + l];
    for (int l = 0; l < LANES; l++)
        sum += lanes[l];
    for (; j < n; j++)
        sum += s[j];
    return sum;
}

typedef struct {
    const fh_attention *a;
    int64_t blocks; /* of queries */
    atomic_bool failed;
} job;

/* What a part needs: copies of q, k and v, logits, the output so far, and a maximum and sum per
 * query. */
typedef struct {
    float *q, *k, *v, *s, *o, *max, *sum;
} workspace;

static float *workspace_make(const fh_attention *a, workspace *w)
{
    int64_t d = (a->depth + 15) / 16 * 16, e = (a->value_depth + 15) / 16 * 16;
    int64_t q = FH_QUERY_BLOCK * d, k = FH_KEY_BLOCK * d, v = FH_KEY_BLOCK * e;
    int64_t s = FH_QUERY_BLOCK * FH_KEY_BLOCK, o = FH_QUERY_BLOCK * e;
    float *block =
        fh_scratch_take((size_t)(q + k + v + s + o + 2 * FH_QUERY_BLOCK) * sizeof(float));
    if (!block)
        return NULL;
    w->q = block, w->k = w->q + q, w->v = w->k + k, w->s = w->v + v, w->o = w->s + s;
    w->max = w->o + o, w->sum = w->max + FH_QUERY_BLOCK;
    return block;
}

/* One block of keys: makes probabilities of s and corrects what was summed before. */
static void softmax_block(const fh_attention *a, workspace *w, int64_t rows, int64_t columns)
{
    for (int64_t r = 0; r < rows; r++) {
        float *s = w->s + r * FH_KEY_BLOCK, old = w->max[r];
        float best = largest(columns, s), max = best > old ? best : old;
        /* All hidden so far: exp(-inf - 0) is 0. */
        float base = max == -INFINITY ? 0 : max;
        float correction = old == -INFINITY ? 0 : fh_expf(old - base);
        w->sum[r] = w->sum[r] * correction + exponentials(columns, s, base);
        w->max[r] = max;
        if (correction != 1)
            scale_row(a->value_depth, w->o + r * a->value_depth, correction);
    }
}

static bool attend(const fh_attention *a, int64_t batch, int64_t head, int64_t i, int64_t rows,
                   workspace *w)
{
    int64_t kv_head = head / (a->heads / a->kv_heads), begin = a->keys, end = 0;
    fh_rows q = fh_attention_rows(&a->q, batch, head, i, rows, a->depth, w->q);
    memset(w->o, 0, (size_t)(rows * a->value_depth) * sizeof(float));
    for (int64_t r = 0; r < rows; r++) {
        int64_t row_begin, row_end;
        fh_attention_range(a, batch, i + r, &row_begin, &row_end);
        w->max[r] = -INFINITY, w->sum[r] = 0;
        if (row_begin < row_end) {
            begin = smaller(begin, row_begin);
            end = row_end > end ? row_end : end;
        }
    }
    for (int64_t j = begin; j < end; j += FH_KEY_BLOCK) {
        int64_t columns = smaller(end - j, FH_KEY_BLOCK);
        fh_rows k = fh_attention_rows(&a->k, batch, kv_head, j, columns, a->depth, w->k);
        fh_rows v = fh_attention_rows(&a->v, batch, kv_head, j, columns, a->value_depth, w->v);
        fh_blas_shape logits = {false,    true,     rows,         columns, a->depth,
                                q.stride, k.stride, FH_KEY_BLOCK, 1,       0};
        fh_blas_shape values = {
            false,          false, rows, a->value_depth, columns, FH_KEY_BLOCK, v.stride,
            a->value_depth, 1,     1};
        if (!fh_blas_f32(&logits, q.data, k.data, w->s))
            return false;
        fh_attention_logits(a, batch, head, i, rows, j, columns, w->s);
        softmax_block(a, w, rows, columns);
        fh_attention_drop(a, batch, head, i, rows, j, columns, w->s);
        if (!fh_blas_f32(&values, w->s, v.data, w->o))
            return false;
    }
    return true;
}

static float *statistic(const fh_heads *t, int64_t batch, int64_t head, int64_t token)
{
    return (float *)t->data + batch * t->batch + head * t->head + token * t->token;
}

static void store(const fh_attention *a, int64_t batch, int64_t head, int64_t i, int64_t rows,
                  workspace *w)
{
    const fh_heads *out = &a->out;
    int64_t offset = batch * out->batch + head * out->head + i * out->token;
    for (int64_t r = 0; r < rows; r++) {
        float sum = w->sum[r], max = w->max[r] == -INFINITY ? 0 : w->max[r];
        if (sum == 0)
            memset(w->o + r * a->value_depth, 0, (size_t)a->value_depth * sizeof(float));
        else
            scale_row(a->value_depth, w->o + r * a->value_depth, 1 / sum);
        for (int l = 0; l < 8 && a->max.data; l++) {
            statistic(&a->max, batch, head, i + r)[l * a->max.element] = max;
            statistic(&a->sum, batch, head, i + r)[l * a->sum.element] = sum;
        }
        if (a->lse.data)
            *statistic(&a->lse, batch, head, i + r) = sum == 0 ? INFINITY : max + logf(sum);
    }
    fh_convert_between(FH_F32, out->dtype)(
        rows, a->value_depth, w->o, a->value_depth, 1,
        (char *)out->data + offset * (int64_t)fh_dtype_size(out->dtype), out->token, out->element);
}

static void run_part(void *context, int64_t begin, int64_t end, unsigned slot)
{
    (void)slot;
    job *j = context;
    const fh_attention *a = j->a;
    workspace w;
    float *block = workspace_make(a, &w);
    bool good = block != NULL;
    for (int64_t unit = begin; unit < end && good; unit++) {
        int64_t i = unit % j->blocks * FH_QUERY_BLOCK, rest = unit / j->blocks;
        int64_t head = rest % a->heads, batch = rest / a->heads;
        int64_t rows = smaller(a->queries - i, FH_QUERY_BLOCK);
        good = attend(a, batch, head, i, rows, &w);
        if (good)
            store(a, batch, head, i, rows, &w);
    }
    fh_scratch_give(block);
    if (!good)
        atomic_store(&j->failed, true);
}

fh_status fh_attention_forward(const fh_attention *a, const fh_team *team)
{
    job j = {.a = a, .blocks = (a->queries + FH_QUERY_BLOCK - 1) / FH_QUERY_BLOCK};
    int64_t work = smaller(a->queries, FH_QUERY_BLOCK) * a->keys * (a->depth + a->value_depth);
    if (a->value_depth == 0)
        return FH_OK;
    fh_team_split(team, a->batches * a->heads * j.blocks, 1 + (1 << 19) / (work + 1), run_part, &j);
    if (atomic_load(&j.failed))
        return fh_error(FH_NO_MEMORY, "no host memory for the buffers of attention; free memory");
    return FH_OK;
}
