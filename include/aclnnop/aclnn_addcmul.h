/* aclnn_addcmul.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_ADDCMUL_H
#define FOOTHOLD_ACLNNOP_ACLNN_ADDCMUL_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnAddcmulGetWorkspaceSize(
    const aclTensor *self, const aclTensor *tensor1, const aclTensor *tensor2,
    const aclScalar *value, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnAddcmul(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

aclnnStatus aclnnInplaceAddcmulGetWorkspaceSize(
    aclTensor *selfRef, const aclTensor *tensor1, const aclTensor *tensor2, const aclScalar *value,
    uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnInplaceAddcmul(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
