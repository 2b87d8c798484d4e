/* The engine of reductions: runs along the reduced dimensions, or columns beside each other. */
#include "device/kern/reduce.h"

#include "base/memory.h"
#include "device/kern/convert.h"

enum {
    BUFFER = 1024, /* elements that are converted at a time */
    UNIT = 16384,  /* elements of a run that is one piece of work */
    COLUMNS = 64,  /* outputs beside each other that are reduced together */
    GRAIN = 32768, /* elements that are worth a thread */
};

typedef struct {
    uint32_t rank;
    int64_t sizes[FH_MAX_RANK], strides[FH_MAX_RANK]; /* strides in bytes of the input */
    int64_t count;
} nest;

typedef struct {
    const fh_reduction *reduction;
    const fh_parameters *parameters;
    const fh_view *in;
    const fh_view *outs[2];
    unsigned out_count;
    nest kept, reduced;
    fh_dtype compute;
    fh_reduce_run *run;
    fh_convert *convert;
    int64_t row, units, unit; /* of the innermost reduced dimension: length, pieces, their length */
    fh_convert *store[2];
    bool dense[2];        /* the output is contiguous */
    fh_partial *partials; /* of one output whose units are spread */
    const char *base;
} plan;

fh_dimensions fh_dimensions_of(const fh_argument *list, uint32_t rank)
{
    fh_dimensions dims = 0;
    if (list->kind == FH_ARGUMENT_INTEGERS)
        for (uint32_t i = 0; i < list->count; i++) {
            int64_t dim = list->integers[i];
            dims |= 1u << (uint32_t)(dim < 0 ? dim + rank : dim) % 32;
        }
    else if (list->kind == FH_ARGUMENT_INTEGER)
        dims = 1u << (uint32_t)(list->integer < 0 ? list->integer + rank : list->integer) % 32;
    return dims ? dims : ~(fh_dimensions)0;
}

/* Appends a dimension, as a part of the one before where they run through. */
static void append(nest *n, int64_t size, int64_t stride)
{
    n->count *= size;
    if (size == 1)
        return;
    if (n->rank && n->strides[n->rank - 1] == stride * size) {
        n->sizes[n->rank - 1] *= size;
        n->strides[n->rank - 1] = stride;
        return;
    }
    n->sizes[n->rank] = size;
    n->strides[n->rank++] = stride;
}

static int64_t offset_of(const nest *n, uint32_t rank, int64_t index)
{
    int64_t offset = 0;
    for (uint32_t i = rank; i-- > 0 && index;) {
        offset += index % n->sizes[i] * n->strides[i];
        index /= n->sizes[i];
    }
    return offset;
}

/* One piece of a run of the reduced dimensions of the output at `base`. */
static void run_unit(const plan *p, fh_partial *into, const char *base, int64_t unit)
{
    const nest *r = &p->reduced;
    int64_t size = (int64_t)fh_dtype_size(p->in->dtype);
    int64_t stride = r->rank ? r->strides[r->rank - 1] : size;
    int64_t row = unit / p->units, from = unit % p->units * p->unit;
    int64_t n = p->row - from < p->unit ? p->row - from : p->unit;
    const char *at = base + from * stride + (r->rank ? offset_of(r, r->rank - 1, row) : 0);
    int64_t first = row * p->row + from;
    if (p->in->dtype == p->compute && (stride == size || n == 1)) {
        p->run(into, n, at, first, p->parameters);
        return;
    }
    _Alignas(64) char buffer[BUFFER * 8];
    for (int64_t done = 0; done < n; done += BUFFER) {
        int64_t block = n - done < BUFFER ? n - done : BUFFER;
        p->convert(1, block, at + done * stride, 0, stride / size, buffer, 0, 1);
        p->run(into, block, buffer, first + done, p->parameters);
    }
}

static void finish(const plan *p, const fh_partial *total, int64_t output)
{
    double f[2] = {0, 0};
    int64_t i[2] = {0, 0};
    p->reduction->finish(total, p->reduced.count, p->parameters, f, i);
    for (unsigned k = 0; k < p->out_count; k++) {
        const fh_view *out = p->outs[k];
        int64_t offset = 0, rest = output;
        for (uint32_t d = out->rank; !p->dense[k] && d-- > 0;) {
            offset += rest % out->sizes[d] * out->strides[d];
            rest /= out->sizes[d];
        }
        offset = p->dense[k] ? output : offset;
        const void *value = p->reduction->integer[k] ? (const void *)&i[k] : &f[k];
        p->store[k](1, 1, value, 1, 1,
                    (char *)out->data + offset * (int64_t)fh_dtype_size(out->dtype), 1, 1);
    }
}

