/* share_table.h: the table of exports as it stands in shared memory. Only for share*.c.
 *
 * Written by the exporter alone; importers read it, and trust nothing in it.
 */
#ifndef FH_MEM_SHARE_TABLE_H
#define FH_MEM_SHARE_TABLE_H

#include "device/mem/share.h"

#include <stdatomic.h>

#define FH_SHARE_TABLE_NAME "foothold-shares"
#define FH_SHARE_TABLE_MAGIC UINT64_C(0x6572616873206866) /* changes when the layout does */

typedef struct {
    _Atomic uint64_t key;   /* 0: not exported */
    uint64_t offset, size;  /* bytes in the file */
    uint64_t volume, inode; /* the file's identity */
    int32_t file;           /* its descriptor at the exporter */
    uint32_t device;
    atomic_bool anyone;
    _Atomic uint32_t allowed_count;
    _Atomic int32_t allowed[FH_SHARE_ALLOWED_MOST];
} fh_share_row;

typedef struct {
    uint64_t magic;
    int64_t process;
    fh_share_row rows[FH_SHARES_MOST];
} fh_share_table;

/* The parts of a handle. */
enum { FH_SHARE_KEY_BITS = 26, FH_SHARE_ROW_BITS = 16, FH_SHARE_PROCESS_BITS = 22 };

static inline uint64_t fh_share_key(uint64_t handle)
{
    return handle & ((1u << FH_SHARE_KEY_BITS) - 1);
}

static inline uint32_t fh_share_row_of(uint64_t handle)
{
    return (uint32_t)(handle >> FH_SHARE_KEY_BITS) & (FH_SHARES_MOST - 1);
}

static inline int64_t fh_share_process(uint64_t handle)
{
    return (int64_t)(handle >> (FH_SHARE_KEY_BITS + FH_SHARE_ROW_BITS));
}

/* Maps a table's file, hidden from forked children; fh_share_table_unmap() ends it. */
fh_status fh_share_table_map(int file, fh_share_table **table);
void fh_share_table_unmap(fh_share_table *table); /* NULL is allowed */

/* The importers' side of fh_share_stop(). */
void fh_share_import_stop(void);

#endif
