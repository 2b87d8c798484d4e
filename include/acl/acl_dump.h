/* acl_dump.h: dumps of operator arguments: not served, refused by name.
 */
#ifndef FOOTHOLD_ACL_ACL_DUMP_H
#define FOOTHOLD_ACL_ACL_DUMP_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACL_DUMP_MAX_FILE_PATH_LENGTH 4096
#define ACL_OP_DUMP_OP_AICORE_ARGS 0x00000001U

/* Starts and ends a dump into `path`. */
aclError aclopStartDumpArgs(uint32_t dumpType, const char *path);
aclError aclopStopDumpArgs(uint32_t dumpType);

#ifdef __cplusplus
}
#endif

#endif
