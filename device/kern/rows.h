/* rows.h: operators that work on whole rows along one dimension, in f32 or f64. */
#ifndef FH_KERN_ROWS_H
#define FH_KERN_ROWS_H

#include "device/kern/elementwise.h"

/* Calls `loop` for each row along `dim` of `inputs` inputs and then `outputs`
 * outputs, all of one shape; arrays are of `dtype`, whatever the views' are.
 * Fails with FH_NO_MEMORY. */
fh_status fh_rows_run(fh_loop *loop, fh_dtype dtype, unsigned inputs, unsigned outputs,
                      const fh_view *const *views, int64_t dim, const fh_parameters *parameters,
                      const fh_team *team);

#endif
