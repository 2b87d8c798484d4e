/* operators.h: the kernels of this layer.
 *
 * Each fh_op_NAME takes the arguments of the aclnn call that it serves, in the
 * call's order (the table of rows, facts/ops.def, says which). Where a tensor
 * may be a scalar in another aclnn call (aclnnAdd, aclnnAdds), the same kernel
 * serves both. fh_op_inplace_NAME has the arguments of fh_op_NAME but the
 * output, which is the first tensor.
 */
#ifndef FH_KERN_OPERATORS_H
#define FH_KERN_OPERATORS_H

#include "device/kern/argument.h"

/* Element-wise, with an in-place form: (inputs..., numbers..., out). */
/* clang-format off */
#define FH_ELEMENTWISE_MAP(X) \
    X(add) X(sub) X(rsub) X(mul) X(div) X(div_mode) X(div_trunc) X(floor_divide) X(remainder) \
    X(fmod) X(pow) X(pow_general) X(atan2) X(xlogy) X(maximum) X(minimum) X(addcmul) X(addcdiv) \
    X(lerp) X(square) X(cube) X(root) X(inverse_root) X(inverse) X(inverse_square) X(eq) X(ne) \
    X(lt) X(le) X(gt) X(ge) X(logical_and) X(logical_or) X(logical_xor) X(logical_not) \
    X(is_finite) X(is_nan) X(is_inf) X(is_pos_inf) X(is_neg_inf) X(signbit) X(bitwise_and) \
    X(bitwise_or) X(bitwise_xor) X(bitwise_not_integer) X(left_shift) X(right_shift) X(exp) \
    X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sqrt) X(rsqrt) X(reciprocal) X(sin) \
    X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) \
    X(erf) X(erfc) X(abs) X(neg) X(sign) X(floor) X(ceil) X(trunc) X(round) X(frac) \
    X(nan_to_num) X(sigmoid) X(silu) X(gelu) X(gelu_tanh) X(relu) X(leaky_relu) X(threshold) \
    X(hardtanh) X(elu) X(softplus) X(hardsigmoid) X(hardswish) X(mish) X(sigmoid_backward) \
    X(tanh_backward) X(silu_backward) X(gelu_backward) X(gelu_tanh_backward) \
    X(threshold_backward) X(leaky_relu_backward) X(hardtanh_backward) X(hardsigmoid_backward) \
    X(hardswish_backward) X(softplus_backward) X(clamp) X(clamp_min) X(clamp_max) X(tril) \
    X(triu)
/* clang-format on */
#define X(name) fh_kernel fh_op_##name, fh_op_inplace_##name;
FH_ELEMENTWISE_MAP(X)
#undef X

fh_kernel fh_op_bitwise_not;         /* self, out */
fh_kernel fh_op_gelu_form;           /* self, form, out: aclnnGeluV2 */
fh_kernel fh_op_gelu_backward_form;  /* grad, self, form, grad_input: aclnnGeluBackwardV2 */
fh_kernel fh_op_where;               /* condition, self, other, out: aclnnSWhere */
fh_kernel fh_op_inplace_masked_fill; /* self, mask, value (number or tensor) */

/* copy.c, join.c, create.c */
fh_kernel fh_op_inplace_copy; /* self, source */
fh_kernel fh_op_cast;         /* self, dtype, out */
fh_kernel fh_op_inplace_fill; /* self, value (number or tensor) */
fh_kernel fh_op_inplace_zero; /* self */
fh_kernel fh_op_inplace_one;  /* self */
fh_kernel fh_op_cat;          /* tensors, dim, out */
fh_kernel fh_op_stack;        /* tensors, dim, out */
fh_kernel fh_op_split;        /* self, sizes, dim, outs */
fh_kernel fh_op_repeat;       /* self, repeats, out */
fh_kernel fh_op_flip;         /* self, dims, out */
fh_kernel fh_op_constant_pad; /* self, pad, value, out */
fh_kernel fh_op_arange;       /* start, end, step, out */
fh_kernel fh_op_eye;          /* n, m, out */
fh_kernel fh_op_one_hot;      /* self, depth, on, off, axis, out */

