/* operators_matrix.h: products of matrices, in the order of the aclnn calls that they serve.
 *
 * Each takes what operators.h says. Shapes were checked; broadcast dimensions
 * are not expanded. What CANN calls cubeMathType is read and not needed: f32 is
 * multiplied in f32.
 */
#ifndef FH_KERN_OPERATORS_MATRIX_H
#define FH_KERN_OPERATORS_MATRIX_H

#include "device/kern/argument.h"

/* matmul.c; `type` is cubeMathType */
fh_kernel fh_op_matmul; /* self, mat2, out, type: aclnnMm, aclnnMatmul, aclnnBatchMatMul; tensors
                           of rank 1 as in torch.matmul; aclnnMv */
fh_kernel fh_op_dot;    /* self, tensor, out: aclnnDot */
fh_kernel fh_op_addmm;  /* self, mat1, mat2, beta, alpha, out, type: aclnnAddmm, aclnnBaddbmm */
fh_kernel fh_op_inplace_addmm;  /* self, mat1, mat2, beta, alpha, type: aclnnInplaceAddmm,
                                   aclnnInplaceBaddbmm */
fh_kernel fh_op_addbmm;         /* self, batch1, batch2, beta, alpha, out, type: aclnnAddbmm */
fh_kernel fh_op_inplace_addbmm; /* self, batch1, batch2, beta, alpha, type */
fh_kernel fh_op_addmv;          /* self, mat, vec, alpha, beta, out, type: aclnnAddmv */
fh_kernel fh_op_addr;           /* self, vec1, vec2, beta, alpha, out: aclnnAddr */
fh_kernel fh_op_inplace_addr;   /* self, vec1, vec2, beta, alpha */
fh_kernel fh_op_gemm;           /* A, B, C, alpha, beta, transA, transB, out, type: aclnnGemm */

#endif
