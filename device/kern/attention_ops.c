/* The aclnn calls of attention: layouts and options become those of attention.h. */
#include "device/kern/attention.h"
#include "device/kern/operators_attention.h"

#include <string.h>

/* A view that is there: absent ones may be empty tensors, too. */
static const fh_view *given(const fh_argument *argument)
{
    bool view = argument->kind == FH_ARGUMENT_VIEW || argument->kind == FH_ARGUMENT_VIEWS;
    if (!view || (argument->kind == FH_ARGUMENT_VIEWS && argument->count == 0))
        return NULL;
    return fh_view_count(argument->view) ? argument->view : NULL;
}

static double real_of(const fh_argument *argument)
{
    if (argument->kind == FH_ARGUMENT_NUMBER)
        return fh_number_double(argument->number);
    return argument->kind == FH_ARGUMENT_INTEGER ? (double)argument->integer : argument->real;
}

/* Which dimension is what; -1: heads and elements share the last. */
typedef struct {
    const char *name;
    int batch, head, token;
} layout;

static const layout layouts[] = {
    {"BSH", 0, -1, 1}, {"SBH", 1, -1, 0}, {"BNSD", 0, 1, 2}, {"BSND", 0, 2, 1}};

static const layout *layout_named(const char *name)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (!strcmp(name, layouts[i].name))
            return &layouts[i];
    return NULL;
}

/* A tensor in a layout; `depth` and `tokens` are set from it. */
static fh_heads heads_of(const fh_view *view, const layout *l, int64_t heads, int64_t *depth,
                         int64_t *tokens)
{
    fh_heads t = {.data = view->data, .dtype = view->dtype};
    uint32_t last = view->rank - 1;
    *tokens = view->sizes[l->token];
    *depth = l->head < 0 ? view->sizes[last] / heads : view->sizes[last];
    t.batch = view->strides[l->batch];
    t.token = view->strides[l->token];
    t.element = view->strides[last];
    t.head = l->head < 0 ? *depth * t.element : view->strides[l->head];
    return t;
}

/* A tensor that broadcasts to [batch, head, query, key]. */
static fh_heads broadcast(const fh_view *view)
{
    int64_t strides[4] = {0};
    fh_heads t = {0};
    if (!view)
        return t;
    for (uint32_t i = 0; i < 4 && i < view->rank; i++) {
        uint32_t d = view->rank - 1 - i;
        strides[3 - i] = view->sizes[d] == 1 ? 0 : view->strides[d];
    }
    t.data = view->data, t.dtype = view->dtype;
    t.batch = strides[0], t.head = strides[1], t.token = strides[2], t.element = strides[3];
    return t;
}

static fh_heads statistics(const fh_view *view)
{
    fh_heads t = {0};
    if (view && view->rank == 4)
        t = (fh_heads){view->data,       view->dtype,      view->strides[0],
                       view->strides[1], view->strides[2], view->strides[3]};
    return t;
}

/* What all calls have; the tensors of layout `name`. */
static fh_status describe(fh_attention *a, const char *name, int64_t heads, int64_t kv_heads,
                          const fh_view *q, const fh_view *k, const fh_view *v, const fh_view *out)
{
    const layout *l = layout_named(name);
    int64_t tokens;
    if (!l || q->rank != (l->head < 0 ? 3U : 4U))
        return fh_error(FH_UNSUPPORTED,
                        "attention with layout %s and tensors of rank %u is not supported; use "
                        "BSH, SBH, BNSD or BSND",
                        name, q->rank);
    a->heads = heads;
    if (heads <= 0 || (l->head < 0 && q->sizes[2] % heads))
        return fh_error(FH_INVALID, "attention of %lld heads on %lld elements a token",
                        (long long)heads, (long long)q->sizes[q->rank - 1]);
    a->q = heads_of(q, l, heads, &a->depth, &a->queries);
    if (l->head >= 0)
        kv_heads = k->sizes[l->head];
    else if (kv_heads == 0)
        kv_heads = a->depth ? k->sizes[2] / a->depth : heads;
    if (kv_heads <= 0 || heads % kv_heads)
        return fh_error(FH_INVALID, "%lld query heads are no multiple of %lld key heads",
                        (long long)heads, (long long)kv_heads);
    a->kv_heads = kv_heads;
    a->batches = q->sizes[l->batch];
    a->k = heads_of(k, l, kv_heads, &tokens, &a->keys);
    a->v = heads_of(v, l, kv_heads, &a->value_depth, &tokens);
    a->out = heads_of(out, l, heads, &tokens, &tokens);
    a->keep = 1;
    return FH_OK;
}

