/* Pooling and resizing of images: an image of a sample and channel is a unit of work, held as f32
 * while it is worked on. */
#include "device/kern/operators_nn.h"
#include "device/kern/planes.h"
#include "device/kern/scratch.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

typedef struct {
    int64_t height, width;
} extent;

/* How outputs see inputs. */
typedef struct {
    extent in, out, kernel, stride, pad, dilation;
    bool include_pad, adaptive, align_corners;
    int64_t divisor;                  /* 0: what the window has */
    double scale_height, scale_width; /* inputs for an output, of resizing */
} geometry;

/* A method on an image: forward from `in` to `out`; backward adds to `in` what `out` gives. */
typedef void method(const geometry *g, float *in, float *out, int64_t *index);

typedef struct {
    geometry g;
    fh_planes in, out;
    const fh_planes *source; /* forward values beside gradients: max pooling's input */
    const fh_view *index;    /* of max pooling: positions (i32, i64) or bits (i8) */
    method *run;
    bool backward;
    atomic_bool failed;
} job;

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The first place in a window for the largest value; NaN is larger than all. -1: none. */
static int64_t find_largest(const geometry *g, const float *in, int64_t row, int64_t column)
{
    int64_t top = row * g->stride.height - g->pad.height;
    int64_t left = column * g->stride.width - g->pad.width, best = -1;
    float value = -INFINITY;
    for (int64_t i = 0; i < g->kernel.height; i++) {
        int64_t y = top + i * g->dilation.height;
        if (y < 0 || y >= g->in.height)
            continue;
        for (int64_t j = 0; j < g->kernel.width; j++) {
            int64_t x = left + j * g->dilation.width, at = y * g->in.width + x;
            if (x < 0 || x >= g->in.width)
                continue;
            if (best < 0 || in[at] > value || in[at] != in[at])
                best = at, value = in[at];
        }
    }
    return best;
}

static void max_forward(const geometry *g, float *in, float *out, int64_t *index)
{
    for (int64_t row = 0; row < g->out.height; row++)
        for (int64_t column = 0; column < g->out.width; column++, index++) {
            *index = find_largest(g, in, row, column);
            *out++ = *index < 0 ? -INFINITY : in[*index];
        }
}

static void max_backward(const geometry *g, float *in, float *out, int64_t *index)
{
    for (int64_t i = 0; i < g->out.height * g->out.width; i++)
        if (index[i] >= 0)
            in[index[i]] += out[i];
}

typedef struct {
    int64_t top, bottom, left, right;
    float weight; /* 1 / divisor */
} window;

static window window_at(const geometry *g, int64_t row, int64_t column)
{
    window w;
    if (g->adaptive) {
        w.top = row * g->in.height / g->out.height;
        w.bottom = ((row + 1) * g->in.height + g->out.height - 1) / g->out.height;
        w.left = column * g->in.width / g->out.width;
        w.right = ((column + 1) * g->in.width + g->out.width - 1) / g->out.width;
        w.weight = 1.0f / (float)((w.bottom - w.top) * (w.right - w.left));
        return w;
    }
    w.top = row * g->stride.height - g->pad.height;
    w.left = column * g->stride.width - g->pad.width;
    w.bottom = smaller(w.top + g->kernel.height, g->in.height + g->pad.height);
    w.right = smaller(w.left + g->kernel.width, g->in.width + g->pad.width);
    int64_t padded = (w.bottom - w.top) * (w.right - w.left);
    w.top = larger(w.top, 0), w.left = larger(w.left, 0);
    w.bottom = smaller(w.bottom, g->in.height), w.right = smaller(w.right, g->in.width);
    int64_t own = (w.bottom - w.top) * (w.right - w.left);
    int64_t divisor = g->divisor ? g->divisor : g->include_pad ? padded : own;
    w.weight = 1.0f / (float)divisor;
    return w;
}

static void average_forward(const geometry *g, float *in, float *out, int64_t *index)
{
    (void)index;
    for (int64_t row = 0; row < g->out.height; row++)
        for (int64_t column = 0; column < g->out.width; column++) {
            window w = window_at(g, row, column);
            float sum = 0;
            for (int64_t y = w.top; y < w.bottom; y++)
                for (int64_t x = w.left; x < w.right; x++)
                    sum += in[y * g->in.width + x];
            *out++ = w.top < w.bottom && w.left < w.right ? sum * w.weight : 0;
        }
}

