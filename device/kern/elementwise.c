/* The engine: a plan of the loop nest, then rectangle after rectangle. */
#include "device/kern/elementwise.h"

#include "device/kern/convert.h"

#include <stdlib.h>

enum {
    BUFFER_BYTES = 8192,  /* of an operand's block: a few of them fit in the first-level cache */
    DIRECT_BLOCK = 16384, /* elements, where nothing is buffered */
    TRANSPOSED_TILE = 32, /* rows and columns of a block whose operands disagree on the order */
    GRAIN = 32768,        /* elements below which a second thread is not worth waking */
};

/* An operand in the plan's dimensions; strides in bytes. */
typedef struct {
    char *data;
    int64_t strides[FH_MAX_RANK + 2];
    int64_t size;        /* bytes of an element in memory */
    fh_convert *convert; /* between memory and what the loop takes */
    bool same;           /* no conversion is needed */
    bool stream;         /* an output to be written past the caches */
} operand;

typedef struct {
    fh_loop *loop;
    const fh_parameters *parameters;
    unsigned inputs, count, rank;
    int64_t sizes[FH_MAX_RANK + 2];
    operand operands[FH_OPERANDS];
    int64_t tile_rows, tile_cols, row_tiles, col_tiles;
} plan;

static int64_t absolute(int64_t x)
{
    return x < 0 ? -x : x;
}

/* Strides of a view in the output's shape: aligned at the last dimension, 0 where it broadcasts. */
static void broadcast(const fh_view *view, const fh_view *shape, operand *to)
{
    to->data = view->data;
    to->size = (int64_t)fh_dtype_size(view->dtype);
    int lead = (int)shape->rank - (int)view->rank;
    for (uint32_t i = 0; i < shape->rank; i++) {
        int from = (int)i - lead;
        bool moves = from >= 0 && view->sizes[from] != 1;
        to->strides[i] = moves ? view->strides[from] * to->size : 0;
    }
}

static void swap_dimensions(plan *p, unsigned a, unsigned b)
{
    int64_t size = p->sizes[a];
    p->sizes[a] = p->sizes[b];
    p->sizes[b] = size;
    for (unsigned k = 0; k < p->count; k++) {
        int64_t stride = p->operands[k].strides[a];
        p->operands[k].strides[a] = p->operands[k].strides[b];
        p->operands[k].strides[b] = stride;
    }
}

/* Whether dimension b should be inside of a: the outputs decide, then the inputs. */
static bool out_of_order(const plan *p, unsigned a, unsigned b)
{
    for (unsigned k = p->count; k-- > 0;) {
        int64_t outer = absolute(p->operands[k].strides[a]);
        int64_t inner = absolute(p->operands[k].strides[b]);
        if (outer != inner && outer && inner)
            return outer < inner;
    }
    return false;
}

static void drop_dimension(plan *p, unsigned dimension)
{
    p->rank--;
    for (unsigned i = dimension; i < p->rank; i++) {
        p->sizes[i] = p->sizes[i + 1];
        for (unsigned k = 0; k < p->count; k++)
            p->operands[k].strides[i] = p->operands[k].strides[i + 1];
    }
}

/* Makes dimension i run the other way where the last operand, an output, runs backwards. */
static void straighten(plan *p, unsigned i)
{
    if (p->operands[p->count - 1].strides[i] >= 0)
        return;
    for (unsigned k = 0; k < p->count; k++) {
        p->operands[k].data += p->operands[k].strides[i] * (p->sizes[i] - 1);
        p->operands[k].strides[i] = -p->operands[k].strides[i];
    }
}

static void collapse(plan *p)
{
    for (unsigned i = p->rank; i-- > 0;)
        if (p->sizes[i] == 1)
            drop_dimension(p, i);
    for (unsigned i = 0; i < p->rank; i++)
        straighten(p, i);
    for (unsigned i = 1; i < p->rank; i++)
        for (unsigned j = i; j > 0 && out_of_order(p, j - 1, j); j--)
            swap_dimensions(p, j - 1, j);
    for (unsigned i = p->rank; i-- > 1;) {
        bool whole = true;
        for (unsigned k = 0; k < p->count && whole; k++)
            whole = p->operands[k].strides[i - 1] == p->operands[k].strides[i] * p->sizes[i];
        if (!whole)
            continue;
        p->sizes[i] *= p->sizes[i - 1];
        drop_dimension(p, i - 1);
    }
    while (p->rank < 2) { /* a rectangle at least */
        for (unsigned k = 0; k < p->count; k++) {
            memmove(p->operands[k].strides + 1, p->operands[k].strides, p->rank * sizeof(int64_t));
            p->operands[k].strides[0] = 0;
        }
        memmove(p->sizes + 1, p->sizes, p->rank * sizeof(int64_t));
        p->sizes[0] = 1;
        p->rank++;
    }
}

