/* acl_mdl.h: offline models (.om), which are built for a chip: nothing of them is served, so
 * nothing is declared. Captured graphs (aclmdlRI) are in acl_rt.h.
 */
#ifndef FOOTHOLD_ACL_ACL_MDL_H
#define FOOTHOLD_ACL_ACL_MDL_H

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#endif
