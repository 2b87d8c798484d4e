/* aclnn_split_with_size.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_SPLIT_WITH_SIZE_H
#define FOOTHOLD_ACLNNOP_ACLNN_SPLIT_WITH_SIZE_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnSplitWithSizeGetWorkspaceSize(
    const aclTensor *self, const aclIntArray *splitSize, int64_t dim, aclTensorList *out,
    uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnSplitWithSize(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
