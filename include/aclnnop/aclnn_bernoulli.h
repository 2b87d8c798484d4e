/* aclnn_bernoulli.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_BERNOULLI_H
#define FOOTHOLD_ACLNNOP_ACLNN_BERNOULLI_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnInplaceBernoulliGetWorkspaceSize(
    aclTensor *selfRef, const aclScalar *prob, int64_t seed, int64_t offset,
    uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnInplaceBernoulli(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

aclnnStatus aclnnInplaceBernoulliTensorGetWorkspaceSize(
    aclTensor *selfRef, const aclTensor *prob, int64_t seed, int64_t offset,
    uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnInplaceBernoulliTensor(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
