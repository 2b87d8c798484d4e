/* ipc.h: allocated blocks in other processes, by a key (aclrtIpcMem*).
 *
 * A key is text: "foothold-" and the 16 hexadecimal digits of a handle (share.h). Any thread may
 * call any function.
 */
#ifndef FH_MEM_IPC_H
#define FH_MEM_IPC_H

#include "device/mem/space.h"

enum { FH_IPC_KEY_SIZE = 65 }; /* what aclrtIpcMemGetExportKey wants (hicann/runtime, docs) */

/* Forgets all imports, when nobody uses them any more; they go with the virtual area. */
void fh_ipc_stop(void);

/* Exports `size` bytes of a block from `address` on. `key` has `length` bytes, at least
 * FH_IPC_KEY_SIZE. Fails with FH_INVALID when that is not within one block, and as
 * fh_share_publish(). */
fh_status fh_ipc_export(const void *address, uint64_t size, bool anyone, char *key, size_t length);

/* Allows processes to import; fails as fh_share_allow(). */
fh_status fh_ipc_allow(const char *key, const int32_t *processes, size_t count);

/* Imports for a device; the same key gives the same address, and as often is to be closed. Fails
 * with FH_INVALID when it is no key, and as fh_share_attach(). */
fh_status fh_ipc_import(const char *key, uint32_t device, void **address);

/* Closes an import, or, in the exporting process, the export. Fails with FH_INVALID. */
fh_status fh_ipc_close(const char *key);

#endif
