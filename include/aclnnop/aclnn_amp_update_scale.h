/* aclnn_amp_update_scale.h: written by tools/aclnn_headers from facts/ops.def. The contract of all
 * operators is in aclnn/aclnn_base.h. */
#ifndef FOOTHOLD_ACLNNOP_ACLNN_AMP_UPDATE_SCALE_H
#define FOOTHOLD_ACLNNOP_ACLNN_AMP_UPDATE_SCALE_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnAmpUpdateScaleGetWorkspaceSize(
    const aclTensor *currentScale, const aclTensor *growthTracker, const aclTensor *foundInf,
    double growthFactor, double backoffFactor, int64_t growthInterval,
    const aclTensor *updatedScale, const aclTensor *updatedGrowthTracker, uint64_t *workspaceSize,
    aclOpExecutor **executor);
aclnnStatus aclnnAmpUpdateScale(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
