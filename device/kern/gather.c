/* Elements by an index along one dimension: index_select, gather, scatter, index_add. Negative
 * indices count from the end. Lines along the dimension are independent, and each is worked on in
 * order: equal indices always give the same result. */
#include "base/memory.h"
#include "device/kern/dense.h"
#include "device/kern/operators.h"
#include "device/kern/walk.h"

enum { GRAIN = 8192 };

typedef enum { SELECT, GATHER, SCATTER, SCATTER_ADD, SCATTER_MULTIPLY, INDEX_ADD } action;

typedef struct {
    action action;
    fh_walk walk; /* over lines: the shape without the dimension; operands self, index, other */
    char *self, *other;
    const char *index;     /* of i64 */
    int64_t length, limit; /* of a line of the index, and of self along the dimension */
    int64_t self_stride, index_stride, other_stride;
    fh_dtype dtype;
    size_t size;
    int64_t bad;
    bool failed;
} plan;

static void run_lines(void *context, int64_t begin, int64_t end, unsigned slot)
{
    plan *p = context;
    fh_walk w = p->walk;
    (void)slot;
    fh_walk_seek(&w, begin);
    for (int64_t line = begin; line < end; line++, fh_walk_next(&w)) {
        for (int64_t i = 0; i < p->length; i++) {
            int64_t at;
            memcpy(&at, p->index + w.offsets[1] + i * p->index_stride, sizeof at);
            at += at < 0 ? p->limit : 0;
            if (at < 0 || at >= p->limit) {
                __atomic_store_n(&p->bad, at, __ATOMIC_RELAXED);
                __atomic_store_n(&p->failed, true, __ATOMIC_RELAXED);
                return;
            }
            char *own = p->self + w.offsets[0] + at * p->self_stride;
            char *other = p->other + w.offsets[2] + i * p->other_stride;
            if (p->action == SELECT || p->action == GATHER)
                fh_walk_move(other, own, p->size);
            else if (p->action == SCATTER)
                fh_walk_move(own, other, p->size);
            else
                fh_walk_combine(p->dtype, own, other, p->action == SCATTER_MULTIPLY);
        }
    }
}

/* `shape` gives the lines: the index' own for gather and scatter, else the other tensor's. */
static fh_status run(action act, const fh_view *self, int64_t dim, const fh_argument *index,
                     const fh_view *other, const fh_team *team)
{
    fh_dense d = {.data = NULL};
    fh_status status = fh_dense_begin(&d, index, FH_I64, true, team);
    bool flat = act == SELECT || act == INDEX_ADD; /* the index is a list */
    const fh_view *shape = flat ? other : index->view;
    uint32_t rank = shape->rank, at = (uint32_t)(dim < 0 ? dim + rank : dim);
    plan p = {.action = act,
              .self = self->data,
              .index = d.data,
              .other = other->data,
              .dtype = self->dtype,
              .length = 1,
              .limit = 1};
    int64_t size = (int64_t)fh_dtype_size(self->dtype), lines = 1, plain = sizeof(int64_t);
    p.size = (size_t)size;
    p.walk.count = 3;
    for (uint32_t i = rank; i-- > 0;) {
        int64_t index_stride = flat ? (i == at ? (int64_t)sizeof(int64_t) : 0) : plain;
        plain *= flat ? 1 : shape->sizes[i];
        if (i == at) {
            p.length = flat ? fh_view_count(index->view) : shape->sizes[i];
            p.limit = self->sizes[i];
            p.self_stride = self->strides[i] * size;
            p.index_stride = index_stride;
            p.other_stride = other->strides[i] * size;
            continue;
        }
        uint32_t to = i > at ? i - 1 : i;
        p.walk.sizes[to] = shape->sizes[i];
        p.walk.strides[0][to] = self->strides[i] * size;
        p.walk.strides[1][to] = index_stride;
        p.walk.strides[2][to] = other->strides[i] * size;
        lines *= shape->sizes[i];
    }
    p.walk.rank = rank ? rank - 1 : 0;
    if (!status && p.length && lines)
        fh_team_split(team, lines, GRAIN / p.length + 1, run_lines, &p);
    if (!status && p.failed)
        status = fh_error(FH_INVALID, "index %lld is outside of a dimension of %lld",
                          (long long)p.bad, (long long)p.limit);
    fh_dense_end(&d, 1);
    return status;
}

