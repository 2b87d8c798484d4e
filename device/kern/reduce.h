/* reduce.h: the engine of reductions over any dimensions of any view.
 *
 * A reduction turns runs of elements into partial results that merge. Floats
 * add up in f32 lanes over at most 512 elements, then in f64; so sums are more
 * exact than PyTorch's cascade, and the same for every number of threads:
 * where work is cut depends on the shape alone.
 */
#ifndef FH_KERN_REDUCE_H
#define FH_KERN_REDUCE_H

#include "device/kern/elementwise.h"

/* What a reduction knows of the elements so far; which fields it uses is its own. */
typedef struct {
    double a, b;
    int64_t i, j;
} fh_partial;

/* Takes in `n` elements; `first` is the index of the first one among those reduced. */
typedef void fh_reduce_run(fh_partial *into, int64_t n, const void *x, int64_t first,
                           const fh_parameters *p);

typedef struct {
    fh_reduce_run *run_f32, *run_f64, *run_i64;
    void (*merge)(fh_partial *into, const fh_partial *from);
    /* Writes the results, as doubles (`f`) or, where `integer` says so, as `i`. */
    void (*finish)(const fh_partial *total, int64_t count, const fh_parameters *p, double *f,
                   int64_t *i);
    fh_partial start;
    bool sums;       /* partial.a is a plain sum: columns may be added as they come */
    bool integer[2]; /* output k is taken from `i` */
} fh_reduction;

/* Which dimensions are reduced, a bit each. */
typedef uint32_t fh_dimensions;

/* All dimensions when the list is absent or empty; negative ones count from the end. */
fh_dimensions fh_dimensions_of(const fh_argument *list, uint32_t rank);

/* Reduces `in` over `dims` into one or two outputs, whose elements are those of
 * the kept dimensions in their order (kept dimensions of size 1 may be there or
 * not). Integers are computed in i64 unless `floating`. */
fh_status fh_reduce(const fh_reduction *reduction, const fh_view *in, fh_dimensions dims,
                    const fh_view *const *outs, unsigned count, bool floating,
                    const fh_parameters *parameters, const fh_team *team);

#endif
