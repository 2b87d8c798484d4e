/* aclnn_x_log_y_scalar_self.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_X_LOG_Y_SCALAR_SELF_H
#define FOOTHOLD_ACLNNOP_ACLNN_X_LOG_Y_SCALAR_SELF_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnXLogYScalarSelfGetWorkspaceSize(
    const aclScalar *self, const aclTensor *other, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);
aclnnStatus aclnnXLogYScalarSelf(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
