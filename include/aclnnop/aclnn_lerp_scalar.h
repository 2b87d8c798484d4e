/* aclnn_lerp_scalar.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_LERP_SCALAR_H
#define FOOTHOLD_ACLNNOP_ACLNN_LERP_SCALAR_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnInplaceLerpsGetWorkspaceSize(
    aclTensor *selfRef, const aclTensor *end, const aclScalar *weight, uint64_t *workspaceSize,
    aclOpExecutor **executor);
aclnnStatus aclnnInplaceLerps(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

aclnnStatus aclnnLerpsGetWorkspaceSize(
    const aclTensor *self, const aclTensor *end, const aclScalar *weight, aclTensor *out,
    uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnLerps(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
