/* Optimiser steps as one pass over memory: AdamW, SGD, and the gradient scaler's two. Computed in
 * f32. */
#include "device/kern/elementwise.h"
#include "device/kern/operators.h"
#include "device/kern/simd.h"

#include <math.h>

static double scalar_of(const fh_argument *argument, double otherwise)
{
    double value = otherwise;
    if (argument->kind != FH_ARGUMENT_VIEW)
        return fh_argument_double(argument, otherwise);
    fh_view to = {.data = &value, .dtype = FH_F64};
    fh_view from = *argument->view;
    from.rank = 0;
    fh_copy(&to, &from, &fh_team_alone);
    return value;
}

typedef struct {
    fh_parameters base; /* first: loops are given its address */
    float decay, beta1, beta2, rate, root, eps, sign, momentum, dampening, scale;
    bool first, nesterov;
} step;

/* var, m, v, grad[, max v] -> var, m, v[, max v] */
#define ADAMW(name, amsgrad) \
    FH_SIMD static void name(int64_t n, const void *const *in, void *const *out, \
                             const fh_parameters *parameters) \
    { \
        const step s = *(const step *)parameters; \
        const float *var = in[0], *m = in[1], *v = in[2], *grad = in[3]; \
        const float *top = amsgrad ? in[4] : in[2]; \
        float *var_out = out[0], *m_out = out[1], *v_out = out[2]; \
        float *top_out = amsgrad ? out[3] : out[2]; \
        FH_IVDEP for (int64_t i = 0; i < n; i++) \
        { \
            float g = grad[i] * s.sign; \
            float m1 = m[i] + (g - m[i]) * (1 - s.beta1); \
            float v1 = v[i] * s.beta2 + g * g * (1 - s.beta2); \
            float used = v1; \
            m_out[i] = m1; \
            v_out[i] = v1; \
            if (amsgrad) { \
                used = top[i] > v1 ? top[i] : v1; \
                top_out[i] = used; \
            } \
            var_out[i] = var[i] * s.decay - s.rate * m1 / (sqrtf(used) * s.root + s.eps); \
        } \
    }
ADAMW(adamw_plain, false)
ADAMW(adamw_amsgrad, true)

/* Formula: Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019, as
 * torch.optim.AdamW has it. The step that the call gives is the one before: it counts from 0. */
fh_status fh_op_adamw(const fh_argument *a, const fh_team *team)
{
    double count = scalar_of(&a[5], 0) + 1, lr = fh_argument_double(&a[6], 1e-3);
    double beta1 = fh_argument_double(&a[7], 0.9), beta2 = fh_argument_double(&a[8], 0.999);
    bool amsgrad = a[11].integer != 0 && a[3].kind == FH_ARGUMENT_VIEW;
    step s = {.beta1 = (float)beta1, .beta2 = (float)beta2};
    s.decay = (float)(1 - lr * fh_argument_double(&a[9], 0));
    s.rate = (float)(lr / (1 - pow(beta1, count)));
    s.root = (float)(1 / sqrt(1 - pow(beta2, count)));
    s.eps = (float)fh_argument_double(&a[10], 1e-8);
    s.sign = a[12].integer ? -1 : 1;
    const fh_view *var = a[0].view, *m = a[1].view, *v = a[2].view, *grad = a[4].view;
    fh_operand plain[] = {{var, FH_F32}, {m, FH_F32}, {v, FH_F32}, {grad, FH_F32},
                          {var, FH_F32}, {m, FH_F32}, {v, FH_F32}};
    if (!amsgrad)
        return fh_elementwise_run(adamw_plain, &s.base, 4, 3, plain, team);
    const fh_view *top = a[3].view;
    fh_operand more[] = {{var, FH_F32}, {m, FH_F32}, {v, FH_F32}, {grad, FH_F32}, {top, FH_F32},
                         {var, FH_F32}, {m, FH_F32}, {v, FH_F32}, {top, FH_F32}};
    return fh_elementwise_run(adamw_amsgrad, &s.base, 5, 4, more, team);
}

/* param, grad[, momentum] -> param[, momentum] */
FH_SIMD static void sgd_plain(int64_t n, const void *const *in, void *const *out,
                              const fh_parameters *parameters)
{
    const step s = *(const step *)parameters;
    const float *param = in[0], *grad = in[1];
    float *to = out[0];
    FH_IVDEP for (int64_t i = 0; i < n; i++)
    {
        float g = grad[i] * s.scale * s.sign + s.decay * param[i];
        to[i] = param[i] - s.rate * g;
    }
}

