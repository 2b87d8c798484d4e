/* aclnn_random.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_RANDOM_H
#define FOOTHOLD_ACLNNOP_ACLNN_RANDOM_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnInplaceRandomGetWorkspaceSize(
    aclTensor *selfRef, int64_t from, int64_t to, int64_t seed, int64_t offset,
    uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnInplaceRandom(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
