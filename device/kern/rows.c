/* Rows: where they lie, and through buffers when they cannot be used there. */
#include "device/kern/rows.h"

#include "base/memory.h"
#include "device/kern/convert.h"

enum {
    GRAIN = 8192,
    TURNED = 16
}; /* elements worth a thread; strided rows that are turned together */

typedef struct {
    fh_loop *loop;
    const fh_parameters *parameters;
    const fh_view *const *views;
    unsigned inputs, count;
    fh_convert *convert[FH_OPERANDS];
    int64_t length, size; /* of a row, and bytes of its elements in arrays */
    uint32_t dim, beside; /* the rows' dimension, and the one along which rows are neighbours */
    int64_t blocks;       /* of neighbours that are turned together */
    int64_t turned;
    bool stream; /* outputs that lie contiguous go past the caches */
    char *buffers;
    size_t slot_size;
} plan;

static char *address(const plan *p, const fh_view *view, int64_t row, int64_t neighbour)
{
    int64_t offset = neighbour * view->strides[p->beside];
    for (uint32_t i = view->rank; i-- > 0;) {
        if (i == p->dim || i == p->beside)
            continue;
        offset += row % view->sizes[i] * view->strides[i];
        row /= view->sizes[i];
    }
    return (char *)view->data + offset * (int64_t)fh_dtype_size(view->dtype);
}

/* `rows` neighbouring rows from `neighbour` on. */
static void run_block(const plan *p, int64_t row, int64_t neighbour, int64_t rows, unsigned slot)
{
    char *arrays[FH_OPERANDS], *at[FH_OPERANDS];
    bool direct[FH_OPERANDS];
    for (unsigned k = 0; k < p->count; k++) {
        const fh_view *view = p->views[k];
        at[k] = address(p, view, row, neighbour);
        direct[k] = !p->convert[k] && (view->strides[p->dim] == 1 || p->length == 1);
        arrays[k] =
            p->buffers + slot * p->slot_size + k * (size_t)(p->turned * p->length * p->size);
        if (k < p->inputs && !direct[k]) {
            fh_convert *move = p->convert[k] ? p->convert[k] : fh_convert_move((size_t)p->size);
            move(rows, p->length, at[k], view->strides[p->beside], view->strides[p->dim], arrays[k],
                 p->length, 1);
        }
    }
    for (int64_t r = 0; r < rows; r++) {
        const void *in[FH_OPERANDS];
        void *out[FH_OPERANDS];
        for (unsigned k = 0; k < p->count; k++) {
            int64_t stride = direct[k] ? p->views[k]->strides[p->beside] : p->length;
            char *array = (direct[k] ? at[k] : arrays[k]) + r * stride * p->size;
            if (p->stream && direct[k] && k >= p->inputs)
                array = arrays[k];
            if (k < p->inputs)
                in[k] = array;
            else
                out[k - p->inputs] = array;
        }
        p->loop(p->length, in, out, p->parameters);
        for (unsigned k = p->inputs; p->stream && k < p->count; k++)
            if (direct[k])
                fh_convert_stream(at[k] + r * p->views[k]->strides[p->beside] * p->size, arrays[k],
                                  (size_t)(p->length * p->size));
    }
    for (unsigned k = p->inputs; k < p->count; k++)
        if (!direct[k]) {
            const fh_view *view = p->views[k];
            fh_convert *move = p->convert[k] ? p->convert[k] : fh_convert_move((size_t)p->size);
            move(rows, p->length, arrays[k], p->length, 1, at[k], view->strides[p->beside],
                 view->strides[p->dim]);
        }
}

static void run_part(void *context, int64_t begin, int64_t end, unsigned slot)
{
    const plan *p = context;
    int64_t width = p->views[0]->sizes[p->beside];
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t neighbour = unit % p->blocks * p->turned;
        int64_t rows = width - neighbour < p->turned ? width - neighbour : p->turned;
        run_block(p, unit / p->blocks, neighbour, rows, slot);
    }
}

/* Rows of a tensor of fewer than two dimensions have no neighbours: dimensions of size 1 are put
 * before. */
static fh_view at_least_two(const fh_view *view)
{
    fh_view wide = *view;
    while (wide.rank < 2) {
        for (uint32_t i = wide.rank; i > 0; i--) {
            wide.sizes[i] = wide.sizes[i - 1];
            wide.strides[i] = wide.strides[i - 1];
        }
        wide.sizes[0] = 1;
        wide.strides[0] = 0;
        wide.rank++;
    }
    return wide;
}

fh_status fh_rows_run(fh_loop *loop, fh_dtype dtype, unsigned inputs, unsigned outputs,
                      const fh_view *const *views, int64_t dim, const fh_parameters *parameters,
                      const fh_team *team)
{
    fh_view wide[FH_OPERANDS];
    const fh_view *list[FH_OPERANDS];
    plan p = {.loop = loop, .parameters = parameters, .views = list, .inputs = inputs};
    p.count = inputs + outputs;
    p.size = (int64_t)fh_dtype_size(dtype);
    bool direct = true;
    uint32_t rank = views[0]->rank < 2 ? 2 : views[0]->rank;
    p.dim = (uint32_t)(dim < 0 || views[0]->rank < 2 ? rank - 1 : dim);
    if (dim < 0 && views[0]->rank >= 2)
        p.dim = (uint32_t)(dim + rank);
    p.beside = p.dim == rank - 1 ? rank - 2 : rank - 1;
    for (unsigned k = 0; k < p.count; k++) {
        wide[k] = at_least_two(views[k]);
        list[k] = &wide[k];
        fh_dtype memory = wide[k].dtype;
        if (memory != dtype) {
            p.convert[k] =
                k < inputs ? fh_convert_between(memory, dtype) : fh_convert_between(dtype, memory);
            if (!p.convert[k])
                return fh_error(FH_UNSUPPORTED, "%s is not supported here: cast it to FLOAT",
                                fh_dtype_name(memory));
        }
        direct &= memory == dtype && wide[k].strides[p.dim] == 1;
    }
    int64_t count = fh_view_count(list[0]);
    if (count == 0)
        return FH_OK;
    p.length = wide[0].sizes[p.dim];
    int64_t width = wide[0].sizes[p.beside];
    p.turned = direct || p.dim == rank - 1 ? 1 : TURNED;
    p.blocks = (width + p.turned - 1) / p.turned;
    p.stream = p.turned == 1 && count * p.size > FH_STREAM_BYTES;
    for (unsigned k = 0; k < inputs; k++)
        p.stream &= list[k]->data != list[inputs]->data;
    if (!direct || p.stream) {
        p.slot_size = (size_t)(p.count * (uint64_t)(p.turned * p.length * p.size) + 63) / 64 * 64;
        p.buffers = fh_alloc(p.slot_size * team->width);
        if (!p.buffers)
            return fh_error(FH_NO_MEMORY, "no memory for rows of %lld elements",
                            (long long)p.length);
    }
    int64_t units = count / p.length / width * p.blocks;
    fh_team_split(team, units, GRAIN / (p.length * p.turned) + 1, run_part, &p);
    fh_free(p.buffers);
    return FH_OK;
}
