/* operators_nn.h: convolution, in the order of the aclnn calls that it serves. Results in f32, f16
 * and bf16, summed in f32; `type` is cubeMathType and read by nobody. */
#ifndef FH_KERN_OPERATORS_NN_H
#define FH_KERN_OPERATORS_NN_H

#include "device/kern/argument.h"

fh_kernel fh_op_convolution;          /* input, weight, bias, stride, padding, dilation, transposed,
                                         output_padding, groups, out, type: aclnnConvolution */
fh_kernel fh_op_convolution_backward; /* grad, input, weight, bias sizes, stride, padding,
                                         dilation, transposed, output_padding, groups, mask, type,
                                         grad_input, grad_weight, grad_bias:
                                         aclnnConvolutionBackward */

#endif
