/* Attention backward: probabilities are made again from the logits and what forward kept of each
 * query, its maximum and sum. A part has all queries of a head of keys, so that dk and dv are
 * summed by one thread. */
#include "device/kern/attention.h"
#include "device/kern/blas.h"
#include "device/kern/scratch.h"
#include "device/kern/vecmath.h"

#include <stdatomic.h>

typedef struct {
    const fh_attention_gradients *g;
    atomic_bool failed;
} job;

typedef struct {
    float *q, *k, *v, *o, *dout, *dq; /* blocks */
    float *p, *ds;                    /* queries x keys of a block */
    float *delta;                     /* per query: dout . out */
    float *dk, *dv;                   /* of all keys of a head */
} workspace;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static float *workspace_make(const fh_attention *a, workspace *w)
{
    int64_t d = a->depth, e = a->value_depth, block = FH_QUERY_BLOCK * FH_KEY_BLOCK;
    int64_t sizes[] = {FH_QUERY_BLOCK * d,
                       FH_KEY_BLOCK * d,
                       FH_KEY_BLOCK * e,
                       FH_QUERY_BLOCK * e,
                       FH_QUERY_BLOCK * e,
                       FH_QUERY_BLOCK * d,
                       block,
                       block,
                       FH_QUERY_BLOCK,
                       a->keys * d,
                       a->keys * e};
    float **parts[] = {&w->q, &w->k,  &w->v,     &w->o,  &w->dout, &w->dq,
                       &w->p, &w->ds, &w->delta, &w->dk, &w->dv};
    int64_t total = 0;
    for (int i = 0; i < 11; i++)
        total += sizes[i] = (sizes[i] + 15) / 16 * 16;
    float *memory = fh_scratch_take((size_t)total * sizeof(float)), *at = memory;
    for (int i = 0; i < 11 && memory; i++) {
        *parts[i] = at;
        at += sizes[i];
    }
    return memory;
}

/* p = exp(s - max) / sum. */
FH_SIMD static void probabilities(int64_t n, float *s, float max, float inverse)
{
    FH_IVDEP for (int64_t j = 0; j < n; j++) s[j] = fh_expf(s[j] - max) * inverse;
}

/* ds = p (dp - delta) scale. */
FH_SIMD static void through_softmax(int64_t n, const float *p, float *ds, float delta, float scale)
{
    FH_IVDEP for (int64_t j = 0; j < n; j++) ds[j] = p[j] * (ds[j] - delta) * scale;
}

static float statistic(const fh_heads *t, int64_t batch, int64_t head, int64_t token)
{
    return ((const float *)t->data)[batch * t->batch + head * t->head + token * t->token];
}

static void make_delta(const fh_attention *a, fh_rows o, fh_rows dout, int64_t rows, float *delta)
{
    for (int64_t r = 0; r < rows; r++) {
        float sum = 0;
        for (int64_t l = 0; l < a->value_depth; l++)
            sum += o.data[r * o.stride + l] * dout.data[r * dout.stride + l];
        delta[r] = sum;
    }
}

static bool block_pair(const fh_attention_gradients *g, int64_t batch, int64_t head, int64_t i,
                       int64_t rows, int64_t j, int64_t columns, fh_rows q, fh_rows dout,
                       workspace *w)
{
    const fh_attention *a = &g->forward;
    enum { S = FH_KEY_BLOCK };
    int64_t kv_head = head / (a->heads / a->kv_heads), d = a->depth, e = a->value_depth;
    fh_rows k = fh_attention_rows(&a->k, batch, kv_head, j, columns, d, w->k);
    fh_rows v = fh_attention_rows(&a->v, batch, kv_head, j, columns, e, w->v);
    fh_blas_shape logits = {false, true, rows, columns, d, q.stride, k.stride, S, 1, 0};
    fh_blas_shape dp = {false, true, rows, columns, e, dout.stride, v.stride, S, 1, 0};
    fh_blas_shape dv = {true, false, columns, e, rows, S, dout.stride, e, 1, 1};
    fh_blas_shape dq = {false, false, rows, d, columns, S, k.stride, d, 1, 1};
    fh_blas_shape dk = {true, false, columns, d, rows, S, q.stride, d, 1, 1};
    if (!fh_blas_f32(&logits, q.data, k.data, w->p))
        return false;
    fh_attention_logits(a, batch, head, i, rows, j, columns, w->p);
    for (int64_t r = 0; r < rows; r++) {
        float sum = statistic(&a->sum, batch, head, i + r);
        probabilities(columns, w->p + r * S, statistic(&a->max, batch, head, i + r),
                      sum == 0 ? 0 : 1 / sum);
    }
    if (!fh_blas_f32(&dp, dout.data, v.data, w->ds))
        return false;
    fh_attention_drop(a, batch, head, i, rows, j, columns, w->ds);
    for (int64_t r = 0; r < rows; r++)
        through_softmax(columns, w->p + r * S, w->ds + r * S, w->delta[r], (float)a->scale);
    fh_attention_drop(a, batch, head, i, rows, j, columns, w->p);
    return fh_blas_f32(&dv, w->p, dout.data, w->dv + j * e) &&
           fh_blas_f32(&dq, w->ds, k.data, w->dq) && fh_blas_f32(&dk, w->ds, q.data, w->dk + j * d);
}

