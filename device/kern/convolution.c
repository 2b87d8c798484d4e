/* Convolution: patches of a block of positions, and products of them with the weights. */
#include "device/kern/convolution.h"

#include "device/kern/blas.h"
#include "device/kern/convert.h"
#include "device/kern/scratch.h"

#include <stdatomic.h>

/* Elements of a block of patches: half of a second level cache of 512 KiB. */
enum { PATCH_ELEMENTS = 65536, LEAST_POSITIONS = 112, MOST_POSITIONS = 2048 };

/* Small images are multiplied several at a time, until a block has so many positions. */
enum { JOINED_POSITIONS = 256 };

typedef struct {
    const fh_convolution *c;
    const float *weights; /* [outputs of all groups, depth], f32 */
    const float *bias;    /* or NULL */
    int64_t depth;        /* inputs x kernel */
    int64_t positions, block, blocks;
    int64_t joined;    /* samples of a block, above 1 only when a block is all positions */
    int64_t stretches; /* blocks of all samples */
    bool pointwise;    /* patches are the input as it lies */
    float *sums;       /* of the weight's gradient: one for each unit */
    int64_t units;
    atomic_bool failed;
} job;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t product_of(const int64_t *sizes)
{
    return sizes[0] * sizes[1] * sizes[2];
}

static char *image_at(const fh_image *image, int64_t sample, int64_t channel)
{
    int64_t offset = sample * image->outer + channel * image->channel;
    return (char *)image->data + offset * (int64_t)fh_dtype_size(image->dtype);
}

/* Whether positions lie one behind the other, as f32. */
static bool lies_flat(const fh_image *image, const int64_t *sizes)
{
    int64_t expected = 1;
    for (int i = FH_SPACE; i-- > 0; expected *= sizes[i])
        if (sizes[i] != 1 && image->space[i] != expected)
            return false;
    return image->dtype == FH_F32 && image->channel >= expected && image->channel <= INT32_MAX;
}

static bool is_pointwise(const fh_convolution *c)
{
    for (int i = 0; i < FH_SPACE; i++)
        if (c->kernel[i] != 1 || c->stride[i] != 1 || c->pad[i] != 0)
            return false;
    return lies_flat(&c->x, c->in);
}

/* Output positions [from, to) along the last dimension whose input is inside. */
static void inside(const fh_convolution *c, int64_t tap, int64_t *from, int64_t *to)
{
    int64_t shift = tap * c->dilation[2] - c->pad[2], stride = c->stride[2];
    if (stride == 1) {
        *from = shift >= 0 ? 0 : -shift;
        *to = c->in[2] - shift <= 0 ? 0 : c->in[2] - shift;
        return;
    }
    *from = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
    *to = c->in[2] - shift <= 0 ? 0 : (c->in[2] - shift - 1) / stride + 1;
}

/* Where a run of output positions of one row of the output is, for one element of the kernel. */
typedef struct {
    int64_t first, count; /* of the block */
    int64_t column;       /* in the output's row */
    int64_t begin, end;   /* positions of the run, from its first, whose input is inside */
    int64_t offset;       /* of the input of `begin`, from the channel's, in elements */
} run;

typedef void on_run(const fh_convolution *c, char *channel, float *patch, const run *r);

FH_INLINE void copy_run(const fh_convolution *c, char *channel, float *patch, const run *r)
{
    const fh_image *x = &c->x;
    for (int64_t i = 0; i < r->begin; i++)
        patch[i] = 0;
    for (int64_t i = r->end; i < r->count; i++)
        patch[i] = 0;
    if (r->end <= r->begin)
        return;
    int64_t n = r->end - r->begin, step = c->stride[2] * x->space[2];
    const char *from = channel + r->offset * (int64_t)fh_dtype_size(x->dtype);
    float *to = patch + r->begin;
    if (x->dtype != FH_F32)
        fh_convert_between(x->dtype, FH_F32)(1, n, from, 0, step, to, n, 1);
    else if (step == 1)
        memcpy(to, from, (size_t)n * sizeof(float));
    else
        for (int64_t i = 0; i < n; i++)
            to[i] = ((const float *)from)[i * step];
}

/* The other way: adds the patch to the input, which is f32 then. */
FH_INLINE void add_run(const fh_convolution *c, char *channel, float *patch, const run *r)
{
    int64_t step = c->stride[2] * c->x.space[2];
    float *to = (float *)channel + r->offset;
    const float *from = patch + r->begin;
    if (step == 1)
        FH_IVDEP for (int64_t i = 0; i < r->end - r->begin; i++) to[i] += from[i];
    else
        for (int64_t i = 0; i < r->end - r->begin; i++)
            to[i * step] += from[i];
}

