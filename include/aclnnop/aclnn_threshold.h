/* aclnn_threshold.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_THRESHOLD_H
#define FOOTHOLD_ACLNNOP_ACLNN_THRESHOLD_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnInplaceThresholdGetWorkspaceSize(
    aclTensor *selfRef, const aclScalar *threshold, const aclScalar *value, uint64_t *workspaceSize,
    aclOpExecutor **executor);
aclnnStatus aclnnInplaceThreshold(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

aclnnStatus aclnnThresholdGetWorkspaceSize(
    const aclTensor *self, const aclScalar *threshold, const aclScalar *value, aclTensor *out,
    uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnThreshold(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