static fh_status set_sparse(fh_attention *a, int64_t mode, int64_t before, int64_t after,
                            const fh_view *mask)
{
    switch (mode) {
    case 0:
        /* Without a mask the band is not looked at. */
        if (mask)
            a->band = true, a->before = before, a->after = after;
        a->mask = broadcast(mask);
        return FH_OK;
    case 1:
        a->mask = broadcast(mask);
        return FH_OK;
    case 2:
    case 3:
        a->band = true, a->lower_right = mode == 3;
        a->before = INT64_MAX, a->after = 0;
        return FH_OK;
    case 4:
        a->band = a->lower_right = true, a->before = before, a->after = after;
        return FH_OK;
    default:
        return fh_error(FH_UNSUPPORTED,
                        "attention with sparse_mode %lld is not supported; use 0 to 4",
                        (long long)mode);
    }
}

/* The options of training, which stand in the same order in forward and backward. */
typedef struct {
    const fh_argument *pse, *drop, *mask, *prefix; /* prefix, then scale to sparse_mode */
} training;

static fh_status set_training(fh_attention *a, const training *t)
{
    const fh_argument *o = t->prefix + 1; /* scale, keep, before, after, heads, layout, precise,
                                             sparse */
    const fh_view *drop = given(t->drop);
    a->scale = real_of(&o[0]), a->keep = real_of(&o[1]);
    a->pse = broadcast(given(t->pse));
    if (drop && a->keep < 1)
        a->drop_bits = drop->data;
    return set_sparse(a, o[7].integer, o[2].integer, o[3].integer, given(t->mask));
}

fh_status fh_op_flash_attention(const fh_argument *x, const fh_team *team)
{
    fh_attention a = {0};
    fh_status status =
        describe(&a, x[13].text, x[12].integer, 0, x[0].view, x[1].view, x[2].view, x[19].view);
    training t = {&x[3], &x[4], &x[6], &x[7]};
    if (!status)
        status = set_training(&a, &t);
    if (status)
        return status;
    a.max = statistics(given(&x[16])), a.sum = statistics(given(&x[17]));
    if (!a.max.data || !a.sum.data)
        a.max.data = a.sum.data = NULL;
    return fh_attention_forward(&a, team);
}

fh_status fh_op_flash_attention_grad(const fh_argument *x, const fh_team *team)
{
    fh_attention_gradients g = {0};
    const char *name = x[18].text;
    int64_t heads = x[17].integer, depth, tokens;
    fh_status status =
        describe(&g.forward, name, heads, 0, x[0].view, x[1].view, x[2].view, x[11].view);
    training t = {&x[4], &x[5], &x[7], &x[12]};
    if (!status)
        status = set_training(&g.forward, &t);
    if (status)
        return status;
    if (given(&x[4]) && given(&x[24]))
        return fh_error(FH_UNSUPPORTED, "attention gives no gradient of pse; detach it");
    const layout *l = layout_named(name);
    g.forward.max = statistics(given(&x[8])), g.forward.sum = statistics(given(&x[9]));
    g.dout = heads_of(x[3].view, l, heads, &depth, &tokens);
    g.dq = heads_of(x[21].view, l, heads, &depth, &tokens);
    g.dk = heads_of(x[22].view, l, g.forward.kv_heads, &depth, &tokens);
    g.dv = heads_of(x[23].view, l, g.forward.kv_heads, &depth, &tokens);
    if (g.forward.queries && g.forward.batches && (!g.forward.max.data || !g.forward.sum.data))
        return fh_error(FH_INVALID,
                        "attention's gradients need softmax_max and softmax_sum of forward");
    return fh_attention_backward(&g, team);
}

