/* Softmax and log-softmax along a dimension, forward and backward.
 *
 * Rows are computed in f32 (f64 for f64): exp(x - max) with the maximum taken
 * first, sums in lanes. A row that is one behind the other in memory is worked
 * on where it lies; other rows and types go through a buffer. */
#include "device/kern/operators.h"
#include "device/kern/rows.h"
#include "device/kern/vecmath.h"

FH_SIMD static float largest(int64_t n, const float *x)
{
    float lanes[16], top = -INFINITY;
    int64_t i = 0;
    for (int k = 0; k < 16; k++)
        lanes[k] = -INFINITY;
    for (; i + 16 <= n; i += 16)
        for (int k = 0; k < 16; k++)
            lanes[k] = x[i + k] > lanes[k] ? x[i + k] : lanes[k];
    for (int k = 0; k < 16; k++)
        top = lanes[k] > top ? lanes[k] : top;
    for (; i < n; i++)
        top = x[i] > top ? x[i] : top;
    return top;
}

/* y = exp(x - top); returns the sum. NaN anywhere makes the sum NaN. */
FH_SIMD static float exponentials(int64_t n, const float *x, float *y, float top)
{
    float lanes[16] = {0}, sum = 0;
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        float e[16];
        for (int k = 0; k < 16; k++)
            e[k] = fh_exp_below(x[i + k] - top);
        for (int k = 0; k < 16; k++) {
            lanes[k] += e[k];
            y[i + k] = e[k];
        }
    }
    for (; i < n; i++) {
        y[i] = fh_exp_below(x[i] - top);
        sum += y[i];
    }
    for (int k = 0; k < 16; k++)
        sum += lanes[k];
    return sum;
}

FH_SIMD static float sum_of_exponentials(int64_t n, const float *x, float top)
{
    float lanes[16] = {0}, sum = 0;
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int k = 0; k < 16; k++)
            lanes[k] += fh_exp_below(x[i + k] - top);
    for (; i < n; i++)
        sum += fh_exp_below(x[i] - top);
    for (int k = 0; k < 16; k++)
        sum += lanes[k];
    return sum;
}

FH_SIMD static void scale(int64_t n, float *y, float factor)
{
    FH_IVDEP for (int64_t i = 0; i < n; i++) y[i] *= factor;
}

FH_SIMD static void subtract(int64_t n, const float *x, float *y, float amount)
{
    FH_IVDEP for (int64_t i = 0; i < n; i++) y[i] = x[i] - amount;
}

FH_SIMD static float dot(int64_t n, const float *a, const float *b)
{
    float lanes[16] = {0}, sum = 0;
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int k = 0; k < 16; k++)
            lanes[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sum += a[i] * b[i];
    for (int k = 0; k < 16; k++)
        sum += lanes[k];
    return sum;
}

FH_SIMD static float add_up(int64_t n, const float *a)
{
    float lanes[16] = {0}, sum = 0;
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int k = 0; k < 16; k++)
            lanes[k] += a[i + k];
    for (; i < n; i++)
        sum += a[i];
    for (int k = 0; k < 16; k++)
        sum += lanes[k];
    return sum;
}

static void softmax_f32(int64_t n, const void *const *in, void *const *out, const fh_parameters *p)
{
    (void)p;
    float top = largest(n, in[0]);
    scale(n, out[0], 1 / exponentials(n, in[0], out[0], top));
}

static void log_softmax_f32(int64_t n, const void *const *in, void *const *out,
                            const fh_parameters *p)
{
    (void)p;
    float top = largest(n, in[0]);
    subtract(n, in[0], out[0], top + logf(sum_of_exponentials(n, in[0], top)));
}

/* grad_input = output (grad - sum(grad output)) */
FH_SIMD static void softmax_backward_f32(int64_t n, const void *const *in, void *const *out,
                                         const fh_parameters *p)
{
    const float *grad = in[0], *output = in[1];
    float *y = out[0], sum = dot(n, grad, output);
    (void)p;
    FH_IVDEP for (int64_t i = 0; i < n; i++) y[i] = output[i] * (grad[i] - sum);
}

/* grad_input = grad - exp(output) sum(grad) */
FH_SIMD static void log_softmax_backward_f32(int64_t n, const void *const *in, void *const *out,
                                             const fh_parameters *p)
{
    const float *grad = in[0], *output = in[1];
    float *y = out[0], sum = add_up(n, grad);
    (void)p;
    FH_IVDEP for (int64_t i = 0; i < n; i++) y[i] = grad[i] - fh_expf(output[i]) * sum;
}

static double largest_f64(int64_t n, const double *x)
{
    double top = -INFINITY;
    for (int64_t i = 0; i < n; i++)
        top = x[i] > top ? x[i] : top;
    return top;
}

static void softmax_f64(int64_t n, const void *const *in, void *const *out, const fh_parameters *p)
{
    const double *x = in[0];
    double *y = out[0], top = largest_f64(n, x), sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += y[i] = exp(x[i] - top);
    for (int64_t i = 0; i < n; i++)
        y[i] /= sum;
    (void)p;
}

static void log_softmax_f64(int64_t n, const void *const *in, void *const *out,
                            const fh_parameters *p)
{
    const double *x = in[0];
    double *y = out[0], top = largest_f64(n, x), sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += exp(x[i] - top);
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] - (top + log(sum));
    (void)p;
}

static void softmax_backward_f64(int64_t n, const void *const *in, void *const *out,
                                 const fh_parameters *p)
{
    const double *grad = in[0], *output = in[1];
    double *y = out[0], sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += grad[i] * output[i];
    for (int64_t i = 0; i < n; i++)
        y[i] = output[i] * (grad[i] - sum);
    (void)p;
}

static void log_softmax_backward_f64(int64_t n, const void *const *in, void *const *out,
                                     const fh_parameters *p)
{
    const double *grad = in[0], *output = in[1];
    double *y = out[0], sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += grad[i];
    for (int64_t i = 0; i < n; i++)
        y[i] = grad[i] - exp(output[i]) * sum;
    (void)p;
}

static fh_status along(fh_loop *single, fh_loop *wide, unsigned inputs,
                       const fh_argument *arguments, const fh_team *team)
{
    const fh_view *views[] = {arguments[0].view, arguments[inputs == 2 ? 1 : 0].view,
                              arguments[inputs + 1].view};
    const fh_view *list[] = {views[0], inputs == 2 ? views[1] : views[2], views[2]};
    bool f64 = views[0]->dtype == FH_F64;
    return fh_rows_run(f64 ? wide : single, f64 ? FH_F64 : FH_F32, inputs, 1, list,
                       arguments[inputs].integer, NULL, team);
}

fh_status fh_op_softmax(const fh_argument *arguments, const fh_team *team)
{
    return along(softmax_f32, softmax_f64, 1, arguments, team);
}

fh_status fh_op_log_softmax(const fh_argument *arguments, const fh_team *team)
{
    return along(log_softmax_f32, log_softmax_f64, 1, arguments, team);
}

fh_status fh_op_softmax_backward(const fh_argument *arguments, const fh_team *team)
{
    return along(softmax_backward_f32, softmax_backward_f64, 2, arguments, team);
}

fh_status fh_op_log_softmax_backward(const fh_argument *arguments, const fh_team *team)
{
    return along(log_softmax_backward_f32, log_softmax_backward_f64, 2, arguments, team);
}
