/* aclnn_index_put_impl.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_INDEX_PUT_IMPL_H
#define FOOTHOLD_ACLNNOP_ACLNN_INDEX_PUT_IMPL_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnIndexPutImplGetWorkspaceSize(
    aclTensor *selfRef, const aclTensorList *indices, const aclTensor *values, bool accumulate,
    bool unsafe, uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnIndexPutImpl(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
