/* aclnn_foreach_sub_list_v2.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_FOREACH_SUB_LIST_V2_H
#define FOOTHOLD_ACLNNOP_ACLNN_FOREACH_SUB_LIST_V2_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnForeachSubListV2GetWorkspaceSize(
    const aclTensorList *x1, const aclTensorList *x2, const aclScalar *alpha, aclTensorList *out,
    uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnForeachSubListV2(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
