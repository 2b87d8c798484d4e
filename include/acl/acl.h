/* acl.h: AscendCL: the runtime and the operator path.
 */
#ifndef FOOTHOLD_ACL_ACL_H
#define FOOTHOLD_ACL_ACL_H

#include "acl/acl_mdl.h"
#include "acl/acl_op.h"
#include "acl/acl_rt.h"

#endif
