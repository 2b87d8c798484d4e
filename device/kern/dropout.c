/* Dropout by masks of one bit an element: bit i % 8 of byte i / 8 says whether element i is kept.
 */
#include "device/kern/dense.h"
#include "device/kern/operators.h"
#include "device/kern/philox.h"
#include "device/kern/simd.h"

#include <math.h>

enum { BLOCKS = 256, GRAIN = 16 };

typedef struct {
    uint64_t seed, offset;
    uint32_t threshold;
    int64_t bytes;
    uint8_t *mask;
} generate;

FH_SIMD static void pack(const uint32_t *words, int64_t bytes, uint32_t threshold, uint8_t *mask)
{
    for (int64_t i = 0; i < bytes; i++) {
        uint32_t kept = 0;
        for (int k = 0; k < 4; k++) {
            kept |= (uint32_t)((words[4 * i + k] & 0xffff) >= threshold) << (2 * k);
            kept |= (uint32_t)((words[4 * i + k] >> 16) >= threshold) << (2 * k + 1);
        }
        mask[i] = (uint8_t)kept;
    }
}

static void generate_part(void *context, int64_t begin, int64_t end, unsigned slot)
{
    const generate *g = context;
    _Alignas(64) uint32_t words[4 * BLOCKS];
    (void)slot;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        int64_t from = chunk * BLOCKS, n = g->bytes - from < BLOCKS ? g->bytes - from : BLOCKS;
        fh_philox(g->seed, g->offset, (uint64_t)from, n, words);
        pack(words, n, g->threshold, g->mask + from);
    }
}

static fh_status make_mask(const fh_argument *p, const fh_argument *seed, const fh_argument *mask,
                           const fh_team *team)
{
    fh_dense d = {.data = NULL};
    fh_status status = fh_dense_begin(&d, mask, FH_U8, false, team);
    if (!status) {
        generate g = {
            (uint64_t)fh_argument_integer(&seed[0], 0), (uint64_t)fh_argument_integer(&seed[1], 0),
            (uint32_t)lrint(fh_argument_double(p, 0.5) * 65536), fh_view_count(mask->view), d.data};
        fh_team_split(team, (g.bytes + BLOCKS - 1) / BLOCKS, GRAIN, generate_part, &g);
        status = fh_dense_write(&d, team);
    }
    fh_dense_end(&d, 1);
    return status;
}

fh_status fh_op_dropout_mask(const fh_argument *a, const fh_team *team)
{
    return make_mask(&a[1], &a[2], &a[4], team);
}

fh_status fh_op_dropout_mask_typed(const fh_argument *a, const fh_team *team)
{
    return make_mask(&a[1], &a[2], &a[5], team);
}

typedef struct {
    const float *x;
    const uint8_t *mask;
    float *y, scale;
    int64_t count;
} apply;

/* Parts are of 64 elements, so that a byte of the mask belongs to one of them. */
FH_SIMD static void apply_part(void *context, int64_t begin, int64_t end, unsigned slot)
{
    const apply *p = context;
    (void)slot;
    for (int64_t from = begin * 64; from < end * 64 && from < p->count; from += 8) {
        uint32_t bits = p->mask[from / 8];
        const float *x = p->x + from;
        float *y = p->y + from;
        if (from + 8 <= p->count) {
            FH_IVDEP for (int k = 0; k < 8; k++) y[k] = bits & (1u << k) ? x[k] * p->scale : 0;
        } else {
            for (int k = 0; from + k < p->count; k++)
                y[k] = bits & (1u << k) ? x[k] * p->scale : 0;
        }
    }
}

/* y = x / (1 - p) where the mask keeps it, else 0. */
fh_status fh_op_dropout_apply(const fh_argument *a, const fh_team *team)
{
    fh_dense d[3] = {{.data = NULL}};
    double p = fh_argument_double(&a[2], 0.5);
    fh_status status = fh_dense_begin(&d[0], &a[0], FH_F32, true, team);
    if (!status)
        status = fh_dense_begin(&d[1], &a[1], FH_U8, true, team);
    if (!status)
        status = fh_dense_begin(&d[2], &a[3], FH_F32, false, team);
    if (!status) {
        apply work = {d[0].data, d[1].data, d[2].data, p < 1 ? (float)(1 / (1 - p)) : 0,
                      fh_view_count(a[0].view)};
        fh_team_split(team, (work.count + 63) / 64, 512, apply_part, &work);
        status = fh_dense_write(&d[2], team);
    }
    fh_dense_end(d, 3);
    return status;
}
