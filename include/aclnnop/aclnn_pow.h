/* aclnn_pow.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_POW_H
#define FOOTHOLD_ACLNNOP_ACLNN_POW_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnInplacePowTensorScalarGetWorkspaceSize(
    aclTensor *self, const aclScalar *exponent, uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnInplacePowTensorScalar(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

aclnnStatus aclnnPowScalarTensorGetWorkspaceSize(
    const aclScalar *self, const aclTensor *exponent, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);
aclnnStatus aclnnPowScalarTensor(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

aclnnStatus aclnnPowTensorScalarGetWorkspaceSize(
    const aclTensor *self, const aclScalar *exponent, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);
aclnnStatus aclnnPowTensorScalar(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
