/* aclnn_masked_fill_tensor.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_MASKED_FILL_TENSOR_H
#define FOOTHOLD_ACLNNOP_ACLNN_MASKED_FILL_TENSOR_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnInplaceMaskedFillTensorGetWorkspaceSize(
    aclTensor *selfRef, const aclTensor *mask, const aclTensor *value, uint64_t *workspaceSize,
    aclOpExecutor **executor);
aclnnStatus aclnnInplaceMaskedFillTensor(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
