/* share.h: parts of this process's memory files that other processes may map.
 *
 * Exporting writes a row of a table, which stands in a memory file of its own, and gives a
 * handle of 64 bits that names the row:
 *
 *     process (22 bits) | row (16 bits) | key (26 random bits, never 0)
 *
 * A process id fits 22 bits (PID_MAX_LIMIT of 64-bit Linux, include/linux/threads.h). The
 * importer finds the table among the exporter's open files in /proc (by its name), compares the
 * key, whether its own process is allowed, and the identity of the memory file; then it opens
 * that file the same way. So nothing listens, nothing is left behind when a process is killed,
 * and a handle that is stale, forged or of an ended process is refused.
 *
 * An importer keeps a hold (memory_file.h) on the table's byte of that row. The exporter can
 * so tell whether a withdrawn part may be used again, also after an importer was killed.
 * What was imported stays mapped when the exporter ends.
 *
 * Any thread may call any function. The table is made at the first export.
 */
#ifndef FH_MEM_SHARE_H
#define FH_MEM_SHARE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FH_SHARES_MOST = 65536, FH_SHARE_ALLOWED_MOST = 64 };

typedef struct {
    int file;              /* a memory file of this process that stays open */
    uint64_t offset, size; /* bytes */
    uint32_t device;       /* for whom it was exported */
} fh_share_range;

typedef struct fh_peer fh_peer;

/* What was imported; `range.file` belongs to the import. */
typedef struct {
    fh_peer *peer;
    uint32_t row;
    int64_t process; /* who exported it */
    fh_share_range range;
} fh_import;

/* Ends all exports and imports, when nobody uses them any more. */
void fh_share_stop(void);

/* Exports a range: to all processes of this user with `anyone`, else to those that
 * fh_share_allow() names. `*share` is for withdrawing it. Fails with FH_LIMIT when all rows are
 * used, FH_UNSUPPORTED, FH_NO_MEMORY, FH_IO. */
fh_status fh_share_publish(const fh_share_range *range, bool anyone, uint64_t *handle,
                           uint32_t *share);

/* Allows processes to import what this process exported as `handle`. Fails with FH_INVALID when
 * the handle is not one of ours, FH_LIMIT past FH_SHARE_ALLOWED_MOST processes. */
fh_status fh_share_allow(uint64_t handle, const int32_t *processes, size_t count);

/* The share behind a handle of this process; fails with FH_INVALID. */
fh_status fh_share_find(uint64_t handle, uint32_t *share);

/* Ends an export: nobody can import it from here on. Returns whether somebody still has it; then
 * fh_share_held() is to be asked until it says false, and the part must not be used before. */
bool fh_share_withdraw(uint32_t share);
bool fh_share_held(uint32_t share);

/* Imports a handle; fh_share_detach() ends it. Fails with FH_INVALID when no exporter can have
 * made the handle, FH_NOT_FOUND when its process has ended or has withdrawn it, FH_UNSUPPORTED
 * when this process is not allowed, FH_LIMIT, FH_NO_MEMORY, FH_IO. */
fh_status fh_share_attach(uint64_t handle, fh_import *import);
void fh_share_detach(const fh_import *import);

#endif