/* A position as [place[0], place[1], column]: found once for a block, as it takes divisions. */
typedef struct {
    int64_t place[2], column;
} start;

/* Calls `each` for all runs of `count` positions from `at` on, of one kernel element. */
FH_INLINE void over_runs(const fh_convolution *c, char *channel, const int64_t *tap, start at,
                         int64_t count, float *patch, on_run *each)
{
    int64_t width = c->out[2], from, to;
    inside(c, tap[2], &from, &to);
    for (int64_t done = 0; done < count;) {
        int64_t column = at.column;
        run r = {done, smaller(width - column, count - done), column, 0, 0, 0};
        bool outside = false;
        for (int i = 0; i < 2; i++) {
            int64_t index = at.place[i] * c->stride[i] - c->pad[i] + tap[i] * c->dilation[i];
            outside |= index < 0 || index >= c->in[i];
            r.offset += index * c->x.space[i];
        }
        if (!outside) {
            r.begin = smaller(from > column ? from - column : 0, r.count);
            r.end = smaller(to > column ? to - column : 0, r.count);
            if (r.end < r.begin)
                r.end = r.begin;
        }
        r.offset += ((column + r.begin) * c->stride[2] - c->pad[2] + tap[2] * c->dilation[2]) *
                    c->x.space[2];
        each(c, channel, patch + done, &r);
        done += r.count;
        at.column = 0;
        if (++at.place[1] == c->out[1])
            at.place[1] = 0, at.place[0]++;
    }
}

/* All rows of a block of patches ([depth, count], `stride` apart). */
FH_INLINE void over_patches(const fh_convolution *c, char *data, int64_t first, int64_t count,
                            float *patches, int64_t stride, on_run *each)
{
    int64_t channel_bytes = c->x.channel * (int64_t)fh_dtype_size(c->x.dtype), tap[FH_SPACE];
    int64_t row = first / c->out[2];
    start at = {{row / c->out[1], row % c->out[1]}, first % c->out[2]};
    for (int64_t channel = 0; channel < c->inputs; channel++)
        for (tap[0] = 0; tap[0] < c->kernel[0]; tap[0]++)
            for (tap[1] = 0; tap[1] < c->kernel[1]; tap[1]++)
                for (tap[2] = 0; tap[2] < c->kernel[2]; tap[2]++, patches += stride)
                    over_runs(c, data + channel * channel_bytes, tap, at, count, patches, each);
}

/* Copies rows of an image ([channels, positions]) to or from f32 rows that are `stride` apart. */
static void convert_rows(const fh_image *image, char *data, const int64_t *sizes, int64_t channels,
                         int64_t first, int64_t count, float *rows, int64_t stride, bool to_image)
{
    for (int64_t channel = 0; channel < channels; channel++)
        for (int64_t at = first; at < first + count;) {
            int64_t column = at % sizes[2], row = at / sizes[2];
            int64_t n = smaller(sizes[2] - column, first + count - at);
            int64_t offset = channel * image->channel + row / sizes[1] * image->space[0] +
                             row % sizes[1] * image->space[1] + column * image->space[2];
            char *element = data + offset * (int64_t)fh_dtype_size(image->dtype);
            float *own = rows + channel * stride + at - first;
            if (to_image)
                fh_convert_between(FH_F32, image->dtype)(1, n, own, 0, 1, element, 0,
                                                         image->space[2]);
            else
                fh_convert_between(image->dtype, FH_F32)(1, n, element, 0, image->space[2], own, 0,
                                                         1);
            at += n;
        }
}

/* A block of positions: of one sample, or all positions of several. */
typedef struct {
    int64_t group, sample, samples, first, count, total;
} stretch;

static stretch stretch_at(const job *j, int64_t unit)
{
    int64_t index = unit % j->stretches;
    stretch t = {.group = unit / j->stretches, .samples = 1};
    if (j->joined > 1) {
        t.sample = index * j->joined;
        t.samples = smaller(j->joined, j->c->samples - t.sample);
        t.count = j->positions;
    } else {
        t.sample = index / j->blocks;
        t.first = index % j->blocks * j->block;
        t.count = smaller(j->block, j->positions - t.first);
    }
    t.total = t.samples * t.count;
    return t;
}