/* Options of inference that change the result and are not there yet. */
static fh_status refuse_given(const fh_argument *arguments, int count, const char *what)
{
    for (int i = 0; i < count; i++)
        if (given(&arguments[i]))
            return fh_error(FH_UNSUPPORTED, "attention with %s is not supported", what);
    return FH_OK;
}

static const int64_t *lengths(const fh_argument *argument, int64_t batches)
{
    bool list = argument->kind == FH_ARGUMENT_INTEGERS && argument->count > 0;
    return list && (int64_t)argument->count >= batches ? argument->integers : NULL;
}

fh_status fh_op_prompt_attention(const fh_argument *x, const fh_team *team)
{
    fh_attention a = {0};
    fh_status status = refuse_given(&x[7], 5, "quantisation");
    if (!status)
        status = refuse_given(&x[3], 1, "pse_shift");
    if (!status)
        status = describe(&a, x[16].text, x[12].integer, x[17].integer, x[0].view, x[1].view,
                          x[2].view, x[20].view);
    if (!status)
        status = set_sparse(&a, x[18].integer, x[14].integer, x[15].integer, given(&x[4]));
    if (status)
        return status;
    a.scale = real_of(&x[13]);
    a.query_lengths = lengths(&x[5], a.batches), a.key_lengths = lengths(&x[6], a.batches);
    return fh_attention_forward(&a, team);
}

fh_status fh_op_incre_attention(const fh_argument *x, const fh_team *team)
{
    fh_attention a = {0};
    fh_status status = refuse_given(&x[6], 7, "quantisation");
    if (!status)
        status = refuse_given(&x[13], 2, "a block table or padding");
    if (!status)
        status = refuse_given(&x[3], 1, "pse_shift");
    if (!status && (!given(&x[1]) || !given(&x[2]) || x[1].count > 1 || x[2].count > 1))
        return fh_error(FH_UNSUPPORTED, "attention takes one tensor of keys and one of values");
    if (!status)
        status = describe(&a, x[17].text, x[15].integer, x[18].integer, x[0].view, x[1].view,
                          x[2].view, x[21].view);
    if (!status)
        status = set_sparse(&a, 1, 0, 0, given(&x[4]));
    if (status)
        return status;
    a.scale = real_of(&x[16]);
    a.key_lengths = lengths(&x[5], a.batches);
    return fh_attention_forward(&a, team);
}

/* `o` is where heads stand. */
static fh_status fused_infer(const fh_argument *x, const fh_argument *o, const fh_team *team)
{
    fh_attention a = {0};
    fh_status status = refuse_given(&x[3], 1, "pse_shift");
    if (!status)
        status = refuse_given(&x[7], (int)(o - &x[7]), "quantisation, paging, prefixes or rope");
    if (!status && (!given(&x[1]) || !given(&x[2]) || x[1].count > 1 || x[2].count > 1))
        return fh_error(FH_UNSUPPORTED, "attention takes one tensor of keys and one of values");
    const fh_view *out = o[13].view, *lse = given(&o[14]);
    if (!status)
        status = describe(&a, o[4].text, o[0].integer, o[5].integer, x[0].view, x[1].view,
                          x[2].view, out);
    if (!status)
        status = set_sparse(&a, o[6].integer, o[2].integer, o[3].integer, given(&x[4]));
    if (status)
        return status;
    a.scale = real_of(&o[1]);
    a.query_lengths = lengths(&x[5], a.batches), a.key_lengths = lengths(&x[6], a.batches);
    if (o[10].integer && lse)
        a.lse = statistics(lse);
    return fh_attention_forward(&a, team);
}

fh_status fh_op_fused_infer_attention(const fh_argument *x, const fh_team *team)
{
    return fused_infer(x, &x[24], team);
}

fh_status fh_op_fused_infer_attention_rope(const fh_argument *x, const fh_team *team)
{
    return fused_infer(x, &x[27], team);
}
