/* aclnn.h: what the functions of aclnn share. */
#ifndef FH_ABI_ACLNN_H
#define FH_ABI_ACLNN_H

#include "device/abi/abi.h"
#include <aclnn/acl_meta.h>

/* aclnn's code for a status, described as fh_error_message() says (CANN's documentation of aclnn
 * return codes, hiascend.com, 2026-11-30). */
aclnnStatus fh_aclnn_code(const char *function, fh_status status);

#endif