/* Puts next to the innermost dimension one along which a strided operand is contiguous. */
static bool find_transposed(plan *p)
{
    unsigned inner = p->rank - 1;
    for (unsigned k = 0; k < p->count; k++) {
        const operand *o = &p->operands[k];
        if (absolute(o->strides[inner]) <= o->size)
            continue;
        for (unsigned i = 0; i < inner; i++) {
            if (absolute(o->strides[i]) != o->size || p->sizes[i] < 8)
                continue;
            for (unsigned j = i; j + 1 < inner; j++)
                swap_dimensions(p, j, j + 1);
            return true;
        }
    }
    return false;
}

static void choose_tiles(plan *p, int64_t widest)
{
    int64_t rows = p->sizes[p->rank - 2], cols = p->sizes[p->rank - 1];
    int64_t block = BUFFER_BYTES / widest;
    bool direct = true;
    for (unsigned k = 0; k < p->count; k++)
        direct &= p->operands[k].same && p->operands[k].strides[p->rank - 1] == p->operands[k].size;
    if (direct && cols >= 256) {
        p->tile_rows = 1;
        p->tile_cols = DIRECT_BLOCK;
        for (unsigned k = p->inputs; k < p->count; k++)
            if (p->operands[k].stream)
                p->tile_cols = block;
    } else if (cols >= 8 && find_transposed(p)) {
        rows = p->sizes[p->rank - 2];
        p->tile_rows = p->tile_cols = TRANSPOSED_TILE;
    } else {
        p->tile_cols = cols < block ? cols : block;
        p->tile_rows = cols >= 256 ? 1 : block / p->tile_cols;
    }
    if (p->tile_rows > rows)
        p->tile_rows = rows;
    p->row_tiles = (rows + p->tile_rows - 1) / p->tile_rows;
    p->col_tiles = (cols + p->tile_cols - 1) / p->tile_cols;
}

/* What a thread keeps between rectangles: buffers, and what is in those of inputs. */
typedef struct {
    _Alignas(64) char buffers[FH_OPERANDS][BUFFER_BYTES];
    const char *held[FH_OPERANDS];
    int64_t held_rows[FH_OPERANDS], held_cols[FH_OPERANDS];
} scratch;

static bool contiguous(const operand *o, unsigned rank, int64_t rows, int64_t cols)
{
    return o->same && !o->stream && (cols == 1 || o->strides[rank - 1] == o->size) &&
           (rows == 1 || o->strides[rank - 2] == cols * o->size);
}

static void load(const plan *p, scratch *s, unsigned k, const char *at, int64_t rows, int64_t cols)
{
    const operand *o = &p->operands[k];
    if (s->held[k] == at && s->held_rows[k] == rows && s->held_cols[k] == cols)
        return;
    int64_t row = o->strides[p->rank - 2] / o->size, col = o->strides[p->rank - 1] / o->size;
    o->convert(rows, cols, at, row, col, s->buffers[k], cols, 1);
    s->held[k] = at;
    s->held_rows[k] = rows;
    s->held_cols[k] = cols;
}

static void store(const plan *p, scratch *s, unsigned k, char *at, int64_t rows, int64_t cols)
{
    const operand *o = &p->operands[k];
    if (o->stream) {
        fh_convert_stream(at, s->buffers[k], (size_t)(cols * o->size));
        return;
    }
    int64_t row = o->strides[p->rank - 2] / o->size, col = o->strides[p->rank - 1] / o->size;
    o->convert(rows, cols, s->buffers[k], cols, 1, at, row, col);
}

static void run_rectangle(const plan *p, scratch *s, char *const *at, int64_t rows, int64_t cols)
{
    const void *in[FH_OPERANDS];
    void *out[FH_OPERANDS];
    if (!p->loop) {
        const operand *from = &p->operands[0], *to = &p->operands[1];
        if (to->stream) {
            fh_convert_stream(at[1], at[0], (size_t)(cols * to->size));
            return;
        }
        from->convert(rows, cols, at[0], from->strides[p->rank - 2] / from->size,
                      from->strides[p->rank - 1] / from->size, at[1],
                      to->strides[p->rank - 2] / to->size, to->strides[p->rank - 1] / to->size);
        return;
    }
    for (unsigned k = 0; k < p->count; k++) {
        bool there = contiguous(&p->operands[k], p->rank, rows, cols);
        if (k < p->inputs && !there)
            load(p, s, k, at[k], rows, cols);
        char *array = there ? at[k] : s->buffers[k];
        if (k < p->inputs)
            in[k] = array;
        else
            out[k - p->inputs] = array;
    }
    p->loop(rows * cols, in, out, p->parameters);
    for (unsigned k = p->inputs; k < p->count; k++)
        if (out[k - p->inputs] == s->buffers[k])
            store(p, s, k, at[k], rows, cols);
}

