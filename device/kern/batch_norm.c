/* Batch and group normalisation: a unit of work is a channel, or a group of a sample. Sums are of
 * pieces in f32, added in f64; the variance is of differences from the mean. */
#include "device/kern/operators_nn.h"
#include "device/kern/planes.h"
#include "device/kern/simd.h"

#include <math.h>

static const fh_view *given(const fh_argument *argument)
{
    return argument->kind == FH_ARGUMENT_VIEW && fh_view_count(argument->view) ? argument->view
                                                                               : NULL;
}

/* Sums over n elements, with 16 partial sums so that they are vectors: of x, of (x - mean)^2, and
 * of dy and dy (x - mean). */
enum { LANES = 16 };

#define SUM(name, parameters, term) \
    FH_SIMD static double name parameters \
    { \
        float lanes[LANES] = {0}, total = 0; \
        int64_t i = 0; \
        for (; i + LANES <= n; i += LANES) \
            for (int64_t l = 0; l < LANES; l++) \
                lanes[l] += term(i + l); \
        for (; i < n; i++) \
            lanes[0] += term(i); \
        for (int l = 0; l < LANES; l++) \
            total += lanes[l]; \
        return total; \
    }
#define PLAIN(i) x[i]
#define SQUARE(i) ((x[i] - mean) * (x[i] - mean))
#define TIMES(i) (dy[i] * (x[i] - mean))
SUM(sum_of, (int64_t n, const float *x), PLAIN)
SUM(squares_of, (int64_t n, const float *x, float mean), SQUARE)
SUM(products_of, (int64_t n, const float *dy, const float *x, float mean), TIMES)

FH_SIMD static void scale_shift(int64_t n, const float *x, float mean, float by, float shift,
                                float *y)
{
    FH_IVDEP for (int64_t i = 0; i < n; i++) y[i] = (x[i] - mean) * by + shift;
}

/* dx = (dy - a - (x - mean) b) by */
FH_SIMD static void gradient(int64_t n, const float *dy, const float *x, float mean, float a,
                             float b, float by, float *dx)
{
    FH_IVDEP for (int64_t i = 0; i < n; i++) dx[i] = (dy[i] - a - (x[i] - mean) * b) * by;
}

/* Which pieces of a tensor belong to a unit: channels and samples from and to. */
typedef struct {
    int64_t channels[2], samples[2];
} unit;

static int64_t count_of(const fh_planes *p, const unit *u)
{
    return (u->channels[1] - u->channels[0]) * (u->samples[1] - u->samples[0]) * p->lines[0] *
           p->lines[1] * p->width;
}

/* Steps through the pieces of a unit. */
typedef struct {
    int64_t sample, channel, line, at, count;
} piece;

static bool first_piece(const fh_planes *p, const unit *u, piece *at)
{
    *at = (piece){.sample = u->samples[0], .channel = u->channels[0]};
    at->count = p->width < FH_PIECE ? p->width : FH_PIECE;
    return count_of(p, u) > 0;
}

static bool next_piece(const fh_planes *p, const unit *u, piece *at)
{
    at->at += at->count;
    if (at->at >= p->width) {
        at->at = 0;
        if (++at->line >= p->lines[0] * p->lines[1]) {
            at->line = 0;
            if (++at->channel >= u->channels[1]) {
                at->channel = u->channels[0];
                if (++at->sample >= u->samples[1])
                    return false;
            }
        }
    }
    at->count = p->width - at->at < FH_PIECE ? p->width - at->at : FH_PIECE;
    return true;
}

static const float *read_piece(const fh_planes *p, const piece *at, float *buffer)
{
    return fh_planes_read(p, at->sample, at->channel, at->line, at->at, at->count, buffer);
}

static void write_piece(const fh_planes *p, const piece *at, const float *from)
{
    fh_planes_write(p, at->sample, at->channel, at->line, at->at, at->count, from);
}

static void moments(const fh_planes *x, const unit *u, double *mean, double *variance)
{
    float buffer[FH_PIECE];
    double sum = 0, squares = 0, count = (double)count_of(x, u);
    piece at;
    if (first_piece(x, u, &at))
        do
            sum += sum_of(at.count, read_piece(x, &at, buffer));
        while (next_piece(x, u, &at));
    *mean = sum / count;
    if (first_piece(x, u, &at))
        do
            squares += squares_of(at.count, read_piece(x, &at, buffer), (float)*mean);
        while (next_piece(x, u, &at));
    *variance = squares / count;
}

