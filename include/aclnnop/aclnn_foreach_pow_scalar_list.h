/* aclnn_foreach_pow_scalar_list.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_FOREACH_POW_SCALAR_LIST_H
#define FOOTHOLD_ACLNNOP_ACLNN_FOREACH_POW_SCALAR_LIST_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnForeachPowScalarListGetWorkspaceSize(
    const aclTensorList *x, const aclScalarList *scalars, const aclTensorList *out,
    uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnForeachPowScalarList(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
