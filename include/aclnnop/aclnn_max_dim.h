/* aclnn_max_dim.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_MAX_DIM_H
#define FOOTHOLD_ACLNNOP_ACLNN_MAX_DIM_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnMaxDimGetWorkspaceSize(
    const aclTensor *self, int64_t dim, bool keepdim, aclTensor *out, aclTensor *indices,
    uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnMaxDim(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