typedef struct {
    const fh_argument *x; /* the call's */
    fh_planes self, out, dy;
    int64_t groups; /* 0: batch normalisation */
} job;

static void apply(const job *j, const unit *u, const fh_view *weight, const fh_view *bias,
                  double mean, double inverse)
{
    float buffer[FH_PIECE], y[FH_PIECE];
    piece at;
    if (!first_piece(&j->self, u, &at))
        return;
    do {
        double by = inverse * fh_planes_vector(weight, at.channel, 1);
        scale_shift(at.count, read_piece(&j->self, &at, buffer), (float)mean, (float)by,
                    (float)fh_planes_vector(bias, at.channel, 0), y);
        write_piece(&j->out, &at, y);
    } while (next_piece(&j->self, u, &at));
}

static unit unit_of_channel(const job *j, int64_t channel)
{
    return (unit){{channel, channel + 1}, {0, j->self.samples}};
}

static void batch_part(void *context, int64_t begin, int64_t end, unsigned slot)
{
    (void)slot;
    const job *j = context;
    const fh_argument *x = j->x;
    double momentum = x[6].real, eps = x[7].real;
    const fh_view *running_mean = given(&x[3]), *running_variance = given(&x[4]);
    for (int64_t channel = begin; channel < end; channel++) {
        unit u = unit_of_channel(j, channel);
        double mean = fh_planes_vector(running_mean, channel, 0);
        double variance = fh_planes_vector(running_variance, channel, 1);
        if (x[5].integer) {
            double old_mean = mean, old_variance = variance, n = (double)count_of(&j->self, &u);
            moments(&j->self, &u, &mean, &variance);
            fh_planes_set_vector(running_mean, channel, old_mean + momentum * (mean - old_mean));
            fh_planes_set_vector(running_variance, channel,
                                 old_variance + momentum * (variance * n / (n - 1) - old_variance));
        }
        double inverse = 1 / sqrt(variance + eps);
        fh_planes_set_vector(given(&x[9]), channel, mean);
        fh_planes_set_vector(given(&x[10]), channel, inverse);
        apply(j, &u, given(&x[1]), given(&x[2]), mean, inverse);
    }
}

/* Channels or groups for which a second thread is worth waking. */
static int64_t grain_of(const fh_view *view, int64_t units)
{
    return 1 + (1 << 15) / (fh_view_count(view) / (units ? units : 1) + 1);
}

static fh_status check_rank(const fh_view *view)
{
    if (view->rank < 2 || view->rank > 5)
        return fh_error(FH_UNSUPPORTED, "normalisation of a tensor of rank %u is not supported",
                        view->rank);
    return FH_OK;
}

fh_status fh_op_batch_norm(const fh_argument *x, const fh_team *team)
{
    fh_status status = check_rank(x[0].view);
    if (status)
        return status;
    job j = {.x = x};
    fh_planes_of((const fh_view *[]){x[0].view, x[8].view}, (fh_planes *[]){&j.self, &j.out}, 2);
    fh_team_split(team, j.self.channels, grain_of(x[0].view, j.self.channels), batch_part, &j);
    return FH_OK;
}

/* Sums of dy and of dy (x - mean) over a unit; each channel's are weighed, if there are weights. */
static void gradient_sums(const job *j, const unit *u, const fh_view *weight, double mean,
                          double *sum, double *products)
{
    float a[FH_PIECE], b[FH_PIECE];
    piece at;
    *sum = *products = 0;
    if (!first_piece(&j->self, u, &at))
        return;
    do {
        const float *x = read_piece(&j->self, &at, a), *dy = read_piece(&j->dy, &at, b);
        double by = fh_planes_vector(weight, at.channel, 1);
        *sum += by * sum_of(at.count, dy);
        *products += by * products_of(at.count, dy, x, (float)mean);
    } while (next_piece(&j->self, u, &at));
}

