/* walk.h: stepping through a shape with an offset per operand, for kernels that move single
 * elements. */
#ifndef FH_KERN_WALK_H
#define FH_KERN_WALK_H

#include "device/kern/simd.h"
#include "device/kern/view.h"

#include <string.h>

enum { FH_WALK_OPERANDS = 12 };

typedef struct {
    uint32_t rank;
    unsigned count;
    int64_t sizes[2 * FH_MAX_RANK];
    int64_t strides[FH_WALK_OPERANDS][2 * FH_MAX_RANK]; /* in bytes */
    int64_t index[2 * FH_MAX_RANK];
    int64_t offsets[FH_WALK_OPERANDS];
} fh_walk;

/* Goes to element `at` in row-major order. */
FH_INLINE void fh_walk_seek(fh_walk *w, int64_t at)
{
    memset(w->offsets, 0, sizeof w->offsets);
    for (uint32_t i = w->rank; i-- > 0;) {
        w->index[i] = w->sizes[i] ? at % w->sizes[i] : 0;
        at /= w->sizes[i] ? w->sizes[i] : 1;
        for (unsigned k = 0; k < w->count; k++)
            w->offsets[k] += w->index[i] * w->strides[k][i];
    }
}

FH_INLINE void fh_walk_next(fh_walk *w)
{
    for (uint32_t i = w->rank; i-- > 0;) {
        w->index[i]++;
        for (unsigned k = 0; k < w->count; k++)
            w->offsets[k] += w->strides[k][i];
        if (w->index[i] < w->sizes[i])
            return;
        for (unsigned k = 0; k < w->count; k++)
            w->offsets[k] -= w->sizes[i] * w->strides[k][i];
        w->index[i] = 0;
    }
}

/* One element of 1, 2, 4, 8 or 16 bytes. */
FH_INLINE void fh_walk_move(void *to, const void *from, size_t size)
{
    switch (size) {
    case 1:
        memcpy(to, from, 1);
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    default:
        memcpy(to, from, 16);
        break;
    }
}

/* to = to + from or to * from (`multiply`), in the dtype; f16 and bf16 are computed in f32. */
void fh_walk_combine(fh_dtype dtype, void *to, const void *from, bool multiply);

#endif
