/* aclnn_foreach_maximum_scalar.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_FOREACH_MAXIMUM_SCALAR_H
#define FOOTHOLD_ACLNNOP_ACLNN_FOREACH_MAXIMUM_SCALAR_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnForeachMaximumScalarGetWorkspaceSize(
    const aclTensorList *x, const aclTensor *scalar, const aclTensorList *out,
    uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnForeachMaximumScalar(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
