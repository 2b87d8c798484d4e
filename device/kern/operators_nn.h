/* operators_nn.h: convolution, pooling, resizing and batch normalisation, in the order of the aclnn
 * calls that it serves. Results in f32, f16 and bf16, summed in f32; `type` is cubeMathType and
 * read by nobody. */
#ifndef FH_KERN_OPERATORS_NN_H
#define FH_KERN_OPERATORS_NN_H

#include "device/kern/argument.h"

fh_kernel fh_op_convolution;          /* input, weight, bias, stride, padding, dilation, transposed,
                                         output_padding, groups, out, type: aclnnConvolution */
fh_kernel fh_op_convolution_backward; /* grad, input, weight, bias sizes, stride, padding,
                                         dilation, transposed, output_padding, groups, mask, type,
                                         grad_input, grad_weight, grad_bias:
                                         aclnnConvolutionBackward */

/* batch_norm.c */
fh_kernel fh_op_batch_norm; /* input, weight, bias, running_mean, running_var, training, momentum,
                               eps, out, save_mean, save_invstd: aclnnBatchNorm */
fh_kernel fh_op_batch_norm_backward; /* grad, input, weight, running_mean, running_var, save_mean,
                                        save_invstd, training, eps, mask, grad_input, grad_weight,
                                        grad_bias: aclnnBatchNormBackward */
fh_kernel fh_op_group_norm;          /* self, gamma, beta, N, C, HxW, groups, eps, out, mean, rstd:
                                        aclnnGroupNorm */
fh_kernel fh_op_group_norm_backward; /* grad, input, mean, rstd, gamma, N, C, HxW, groups, mask,
                                        grad_input, grad_gamma, grad_beta:
                                        aclnnGroupNormBackward */

/* pool.c; sizes are those of the views */
fh_kernel fh_op_max_pool2d; /* self, kernel, stride, padding, dilation, ceil_mode, out, indices:
                               aclnnMaxPool2dWithIndices (i32, i64), aclnnMaxPool2dWithMask (i8) */
fh_kernel fh_op_max_pool2d_backward; /* grad, self, indices (not read), kernel, stride, padding,
                                        dilation, ceil_mode, grad_input: both forms */
fh_kernel fh_op_avg_pool2d;          /* self, kernel, stride, padding, ceil_mode, count_include_pad,
                                        divisor, type, out: aclnnAvgPool2d */
fh_kernel fh_op_avg_pool2d_backward; /* grad, self, kernel, stride, padding, ceil_mode,
                                        count_include_pad, divisor, type, grad_input */
fh_kernel fh_op_adaptive_avg_pool2d; /* self, size, out */
fh_kernel fh_op_adaptive_avg_pool2d_backward; /* grad, self, grad_input */
fh_kernel fh_op_upsample_nearest2d;           /* self, size, out: aclnnUpsampleNearest2d */
fh_kernel fh_op_upsample_nearest2d_scaled;    /* self, size, scales_h, scales_w, out: ...V2 */
fh_kernel fh_op_upsample_nearest2d_backward;  /* grad, size, input_size, scales_h, scales_w,
                                                 grad_input */
fh_kernel fh_op_upsample_bilinear2d;          /* self, size, align_corners, scales_h, scales_w,
                                                 out */
fh_kernel fh_op_upsample_bilinear2d_backward; /* grad, size, input_size, align_corners, scales_h,
                                                 scales_w, grad_input: also ...V2 */

#endif