/* Rows as a library takes them: as they lie, or copied. */
typedef struct {
    float *data;
    int64_t stride;
} matrix;

static matrix patches_of(const job *j, const stretch *t, float *copy)
{
    const fh_convolution *c = j->c;
    int64_t channel = t->group * c->inputs;
    if (j->pointwise && t->samples == 1)
        return (matrix){(float *)image_at(&c->x, t->sample, channel) + t->first, c->x.channel};
    for (int64_t i = 0; i < t->samples; i++)
        over_patches(c, image_at(&c->x, t->sample + i, channel), t->first, t->count,
                     copy + i * t->count, t->total, copy_run);
    return (matrix){copy, t->total};
}

/* y is read into `copy` only when `read`. */
static matrix rows_of_y(const job *j, const stretch *t, float *copy, bool read)
{
    const fh_convolution *c = j->c;
    int64_t channel = t->group * c->outputs;
    if (t->samples == 1 && lies_flat(&c->y, c->out))
        return (matrix){(float *)image_at(&c->y, t->sample, channel) + t->first, c->y.channel};
    for (int64_t i = 0; i < t->samples && read; i++)
        convert_rows(&c->y, image_at(&c->y, t->sample + i, channel), c->out, c->outputs, t->first,
                     t->count, copy + i * t->count, t->total, false);
    return (matrix){copy, t->total};
}

static void fill_bias(const float *bias, int64_t rows, int64_t count, matrix m)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < count; j++)
            m.data[i * m.stride + j] = bias[i];
}

/* Memory for patches and a copy of y. */
static float *take_block(const job *j, int64_t more)
{
    int64_t columns = j->joined * j->block;
    return fh_scratch_take((size_t)((j->depth + j->c->outputs) * columns + more) * sizeof(float));
}

static void forward_part(void *context, int64_t begin, int64_t end, unsigned slot)
{
    (void)slot;
    job *j = context;
    const fh_convolution *c = j->c;
    float *patches = take_block(j, 0);
    float *copy = patches ? patches + j->depth * j->joined * j->block : NULL;
    bool good = patches != NULL;
    for (int64_t unit = begin; unit < end && good; unit++) {
        stretch t = stretch_at(j, unit);
        matrix p = patches_of(j, &t, patches), y = rows_of_y(j, &t, copy, false);
        if (j->bias)
            fill_bias(j->bias + t.group * c->outputs, c->outputs, t.total, y);
        fh_blas_shape shape = {false,    false,    c->outputs, t.total, j->depth,
                               j->depth, p.stride, y.stride,   1,       j->bias ? 1 : 0};
        good = fh_blas_f32(&shape, j->weights + t.group * c->outputs * j->depth, p.data, y.data);
        for (int64_t i = 0; i < t.samples && good && y.data == copy; i++)
            convert_rows(&c->y, image_at(&c->y, t.sample + i, t.group * c->outputs), c->out,
                         c->outputs, t.first, t.count, copy + i * t.count, t.total, true);
    }
    fh_scratch_give(patches);
    if (!good)
        atomic_store(&j->failed, true);
}

/* The input's gradient of a group of samples, which one thread adds all patches to. They are
 * several only when a block is all positions: then all are multiplied before the first is added. */
typedef struct {
    job *j;
    stretch t;
    float *patches, *copy, *sum;
} input_work;

/* dy times the weights: patches of dx. */
static bool multiply_block(const input_work *w, matrix p, bool add)
{
    const job *j = w->j;
    const fh_convolution *c = j->c;
    matrix y = rows_of_y(j, &w->t, w->copy, true);
    fh_blas_shape shape = {true,     false,    j->depth, w->t.total, c->outputs,
                           j->depth, y.stride, p.stride, 1,          add ? 1 : 0};
    return fh_blas_f32(&shape, j->weights + w->t.group * c->outputs * j->depth, y.data, p.data);
}