/* dx of a unit of which the weighed means of dy, and of dy times the normalised x, are known. */
static void write_gradient(const job *j, const unit *u, const fh_view *weight, double mean,
                           double inverse, double mean_dy, double mean_product)
{
    float a[FH_PIECE], b[FH_PIECE], dx[FH_PIECE];
    piece at;
    if (!first_piece(&j->self, u, &at))
        return;
    do {
        const float *x = read_piece(&j->self, &at, a), *dy = read_piece(&j->dy, &at, b);
        double by = fh_planes_vector(weight, at.channel, 1);
        if (by == 0) {
            /* Nothing comes through this channel, but its x is in the sums. */
            for (int64_t i = 0; i < at.count; i++)
                dx[i] = (float)(-inverse * (mean_dy + (x[i] - mean) * inverse * mean_product));
        } else {
            gradient(at.count, dy, x, (float)mean, (float)(mean_dy / by),
                     (float)(mean_product * inverse / by), (float)(by * inverse), dx);
        }
        write_piece(&j->out, &at, dx);
    } while (next_piece(&j->self, u, &at));
}

static void batch_backward_part(void *context, int64_t begin, int64_t end, unsigned slot)
{
    (void)slot;
    const job *j = context;
    const fh_argument *x = j->x;
    const bool *mask = x[9].bools, training = x[7].integer;
    const fh_view *weight = given(&x[2]);
    for (int64_t channel = begin; channel < end; channel++) {
        unit u = unit_of_channel(j, channel);
        double mean = fh_planes_vector(given(&x[training ? 5 : 3]), channel, 0), inverse;
        if (training)
            inverse = fh_planes_vector(given(&x[6]), channel, 1);
        else
            inverse = 1 / sqrt(fh_planes_vector(given(&x[4]), channel, 1) + x[8].real);
        double sum, products, n = (double)count_of(&j->self, &u);
        gradient_sums(j, &u, NULL, mean, &sum, &products);
        double by = fh_planes_vector(weight, channel, 1) / n;
        if (mask[0] && j->out.data)
            write_gradient(j, &u, weight, mean, inverse, training ? sum * by : 0,
                           training ? products * inverse * by : 0);
        if (mask[1])
            fh_planes_set_vector(given(&x[11]), channel, products * inverse);
        if (mask[2])
            fh_planes_set_vector(given(&x[12]), channel, sum);
    }
}

fh_status fh_op_batch_norm_backward(const fh_argument *x, const fh_team *team)
{
    fh_status status = check_rank(x[1].view);
    if (status)
        return status;
    job j = {.x = x};
    const fh_view *views[] = {x[1].view, x[0].view, given(&x[10])};
    fh_planes *planes[] = {&j.self, &j.dy, &j.out};
    fh_planes_of(views, planes, views[2] ? 3 : 2);
    fh_team_split(team, j.self.channels, grain_of(x[1].view, j.self.channels), batch_backward_part,
                  &j);
    return FH_OK;
}

/* Group normalisation: tensors without gaps, as [N, C, HxW]. */
static fh_planes planes_of_flat(const fh_view *view, int64_t samples, int64_t channels,
                                int64_t space)
{
    return (fh_planes){.data = view->data,
                       .dtype = view->dtype,
                       .samples = samples,
                       .channels = channels,
                       .lines = {1, 1},
                       .width = space,
                       .sample = channels * space,
                       .channel = space,
                       .element = 1};
}

static unit unit_of_group(const job *j, int64_t index)
{
    int64_t sample = index / j->groups, group = index % j->groups;
    int64_t channels = j->self.channels / j->groups;
    return (unit){{group * channels, (group + 1) * channels}, {sample, sample + 1}};
}

/* mean and rstd are [N, groups]: one behind the other. */
static const fh_view *flat_vector(const fh_view *view, fh_view *flat)
{
    if (!view)
        return NULL;
    *flat = *view;
    flat->rank = 1, flat->strides[0] = 1;
    return flat;
}

static void group_part(void *context, int64_t begin, int64_t end, unsigned slot)
{
    (void)slot;
    const job *j = context;
    const fh_argument *x = j->x;
    fh_view mean_view, rstd_view;
    for (int64_t i = begin; i < end; i++) {
        unit u = unit_of_group(j, i);
        double mean, variance;
        moments(&j->self, &u, &mean, &variance);
        double inverse = 1 / sqrt(variance + x[7].real);
        fh_planes_set_vector(flat_vector(given(&x[9]), &mean_view), i, mean);
        fh_planes_set_vector(flat_vector(given(&x[10]), &rstd_view), i, inverse);
        apply(j, &u, given(&x[1]), given(&x[2]), mean, inverse);
    }
}

