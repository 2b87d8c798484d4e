/* reductions.h: the reductions that there are, by what they make of the elements. */
#ifndef FH_KERN_REDUCTIONS_H
#define FH_KERN_REDUCTIONS_H

#include "device/kern/reduce.h"

extern const fh_reduction fh_reduction_sum;
extern const fh_reduction fh_reduction_sum_integers;
extern const fh_reduction fh_reduction_mean;
extern const fh_reduction fh_reduction_product; /* in f64: no intermediate overflow */
extern const fh_reduction fh_reduction_product_integers;
extern const fh_reduction fh_reduction_any;
extern const fh_reduction fh_reduction_all;
extern const fh_reduction
    fh_reduction_extreme; /* value and index; i[0] of the parameters: the smallest */
extern const fh_reduction fh_reduction_extreme_integers;
extern const fh_reduction fh_reduction_extreme_index; /* only the index */
extern const fh_reduction fh_reduction_variance;      /* f[0]: correction */
extern const fh_reduction fh_reduction_deviation;
extern const fh_reduction fh_reduction_norm;      /* f[0]: order */
extern const fh_reduction fh_reduction_exponents; /* log of the sum of exp */

#endif
