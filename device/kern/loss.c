/* Losses that compare element by element. Reductions: 0 none, 1 mean, 2 sum. */
#include "base/memory.h"
#include "device/kern/loops.h"

/* -(1 - t) log(1 - x) - t log(x), with logarithms not below -100, as PyTorch has it. */
FH_INLINE float entropy(float x, float t)
{
    float yes = fh_logf(x), no = log1pf(-x);
    return (t - 1) * (no < -100 ? -100 : no) - t * (yes < -100 ? -100 : yes);
}

/* (1 - t) x + w (log(1 + exp(-|x|)) + max(-x, 0)), w = 1 + (positive - 1) t */
FH_INLINE float entropy_logits(float x, float t, float positive)
{
    float softplus = log1pf(fh_expf(-fabsf(x))) + (x < 0 ? -x : 0);
    return (1 - t) * x + (1 + (positive - 1) * t) * softplus;
}

FH_LOOP(squares, float, float, 2, (a - b) * (a - b))
FH_LOOP(entropies, float, float, 2, entropy(a, b))
FH_LOOP(logits, float, float, 3, entropy_logits(a, b, c))
/* a the input, b the target, c the gradient, scaled by s0 */
FH_LOOP(squares_backward, float, float, 3, 2 * (a - b) * c * s0)
FH_LOOP(entropies_backward, float, float, 3,
        c *s0 *(a - b) / ((1 - a) * a > 1e-12f ? (1 - a) * a : 1e-12f))

FH_SIMD static void logits_backward(int64_t n, const void *const *in, void *const *out,
                                    const fh_parameters *p)
{
    const float *x = in[0], *t = in[1], *g = in[2], *w = in[3];
    float *y = out[0], scale = (float)p->f[0];
    FH_IVDEP for (int64_t i = 0; i < n; i++)
    {
        float positive = w[i] * t[i];
        y[i] = g[i] * scale * ((positive + 1 - t[i]) * fh_sigmoidf(x[i]) - positive);
    }
}

static const float one = 1;
static const fh_view one_view = {.data = (void *)&one, .dtype = FH_F32};

static const fh_view *or_one(const fh_argument *argument)
{
    return argument->kind == FH_ARGUMENT_VIEW ? argument->view : &one_view;
}

/* Element losses into `out`, or into memory of their own that is then reduced; `weight` scales
 * them. */
static fh_status forward(fh_loop *loop, unsigned inputs, fh_operand *operands,
                         const fh_argument *weight, int64_t reduction, const fh_argument *out,
                         const fh_team *team)
{
    fh_view losses = *operands[0].view;
    int64_t stride = 1;
    for (uint32_t i = losses.rank; i-- > 0;) {
        losses.strides[i] = stride;
        stride *= losses.sizes[i];
    }
    losses.dtype = FH_F32;
    losses.data = fh_alloc((size_t)stride * sizeof(float) + 1);
    if (!losses.data)
        return fh_error(FH_NO_MEMORY, "no memory for %lld losses", (long long)stride);
    operands[inputs] = (fh_operand){&losses, FH_F32};
    fh_parameters parameters = {.f = {1}};
    fh_status status = fh_elementwise_run(loop, &parameters, inputs, 1, operands, team);
    fh_argument all = {.kind = FH_ARGUMENT_VIEW, .view = &losses},
                absent = {.kind = FH_ARGUMENT_ABSENT};
    fh_argument product[] = {all, *weight}, total[] = {all, absent, absent, absent, *out};
    if (!status && weight->kind == FH_ARGUMENT_VIEW)
        status = fh_op_inplace_mul(product, team);
    if (!status)
        status = reduction == 0   ? fh_copy(out->view, &losses, team)
                 : reduction == 1 ? fh_op_mean(total, team)
                                  : fh_op_sum(total, team);
    fh_free(losses.data);
    return status;
}

static fh_status backward(fh_loop *loop, unsigned inputs, fh_operand *operands,
                          const fh_argument *weight, int64_t reduction, const fh_argument *out,
                          const fh_team *team)
{
    fh_parameters parameters = {.f = {1}};
    int64_t count = fh_view_count(out->view);
    if (reduction == 1)
        parameters.f[0] = 1 / (double)(count ? count : 1);
    operands[inputs] = (fh_operand){out->view, FH_F32};
    fh_status status = fh_elementwise_run(loop, &parameters, inputs, 1, operands, team);
    fh_argument product[] = {*out, *weight};
    return !status && weight->kind == FH_ARGUMENT_VIEW ? fh_op_inplace_mul(product, team) : status;
}

static const fh_argument nothing = {.kind = FH_ARGUMENT_ABSENT};

fh_status fh_op_mse_loss(const fh_argument *a, const fh_team *team)
{
    fh_operand operands[3] = {{a[0].view, FH_F32}, {a[1].view, FH_F32}};
    return forward(squares, 2, operands, &nothing, a[2].integer, &a[3], team);
}

fh_status fh_op_mse_loss_backward(const fh_argument *a, const fh_team *team)
{
    fh_operand operands[4] = {{a[1].view, FH_F32}, {a[2].view, FH_F32}, {a[0].view, FH_F32}};
    return backward(squares_backward, 3, operands, &nothing, a[3].integer, &a[4], team);
}

fh_status fh_op_bce(const fh_argument *a, const fh_team *team)
{
    fh_operand operands[3] = {{a[0].view, FH_F32}, {a[1].view, FH_F32}};
    return forward(entropies, 2, operands, &a[2], a[3].integer, &a[4], team);
}

fh_status fh_op_bce_backward(const fh_argument *a, const fh_team *team)
{
    fh_operand operands[4] = {{a[1].view, FH_F32}, {a[2].view, FH_F32}, {a[0].view, FH_F32}};
    return backward(entropies_backward, 3, operands, &a[3], a[4].integer, &a[5], team);
}

fh_status fh_op_bce_logits(const fh_argument *a, const fh_team *team)
{
    fh_operand operands[4] = {{a[0].view, FH_F32}, {a[1].view, FH_F32}, {or_one(&a[3]), FH_F32}};
    return forward(logits, 3, operands, &a[2], a[4].integer, &a[5], team);
}

fh_status fh_op_bce_logits_backward(const fh_argument *a, const fh_team *team)
{
    fh_operand operands[5] = {
        {a[1].view, FH_F32}, {a[2].view, FH_F32}, {a[0].view, FH_F32}, {or_one(&a[4]), FH_F32}};
    return backward(logits_backward, 4, operands, &a[3], a[5].integer, &a[6], team);
}