static bool input_sample(input_work *w, int64_t index, bool multiplied)
{
    const job *j = w->j;
    const fh_convolution *c = j->c;
    int64_t space = product_of(c->in), sample = w->t.sample + index;
    char *x = image_at(&c->x, sample, w->t.group * c->inputs);
    bool direct = lies_flat(&c->x, c->in);
    fh_convolution own = *c;
    matrix sum = {(float *)x, c->x.channel};
    if (!direct) {
        sum = (matrix){w->sum, space};
        own.x = (fh_image){sum.data, FH_F32, 0, space, {c->in[1] * c->in[2], c->in[2], 1}};
    }
    for (int64_t i = 0; i < c->inputs; i++)
        for (int64_t l = 0; l < space; l++)
            sum.data[i * sum.stride + l] = j->bias ? j->bias[w->t.group * c->inputs + i] : 0;
    if (multiplied)
        over_patches(&own, (char *)sum.data, 0, j->positions, w->patches + index * j->positions,
                     w->t.total, add_run);
    for (int64_t first = 0; first < j->positions && !multiplied; first += j->block) {
        w->t.first = first, w->t.total = w->t.count = smaller(j->block, j->positions - first);
        bool in_place = j->pointwise;
        matrix p = {w->patches, w->t.count};
        if (in_place)
            p = (matrix){sum.data + first, sum.stride};
        if (!multiply_block(w, p, in_place))
            return false;
        if (!in_place)
            over_patches(&own, (char *)sum.data, first, w->t.count, w->patches, w->t.count,
                         add_run);
    }
    if (!direct)
        convert_rows(&c->x, x, c->in, c->inputs, 0, space, sum.data, space, true);
    return true;
}

static void input_part(void *context, int64_t begin, int64_t end, unsigned slot)
{
    (void)slot;
    job *j = context;
    const fh_convolution *c = j->c;
    float *memory = take_block(j, c->inputs * product_of(c->in));
    input_work w = {.j = j, .patches = memory};
    bool good = memory != NULL;
    if (good) {
        w.copy = memory + j->depth * j->joined * j->block;
        w.sum = w.copy + c->outputs * j->joined * j->block;
    }
    int64_t each = (c->samples + j->joined - 1) / j->joined;
    for (int64_t unit = begin; unit < end && good; unit++) {
        int64_t sample = unit % each * j->joined;
        bool joined = j->joined > 1;
        w.t = (stretch){.group = unit / each, .sample = sample, .samples = 1};
        if (joined) {
            w.t.samples = smaller(j->joined, c->samples - sample);
            w.t.count = j->positions, w.t.total = w.t.samples * w.t.count;
            good = multiply_block(&w, (matrix){w.patches, w.t.total}, false);
        }
        for (int64_t i = 0; i < w.t.samples && good; i++)
            good = input_sample(&w, i, joined);
    }
    fh_scratch_give(memory);
    if (!good)
        atomic_store(&j->failed, true);
}

/* Unit u of the weight's gradient sums a share of all blocks. */
static void weight_part(void *context, int64_t begin, int64_t end, unsigned slot)
{
    (void)slot;
    job *j = context;
    const fh_convolution *c = j->c;
    int64_t size = c->groups * c->outputs * j->depth, total = c->groups * j->stretches;
    float *patches = take_block(j, 0);
    float *copy = patches ? patches + j->depth * j->joined * j->block : NULL;
    bool good = patches != NULL;
    for (int64_t unit = begin; unit < end && good; unit++) {
        float *sum = j->sums + unit * size;
        memset(sum, 0, (size_t)size * sizeof(float));
        for (int64_t i = total * unit / j->units; i < total * (unit + 1) / j->units && good; i++) {
            stretch t = stretch_at(j, i);
            matrix p = patches_of(j, &t, patches), y = rows_of_y(j, &t, copy, true);
            fh_blas_shape shape = {false,    true,     c->outputs, j->depth, t.total,
                                   y.stride, p.stride, j->depth,   1,        1};
            good = fh_blas_f32(&shape, y.data, p.data, sum + t.group * c->outputs * j->depth);
        }
    }
    fh_scratch_give(patches);
    if (!good)
        atomic_store(&j->failed, true);
}

static job plan(const fh_convolution *c, const fh_team *team)
{
    job j = {.c = c, .depth = c->inputs * product_of(c->kernel), .positions = product_of(c->out)};
    j.pointwise = is_pointwise(c);
    j.block = PATCH_ELEMENTS / (j.depth ? j.depth : 1);
    if (j.block < LEAST_POSITIONS)
        j.block = LEAST_POSITIONS;
    j.block = smaller(j.block, MOST_POSITIONS);
    if (j.block > j.positions)
        j.block = j.positions ? j.positions : 1;
    /* Blocks of like sizes, and of whole rows where they have some. */
    int64_t blocks = (j.positions + j.block - 1) / j.block;
    if (blocks > 1) {
        int64_t width = c->out[2], even = (j.positions + blocks - 1) / blocks;
        j.block = even >= 2 * width ? (even + width - 1) / width * width : even;
    }
    j.joined = 1;
    if (j.positions && j.positions <= JOINED_POSITIONS / 2) {
        /* As many as leave something to every thread. */
        int64_t share = (c->samples + team->width - 1) / team->width;
        j.joined = smaller(JOINED_POSITIONS / j.positions, share);
        j.joined = j.joined < 1 ? 1 : j.joined;
        j.block = j.joined > 1 ? j.positions : j.block;
    }
    j.blocks = (j.positions + j.block - 1) / j.block;
    j.stretches = j.joined > 1 ? (c->samples + j.joined - 1) / j.joined : c->samples * j.blocks;
    return j;
}