static void store(const fh_heads *to, int64_t batch, int64_t head, int64_t token, int64_t tokens,
                  int64_t depth, const float *from)
{
    int64_t offset = batch * to->batch + head * to->head + token * to->token;
    fh_convert_between(FH_F32, to->dtype)(
        tokens, depth, from, depth, 1,
        (char *)to->data + offset * (int64_t)fh_dtype_size(to->dtype), to->token, to->element);
}

static bool query_block(const fh_attention_gradients *g, int64_t batch, int64_t head, int64_t i,
                        workspace *w)
{
    const fh_attention *a = &g->forward;
    int64_t rows = smaller(a->queries - i, FH_QUERY_BLOCK), begin = a->keys, end = 0;
    fh_rows q = fh_attention_rows(&a->q, batch, head, i, rows, a->depth, w->q);
    fh_rows o = fh_attention_rows(&a->out, batch, head, i, rows, a->value_depth, w->o);
    fh_rows dout = fh_attention_rows(&g->dout, batch, head, i, rows, a->value_depth, w->dout);
    make_delta(a, o, dout, rows, w->delta);
    memset(w->dq, 0, (size_t)(rows * a->depth) * sizeof(float));
    for (int64_t r = 0; r < rows; r++) {
        int64_t row_begin, row_end;
        fh_attention_range(a, batch, i + r, &row_begin, &row_end);
        if (row_begin < row_end) {
            begin = smaller(begin, row_begin);
            end = row_end > end ? row_end : end;
        }
    }
    for (int64_t j = begin; j < end; j += FH_KEY_BLOCK)
        if (!block_pair(g, batch, head, i, rows, j, smaller(end - j, FH_KEY_BLOCK), q, dout, w))
            return false;
    store(&g->dq, batch, head, i, rows, a->depth, w->dq);
    return true;
}

static void run_part(void *context, int64_t begin, int64_t end, unsigned slot)
{
    (void)slot;
    job *j = context;
    const fh_attention *a = &j->g->forward;
    workspace w;
    float *memory = workspace_make(a, &w);
    bool good = memory != NULL;
    for (int64_t unit = begin; unit < end && good; unit++) {
        int64_t batch = unit / a->kv_heads, kv_head = unit % a->kv_heads;
        int64_t group = a->heads / a->kv_heads;
        memset(w.dk, 0, (size_t)(a->keys * a->depth) * sizeof(float));
        memset(w.dv, 0, (size_t)(a->keys * a->value_depth) * sizeof(float));
        for (int64_t head = kv_head * group; head < (kv_head + 1) * group && good; head++)
            for (int64_t i = 0; i < a->queries && good; i += FH_QUERY_BLOCK)
                good = query_block(j->g, batch, head, i, &w);
        if (!good)
            break;
        store(&j->g->dk, batch, kv_head, 0, a->keys, a->depth, w.dk);
        store(&j->g->dv, batch, kv_head, 0, a->keys, a->value_depth, w.dv);
    }
    fh_scratch_give(memory);
    if (!good)
        atomic_store(&j->failed, true);
}

fh_status fh_attention_backward(const fh_attention_gradients *g, const fh_team *team)
{
    job j = {.g = g};
    const fh_attention *a = &g->forward;
    int64_t work = a->queries * a->keys * (a->depth + a->value_depth) * a->heads / a->kv_heads;
    fh_team_split(team, a->batches * a->kv_heads, 1 + (1 << 19) / (work + 1), run_part, &j);
    if (atomic_load(&j.failed))
        return fh_error(FH_NO_MEMORY,
                        "no host memory for the buffers of attention's gradients; free memory");
    return FH_OK;
}
