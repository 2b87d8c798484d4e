/* view.h: a tensor as a kernel sees it.
 *
 * Sizes are in elements, strides in elements too and of any sign that keeps the
 * view within its storage; the dimensions of the outermost loop come first. A
 * view of rank 0 has one element; one with a size of 0 has none, and its data
 * may be NULL. `data` is an address that kernels may touch (mem/space.h), of
 * the first element: offsets are already in it. Views are values: copying one
 * copies no element.
 */
#ifndef FH_KERN_VIEW_H
#define FH_KERN_VIEW_H

#include "device/kern/dtype.h"

enum { FH_MAX_RANK = 8 }; /* CANN's own limit */

typedef struct {
    void *data;
    fh_dtype dtype;
    uint32_t rank;
    int64_t sizes[FH_MAX_RANK];
    int64_t strides[FH_MAX_RANK];
} fh_view;

/* Elements of the view. */
static inline int64_t fh_view_count(const fh_view *view)
{
    int64_t count = 1;
    for (uint32_t i = 0; i < view->rank; i++)
        count *= view->sizes[i];
    return count;
}

/* Whether the elements lie one behind the other in row-major order. */
bool fh_view_contiguous(const fh_view *view);

/* Whether two views have the same rank and sizes. */
bool fh_view_same_shape(const fh_view *a, const fh_view *b);

#endif
