/* aclnn_base.h: start and end of aclnn, for clients that use no aclInit().
 */
#ifndef FOOTHOLD_ACLNN_ACLNN_BASE_H
#define FOOTHOLD_ACLNN_ACLNN_BASE_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `configPath` may be NULL. Both return 0. */
aclnnStatus aclnnInit(const char *configPath);
aclnnStatus aclnnFinalize(void);

#ifdef __cplusplus
}
#endif

#endif
