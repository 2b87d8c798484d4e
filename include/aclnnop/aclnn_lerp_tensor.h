/* aclnn_lerp_tensor.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_LERP_TENSOR_H
#define FOOTHOLD_ACLNNOP_ACLNN_LERP_TENSOR_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnInplaceLerpGetWorkspaceSize(
    aclTensor *selfRef, const aclTensor *end, const aclTensor *weight, uint64_t *workspaceSize,
    aclOpExecutor **executor);
aclnnStatus aclnnInplaceLerp(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

aclnnStatus aclnnLerpGetWorkspaceSize(
    const aclTensor *self, const aclTensor *end, const aclTensor *weight, aclTensor *out,
    uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnLerp(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
