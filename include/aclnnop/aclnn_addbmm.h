/* aclnn_addbmm.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_ADDBMM_H
#define FOOTHOLD_ACLNNOP_ACLNN_ADDBMM_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnAddbmmGetWorkspaceSize(
    const aclTensor *self, const aclTensor *batch1, const aclTensor *batch2, const aclScalar *beta,
    const aclScalar *alpha, aclTensor *out, int8_t cubeMathType, uint64_t *workspaceSize,
    aclOpExecutor **executor);
aclnnStatus aclnnAddbmm(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

aclnnStatus aclnnInplaceAddbmmGetWorkspaceSize(
    aclTensor *selfRef, const aclTensor *batch1, const aclTensor *batch2, const aclScalar *beta,
    const aclScalar *alpha, int8_t cubeMathType, uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnInplaceAddbmm(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
