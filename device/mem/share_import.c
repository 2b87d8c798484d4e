#include "base/vector.h"
#include "device/mem/share_table.h"
#include "os/identity.h"
#include "os/lock.h"
#include "os/map.h"
#include "os/memory_file.h"

#include <inttypes.h>

/* A memory file of a peer that we opened. */
typedef struct {
    uint64_t volume, inode;
    int file;
} opened_file;

/* How often a row is imported: the hold goes with the last. */
typedef struct {
    uint32_t row, count;
} hold;

/* A process that we import from. */
struct fh_peer {
    fh_peer *next;
    uint64_t volume, inode; /* of its table, while we have it open */
    int table_file;
    fh_share_table *table;
    uint32_t imports;
    FH_VECTOR(opened_file) files;
    FH_VECTOR(hold) holds;
};

static fh_lock lock;
static fh_peer *peers; /* under the lock, as all they hold */

static void close_peer(fh_peer *peer)
{
    fh_share_table_unmap(peer->table);
    fh_memory_file_close(peer->table_file);
    for (uint32_t i = 0; i < peer->files.count; i++)
        fh_memory_file_close(peer->files.items[i].file);
    fh_vector_free(&peer->files);
    fh_vector_free(&peer->holds);
    fh_free(peer);
}

void fh_share_import_stop(void)
{
    for (fh_peer *next; peers; peers = next) {
        next = peers->next;
        close_peer(peers);
    }
}

static void remove_peer(fh_peer *peer)
{
    fh_peer **place = &peers;
    while (*place && *place != peer)
        place = &(*place)->next;
    if (*place)
        *place = peer->next;
    close_peer(peer);
}

static fh_status stale(uint64_t handle)
{
    return fh_error(FH_NOT_FOUND,
                    "the shareable handle %#" PRIx64 " is not exported by process %" PRId64
                    ": it was freed or closed there, or never was one",
                    handle, fh_share_process(handle));
}

static fh_status no_memory(void)
{
    return fh_error(FH_NO_MEMORY, "out of memory for importing a shareable handle");
}

/* Makes a peer of an opened table, which it owns from here on, also on failure. */
static fh_status add_peer(int file, const fh_memory_file_info *info, int64_t process, fh_peer **out)
{
    fh_peer *peer = fh_alloc_zero(1, sizeof *peer);
    if (!peer) {
        fh_memory_file_close(file);
        return no_memory();
    }
    peer->table_file = file;
    peer->volume = info->device;
    peer->inode = info->inode;
    /* A shorter file would fault when it is read. */
    fh_status status = info->size >= sizeof(fh_share_table) ? fh_share_table_map(file, &peer->table)
                                                            : FH_UNSUPPORTED;
    if (status == FH_UNSUPPORTED || (!status && (peer->table->magic != FH_SHARE_TABLE_MAGIC ||
                                                 peer->table->process != process)))
        status = fh_error(FH_UNSUPPORTED,
                          "process %" PRId64 " shares memory as another version of this library",
                          process);
    if (status) {
        close_peer(peer);
        return status;
    }
    peer->next = peers;
    peers = peer;
    *out = peer;
    return FH_OK;
}

/* The peer of a process. Its table is opened anew each time, since the process may have ended
 * and its number have gone to another. */
static fh_status find_peer(int64_t process, fh_peer **out)
{
    int number, file;
    fh_memory_file_info info;
    fh_status status = fh_memory_file_find(process, FH_SHARE_TABLE_NAME, &number);
    if (!status)
        status = fh_memory_file_open(process, number, &file);
    if (status == FH_NOT_FOUND)
        return fh_error(FH_NOT_FOUND,
                        "process %" PRId64
                        ", which exported the memory, has ended or exports nothing any more",
                        process);
    if (status)
        return status;
    status = fh_memory_file_stat(file, &info);
    for (fh_peer *peer = peers; !status && peer; peer = peer->next)
        if (peer->volume == info.device && peer->inode == info.inode) {
            fh_memory_file_close(file);
            *out = peer;
            return FH_OK;
        }
    if (!status)
        return add_peer(file, &info, process, out);
    fh_memory_file_close(file);
    return status;
}