static fh_status check_flat(const fh_argument *x, const int *which, int count, int64_t elements)
{
    for (int i = 0; i < count; i++) {
        const fh_view *view = given(&x[which[i]]);
        if (view && (!fh_view_contiguous(view) || fh_view_count(view) % (elements ? elements : 1)))
            return fh_error(FH_UNSUPPORTED,
                            "group_norm of tensors with gaps is not supported; make them "
                            "contiguous");
    }
    return FH_OK;
}

fh_status fh_op_group_norm(const fh_argument *x, const fh_team *team)
{
    int64_t n = x[3].integer, channels = x[4].integer, space = x[5].integer, groups = x[6].integer;
    static const int large[] = {0, 8}, small[] = {9, 10};
    if (groups < 1 || channels % groups)
        return fh_error(FH_INVALID, "group_norm of %lld channels in %lld groups",
                        (long long)channels, (long long)groups);
    fh_status status = check_flat(x, large, 2, n * channels * space);
    if (!status)
        status = check_flat(x, small, 2, n * groups);
    if (status)
        return status;
    job j = {.x = x,
             .self = planes_of_flat(x[0].view, n, channels, space),
             .out = planes_of_flat(x[8].view, n, channels, space),
             .groups = groups};
    fh_team_split(team, n * groups, grain_of(x[0].view, n * groups), group_part, &j);
    return FH_OK;
}

static void group_backward_part(void *context, int64_t begin, int64_t end, unsigned slot)
{
    (void)slot;
    const job *j = context;
    const fh_argument *x = j->x;
    const fh_view *gamma = given(&x[4]);
    fh_view mean_view, rstd_view;
    for (int64_t i = begin; i < end; i++) {
        unit u = unit_of_group(j, i);
        double mean = fh_planes_vector(flat_vector(x[2].view, &mean_view), i, 0);
        double inverse = fh_planes_vector(flat_vector(x[3].view, &rstd_view), i, 0);
        double sum, products, count = (double)count_of(&j->self, &u);
        gradient_sums(j, &u, gamma, mean, &sum, &products);
        write_gradient(j, &u, gamma, mean, inverse, sum / count, products * inverse / count);
    }
}

static void group_weights_part(void *context, int64_t begin, int64_t end, unsigned slot)
{
    (void)slot;
    const job *j = context;
    const fh_argument *x = j->x;
    fh_view mean_view, rstd_view;
    for (int64_t channel = begin; channel < end; channel++) {
        double total = 0, total_products = 0;
        for (int64_t n = 0; n < j->self.samples; n++) {
            int64_t i = n * j->groups + channel / (j->self.channels / j->groups);
            double mean = fh_planes_vector(flat_vector(x[2].view, &mean_view), i, 0);
            double inverse = fh_planes_vector(flat_vector(x[3].view, &rstd_view), i, 0);
            double sum, products;
            unit u = {{channel, channel + 1}, {n, n + 1}};
            gradient_sums(j, &u, NULL, mean, &sum, &products);
            total += sum, total_products += products * inverse;
        }
        if (x[9].bools[1])
            fh_planes_set_vector(given(&x[11]), channel, total_products);
        if (x[9].bools[2])
            fh_planes_set_vector(given(&x[12]), channel, total);
    }
}

fh_status fh_op_group_norm_backward(const fh_argument *x, const fh_team *team)
{
    int64_t n = x[5].integer, channels = x[6].integer, space = x[7].integer, groups = x[8].integer;
    static const int large[] = {0, 1, 10}, small[] = {2, 3};
    if (groups < 1 || channels % groups)
        return fh_error(FH_INVALID, "group_norm of %lld channels in %lld groups",
                        (long long)channels, (long long)groups);
    fh_status status = check_flat(x, large, 3, n * channels * space);
    if (!status)
        status = check_flat(x, small, 2, n * groups);
    if (status)
        return status;
    job j = {.x = x,
             .self = planes_of_flat(x[1].view, n, channels, space),
             .dy = planes_of_flat(x[0].view, n, channels, space),
             .groups = groups};
    if (x[9].bools[0] && given(&x[10])) {
        j.out = planes_of_flat(x[10].view, n, channels, space);
        fh_team_split(team, n * groups, grain_of(x[1].view, n * groups), group_backward_part, &j);
    }
    if (x[9].bools[1] || x[9].bools[2])
        fh_team_split(team, channels, grain_of(x[1].view, channels), group_weights_part, &j);
    return FH_OK;
}
