/* Layer normalisation and RMS normalisation over the trailing dimensions, in f32, forward and
 * backward.
 *
 * y = (x - mean) rstd w + b, rstd = 1 / sqrt(var + eps); RMS: y = x rstd w, rstd = 1 /
 * sqrt(mean(x^2) + eps). Gradients of w and b add up over rows in f32 for 32 rows, then in f64, by
 * column: the result does not depend on the number of threads. */
#include "device/kern/convert.h"
#include "device/kern/dense.h"
#include "device/kern/operators.h"
#include "device/kern/simd.h"

#include <math.h>

enum { GRAIN = 16384, COLUMNS = 64, STREAMED = 8192 /* longest row that goes past the caches */ };

typedef struct {
    const float *grad, *x, *w, *b, *mean, *rstd;
    float *y, *mean_out, *rstd_out, *grad_w, *grad_b;
    int64_t rows, n;
    float eps;
    bool centred; /* layer norm, not RMS */
} plan;

/* The sum of (x - mean)^2, or of x when `squares` is not set. */
FH_INLINE float moment(int64_t n, const float *x, float mean, bool squares)
{
    float lanes[16] = {0}, sum = 0;
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int k = 0; k < 16; k++)
            lanes[k] += squares ? (x[i + k] - mean) * (x[i + k] - mean) : x[i + k];
    for (; i < n; i++)
        sum += squares ? (x[i] - mean) * (x[i] - mean) : x[i];
    for (int k = 0; k < 16; k++)
        sum += lanes[k];
    return sum;
}

FH_SIMD static void forward_rows(void *context, int64_t begin, int64_t end, unsigned slot)
{
    const plan *p = context;
    int64_t n = p->n;
    _Alignas(64) float row[STREAMED];
    bool stream = n <= STREAMED && p->rows * n * 4 > FH_STREAM_BYTES && p->x != p->y;
    (void)slot;
    for (int64_t r = begin; r < end; r++) {
        const float *x = p->x + r * n, *w = p->w, *b = p->b;
        float *y = stream ? row : p->y + r * n;
        float mean = p->centred ? moment(n, x, 0, false) / (float)n : 0;
        float rstd = 1 / sqrtf(moment(n, x, mean, true) / (float)n + p->eps);
        if (w && b) {
            FH_IVDEP for (int64_t i = 0; i < n; i++) y[i] = (x[i] - mean) * rstd * w[i] + b[i];
        } else {
            FH_IVDEP for (int64_t i = 0; i < n; i++)
            {
                float value = (x[i] - mean) * rstd;
                value = w ? value * w[i] : value;
                y[i] = b ? value + b[i] : value;
            }
        }
        if (stream)
            fh_convert_stream(p->y + r * n, row, (size_t)n * sizeof *row);
        if (p->mean_out)
            p->mean_out[r] = mean;
        if (p->rstd_out)
            p->rstd_out[r] = rstd;
    }
}

/* dx = rstd (g w - mean(g w) - xhat mean(g w xhat)), without the first mean for RMS. */
FH_SIMD static void backward_rows(void *context, int64_t begin, int64_t end, unsigned slot)
{
    const plan *p = context;
    int64_t n = p->n;
    (void)slot;
    for (int64_t r = begin; r < end; r++) {
        const float *x = p->x + r * n, *g = p->grad + r * n, *w = p->w;
        float *y = p->y + r * n, mean = p->centred ? p->mean[r] : 0, rstd = p->rstd[r];
        float plain[16] = {0}, crossed[16] = {0}, a = 0, b = 0;
        int64_t i = 0;
        for (; i + 16 <= n; i += 16)
            for (int k = 0; k < 16; k++) {
                float gw = w ? g[i + k] * w[i + k] : g[i + k];
                plain[k] += gw;
                crossed[k] += gw * (x[i + k] - mean);
            }
        for (; i < n; i++) {
            float gw = w ? g[i] * w[i] : g[i];
            a += gw;
            b += gw * (x[i] - mean);
        }
        for (int k = 0; k < 16; k++) {
            a += plain[k];
            b += crossed[k];
        }
        a = p->centred ? a / (float)n : 0;
        b = b * rstd * rstd / (float)n;
        FH_IVDEP for (i = 0; i < n; i++)
        {
            float gw = w ? g[i] * w[i] : g[i];
            y[i] = rstd * (gw - a - (x[i] - mean) * b);
        }
    }
}

FH_INLINE void weight_block(const plan *p, int64_t column, int64_t cols)
{
    double gammas[COLUMNS] = {0}, betas[COLUMNS] = {0};
    for (int64_t from = 0; from < p->rows; from += 32) {
        float gamma[COLUMNS] = {0}, beta[COLUMNS] = {0};
        int64_t end = from + 32 < p->rows ? from + 32 : p->rows;
        for (int64_t r = from; r < end; r++) {
            const float *x = p->x + r * p->n + column, *g = p->grad + r * p->n + column;
            float mean = p->centred ? p->mean[r] : 0, rstd = p->rstd[r];
            for (int64_t c = 0; c < cols; c++) {
                gamma[c] += g[c] * ((x[c] - mean) * rstd);
                beta[c] += g[c];
            }
        }
        for (int64_t c = 0; c < cols; c++) {
            gammas[c] += gamma[c];
            betas[c] += beta[c];
        }
    }
    for (int64_t c = 0; c < cols; c++) {
        if (p->grad_w)
            p->grad_w[column + c] = (float)gammas[c];
        if (p->grad_b)
            p->grad_b[column + c] = (float)betas[c];
    }
}

