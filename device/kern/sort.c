/* Sorting, the largest k, and running sums, along a dimension.
 *
 * Elements become keys of 64 bits that order as unsigned numbers do: NaN above
 * all, as PyTorch has it. Sorting is always stable, by merging. */
#include "base/memory.h"
#include "device/kern/convert.h"
#include "device/kern/operators.h"
#include "device/kern/rows.h"
#include "device/kern/walk.h"

enum { GRAIN = 4096 };

typedef struct {
    uint64_t key;
    int64_t index;
} item;

typedef struct {
    const fh_view *self, *values, *indices;
    fh_walk walk; /* lines of self, values, indices */
    int64_t length, kept, self_stride, values_stride, indices_stride;
    fh_convert *convert, *store;
    bool descending, floating;
    size_t size;
    item *items; /* of each slot, twice the length */
} plan;

static uint64_t key_of(const plan *p, const char *at)
{
    uint64_t bits;
    if (p->floating) {
        double value;
        p->convert(1, 1, at, 1, 1, &value, 1, 1);
        value += 0.0; /* -0 and 0 are equal */
        memcpy(&bits, &value, sizeof bits);
        bits = bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
        bits = value != value ? UINT64_MAX : bits;
    } else {
        int64_t value;
        p->convert(1, 1, at, 1, 1, &value, 1, 1);
        bits = (uint64_t)value ^ UINT64_C(1) << 63;
    }
    return p->descending ? ~bits : bits;
}

/* Runs of doubled length are merged from one half of the memory to the other. */
static const item *merge_sort(item *items, int64_t n)
{
    item *from = items, *to = items + n;
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t start = 0; start < n; start += 2 * width) {
            int64_t middle = start + width < n ? start + width : n;
            int64_t end = start + 2 * width < n ? start + 2 * width : n;
            int64_t a = start, b = middle, k = start;
            while (a < middle && b < end)
                to[k++] = from[b].key < from[a].key ? from[b++] : from[a++];
            while (a < middle)
                to[k++] = from[a++];
            while (b < end)
                to[k++] = from[b++];
        }
        item *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

static void sort_lines(void *context, int64_t begin, int64_t end, unsigned slot)
{
    const plan *p = context;
    fh_walk w = p->walk;
    item *items = p->items + (int64_t)slot * 2 * p->length;
    fh_walk_seek(&w, begin);
    for (int64_t line = begin; line < end; line++, fh_walk_next(&w)) {
        const char *from = (const char *)p->self->data + w.offsets[0];
        for (int64_t i = 0; i < p->length; i++)
            items[i] = (item){key_of(p, from + i * p->self_stride), i};
        const item *sorted = merge_sort(items, p->length);
        char *values = (char *)p->values->data + w.offsets[1];
        char *indices = (char *)p->indices->data + w.offsets[2];
        for (int64_t i = 0; i < p->kept; i++) {
            fh_walk_move(values + i * p->values_stride, from + sorted[i].index * p->self_stride,
                         p->size);
            p->store(1, 1, &sorted[i].index, 1, 1, indices + i * p->indices_stride, 1, 1);
        }
    }
}

static fh_status sort(const fh_argument *self, int64_t dim, bool descending,
                      const fh_argument *values, const fh_argument *indices, const fh_team *team)
{
    const fh_view *views[] = {self->view, values->view, indices->view};
    plan p = {.self = views[0], .values = views[1], .indices = views[2], .descending = descending};
    fh_dtype dtype = views[0]->dtype;
    p.floating = dtype == FH_F32 || dtype == FH_F64 || dtype == FH_F16 || dtype == FH_BF16;
    p.convert = fh_convert_between(dtype, p.floating ? FH_F64 : FH_I64);
    p.store = fh_convert_between(FH_I64, views[2]->dtype);
    p.size = fh_dtype_size(dtype);
    if (!p.convert || !p.store || views[1]->dtype != dtype)
        return fh_error(FH_UNSUPPORTED, "%s cannot be sorted into %s", fh_dtype_name(dtype),
                        fh_dtype_name(views[1]->dtype));
    uint32_t rank = views[0]->rank, at = (uint32_t)(dim < 0 ? dim + rank : dim);
    int64_t lines = 1, *strides[] = {&p.self_stride, &p.values_stride, &p.indices_stride};
    p.length = p.kept = 1;
    p.walk.count = 3;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t to = i > at ? i - 1 : i;
        for (int k = 0; k < 3; k++)
            *(i == at ? strides[k] : &p.walk.strides[k][to]) =
                views[k]->strides[i] * (int64_t)fh_dtype_size(views[k]->dtype);
        if (i == at) {
            p.length = views[0]->sizes[i];
            p.kept = views[1]->sizes[i];
            continue;
        }
        p.walk.sizes[to] = views[0]->sizes[i];
        lines *= views[0]->sizes[i];
    }
    p.walk.rank = rank ? rank - 1 : 0;
    if (!lines || !p.length)
        return FH_OK;
    p.items = fh_alloc((size_t)p.length * 2 * team->width * sizeof *p.items);
    if (!p.items)
        return fh_error(FH_NO_MEMORY, "no memory to sort %lld elements", (long long)p.length);
    fh_team_split(team, lines, GRAIN / p.length + 1, sort_lines, &p);
    fh_free(p.items);
    return FH_OK;
}

fh_status fh_op_sort(const fh_argument *a, const fh_team *team)
{
    return sort(&a[0], a[2].integer, a[3].integer != 0, &a[4], &a[5], team);
}

fh_status fh_op_topk(const fh_argument *a, const fh_team *team)
{
    return sort(&a[0], a[2].integer, a[3].integer != 0, &a[5], &a[6], team);
}

/* Running sums in f64, as PyTorch accumulates them on CPU; integers in i64. */
static void cumsum_f32(int64_t n, const void *const *in, void *const *out, const fh_parameters *p)
{
    double sum = 0;
    (void)p;
    for (int64_t i = 0; i < n; i++)
        ((float *)out[0])[i] = (float)(sum += ((const float *)in[0])[i]);
}

static void cumsum_f64(int64_t n, const void *const *in, void *const *out, const fh_parameters *p)
{
    double sum = 0;
    (void)p;
    for (int64_t i = 0; i < n; i++)
        ((double *)out[0])[i] = sum += ((const double *)in[0])[i];
}

static void cumsum_i64(int64_t n, const void *const *in, void *const *out, const fh_parameters *p)
{
    int64_t sum = 0;
    (void)p;
    for (int64_t i = 0; i < n; i++)
        ((int64_t *)out[0])[i] = sum += ((const int64_t *)in[0])[i];
}

fh_status fh_op_cumsum(const fh_argument *a, const fh_team *team)
{
    const fh_view *views[] = {a[0].view, a[3].view};
    const fh_argument *list[] = {&a[0], &a[3]};
    fh_compute compute = fh_elementwise_promote(list, 2);
    fh_loop *loop = compute == FH_IN_F32   ? cumsum_f32
                    : compute == FH_IN_F64 ? cumsum_f64
                                           : cumsum_i64;
    fh_dtype dtype = compute <= FH_IN_F64 ? fh_compute_dtype(compute) : FH_I64;
    return fh_rows_run(loop, dtype, 1, 1, views, a[1].integer, NULL, team);
}