/* Puts the hold of a row, or counts it. */
static fh_status take_hold(fh_peer *peer, uint32_t row)
{
    for (uint32_t i = 0; i < peer->holds.count; i++)
        if (peer->holds.items[i].row == row) {
            peer->holds.items[i].count++;
            return FH_OK;
        }
    if (!fh_vector_push(&peer->holds, (hold){row, 1}))
        return no_memory();
    fh_status status = fh_memory_file_hold(peer->table_file, row);
    if (status)
        peer->holds.count--;
    return status;
}

static void drop_hold(fh_peer *peer, uint32_t row)
{
    for (uint32_t i = 0; i < peer->holds.count; i++)
        if (peer->holds.items[i].row == row) {
            if (--peer->holds.items[i].count)
                return;
            peer->holds.items[i] = fh_vector_last(&peer->holds);
            peer->holds.count--;
            fh_memory_file_drop(peer->table_file, row);
            return;
        }
}

/* The file of a row, opened once for each peer and checked to be the one that was exported. */
static fh_status open_file(fh_peer *peer, int64_t process, const fh_share_row *row, int *file)
{
    for (uint32_t i = 0; i < peer->files.count; i++)
        if (peer->files.items[i].volume == row->volume &&
            peer->files.items[i].inode == row->inode) {
            *file = peer->files.items[i].file;
            return FH_OK;
        }
    int opened;
    fh_memory_file_info info;
    fh_status status = fh_memory_file_open(process, row->file, &opened);
    if (status)
        return status;
    status = fh_memory_file_stat(opened, &info);
    if (!status && (info.device != row->volume || info.inode != row->inode))
        status = fh_error(FH_NOT_FOUND, "process %" PRId64 " has closed the memory it exported",
                          process);
    if (!status && !fh_vector_push(&peer->files, (opened_file){info.device, info.inode, opened}))
        status = no_memory();
    if (status) {
        fh_memory_file_close(opened);
        return status;
    }
    *file = opened;
    return FH_OK;
}

static bool may_import(const fh_share_row *row, int64_t exporter)
{
    int64_t self = fh_process_id();
    uint32_t count = atomic_load(&row->allowed_count);
    bool allowed = atomic_load(&row->anyone) || exporter == self;
    for (uint32_t i = 0; !allowed && i < count && i < FH_SHARE_ALLOWED_MOST; i++)
        allowed = atomic_load(&row->allowed[i]) == self;
    return allowed;
}

/* Checks a row on which we have a hold, and opens its file. */
static fh_status attach_row(fh_peer *peer, uint64_t handle, fh_import *import)
{
    const fh_share_row *row = &peer->table->rows[fh_share_row_of(handle)];
    int64_t process = fh_share_process(handle);
    fh_memory_file_info info;
    int file;
    if (atomic_load(&row->key) != fh_share_key(handle))
        return stale(handle);
    if (!may_import(row, process))
        return fh_error(FH_UNSUPPORTED,
                        "process %" PRId64 " may not import this memory: process %" PRId64
                        " has to allow it (aclrtMemSetPidToShareableHandle, "
                        "aclrtIpcMemSetImportPid) or to export without the check",
                        fh_process_id(), process);
    fh_status status = open_file(peer, process, row, &file);
    if (!status)
        status = fh_memory_file_stat(file, &info);
    if (status)
        return status;
    fh_share_range range = {file, row->offset, row->size, row->device};
    if (range.offset > info.size || range.size > info.size - range.offset)
        return stale(handle);
    *import = (fh_import){peer, fh_share_row_of(handle), process, range};
    return FH_OK;
}

fh_status fh_share_attach(uint64_t handle, fh_import *import)
{
    if (!fh_share_key(handle) || !fh_share_process(handle))
        return fh_error(FH_INVALID, "%#" PRIx64 " is not a shareable handle", handle);
    fh_peer *peer = NULL;
    uint32_t row = fh_share_row_of(handle);
    fh_lock_take(&lock);
    fh_status status = find_peer(fh_share_process(handle), &peer);
    if (!status) {
        status = take_hold(peer, row);
        if (!status) {
            status = attach_row(peer, handle, import);
            if (status)
                drop_hold(peer, row);
        }
        if (!status)
            peer->imports++;
        else if (!peer->imports)
            remove_peer(peer);
    }
    fh_lock_release(&lock);
    return status;
}

void fh_share_detach(const fh_import *import)
{
    fh_lock_take(&lock);
    drop_hold(import->peer, import->row);
    if (--import->peer->imports == 0)
        remove_peer(import->peer);
    fh_lock_release(&lock);
}