/* w, [outputs of all groups, inputs, kernel], to or from f32 without gaps. */
static void convert_weight(const fh_convolution *c, float *flat, bool to_weight)
{
    int64_t taps = product_of(c->kernel);
    for (int64_t o = 0; o < c->groups * c->outputs; o++)
        convert_rows(&c->w, image_at(&c->w, o, 0), c->kernel, c->inputs, 0, taps,
                     flat + o * c->inputs * taps, taps, to_weight);
}

static bool is_flat_weight(const fh_convolution *c)
{
    int64_t taps = product_of(c->kernel);
    return lies_flat(&c->w, c->kernel) && (c->w.channel == taps || c->inputs == 1) &&
           c->w.outer == c->inputs * taps;
}

static fh_status no_memory(void)
{
    return fh_error(FH_NO_MEMORY, "no host memory for the buffers of a convolution; free memory or "
                                  "make the batch smaller");
}

/* What forward and the input's gradient share: weights and bias as f32, then the parts. */
static fh_status with_weights(job *j, const fh_view *bias, int64_t channels, int64_t units,
                              int64_t grain, fh_part *part, const fh_team *team)
{
    const fh_convolution *c = j->c;
    int64_t size = c->groups * c->outputs * j->depth;
    bool flat = is_flat_weight(c);
    float *memory = fh_scratch_take((size_t)((flat ? 0 : size) + channels) * sizeof(float));
    if (!memory)
        return no_memory();
    j->weights = flat ? c->w.data : memory + channels;
    if (!flat)
        convert_weight(c, memory + channels, false);
    if (bias) {
        fh_convert_between(bias->dtype, FH_F32)(1, channels, bias->data, 0, bias->strides[0],
                                                memory, 0, 1);
        j->bias = memory;
    }
    fh_team_split(team, units, grain, part, j);
    fh_scratch_give(memory);
    return atomic_load(&j->failed) ? no_memory() : FH_OK;
}

/* Units for which a second thread is worth waking. */
static int64_t grain_of(int64_t work)
{
    return 1 + (1 << 19) / (work + 1);
}

fh_status fh_convolution_forward(const fh_convolution *c, const fh_view *bias, const fh_team *team)
{
    job j = plan(c, team);
    if (j.depth == 0)
        return fh_error(FH_UNSUPPORTED, "a convolution of no input channels has no result");
    return with_weights(&j, bias, c->groups * c->outputs, c->groups * j.stretches,
                        grain_of(c->outputs * j.depth * j.joined * j.block), forward_part, team);
}

/* With strides of 1 the gradient is itself a convolution, of y with the weights turned round: that
 * has no patches to add. False where it would need negative padding. */
static bool turn_round(const fh_convolution *c, fh_convolution *turned)
{
    *turned = *c;
    turned->inputs = c->outputs, turned->outputs = c->inputs;
    turned->x = c->y, turned->y = c->x;
    for (int i = 0; i < FH_SPACE; i++) {
        turned->in[i] = c->out[i], turned->out[i] = c->in[i];
        turned->pad[i] = c->dilation[i] * (c->kernel[i] - 1) - c->pad[i];
        if (c->stride[i] != 1 || turned->pad[i] < 0)
            return false;
    }
    return c->outputs > 0;
}

/* [outputs, inputs, taps] of each group to [inputs, outputs, taps], the last backwards. */
static void turn_weights(const fh_convolution *c, const float *from, float *to)
{
    int64_t taps = product_of(c->kernel);
    for (int64_t group = 0; group < c->groups; group++)
        for (int64_t o = 0; o < c->outputs; o++)
            for (int64_t i = 0; i < c->inputs; i++) {
                const float *own = from + ((group * c->outputs + o) * c->inputs + i) * taps;
                float *turned = to + ((group * c->inputs + i) * c->outputs + o) * taps;
                for (int64_t t = 0; t < taps; t++)
                    turned[taps - 1 - t] = own[t];
            }
}