FH_SIMD static void weight_columns(void *context, int64_t begin, int64_t end, unsigned slot)
{
    const plan *p = context;
    (void)slot;
    for (int64_t block = begin; block < end; block++) {
        int64_t column = block * COLUMNS, cols = p->n - column;
        if (cols >= COLUMNS)
            weight_block(p, column, COLUMNS);
        else
            weight_block(p, column, cols);
    }
}

static void shape(plan *p, const fh_view *x, uint32_t normalised)
{
    p->rows = p->n = 1;
    for (uint32_t i = 0; i < x->rank; i++)
        *(i + normalised < x->rank ? &p->rows : &p->n) *= x->sizes[i];
}

static fh_status begin_all(fh_dense *dense, const fh_argument *const *arguments, unsigned inputs,
                           unsigned count, const fh_team *team)
{
    for (unsigned i = 0; i < count; i++) {
        if (arguments[i]->kind == FH_ARGUMENT_VIEW && arguments[i]->view->dtype == FH_F64)
            return fh_error(FH_UNSUPPORTED, "DOUBLE is not supported: normalise in FLOAT");
        fh_status status = fh_dense_begin(&dense[i], arguments[i], FH_F32, i < inputs, team);
        if (status)
            return status;
    }
    return FH_OK;
}

static fh_status write_all(const fh_dense *dense, unsigned count, const fh_team *team)
{
    fh_status status = FH_OK;
    for (unsigned i = 0; i < count && !status; i++)
        status = fh_dense_write(&dense[i], team);
    return status;
}

static fh_status forward(const fh_argument *const *list, uint32_t normalised, float eps,
                         bool centred, const fh_team *team)
{
    fh_dense d[6] = {{.data = NULL}};
    fh_status status = begin_all(d, list, 3, 6, team);
    if (!status) {
        plan p = {.x = d[0].data, .w = d[1].data, .b = d[2].data, .y = d[3].data};
        p.mean_out = d[4].data;
        p.rstd_out = d[5].data;
        p.eps = eps;
        p.centred = centred;
        shape(&p, list[0]->view, normalised);
        if (p.n)
            fh_team_split(team, p.rows, GRAIN / p.n + 1, forward_rows, &p);
        status = write_all(d + 3, 3, team);
    }
    fh_dense_end(d, 6);
    return status;
}

fh_status fh_op_layer_norm(const fh_argument *a, const fh_team *team)
{
    const fh_argument *list[] = {&a[0], &a[2], &a[3], &a[5], &a[6], &a[7]};
    return forward(list, a[1].count, (float)fh_argument_double(&a[4], 1e-5), true, team);
}

static const fh_argument absent = {.kind = FH_ARGUMENT_ABSENT};

fh_status fh_op_rms_norm(const fh_argument *a, const fh_team *team)
{
    const fh_argument *list[] = {&a[0], &a[1], &absent, &a[3], &absent, &a[4]};
    return forward(list, a[1].view->rank, (float)fh_argument_double(&a[2], 1e-6), false, team);
}

/* list: grad, x, w, mean, rstd, then grad_x, grad_w, grad_b */
static fh_status backward(const fh_argument *const *list, uint32_t normalised, bool centred,
                          const fh_team *team)
{
    fh_dense d[8] = {{.data = NULL}};
    fh_status status = begin_all(d, list, 5, 8, team);
    if (!status) {
        plan p = {.grad = d[0].data, .x = d[1].data, .w = d[2].data, .mean = d[3].data};
        p.rstd = d[4].data;
        p.y = d[5].data;
        p.grad_w = d[6].data;
        p.grad_b = d[7].data;
        p.centred = centred;
        shape(&p, list[1]->view, normalised);
        if (p.n && p.y)
            fh_team_split(team, p.rows, GRAIN / p.n + 1, backward_rows, &p);
        if (p.grad_w || p.grad_b)
            fh_team_split(team, (p.n + COLUMNS - 1) / COLUMNS, GRAIN / (p.rows * COLUMNS + 1) + 1,
                          weight_columns, &p);
        status = write_all(d + 5, 3, team);
    }
    fh_dense_end(d, 8);
    return status;
}

fh_status fh_op_layer_norm_backward(const fh_argument *a, const fh_team *team)
{
    const fh_argument *list[] = {&a[0], &a[1], &a[5], &a[3], &a[4], &a[8], &a[9], &a[10]};
    for (unsigned i = 0; i < 3; i++) /* the mask says which gradients are wanted */
        if (a[7].kind == FH_ARGUMENT_BOOLS && i < a[7].count && !a[7].bools[i])
            list[5 + i] = &absent;
    return backward(list, a[2].count, true, team);
}

fh_status fh_op_rms_norm_backward(const fh_argument *a, const fh_team *team)
{
    const fh_argument *list[] = {&a[0], &a[1], &a[3], &absent, &a[2], &a[4], &a[5], &absent};
    return backward(list, a[3].view->rank, false, team);
}