/* reduce_ops.c */
fh_kernel fh_op_sum;         /* self, dims, keepdim, dtype, out: aclnnReduceSum */
fh_kernel fh_op_mean;        /* self, dims, keepdim, dtype, out */
fh_kernel fh_op_prod_dim;    /* self, dim, keepdim, dtype, out */
fh_kernel fh_op_prod;        /* self, dtype, out */
fh_kernel fh_op_amax;        /* self, dims, keepdim, out */
fh_kernel fh_op_amin;        /* self, dims, keepdim, out */
fh_kernel fh_op_all;         /* self, dims, keepdim, out */
fh_kernel fh_op_any;         /* self, dims, keepdim, out */
fh_kernel fh_op_max;         /* self, out */
fh_kernel fh_op_min;         /* self, out */
fh_kernel fh_op_max_dim;     /* self, dim, keepdim, values, indices */
fh_kernel fh_op_min_dim;     /* self, dim, keepdim, values, indices */
fh_kernel fh_op_argmax;      /* self, dim, keepdim, out */
fh_kernel fh_op_argmin;      /* self, dim, keepdim, out */
fh_kernel fh_op_var;         /* self, dims, correction, keepdim, out: aclnnVarCorrection */
fh_kernel fh_op_std;         /* self, dims, correction, keepdim, out */
fh_kernel fh_op_var_mean;    /* self, dims, correction, keepdim, var, mean */
fh_kernel fh_op_norm;        /* self, p, dims, keepdim, out */
fh_kernel fh_op_vector_norm; /* self, p, dims, keepdim, dtype, out */
fh_kernel fh_op_logsumexp;   /* self, dims, keepdim, out */

/* softmax.c */
fh_kernel fh_op_softmax;              /* self, dim, out */
fh_kernel fh_op_log_softmax;          /* self, dim, out */
fh_kernel fh_op_softmax_backward;     /* grad, output, dim, grad_input */
fh_kernel fh_op_log_softmax_backward; /* grad, output, dim, grad_input */

/* layer_norm.c, rms_norm.c */
fh_kernel fh_op_layer_norm;          /* input, shape, weight, bias, eps, out, mean, rstd */
fh_kernel fh_op_layer_norm_backward; /* grad, input, shape, mean, rstd, weight, bias, mask,
                                        grad_input, grad_weight, grad_bias */
fh_kernel fh_op_rms_norm;            /* self, gamma, eps, y, rstd */
fh_kernel fh_op_rms_norm_backward;   /* dy, self, rstd, gamma, dx, dgamma */

/* embedding.c, loss.c */
fh_kernel fh_op_embedding;           /* weight, indices, out */
fh_kernel fh_op_embedding_backward;  /* grad, indices, weights, padding, by_frequency, out */
fh_kernel fh_op_nll_loss;            /* self, target, weight, reduction, ignored, out, total */
fh_kernel fh_op_nll_loss_backward;   /* grad, self, target, weight, reduction, ignored, total,
                                        grad_input */
fh_kernel fh_op_mse_loss;            /* self, target, reduction, out */
fh_kernel fh_op_mse_loss_backward;   /* grad, self, target, reduction, grad_input */
fh_kernel fh_op_bce_logits;          /* self, target, weight, pos_weight, reduction, out */
fh_kernel fh_op_bce_logits_backward; /* grad, self, target, weight, pos_weight, reduction, out */
fh_kernel fh_op_bce;                 /* self, target, weight, reduction, out */
fh_kernel fh_op_bce_backward;        /* grad, self, target, weight, reduction, out */

