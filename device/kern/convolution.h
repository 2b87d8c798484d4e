/* convolution.h: convolution of one to three dimensions as products of matrices.
 *
 *     y[n, o, p] = sum over c, t of w[o, c, t] x[n, c, p stride - pad + t dilation]
 *
 * Lower ranks have sizes of 1 in front. Patches of x are copied a block of
 * positions at a time; what a 1 x 1 kernel reads is multiplied as it lies. A
 * transposed convolution is the gradient of one by its input, and the other way
 * round: swap x and y.
 */
#ifndef FH_KERN_CONVOLUTION_H
#define FH_KERN_CONVOLUTION_H

#include "base/status.h"
#include "device/kern/team.h"
#include "device/kern/view.h"

enum { FH_SPACE = 3 };

typedef struct {
    void *data;
    fh_dtype dtype;
    int64_t outer, channel, space[FH_SPACE]; /* strides; outer: sample, or output channel of w */
} fh_image;

typedef struct {
    int64_t samples, groups;
    int64_t inputs, outputs; /* channels of a group */
    int64_t in[FH_SPACE], out[FH_SPACE], kernel[FH_SPACE];
    int64_t stride[FH_SPACE], pad[FH_SPACE], dilation[FH_SPACE];
    fh_image x, w, y;
} fh_convolution;

/* y from x, w and bias ([outputs of all groups], or NULL). */
fh_status fh_convolution_forward(const fh_convolution *c, const fh_view *bias, const fh_team *team);
/* x from y, w and a bias of x's channels, or NULL: the gradient by the input. */
fh_status fh_convolution_input(const fh_convolution *c, const fh_view *bias, const fh_team *team);
/* w from x and y: the gradient by the weight. */
fh_status fh_convolution_weight(const fh_convolution *c, const fh_team *team);
/* bias[channel] = sum of `y` ([samples, channels, space]) over samples and positions. */
fh_status fh_convolution_bias(const fh_view *y, const fh_view *bias, const fh_team *team);

#endif
