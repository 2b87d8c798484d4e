/* acl_base.h: what every header of AscendCL includes.
 */
#ifndef FOOTHOLD_ACL_ACL_BASE_H
#define FOOTHOLD_ACL_ACL_BASE_H

#include "acl/acl_base_mdl.h"
#include "acl/acl_base_rt.h"
#include "acl/error_codes/ge_error_codes.h"
#include "acl/error_codes/rt_error_codes.h"

#endif
