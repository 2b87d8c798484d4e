/* aclnn_uniform.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_UNIFORM_H
#define FOOTHOLD_ACLNNOP_ACLNN_UNIFORM_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnInplaceUniformGetWorkspaceSize(
    aclTensor *selfRef, double from, double to, uint64_t seed, uint64_t offset,
    uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnInplaceUniform(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