static void average_backward(const geometry *g, float *in, float *out, int64_t *index)
{
    (void)index;
    for (int64_t row = 0; row < g->out.height; row++)
        for (int64_t column = 0; column < g->out.width; column++) {
            window w = window_at(g, row, column);
            float each = *out++ * w.weight;
            for (int64_t y = w.top; y < w.bottom; y++)
                for (int64_t x = w.left; x < w.right; x++)
                    in[y * g->in.width + x] += each;
        }
}

static int64_t nearest(int64_t at, double scale, int64_t size)
{
    return smaller((int64_t)floorf((float)at * (float)scale), size - 1);
}

static void nearest_forward(const geometry *g, float *in, float *out, int64_t *index)
{
    (void)index;
    for (int64_t row = 0; row < g->out.height; row++) {
        const float *line = in + nearest(row, g->scale_height, g->in.height) * g->in.width;
        for (int64_t column = 0; column < g->out.width; column++)
            *out++ = line[nearest(column, g->scale_width, g->in.width)];
    }
}

static void nearest_backward(const geometry *g, float *in, float *out, int64_t *index)
{
    (void)index;
    for (int64_t row = 0; row < g->out.height; row++) {
        float *line = in + nearest(row, g->scale_height, g->in.height) * g->in.width;
        for (int64_t column = 0; column < g->out.width; column++)
            line[nearest(column, g->scale_width, g->in.width)] += *out++;
    }
}

/* Two neighbours and how much of the second. */
typedef struct {
    int64_t first, second;
    float part;
} between;

static between between_at(const geometry *g, int64_t at, double scale, int64_t size)
{
    float place =
        g->align_corners ? (float)scale * (float)at : (float)scale * ((float)at + 0.5f) - 0.5f;
    between b;
    place = place < 0 ? 0 : place;
    b.first = smaller((int64_t)place, size - 1);
    b.second = smaller(b.first + 1, size - 1);
    b.part = place - (float)b.first;
    return b;
}

static void linear_forward(const geometry *g, float *in, float *out, int64_t *index)
{
    (void)index;
    for (int64_t row = 0; row < g->out.height; row++) {
        between y = between_at(g, row, g->scale_height, g->in.height);
        const float *top = in + y.first * g->in.width, *bottom = in + y.second * g->in.width;
        for (int64_t column = 0; column < g->out.width; column++) {
            between x = between_at(g, column, g->scale_width, g->in.width);
            float above = top[x.first] * (1 - x.part) + top[x.second] * x.part;
            float below = bottom[x.first] * (1 - x.part) + bottom[x.second] * x.part;
            *out++ = above * (1 - y.part) + below * y.part;
        }
    }
}

static void linear_backward(const geometry *g, float *in, float *out, int64_t *index)
{
    (void)index;
    for (int64_t row = 0; row < g->out.height; row++) {
        between y = between_at(g, row, g->scale_height, g->in.height);
        float *top = in + y.first * g->in.width, *bottom = in + y.second * g->in.width;
        for (int64_t column = 0; column < g->out.width; column++, out++) {
            between x = between_at(g, column, g->scale_width, g->in.width);
            top[x.first] += *out * (1 - y.part) * (1 - x.part);
            top[x.second] += *out * (1 - y.part) * x.part;
            bottom[x.first] += *out * y.part * (1 - x.part);
            bottom[x.second] += *out * y.part * x.part;
        }
    }
}

