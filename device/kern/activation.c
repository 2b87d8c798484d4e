/* Activations and their gradients. Formulas are PyTorch's (torch.nn.functional); f32 through
 * vecmath.h. */
#include "device/kern/loops.h"

#define SQRT_1_2 0.70710678118654752440f
#define BETA 0.79788456080286535588f /* sqrt(2 / pi) */
#define KAPPA 0.044715f
#define INVERSE_SQRT_2PI 0.39894228040143267794f
#define SQRT_1_2_F64 0.70710678118654752440
#define BETA_F64 0.79788456080286535588
#define INVERSE_SQRT_2PI_F64 0.39894228040143267794

FH_INLINE double sigmoid_double(double x)
{
    return 1 / (1 + exp(-x));
}

FH_INLINE float gelu_tanh_gradient(float x)
{
    float square = x * x, t = fh_tanhf(BETA * (x + KAPPA * square * x));
    return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * BETA * (1 + 3 * KAPPA * square);
}

FH_INLINE double gelu_tanh_gradient_double(double x)
{
    double square = x * x, t = tanh(BETA_F64 * (x + 0.044715 * square * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * BETA_F64 * (1 + 3 * 0.044715 * square);
}

FH_FLOAT_OPERATOR(sigmoid, 1, 0, fh_sigmoidf(a), sigmoid_double(a))
FH_FLOAT_OPERATOR(silu, 1, 0, a / (1 + fh_expf(-a)), a / (1 + exp(-a)))
FH_FLOAT_OPERATOR(gelu, 1, 0, 0.5f * a * (1 + fh_erff(a * SQRT_1_2)),
                  0.5 * a * (1 + erf(a * SQRT_1_2_F64)))
FH_FLOAT_OPERATOR(gelu_tanh, 1, 0, 0.5f * a * (1 + fh_tanhf(BETA * (a + KAPPA * a * a * a))),
                  0.5 * a * (1 + tanh(BETA_F64 * (a + 0.044715 * a * a * a))))
FH_ANY_OPERATOR(relu, 1, 0, a < 0 ? 0 : a, a < 0 ? 0 : a)
FH_FLOAT_OPERATOR(leaky_relu, 1, 1, a > 0 ? a : a * s0, a > 0 ? a : a * s0)
FH_ANY_OPERATOR(threshold, 1, 2, a <= s0 ? s1 : a, a <= s0 ? s1 : a)
FH_ANY_OPERATOR(hardtanh, 1, 2, a<s0 ? s0 : a> s1 ? s1 : a, a<s0 ? s0 : a> s1 ? s1 : a)
FH_FLOAT_OPERATOR(elu, 1, 3, a > 0 ? a * s1 : (fh_expf(a * s2) - 1) * s0 * s1,
                  a > 0 ? a * s1 : expm1(a * s2) * s0 * s1)
FH_FLOAT_OPERATOR(softplus, 1, 2, a *s0 > s1 ? a : log1pf(fh_expf(a * s0)) / s0,
                  a *s0 > s1 ? a : log1p(exp(a * s0)) / s0)
FH_FLOAT_OPERATOR(hardsigmoid, 1, 0,
                  (a < -3  ? 0
                   : a > 3 ? 6
                           : a + 3) /
                      6,
                  (a < -3  ? 0
                   : a > 3 ? 6
                           : a + 3) /
                      6)
FH_FLOAT_OPERATOR(hardswish, 1, 0, a *(a<-3 ? 0 : a> 3 ? 6 : a + 3) / 6,
                  a *(a<-3 ? 0 : a> 3 ? 6 : a + 3) / 6)
FH_FLOAT_OPERATOR(mish, 1, 0, a *fh_tanhf(log1pf(fh_expf(a))), a *tanh(log1p(exp(a))))

/* Gradients: a is the gradient of the output, b the input (the output for sigmoid and tanh). */
FH_FLOAT_OPERATOR(sigmoid_backward, 2, 0, a *(1 - b) * b, a *(1 - b) * b)
FH_FLOAT_OPERATOR(tanh_backward, 2, 0, a *(1 - b * b), a *(1 - b * b))
FH_FLOAT_OPERATOR(silu_backward, 2, 0, a *fh_sigmoidf(b) * (1 + b * (1 - fh_sigmoidf(b))),
                  a *sigmoid_double(b) * (1 + b * (1 - sigmoid_double(b))))
FH_FLOAT_OPERATOR(
    gelu_backward, 2, 0,
    a *(0.5f * (1 + fh_erff(b * SQRT_1_2)) + b * fh_exp_below(-0.5f * b * b) * INVERSE_SQRT_2PI),
    a *(0.5 * (1 + erf(b * SQRT_1_2_F64)) + b * exp(-0.5 * b * b) * INVERSE_SQRT_2PI_F64))
FH_FLOAT_OPERATOR(gelu_tanh_backward, 2, 0, a *gelu_tanh_gradient(b),
                  a *gelu_tanh_gradient_double(b))
FH_ANY_OPERATOR(threshold_backward, 2, 1, b <= s0 ? 0 : a, b <= s0 ? 0 : a)
FH_FLOAT_OPERATOR(leaky_relu_backward, 2, 2, b > 0 ? a : a * s0, b > 0 ? a : a * s0)
FH_FLOAT_OPERATOR(hardtanh_backward, 2, 2, b <= s0 || b >= s1 ? 0 : a, b <= s0 || b >= s1 ? 0 : a)
FH_FLOAT_OPERATOR(hardsigmoid_backward, 2, 0, b > -3 && b < 3 ? a / 6 : 0,
                  b > -3 && b < 3 ? a / 6 : 0)
FH_FLOAT_OPERATOR(hardswish_backward, 2, 0,
                  b < -3   ? 0
                  : b <= 3 ? a * (b / 3 + 0.5f)
                           : a,
                  b < -3   ? 0
                  : b <= 3 ? a * (b / 3 + 0.5)
                           : a)
FH_FLOAT_OPERATOR(softplus_backward, 2, 2, b *s0 > s1 ? a : a * fh_sigmoidf(b * s0),
                  b *s0 > s1 ? a : a * sigmoid_double(b * s0))

/* aclnnGeluV2 says the form by number (1 is tanh), aclnnGeluBackwardV2 by text. */
static bool is_tanh(const fh_argument *argument)
{
    if (argument->kind == FH_ARGUMENT_TEXT)
        return argument->text && strcmp(argument->text, "tanh") == 0;
    return argument->integer == 1;
}

fh_status fh_op_gelu_form(const fh_argument *arguments, const fh_team *team)
{
    fh_argument simple[] = {arguments[0], arguments[2]};
    return fh_elementwise_call(is_tanh(&arguments[1]) ? &gelu_tanh_op : &gelu_op, simple, false,
                               team);
}

fh_status fh_op_gelu_backward_form(const fh_argument *arguments, const fh_team *team)
{
    fh_argument simple[] = {arguments[0], arguments[1], arguments[3]};
    return fh_elementwise_call(is_tanh(&arguments[2]) ? &gelu_tanh_backward_op : &gelu_backward_op,
                               simple, false, team);
}