static fh_status input_turned(const fh_convolution *c, fh_convolution *turned, const fh_view *bias,
                              const fh_team *team)
{
    int64_t taps = product_of(c->kernel), size = c->groups * c->outputs * c->inputs * taps;
    float *weights = fh_scratch_take((size_t)(2 * size) * sizeof(float));
    if (!weights)
        return no_memory();
    convert_weight(c, weights + size, false);
    turn_weights(c, weights + size, weights);
    turned->w = (fh_image){
        weights, FH_F32, c->outputs * taps, taps, {c->kernel[1] * c->kernel[2], c->kernel[2], 1}};
    fh_status status = fh_convolution_forward(turned, bias, team);
    fh_scratch_give(weights);
    return status;
}

fh_status fh_convolution_input(const fh_convolution *c, const fh_view *bias, const fh_team *team)
{
    fh_convolution turned;
    job j = plan(c, team);
    if (!j.pointwise && turn_round(c, &turned))
        return input_turned(c, &turned, bias, team);
    return with_weights(&j, bias, c->groups * c->inputs,
                        c->groups * ((c->samples + j.joined - 1) / j.joined),
                        grain_of(c->outputs * j.depth * j.joined * j.positions), input_part, team);
}

fh_status fh_convolution_weight(const fh_convolution *c, const fh_team *team)
{
    job j = plan(c, team);
    int64_t size = c->groups * c->outputs * j.depth, total = c->groups * j.stretches;
    int64_t work = c->outputs * j.depth * c->samples * j.positions * c->groups;
    j.units = work > (1 << 20) ? smaller(team->width, total) : 1;
    j.sums = fh_scratch_take((size_t)(j.units * size + 1) * sizeof(float));
    if (!j.sums)
        return no_memory();
    fh_team_split(team, j.units, 1, weight_part, &j);
    for (int64_t unit = 1; unit < j.units; unit++)
        FH_IVDEP for (int64_t i = 0; i < size; i++) j.sums[i] += j.sums[unit * size + i];
    if (!atomic_load(&j.failed))
        convert_weight(c, j.sums, true);
    fh_scratch_give(j.sums);
    return atomic_load(&j.failed) ? no_memory() : FH_OK;
}

typedef struct {
    const fh_view *y, *bias;
} bias_job;

static void bias_part(void *context, int64_t begin, int64_t end, unsigned slot)
{
    (void)slot;
    const bias_job *j = context;
    const fh_view *y = j->y;
    int64_t sizes[FH_SPACE] = {1, 1, 1}, strides[FH_SPACE] = {0}, size;
    size = (int64_t)fh_dtype_size(y->dtype);
    for (uint32_t i = 2; i < y->rank; i++)
        sizes[i + FH_SPACE - y->rank] = y->sizes[i],
                             strides[i + FH_SPACE - y->rank] = y->strides[i];
    for (int64_t channel = begin; channel < end; channel++) {
        double sum = 0;
        float row[512];
        for (int64_t n = 0; n < y->sizes[0]; n++)
            for (int64_t line = 0; line < sizes[0] * sizes[1]; line++)
                for (int64_t at = 0; at < sizes[2]; at += 512) {
                    int64_t count = smaller(512, sizes[2] - at);
                    int64_t offset = n * y->strides[0] + channel * y->strides[1] +
                                     line / sizes[1] * strides[0] + line % sizes[1] * strides[1] +
                                     at * strides[2];
                    float part = 0;
                    fh_convert_between(y->dtype, FH_F32)(1, count, (char *)y->data + offset * size,
                                                         0, strides[2], row, 0, 1);
                    for (int64_t i = 0; i < count; i++)
                        part += row[i];
                    sum += part;
                }
        float result = (float)sum;
        fh_convert_between(FH_F32, j->bias->dtype)(1, 1, &result, 0, 1,
                                                   (char *)j->bias->data +
                                                       channel * j->bias->strides[0] *
                                                           (int64_t)fh_dtype_size(j->bias->dtype),
                                                   0, 1);
    }
}

fh_status fh_convolution_bias(const fh_view *y, const fh_view *bias, const fh_team *team)
{
    bias_job j = {y, bias};
    int64_t each = y->sizes[1] ? fh_view_count(y) / y->sizes[1] : 0;
    fh_team_split(team, y->sizes[1], 1 + (1 << 16) / (each + 1), bias_part, &j);
    return FH_OK;
}