fh_status fh_op_index_select(const fh_argument *a, const fh_team *team)
{
    return run(SELECT, a[0].view, a[1].integer, &a[2], a[3].view, team);
}

fh_status fh_op_gather(const fh_argument *a, const fh_team *team)
{
    return run(GATHER, a[0].view, a[1].integer, &a[2], a[3].view, team);
}

/* The source of a scatter: a tensor of self's dtype, or a number that every index takes. */
static fh_status scatter(const fh_argument *self, const fh_argument *a, int64_t reduction,
                         const fh_team *team)
{
    uint64_t storage[2];
    fh_view number = {.data = storage, .dtype = self->view->dtype};
    const fh_view *source = &number;
    if (a[3].kind == FH_ARGUMENT_VIEW && a[3].view->dtype == self->view->dtype) {
        source = a[3].view;
    } else if (a[3].kind == FH_ARGUMENT_VIEW) {
        return fh_error(FH_UNSUPPORTED, "a scatter of %s into %s is not supported: cast it first",
                        fh_dtype_name(a[3].view->dtype), fh_dtype_name(self->view->dtype));
    } else {
        number = fh_view_of_number(&a[3], self->view->dtype, storage);
        number.rank = self->view->rank; /* strides of 0 */
    }
    if (reduction < 0 || reduction > 2)
        return fh_error(FH_UNSUPPORTED,
                        "reduction %lld of a scatter is none of 0 (none), 1 (add), "
                        "2 (multiply)",
                        (long long)reduction);
    return run((action)(SCATTER + reduction), self->view, a[1].integer, &a[2], source, team);
}

fh_status fh_op_scatter(const fh_argument *a, const fh_team *team)
{
    fh_status status =
        a[0].view->data == a[5].view->data ? FH_OK : fh_copy(a[5].view, a[0].view, team);
    return status ? status : scatter(&a[5], a, a[4].integer, team);
}

fh_status fh_op_inplace_scatter(const fh_argument *a, const fh_team *team)
{
    return scatter(&a[0], a, a[4].integer, team);
}

fh_status fh_op_scatter_add(const fh_argument *a, const fh_team *team)
{
    fh_status status =
        a[0].view->data == a[4].view->data ? FH_OK : fh_copy(a[4].view, a[0].view, team);
    return status ? status : scatter(&a[4], a, 1, team);
}

/* The source is scaled in a copy of its own where alpha is not 1. */
static fh_status scaled_source(fh_dense *d, const fh_argument *source, const fh_argument *alpha,
                               const fh_team *team)
{
    size_t bytes = (size_t)fh_view_count(source->view) * fh_dtype_size(d->dtype);
    d->data = d->owned = fh_alloc(bytes + 1);
    if (!d->data)
        return fh_error(FH_NO_MEMORY, "no memory for %zu bytes", bytes);
    fh_view plain = *source->view;
    plain.data = d->data;
    plain.dtype = d->dtype;
    fh_argument out = {.kind = FH_ARGUMENT_VIEW, .view = &plain};
    int64_t stride = 1;
    for (uint32_t i = plain.rank; i-- > 0;) {
        plain.strides[i] = stride;
        stride *= plain.sizes[i];
    }
    fh_argument product[] = {*source, *alpha, out};
    return fh_op_mul(product, team);
}

fh_status fh_op_index_add(const fh_argument *a, const fh_team *team)
{
    const fh_view *out = a[5].view;
    fh_dense d = {.dtype = out->dtype};
    fh_status status = a[0].view->data == out->data ? FH_OK : fh_copy(out, a[0].view, team);
    if (!status && fh_argument_double(&a[4], 1) != 1)
        status = scaled_source(&d, &a[3], &a[4], team);
    else if (!status)
        status = fh_dense_begin(&d, &a[3], out->dtype, true, team);
    fh_view source = *a[3].view;
    source.data = d.data;
    source.dtype = out->dtype;
    int64_t stride = 1;
    for (uint32_t i = source.rank; i-- > 0;) {
        source.strides[i] = stride;
        stride *= source.sizes[i];
    }
    if (!status)
        status = run(INDEX_ADD, out, a[1].integer, &a[2], &source, team);
    fh_dense_end(&d, 1);
    return status;
}
