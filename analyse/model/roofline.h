/* roofline.h: what limits an operator class on a chip, from peaks alone.
 *
 * Roofline: an operator with I floating-point operations per byte of memory
 * traffic runs at most at min(peak, I x bandwidth) (Williams, Waterman,
 * Patterson, "Roofline", CACM 52(4), 2009). Where I is not known, a class is
 * taken for what it is at the sizes it is commonly used with.
 */
#ifndef FH_MODEL_ROOFLINE_H
#define FH_MODEL_ROOFLINE_H

#include "facts/soc.h"

typedef enum { FH_BOUND_COMPUTE, FH_BOUND_MEMORY, FH_BOUND_HOST, FH_BOUND_COMMUNICATION } fh_bound;

const char *fh_bound_name(fh_bound bound);

/* What usually limits operators of a class ("matmul", "activation", ...), and why. */
fh_bound fh_bound_of_class(fh_text class, const char **reason);

/* 16-bit matrix operations per second the chip can reach, in 10^12; 0 when not known. */
double fh_peak16(const fh_soc *soc);
/* The same for 32-bit inputs, with the fast mode that is on by default where there is one. */
double fh_peak32(const fh_soc *soc);

/* The host that a gain over the CPU is told against when nobody says another: 10^12 FLOP/s and 10^9
 * bytes a second. Round numbers of ours, not a machine. */
#define FH_HOST_TFLOPS 1.0
#define FH_HOST_GBPS 100.0

/* Speed of `chip` as a multiple of `baseline`'s for work with that bound: [*low, *high].
 * False when a figure is missing. */
bool fh_speed_range(const fh_soc *chip, const fh_soc *baseline, fh_bound bound, double *low,
                    double *high);

#endif
