/* aclnn_logical_and.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_LOGICAL_AND_H
#define FOOTHOLD_ACLNNOP_ACLNN_LOGICAL_AND_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnInplaceLogicalAndGetWorkspaceSize(
    aclTensor *selfRef, const aclTensor *other, uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnInplaceLogicalAnd(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

aclnnStatus aclnnLogicalAndGetWorkspaceSize(
    const aclTensor *self, const aclTensor *other, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);
aclnnStatus aclnnLogicalAnd(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
