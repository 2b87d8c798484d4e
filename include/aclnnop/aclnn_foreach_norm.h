/* aclnn_foreach_norm.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_FOREACH_NORM_H
#define FOOTHOLD_ACLNNOP_ACLNN_FOREACH_NORM_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnForeachNormGetWorkspaceSize(
    const aclTensorList *x, const aclScalar *scalar, const aclTensorList *out,
    uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnForeachNorm(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