static void run_outputs(void *context, int64_t begin, int64_t end, unsigned slot)
{
    const plan *p = context;
    (void)slot;
    int64_t units = p->row ? p->reduced.count / p->row * p->units : 0;
    for (int64_t output = begin; output < end; output++) {
        const char *base = (const char *)p->in->data + offset_of(&p->kept, p->kept.rank, output);
        fh_partial total = p->reduction->start;
        for (int64_t unit = 0; unit < units; unit++) {
            fh_partial part = p->reduction->start;
            run_unit(p, units == 1 ? &total : &part, base, unit);
            if (units > 1)
                p->reduction->merge(&total, &part);
        }
        finish(p, &total, output);
    }
}

static void run_units(void *context, int64_t begin, int64_t end, unsigned slot)
{
    const plan *p = context;
    (void)slot;
    for (int64_t unit = begin; unit < end; unit++) {
        p->partials[unit] = p->reduction->start;
        run_unit(p, &p->partials[unit], p->base, unit);
    }
}

FH_SIMD static void add_rows(double *sums, int64_t rows, int64_t cols, const float *x,
                             int64_t stride)
{
    float lanes[COLUMNS] = {0};
    for (int64_t r = 0; r < rows; r++) {
        const float *row = x + r * stride;
        if (cols == COLUMNS)
            for (int c = 0; c < COLUMNS; c++)
                lanes[c] += row[c];
        else
            for (int64_t c = 0; c < cols; c++)
                lanes[c] += row[c];
    }
    for (int64_t c = 0; c < cols; c++)
        sums[c] += lanes[c];
}

/* Columns of f32 arithmetic whose partial results are sums: rows are added as they lie. */
static void sum_columns(const plan *p, const char *base, int64_t cols, fh_partial *totals)
{
    enum { ROWS = 32 };
    _Alignas(64) float buffer[ROWS * COLUMNS];
    double sums[COLUMNS] = {0};
    const nest *r = &p->reduced;
    int64_t size = (int64_t)fh_dtype_size(p->in->dtype), stride = r->strides[r->rank - 1];
    for (int64_t row = 0; row < r->count / p->row; row++) {
        const char *at = base + offset_of(r, r->rank - 1, row);
        for (int64_t from = 0; from < p->row; from += ROWS) {
            int64_t rows = p->row - from < ROWS ? p->row - from : ROWS;
            const char *tile = at + from * stride;
            if (p->in->dtype == FH_F32) {
                add_rows(sums, rows, cols, (const float *)tile, stride / size);
                continue;
            }
            p->convert(rows, cols, tile, stride / size, 1, buffer, cols, 1);
            add_rows(sums, rows, cols, buffer, cols);
        }
    }
    for (int64_t c = 0; c < cols; c++)
        totals[c].a = sums[c];
}

/* Other columns: tiles are turned, so that what is reduced lies in a row. */
static void turn_columns(const plan *p, const char *base, int64_t cols, fh_partial *totals)
{
    enum { ROWS = 64 };
    _Alignas(64) char buffer[ROWS * COLUMNS * 8];
    const nest *r = &p->reduced;
    int64_t size = (int64_t)fh_dtype_size(p->in->dtype), stride = r->strides[r->rank - 1];
    int64_t width = (int64_t)fh_dtype_size(p->compute);
    for (int64_t row = 0; row < r->count / p->row; row++) {
        const char *at = base + offset_of(r, r->rank - 1, row);
        for (int64_t from = 0; from < p->row; from += ROWS) {
            int64_t rows = p->row - from < ROWS ? p->row - from : ROWS;
            p->convert(cols, rows, at + from * stride, 1, stride / size, buffer, rows, 1);
            for (int64_t c = 0; c < cols; c++) {
                fh_partial part = p->reduction->start;
                p->run(&part, rows, buffer + c * rows * width, row * p->row + from, p->parameters);
                p->reduction->merge(&totals[c], &part);
            }
        }
    }
}

static void run_columns(void *context, int64_t begin, int64_t end, unsigned slot)
{
    const plan *p = context;
    (void)slot;
    int64_t inner = p->kept.sizes[p->kept.rank - 1];
    int64_t groups = (inner + COLUMNS - 1) / COLUMNS;
    for (int64_t group = begin; group < end; group++) {
        int64_t row = group / groups, col = group % groups * COLUMNS;
        int64_t cols = inner - col < COLUMNS ? inner - col : COLUMNS;
        const char *base = (const char *)p->in->data + offset_of(&p->kept, p->kept.rank - 1, row) +
                           col * p->kept.strides[p->kept.rank - 1];
        fh_partial totals[COLUMNS];
        for (int64_t c = 0; c < cols; c++)
            totals[c] = p->reduction->start;
        bool adds = p->reduction->sums && p->compute == FH_F32;
        (adds ? sum_columns : turn_columns)(p, base, cols, totals);
        for (int64_t c = 0; c < cols; c++)
            finish(p, &totals[c], row * inner + col + c);
    }
}

