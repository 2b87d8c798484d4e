/* aclnn_nan_to_num.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_NAN_TO_NUM_H
#define FOOTHOLD_ACLNNOP_ACLNN_NAN_TO_NUM_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnInplaceNanToNumGetWorkspaceSize(
    aclTensor *selfRef, float nan, float posinf, float neginf, uint64_t *workspaceSize,
    aclOpExecutor **executor);
aclnnStatus aclnnInplaceNanToNum(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

aclnnStatus aclnnNanToNumGetWorkspaceSize(
    const aclTensor *self, float nan, float posinf, float neginf, aclTensor *out,
    uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnNanToNum(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
