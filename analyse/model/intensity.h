/* intensity.h: how much work is done for each byte that moves, and from which batch on that is
 * enough for the matrix units.
 *
 * A layer with W weights does F floating-point operations for one item (a token, a pixel) and reads
 * and writes A numbers for it besides. In a batch of B items its weights are read once. With b
 * bytes in a number:
 *
 *   I(B) = B F / (b (W + B A)) FLOP per byte
 *
 * which rises from F / (b (W + A)) to F / (b A). The layer is limited by bandwidth where I(B) is
 * below the chip's ridge point, peak / bandwidth, and by the matrix units above. Assumed: nothing
 * stays on the chip between layers, everything is read and written once. Caches and fusion move
 * the point down, smaller tiles up.
 */
#ifndef FH_MODEL_INTENSITY_H
#define FH_MODEL_INTENSITY_H

#include "base/text.h"
#include "facts/soc.h"

typedef struct {
    double flops, weights, moved; /* F, W, A */
} fh_work;

typedef struct {
    double one, many; /* FLOP per byte of one item, and of a batch without end; 0 A: INFINITY */
    double turns;     /* items from which on the matrix units are the limit; < 0: never */
} fh_intensity;

/* `bytes` in a number; `ridge` in FLOP per byte, 0 when not known: then turns is < 0. */
fh_intensity fh_intensity_of(const fh_work *work, double bytes, double ridge);

/* The same for attention that is fused: L queries and L keys of one head with d numbers each do
 * 4 L^2 d operations and move 4 L d numbers, L / b FLOP per byte; `turns` is a number of queries. A
 * single query (decoding) reads keys and values for 4 L d operations: 2 / b FLOP per byte. */
fh_intensity fh_intensity_of_attention(double bytes, double ridge);

/* What operators of a class do for each byte in 16 bits whatever their size, and how that is
 * counted. False where it depends on the size. Operation counts are estimates of ours: a
 * transcendental function counts as about ten. */
bool fh_intensity_of_class(fh_text class, double *low, double *high, const char **formula);

/* Peaks over bandwidth: FLOP per byte; 0 when a figure is not known. */
double fh_ridge16(const fh_soc *soc);      /* products in 16 bits */
double fh_ridge32(const fh_soc *soc);      /* in FP32, with the fast mode where it is the default */
double fh_ridge8(const fh_soc *soc);       /* in INT8 */
double fh_ridge_vector(const fh_soc *soc); /* element-wise work in FP16 */

#endif