/* Rectangles [begin, end) of the plan: column tiles are innermost, then row tiles. */
static void run_part(void *context, int64_t begin, int64_t end, unsigned slot)
{
    const plan *p = context;
    unsigned outer = p->rank - 2;
    scratch s;
    (void)slot;
    memset(s.held, 0, sizeof s.held);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t rest = unit;
        int64_t col = rest % p->col_tiles * p->tile_cols;
        rest /= p->col_tiles;
        int64_t row = rest % p->row_tiles * p->tile_rows;
        rest /= p->row_tiles;
        char *at[FH_OPERANDS];
        for (unsigned k = 0; k < p->count; k++)
            at[k] = p->operands[k].data + row * p->operands[k].strides[outer] +
                    col * p->operands[k].strides[outer + 1];
        for (unsigned i = outer; i-- > 0 && rest;) {
            int64_t index = rest % p->sizes[i];
            rest /= p->sizes[i];
            for (unsigned k = 0; k < p->count; k++)
                at[k] += index * p->operands[k].strides[i];
        }
        int64_t rows = p->sizes[outer] - row, cols = p->sizes[outer + 1] - col;
        run_rectangle(p, &s, at, rows < p->tile_rows ? rows : p->tile_rows,
                      cols < p->tile_cols ? cols : p->tile_cols);
    }
}

/* Small and plain calls, which are most: no plan at all. */
static bool run_plain(fh_loop *loop, const fh_parameters *parameters, unsigned inputs,
                      unsigned outputs, const fh_operand *operands, int64_t count)
{
    const void *in[FH_OPERANDS];
    void *out[FH_OPERANDS];
    for (unsigned k = 0; k < inputs + outputs; k++) {
        const fh_view *view = operands[k].view;
        if (view->dtype != operands[k].dtype || !fh_view_contiguous(view) ||
            !fh_view_same_shape(view, operands[inputs].view))
            return false;
        if (k < inputs)
            in[k] = view->data;
        else
            out[k - inputs] = view->data;
    }
    loop(count, in, out, parameters);
    return true;
}

static fh_status make_plan(plan *p, unsigned inputs, unsigned outputs, const fh_operand *operands)
{
    const fh_view *shape = operands[inputs].view;
    int64_t widest = 1, count = fh_view_count(shape);
    p->inputs = inputs;
    p->count = inputs + outputs;
    p->rank = shape->rank;
    memcpy(p->sizes, shape->sizes, sizeof shape->sizes);
    for (unsigned k = 0; k < p->count; k++) {
        operand *o = &p->operands[k];
        fh_dtype memory = operands[k].view->dtype, loop = operands[k].dtype;
        broadcast(operands[k].view, shape, o);
        o->same = memory == operands[k].dtype;
        if (!p->loop)
            loop = operands[!k].view->dtype;
        o->convert =
            k < inputs ? fh_convert_between(memory, loop) : fh_convert_between(loop, memory);
        if (!o->convert && (p->loop || k < inputs))
            return fh_error(FH_UNSUPPORTED, "%s does not convert to %s here: cast it first",
                            fh_dtype_name(k < inputs ? memory : loop),
                            fh_dtype_name(k < inputs ? loop : memory));
        int64_t size = (int64_t)fh_dtype_size(loop);
        widest = size > widest ? size : widest;
        o->stream = false;
    }
    collapse(p);
    for (unsigned k = inputs; k < p->count; k++) {
        operand *o = &p->operands[k];
        o->stream = o->same && p->rank == 2 && p->sizes[0] == 1 &&
                    count * o->size > FH_STREAM_BYTES && o->strides[1] == o->size;
        if (!p->loop)
            o->stream &= p->operands[0].strides[1] == o->size;
        for (unsigned i = 0; i < inputs; i++)
            o->stream &= p->operands[i].data != o->data;
    }
    choose_tiles(p, widest);
    return FH_OK;
}

fh_status fh_elementwise_run(fh_loop *loop, const fh_parameters *parameters, unsigned inputs,
                             unsigned outputs, const fh_operand *operands, const fh_team *team)
{
    int64_t count = fh_view_count(operands[inputs].view);
    if (count == 0)
        return FH_OK;
    if (loop && count <= GRAIN && run_plain(loop, parameters, inputs, outputs, operands, count))
        return FH_OK;
    plan p = {.loop = loop, .parameters = parameters};
    fh_status status = make_plan(&p, inputs, outputs, operands);
    if (status)
        return status;
    int64_t units = p.row_tiles * p.col_tiles;
    for (unsigned i = 0; i + 2 < p.rank; i++)
        units *= p.sizes[i];
    int64_t each = p.tile_rows * p.tile_cols;
    fh_team_split(team, units, each < GRAIN ? GRAIN / each : 1, run_part, &p);
    return FH_OK;
}