FH_SIMD static void sgd_momentum(int64_t n, const void *const *in, void *const *out,
                                 const fh_parameters *parameters)
{
    const step s = *(const step *)parameters;
    const float *param = in[0], *grad = in[1], *buffer = in[2];
    float *to = out[0], *kept = out[1];
    FH_IVDEP for (int64_t i = 0; i < n; i++)
    {
        float g = grad[i] * s.scale * s.sign + s.decay * param[i];
        float moved = s.first ? g : s.momentum * buffer[i] + (1 - s.dampening) * g;
        kept[i] = moved;
        to[i] = param[i] - s.rate * (s.nesterov ? g + s.momentum * moved : moved);
    }
}

fh_status fh_op_fused_sgd(const fh_argument *a, const fh_team *team)
{
    step s = {.decay = (float)fh_argument_double(&a[4], 0),
              .momentum = (float)fh_argument_double(&a[5], 0),
              .rate = (float)scalar_of(&a[6], 1e-3),
              .dampening = (float)fh_argument_double(&a[7], 0),
              .scale = (float)(1 / scalar_of(&a[3], 1))};
    s.nesterov = a[8].integer != 0;
    s.sign = a[9].integer ? -1 : 1;
    s.first = a[10].integer != 0;
    fh_status status = FH_OK;
    for (uint32_t i = 0; i < a[0].count && !status; i++) {
        const fh_view *param = a[0].view + i, *grad = a[1].view + i, *buffer = a[2].view + i;
        fh_operand plain[] = {{param, FH_F32}, {grad, FH_F32}, {param, FH_F32}};
        fh_operand more[] = {
            {param, FH_F32}, {grad, FH_F32}, {buffer, FH_F32}, {param, FH_F32}, {buffer, FH_F32}};
        bool momentum = s.momentum != 0 && i < a[2].count;
        status = momentum ? fh_elementwise_run(sgd_momentum, &s.base, 3, 2, more, team)
                          : fh_elementwise_run(sgd_plain, &s.base, 2, 1, plain, team);
    }
    return status;
}

FH_SIMD static void unscale(int64_t n, const void *const *in, void *const *out,
                            const fh_parameters *p)
{
    const float *grad = in[0];
    float *to = out[0], factor = (float)p->f[0];
    int32_t bad = 0;
    FH_IVDEP for (int64_t i = 0; i < n; i++)
    {
        float g = grad[i];
        bad |= !(g - g == 0);
        to[i] = g * factor;
    }
    if (bad)
        __atomic_store_n(p->failed, 1, __ATOMIC_RELAXED);
}

fh_status fh_op_unscale(const fh_argument *a, const fh_team *team)
{
    int failed = 0;
    fh_parameters parameters = {.f = {scalar_of(&a[2], 1)}, .failed = &failed};
    fh_status status = FH_OK;
    for (uint32_t i = 0; i < a[0].count && !status; i++) {
        fh_operand operands[] = {{a[0].view + i, FH_F32}, {a[0].view + i, FH_F32}};
        status = fh_elementwise_run(unscale, &parameters, 1, 1, operands, team);
    }
    const fh_argument one = {.kind = FH_ARGUMENT_INTEGER, .integer = 1};
    return !status && failed ? fh_fill(a[1].view, &one, team) : status;
}

/* The scale shrinks when an infinity was found, and grows after `interval` steps without. */
fh_status fh_op_update_scale(const fh_argument *a, const fh_team *team)
{
    double scale = scalar_of(&a[0], 1), tracker = scalar_of(&a[1], 0);
    if (scalar_of(&a[2], 0) != 0) {
        scale *= fh_argument_double(&a[4], 0.5);
        tracker = 0;
    } else if (++tracker == (double)fh_argument_integer(&a[5], 2000)) {
        double grown = scale * fh_argument_double(&a[3], 2);
        scale = isfinite((float)grown) ? grown : scale;
        tracker = 0;
    }
    const fh_argument values[] = {{.kind = FH_ARGUMENT_DOUBLE, .real = scale},
                                  {.kind = FH_ARGUMENT_DOUBLE, .real = tracker}};
    fh_status status = fh_fill(a[6].view, &values[0], team);
    return status ? status : fh_fill(a[7].view, &values[1], team);
}
