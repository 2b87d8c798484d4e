/* aclnn_leaky_relu.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_LEAKY_RELU_H
#define FOOTHOLD_ACLNNOP_ACLNN_LEAKY_RELU_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnInplaceLeakyReluGetWorkspaceSize(
    aclTensor *selfRef, const aclScalar *negativeSlope, uint64_t *workspaceSize,
    aclOpExecutor **executor);
aclnnStatus aclnnInplaceLeakyRelu(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

aclnnStatus aclnnLeakyReluGetWorkspaceSize(
    const aclTensor *self, const aclScalar *negativeSlope, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);
aclnnStatus aclnnLeakyRelu(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
