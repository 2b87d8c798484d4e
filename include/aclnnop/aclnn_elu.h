/* aclnn_elu.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_ELU_H
#define FOOTHOLD_ACLNNOP_ACLNN_ELU_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnEluGetWorkspaceSize(
    const aclTensor *self, const aclScalar *alpha, const aclScalar *scale,
    const aclScalar *inputScale, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnElu(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

aclnnStatus aclnnInplaceEluGetWorkspaceSize(
    aclTensor *selfRef, const aclScalar *alpha, const aclScalar *scale, const aclScalar *inputScale,
    uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnInplaceElu(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