/* Positions as the call wants them; as bits: [kernel element][output position]. */
static void write_index(const job *j, int64_t sample, int64_t channel, const int64_t *index)
{
    const fh_view *v = j->index;
    const geometry *g = &j->g;
    uint32_t last = v->rank - 1;
    int64_t base = channel * v->strides[last - 2] + (v->rank == 4 ? sample * v->strides[0] : 0);
    char *data = (char *)v->data + base * (int64_t)fh_dtype_size(v->dtype);
    if (v->dtype == FH_I8 || v->dtype == FH_U8)
        for (int64_t i = 0; i < v->sizes[last - 1]; i++)
            memset(data + i * v->strides[last - 1], 0, (size_t)v->sizes[last]);
    for (int64_t i = 0; i < g->out.height * g->out.width; i++) {
        int64_t row = i / g->out.width, column = i % g->out.width;
        int64_t offset = row * v->strides[last - 1] + column * v->strides[last];
        if (v->dtype == FH_I64) {
            ((int64_t *)data)[offset] = index[i];
        } else if (v->dtype == FH_I32) {
            ((int32_t *)data)[offset] = (int32_t)index[i];
        } else if (index[i] >= 0) {
            int64_t y = index[i] / g->in.width - row * g->stride.height + g->pad.height;
            int64_t x = index[i] % g->in.width - column * g->stride.width + g->pad.width;
            int64_t tap = y / g->dilation.height * g->kernel.width + x / g->dilation.width;
            data[tap * v->strides[last - 1] + i / 8] |= (char)(1 << i % 8);
        }
    }
}

static void run_part(void *context, int64_t begin, int64_t end, unsigned slot)
{
    (void)slot;
    job *j = context;
    const geometry *g = &j->g;
    int64_t in = g->in.height * g->in.width, out = g->out.height * g->out.width;
    float *memory =
        fh_scratch_take((size_t)(in + out) * sizeof(float) + 8 + (size_t)out * sizeof(int64_t));
    if (!memory) {
        atomic_store(&j->failed, true);
        return;
    }
    float *x = memory, *y = memory + in;
    int64_t *index = (int64_t *)(memory + (in + out + 1) / 2 * 2);
    for (int64_t i = begin; i < end; i++) {
        int64_t sample = i / j->in.channels, channel = i % j->in.channels;
        if (!j->backward) {
            fh_planes_read_image(&j->in, sample, channel, x);
            j->run(g, x, y, index);
            fh_planes_write_image(&j->out, sample, channel, y);
            if (j->index)
                write_index(j, sample, channel, index);
            continue;
        }
        if (j->source) {
            fh_planes_read_image(j->source, sample, channel, x);
            max_forward(g, x, y, index);
        }
        memset(x, 0, (size_t)in * sizeof(float));
        fh_planes_read_image(&j->out, sample, channel, y);
        j->run(g, x, y, index);
        fh_planes_write_image(&j->in, sample, channel, x);
    }
    fh_scratch_give(memory);
}

static fh_status run(job *j, const fh_view *in, const fh_view *out, const fh_team *team)
{
    if (in->rank < 3 || in->rank > 4 || out->rank != in->rank)
        return fh_error(FH_UNSUPPORTED,
                        "pooling or resizing of tensors of rank %u and %u is not supported",
                        in->rank, out->rank);
    j->in = fh_planes_of_image(in), j->out = fh_planes_of_image(out);
    j->g.in = (extent){j->in.lines[1], j->in.width};
    j->g.out = (extent){j->out.lines[1], j->out.width};
    if (fh_view_count(in) == 0)
        return FH_OK;
    int64_t each = (j->g.in.height * j->g.in.width + j->g.out.height * j->g.out.width) *
                   (j->g.kernel.height ? j->g.kernel.height * j->g.kernel.width : 4);
    fh_team_split(team, j->in.samples * j->in.channels, 1 + (1 << 16) / (each + 1), run_part, j);
    if (atomic_load(&j->failed))
        return fh_error(FH_NO_MEMORY, "no host memory for the buffers of pooling; free memory");
    return FH_OK;
}

static extent pair(const fh_argument *list, extent otherwise)
{
    if (list->kind != FH_ARGUMENT_INTEGERS || list->count == 0)
        return otherwise;
    return (extent){list->integers[0], list->integers[list->count > 1 ? 1 : 0]};
}

static fh_status set_window(geometry *g, const fh_argument *kernel, const fh_argument *stride,
                            const fh_argument *pad, const fh_argument *dilation)
{
    g->kernel = pair(kernel, (extent){1, 1});
    g->stride = pair(stride, g->kernel);
    g->pad = pair(pad, (extent){0, 0});
    g->dilation = dilation ? pair(dilation, (extent){1, 1}) : (extent){1, 1};
    const extent *above[] = {&g->kernel, &g->stride, &g->dilation};
    for (int i = 0; i < 3; i++)
        if (above[i]->height < 1 || above[i]->width < 1)
            return fh_error(FH_INVALID, "pooling with a kernel, stride or dilation below 1");
    return FH_OK;
}

