/* aclnn_addmv.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_ADDMV_H
#define FOOTHOLD_ACLNNOP_ACLNN_ADDMV_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnAddmvGetWorkspaceSize(
    const aclTensor *self, const aclTensor *mat, const aclTensor *vec, const aclScalar *alpha,
    const aclScalar *beta, aclTensor *out, int8_t cubeMathType, uint64_t *workspaceSize,
    aclOpExecutor **executor);
aclnnStatus aclnnAddmv(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
