/* dense.h: a view as one contiguous array of a wanted type, for kernels that index it freely. */
#ifndef FH_KERN_DENSE_H
#define FH_KERN_DENSE_H

#include "device/kern/elementwise.h"

/* Either the view's own memory or a converted copy of it. */
typedef struct {
    void *data;  /* NULL for an absent argument */
    void *owned; /* what fh_dense_end releases */
    const fh_view *view;
    fh_dtype dtype;
} fh_dense;

/* Makes `dense` from an argument; of an absent one, data stays NULL. `read` copies
 * the elements in; without it they are undefined where a copy was needed.
 * Fails with FH_NO_MEMORY, or FH_UNSUPPORTED where dtypes do not convert. Call
 * fh_dense_end in any case, also after a failure, for a zeroed fh_dense too. */
fh_status fh_dense_begin(fh_dense *dense, const fh_argument *argument, fh_dtype dtype, bool read,
                         const fh_team *team);

/* Copies a copy back into the view. */
fh_status fh_dense_write(const fh_dense *dense, const fh_team *team);

void fh_dense_end(fh_dense *dense, unsigned count);

#endif
