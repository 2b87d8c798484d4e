/* Advanced indexing: self[i, :, j] as a result or as the target. An index that is absent, or an
 * empty tensor of one dimension where the result is not empty, stands for the whole dimension. */
#include "device/kern/dense.h"
#include "device/kern/operators.h"
#include "device/kern/walk.h"

enum { GRAIN = 4096 };

typedef struct {
    fh_walk walk; /* operands: self, the other tensor, then an index each */
    char *self, *other;
    unsigned indices;
    const char *index[FH_MAX_RANK];
    int64_t limit[FH_MAX_RANK], stride[FH_MAX_RANK];
    size_t size;
    fh_dtype dtype;
    bool put, accumulate, failed;
    int64_t bad, bad_limit;
} plan;

static void run_elements(void *context, int64_t begin, int64_t end, unsigned slot)
{
    plan *p = context;
    fh_walk w = p->walk;
    (void)slot;
    fh_walk_seek(&w, begin);
    for (int64_t i = begin; i < end; i++, fh_walk_next(&w)) {
        char *own = p->self + w.offsets[0], *other = p->other + w.offsets[1];
        for (unsigned k = 0; k < p->indices; k++) {
            int64_t at;
            memcpy(&at, p->index[k] + w.offsets[2 + k], sizeof at);
            at += at < 0 ? p->limit[k] : 0;
            if (at < 0 || at >= p->limit[k]) {
                __atomic_store_n(&p->bad, at, __ATOMIC_RELAXED);
                __atomic_store_n(&p->bad_limit, p->limit[k], __ATOMIC_RELAXED);
                __atomic_store_n(&p->failed, true, __ATOMIC_RELAXED);
                return;
            }
            own += at * p->stride[k];
        }
        if (!p->put)
            fh_walk_move(other, own, p->size);
        else if (p->accumulate)
            fh_walk_combine(p->dtype, own, other, false);
        else
            fh_walk_move(own, other, p->size);
    }
}

static bool is_whole(const fh_view *index)
{
    return index->rank == 1 && index->sizes[0] == 0;
}

/* Adds a dimension of the result to the walk: one of self's own, or one of the indices'. */
static void add_plain(plan *p, const fh_view *self, uint32_t dim)
{
    uint32_t to = p->walk.rank++;
    p->walk.sizes[to] = self->sizes[dim];
    p->walk.strides[0][to] = self->strides[dim] * (int64_t)p->size;
}

static void add_indexed(plan *p, const fh_dense *d, const int64_t *sizes, uint32_t rank)
{
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t to = p->walk.rank++;
        p->walk.sizes[to] = sizes[i];
        for (unsigned k = 0; k < p->indices; k++) {
            const fh_view *view = d[k].view;
            int own = (int)i - (int)(rank - view->rank);
            int64_t stride = sizeof(int64_t);
            for (int j = own + 1; j < (int)view->rank; j++)
                stride *= j >= 0 ? view->sizes[j] : 1;
            p->walk.strides[2 + k][to] = own >= 0 && view->sizes[own] != 1 ? stride : 0;
        }
    }
}

/* The other tensor's strides, broadcast at its end to the result's shape. */
static void add_other(plan *p, const fh_view *other)
{
    for (uint32_t i = 0; i < other->rank && i < p->walk.rank; i++) {
        uint32_t from = other->rank - 1 - i, to = p->walk.rank - 1 - i;
        p->walk.strides[1][to] =
            other->sizes[from] == 1 ? 0 : other->strides[from] * (int64_t)p->size;
    }
}

static fh_status run(const fh_view *self, const fh_argument *list, const fh_view *other, bool put,
                     bool accumulate, const fh_team *team)
{
    fh_dense d[FH_MAX_RANK] = {{.data = NULL}};
    plan p = {.self = self->data,
              .other = other->data,
              .size = fh_dtype_size(self->dtype),
              .dtype = self->dtype,
              .put = put,
              .accumulate = accumulate};
    int64_t sizes[FH_MAX_RANK];
    uint32_t rank = 0, first = 0, last = 0;
    fh_status status = FH_OK;
    for (uint32_t i = 0; i < FH_MAX_RANK; i++)
        sizes[i] = 1;
    for (uint32_t i = 0; i < list->count && i < self->rank && !status; i++) {
        fh_argument index = {.kind = FH_ARGUMENT_VIEW, .view = list->view + i};
        if (!index.view->data || is_whole(index.view))
            continue;
        status = fh_dense_begin(&d[p.indices], &index, FH_I64, true, team);
        p.index[p.indices] = d[p.indices].data;
        p.limit[p.indices] = self->sizes[i];
        p.stride[p.indices] = self->strides[i] * (int64_t)p.size;
        first = p.indices++ ? first : i;
        last = i;
        rank = index.view->rank > rank ? index.view->rank : rank;
    }
    for (unsigned k = 0; k < p.indices; k++)
        for (uint32_t i = 0; i < d[k].view->rank; i++)
            if (d[k].view->sizes[i] != 1)
                sizes[i + rank - d[k].view->rank] = d[k].view->sizes[i];
    bool together = p.indices && last - first + 1 == p.indices;
    unsigned next = 0;
    if (!together)
        add_indexed(&p, d, sizes, rank);
    for (uint32_t i = 0; i < self->rank; i++) {
        bool indexed = i < list->count && list->view[i].data && !is_whole(&list->view[i]);
        if (!indexed)
            add_plain(&p, self, i);
        else if (together && next++ == 0)
            add_indexed(&p, d, sizes, rank);
    }
    add_other(&p, other);
    p.walk.count = 2 + p.indices;
    int64_t count = 1;
    for (uint32_t i = 0; i < p.walk.rank; i++)
        count *= p.walk.sizes[i];
    /* Targets may be the same: puts are done in order by one thread. */
    if (!status && count)
        fh_team_split(put ? &fh_team_alone : team, count, GRAIN, run_elements, &p);
    if (!status && p.failed)
        status = fh_error(FH_INVALID, "index %lld is outside of a dimension of %lld",
                          (long long)p.bad, (long long)p.bad_limit);
    fh_dense_end(d, FH_MAX_RANK);
    return status;
}

fh_status fh_op_index(const fh_argument *a, const fh_team *team)
{
    if (fh_view_count(a[2].view) == 0)
        return FH_OK;
    return run(a[0].view, &a[1], a[2].view, false, false, team);
}

fh_status fh_op_index_put(const fh_argument *a, const fh_team *team)
{
    fh_view values = *a[2].view;
    fh_dense d = {.data = NULL};
    if (fh_view_count(&values) == 0)
        return FH_OK;
    fh_status status = fh_dense_begin(&d, &a[2], a[0].view->dtype, true, team);
    if (!status && d.owned) {
        int64_t stride = 1;
        values.data = d.data;
        values.dtype = d.dtype;
        for (uint32_t i = values.rank; i-- > 0;) {
            values.strides[i] = stride;
            stride *= values.sizes[i];
        }
    }
    if (!status)
        status = run(a[0].view, &a[1], &values, true, a[3].integer != 0, team);
    fh_dense_end(&d, 1);
    return status;
}
