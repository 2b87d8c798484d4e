/* aclnn_normal.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_NORMAL_H
#define FOOTHOLD_ACLNNOP_ACLNN_NORMAL_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnInplaceNormalGetWorkspaceSize(
    aclTensor *selfRef, float mean, float std, int64_t seed, int64_t offset,
    uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnInplaceNormal(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
