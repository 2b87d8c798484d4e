/* aclnn_atan2.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_ATAN2_H
#define FOOTHOLD_ACLNNOP_ACLNN_ATAN2_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnAtan2GetWorkspaceSize(
    const aclTensor *self, const aclTensor *other, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);
aclnnStatus aclnnAtan2(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

aclnnStatus aclnnInplaceAtan2GetWorkspaceSize(
    aclTensor *selfRef, aclTensor *other, uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnInplaceAtan2(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
