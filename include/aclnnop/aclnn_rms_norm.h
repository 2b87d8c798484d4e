/* aclnn_rms_norm.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_RMS_NORM_H
#define FOOTHOLD_ACLNNOP_ACLNN_RMS_NORM_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnRmsNormGetWorkspaceSize(
    const aclTensor *x, const aclTensor *gamma, double epsilon, aclTensor *yOut, aclTensor *rstdOut,
    uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnRmsNorm(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
