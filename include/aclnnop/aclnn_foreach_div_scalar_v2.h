/* aclnn_foreach_div_scalar_v2.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_FOREACH_DIV_SCALAR_V2_H
#define FOOTHOLD_ACLNNOP_ACLNN_FOREACH_DIV_SCALAR_V2_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnForeachDivScalarV2GetWorkspaceSize(
    const aclTensorList *x, const aclScalar *scalar, aclTensorList *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);
aclnnStatus aclnnForeachDivScalarV2(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