/* One output after the other, each spread over the team. */
static fh_status run_spread(plan *p, int64_t units, const fh_team *team)
{
    p->partials = fh_alloc((size_t)units * sizeof *p->partials);
    if (!p->partials)
        return fh_error(FH_NO_MEMORY, "no memory for %lld partial results", (long long)units);
    for (int64_t output = 0; output < p->kept.count; output++) {
        p->base = (const char *)p->in->data + offset_of(&p->kept, p->kept.rank, output);
        int64_t each = p->reduced.count / units;
        fh_team_split(team, units, each < GRAIN ? GRAIN / (each + 1) + 1 : 1, run_units, p);
        fh_partial total = p->reduction->start;
        for (int64_t unit = 0; unit < units; unit++)
            p->reduction->merge(&total, &p->partials[unit]);
        finish(p, &total, output);
    }
    fh_free(p->partials);
    return FH_OK;
}

static fh_status make_plan(plan *p, fh_dimensions dims, bool floating)
{
    const fh_view *in = p->in;
    fh_argument argument = {.kind = FH_ARGUMENT_VIEW, .view = (fh_view *)in};
    const fh_argument *list[] = {&argument};
    p->compute = fh_compute_dtype(fh_elementwise_promote(list, 1));
    if (p->compute == FH_I32 || p->compute == FH_I64)
        p->compute = floating ? FH_F64 : FH_I64;
    p->run = p->compute == FH_F32   ? p->reduction->run_f32
             : p->compute == FH_F64 ? p->reduction->run_f64
                                    : p->reduction->run_i64;
    p->convert = fh_convert_between(in->dtype, p->compute);
    for (unsigned k = 0; k < p->out_count; k++) {
        fh_dtype from = p->reduction->integer[k] ? FH_I64 : FH_F64;
        p->store[k] = fh_convert_between(from, p->outs[k]->dtype);
        p->dense[k] = fh_view_contiguous(p->outs[k]);
        if (!p->store[k])
            p->convert = NULL;
    }
    if (!p->convert || !p->run)
        return fh_error(FH_UNSUPPORTED, "a reduction of %s to %s is not supported: cast it first",
                        fh_dtype_name(in->dtype), fh_dtype_name(p->outs[0]->dtype));
    p->kept.count = p->reduced.count = 1;
    int64_t size = (int64_t)fh_dtype_size(in->dtype);
    for (uint32_t i = 0; i < in->rank; i++)
        append(dims >> i & 1 ? &p->reduced : &p->kept, in->sizes[i], in->strides[i] * size);
    p->row = p->reduced.rank ? p->reduced.sizes[p->reduced.rank - 1] : 1;
    if (p->reduced.count == 0)
        p->row = 0;
    p->unit = UNIT;
    p->units = (p->row + UNIT - 1) / UNIT;
    return FH_OK;
}

fh_status fh_reduce(const fh_reduction *reduction, const fh_view *in, fh_dimensions dims,
                    const fh_view *const *outs, unsigned count, bool floating,
                    const fh_parameters *parameters, const fh_team *team)
{
    plan p = {.reduction = reduction, .parameters = parameters, .in = in, .out_count = count};
    for (unsigned k = 0; k < count; k++)
        p.outs[k] = outs[k];
    fh_status status = make_plan(&p, dims, floating);
    if (status || p.kept.count == 0)
        return status;
    int64_t size = (int64_t)fh_dtype_size(in->dtype), n = p.reduced.count ? p.reduced.count : 1;
    bool columns = p.kept.rank && p.reduced.rank && p.reduced.count &&
                   p.kept.strides[p.kept.rank - 1] == size && p.kept.sizes[p.kept.rank - 1] >= 8 &&
                   p.reduced.strides[p.reduced.rank - 1] != size;
    if (columns) {
        int64_t inner = p.kept.sizes[p.kept.rank - 1];
        int64_t groups = p.kept.count / inner * ((inner + COLUMNS - 1) / COLUMNS);
        fh_team_split(team, groups, GRAIN / (n * COLUMNS) + 1, run_columns, &p);
        return FH_OK;
    }
    int64_t units = p.row ? p.reduced.count / p.row * p.units : 0;
    if (p.kept.count < (int64_t)team->width && n > 2 * GRAIN && units > 1)
        return run_spread(&p, units, team);
    fh_team_split(team, p.kept.count, GRAIN / n + 1, run_outputs, &p);
    return FH_OK;
}