fh_status fh_op_max_pool2d(const fh_argument *x, const fh_team *team)
{
    job j = {.run = max_forward, .index = x[7].view};
    fh_status status = set_window(&j.g, &x[1], &x[2], &x[3], &x[4]);
    return status ? status : run(&j, x[0].view, x[6].view, team);
}

fh_status fh_op_max_pool2d_backward(const fh_argument *x, const fh_team *team)
{
    fh_planes source = fh_planes_of_image(x[1].view);
    job j = {.run = max_backward, .backward = true, .source = &source};
    fh_status status = set_window(&j.g, &x[3], &x[4], &x[5], &x[6]);
    return status ? status : run(&j, x[8].view, x[0].view, team);
}

fh_status fh_op_avg_pool2d(const fh_argument *x, const fh_team *team)
{
    job j = {.run = average_forward};
    fh_status status = set_window(&j.g, &x[1], &x[2], &x[3], NULL);
    j.g.include_pad = x[5].integer, j.g.divisor = x[6].integer;
    return status ? status : run(&j, x[0].view, x[8].view, team);
}

fh_status fh_op_avg_pool2d_backward(const fh_argument *x, const fh_team *team)
{
    job j = {.run = average_backward, .backward = true};
    fh_status status = set_window(&j.g, &x[2], &x[3], &x[4], NULL);
    j.g.include_pad = x[6].integer, j.g.divisor = x[7].integer;
    return status ? status : run(&j, x[9].view, x[0].view, team);
}

fh_status fh_op_adaptive_avg_pool2d(const fh_argument *x, const fh_team *team)
{
    job j = {.run = average_forward, .g = {.adaptive = true}};
    return run(&j, x[0].view, x[2].view, team);
}

fh_status fh_op_adaptive_avg_pool2d_backward(const fh_argument *x, const fh_team *team)
{
    job j = {.run = average_backward, .backward = true, .g = {.adaptive = true}};
    return run(&j, x[2].view, x[0].view, team);
}

/* Inputs for an output: from the factor that the client gave, when above 0, or the sizes. */
static double scale_of(double factor, int64_t in, int64_t out, bool align_corners)
{
    if (align_corners)
        return out > 1 ? (double)(in - 1) / (double)(out - 1) : 0;
    return factor > 0 ? 1 / factor : (double)in / (double)(out ? out : 1);
}

static double factor_of(const fh_argument *argument)
{
    return argument ? argument->real : 0;
}

static fh_status resize(job *j, const fh_view *in, const fh_view *out, const fh_argument *height,
                        const fh_argument *width, const fh_team *team)
{
    uint32_t last = in->rank - 1;
    if (in->rank >= 3 && out->rank == in->rank) {
        j->g.scale_height = scale_of(factor_of(height), in->sizes[last - 1], out->sizes[last - 1],
                                     j->g.align_corners);
        j->g.scale_width =
            scale_of(factor_of(width), in->sizes[last], out->sizes[last], j->g.align_corners);
    }
    return run(j, in, out, team);
}

fh_status fh_op_upsample_nearest2d(const fh_argument *x, const fh_team *team)
{
    job j = {.run = nearest_forward};
    return resize(&j, x[0].view, x[2].view, NULL, NULL, team);
}

fh_status fh_op_upsample_nearest2d_scaled(const fh_argument *x, const fh_team *team)
{
    job j = {.run = nearest_forward};
    return resize(&j, x[0].view, x[4].view, &x[2], &x[3], team);
}

fh_status fh_op_upsample_nearest2d_backward(const fh_argument *x, const fh_team *team)
{
    job j = {.run = nearest_backward, .backward = true};
    return resize(&j, x[5].view, x[0].view, &x[3], &x[4], team);
}

fh_status fh_op_upsample_bilinear2d(const fh_argument *x, const fh_team *team)
{
    job j = {.run = linear_forward, .g = {.align_corners = x[2].integer}};
    return resize(&j, x[0].view, x[5].view, &x[3], &x[4], team);
}

fh_status fh_op_upsample_bilinear2d_backward(const fh_argument *x, const fh_team *team)
{
    job j = {.run = linear_backward, .backward = true, .g = {.align_corners = x[3].integer}};
    return resize(&j, x[6].view, x[0].view, &x[4], &x[5], team);
}