/* foreach.c, optimizer.c */
/* clang-format off */
#define FH_FOREACH_MAP(X) \
    X(add_list) X(add_scalar) X(add_scalars) X(sub_list) X(sub_scalar) X(sub_scalars) \
    X(mul_list) X(mul_scalar) X(mul_scalars) X(div_list) X(div_scalar) X(div_scalars) \
    X(maximum_list) X(maximum_scalar) X(maximum_scalars) X(minimum_list) X(minimum_scalar) \
    X(minimum_scalars) X(pow_list) X(pow_scalar) X(pow_scalars) X(pow_base) X(addcmul_scalar) \
    X(addcmul_scalars) X(addcdiv_scalar) X(addcdiv_scalars) X(lerp_list) X(lerp_scalar) X(abs) \
    X(neg) X(sqrt) X(reciprocal) X(exp) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sigmoid) \
    X(tanh) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(erf) X(erfc) X(sign) \
    X(copy) X(norm)
/* clang-format on */
#define X(name) fh_kernel fh_op_foreach_##name;
FH_FOREACH_MAP(X)
#undef X
fh_kernel fh_op_unscale; /* grads, found_inf, inverse scale: aclnnForeachNonFiniteCheckAndUnscale */
fh_kernel fh_op_update_scale; /* scale, tracker, found_inf, growth, backoff, interval, out scale,
                                 out tracker: aclnnAmpUpdateScale */
fh_kernel fh_op_adamw;     /* var, m, v, max_v, grad, step, lr, beta1, beta2, decay, eps, amsgrad,
                              maximize: aclnnApplyAdamWV2 */
fh_kernel fh_op_fused_sgd; /* params, grads, momenta, grad_scale, decay, momentum, lr, dampening,
                              nesterov, maximize, is_first_step */

/* random.c, dropout.c */
fh_kernel fh_op_inplace_uniform;    /* self, from, to, seed, offset */
fh_kernel fh_op_inplace_normal;     /* self, mean, std, seed, offset */
fh_kernel fh_op_normal;             /* mean, std (numbers or tensors), seed, offset, out */
fh_kernel fh_op_inplace_bernoulli;  /* self, p (number or tensor), seed, offset */
fh_kernel fh_op_inplace_random;     /* self, from, to, seed, offset */
fh_kernel fh_op_randperm;           /* n, seed, offset, out */
fh_kernel fh_op_dropout_mask;       /* shape, p, seed, offset, mask: aclnnDropoutGenMask */
fh_kernel fh_op_dropout_mask_typed; /* shape, p, seed, offset, dtype, mask: ...GenMaskV2 */
fh_kernel fh_op_dropout_apply;      /* self, mask, p, out: aclnnDropoutDoMask */

/* gather.c, index.c, find.c, sort.c */
fh_kernel fh_op_index_select;    /* self, dim, index, out */
fh_kernel fh_op_gather;          /* self, dim, index, out */
fh_kernel fh_op_scatter;         /* self, dim, index, source (tensor or number), reduction, out */
fh_kernel fh_op_inplace_scatter; /* self, dim, index, source, reduction */
fh_kernel fh_op_scatter_add;     /* self, dim, index, source, out */
fh_kernel fh_op_index;           /* self, indices, out */
fh_kernel fh_op_index_put;       /* self, indices, values, accumulate, unsafe: aclnnIndexPutImpl */
fh_kernel fh_op_index_add;       /* self, dim, index, source, alpha, out */
fh_kernel fh_op_masked_select;   /* self, mask, out; shrinks out to what was selected */
fh_kernel fh_op_nonzero;         /* self, out; shrinks out to what was found */
fh_kernel fh_op_nonzero_turned;  /* self, out [dimensions, found]: aclnnNonzeroV2 */
fh_kernel fh_op_sort;            /* self, stable, dim, descending, values, indices */
fh_kernel fh_op_topk;            /* self, k, dim, largest, sorted, values, indices */
fh_kernel fh_op_cumsum;          /* self, dim, dtype, out */

#endif
