#include "device/mem/share.h"
#include "base/vector.h"
#include "device/mem/share_table.h"
#include "os/identity.h"
#include "os/lock.h"
#include "os/map.h"
#include "os/memory_file.h"

#include <inttypes.h>

_Static_assert(sizeof(fh_share_row) == 312, "importers of another build read the same rows");

/* The exports of this process, under `lock`. */
static struct {
    fh_lock lock;
    int file; /* of the table, -1 before the first export */
    fh_share_table *table;
    uint32_t next; /* rows from here on were never used */
    FH_VECTOR(uint32_t) spare;
} exports = {.file = -1};

static size_t table_size(void)
{
    size_t page = fh_page_size();
    return (sizeof(fh_share_table) + page - 1) / page * page;
}

fh_status fh_share_table_map(int file, fh_share_table **table)
{
    void *base;
    fh_status status = fh_map_reserve(table_size(), fh_page_size(), &base);
    if (status)
        return status;
    status = fh_map_file(base, table_size(), file, 0, FH_MAP_READ_WRITE, false);
    if (!status)
        status = fh_map_hide_from_children(base, table_size());
    if (status) {
        fh_map_release(base, table_size());
        return status;
    }
    *table = base;
    return FH_OK;
}

void fh_share_table_unmap(fh_share_table *table)
{
    if (table)
        fh_map_release(table, table_size());
}

void fh_share_stop(void)
{
    fh_share_import_stop();
    fh_share_table_unmap(exports.table);
    fh_memory_file_close(exports.file);
    fh_vector_free(&exports.spare);
    exports.table = NULL;
    exports.file = -1;
    exports.next = 0;
}

/* Makes the table, unless it is there. Under the lock. */
static fh_status make_table(void)
{
    if (exports.table)
        return FH_OK;
    int file;
    fh_share_table *table;
    fh_status status = fh_memory_file_create(FH_SHARE_TABLE_NAME, table_size(), &file);
    if (status)
        return status;
    status = fh_share_table_map(file, &table);
    if (status) {
        fh_memory_file_close(file);
        return status;
    }
    table->process = fh_process_id();
    table->magic = FH_SHARE_TABLE_MAGIC;
    exports.table = table;
    exports.file = file;
    return FH_OK;
}

/* Takes a row that is not used, and sees to it that giving it back cannot fail. */
static fh_status take_row(uint32_t *row)
{
    if (exports.spare.count) {
        *row = fh_vector_pop(&exports.spare);
        return FH_OK;
    }
    if (exports.next == FH_SHARES_MOST)
        return fh_error(FH_LIMIT,
                        "%d parts of device memory are exported already; free or close some",
                        FH_SHARES_MOST);
    if (!fh_vector_reserve(&exports.spare, exports.next + 1))
        return fh_error(FH_NO_MEMORY, "out of memory for the table of shared memory");
    *row = exports.next++;
    return FH_OK;
}

fh_status fh_share_publish(const fh_share_range *range, bool anyone, uint64_t *handle,
                           uint32_t *share)
{
    int64_t process = fh_process_id();
    if (process >> FH_SHARE_PROCESS_BITS)
        return fh_error(FH_UNSUPPORTED,
                        "process number %" PRId64 " does not fit a shareable handle", process);
    fh_memory_file_info info;
    fh_status status = fh_memory_file_stat(range->file, &info);
    if (status)
        return status;
    uint64_t key;
    do
        key = fh_share_key(fh_random64());
    while (!key);
    uint32_t number = 0;
    fh_lock_take(&exports.lock);
    status = make_table();
    if (!status)
        status = take_row(&number);
    if (!status) {
        fh_share_row *row = &exports.table->rows[number];
        row->offset = range->offset;
        row->size = range->size;
        row->volume = info.device;
        row->inode = info.inode;
        row->file = range->file;
        row->device = range->device;
        atomic_store(&row->anyone, anyone);
        atomic_store(&row->allowed_count, 0);
        atomic_store(&row->key, key);
    }
    fh_lock_release(&exports.lock);
    if (status)
        return status;
    *handle = (uint64_t)process << (FH_SHARE_KEY_BITS + FH_SHARE_ROW_BITS) |
              (uint64_t)number << FH_SHARE_KEY_BITS | key;
    *share = number;
    return FH_OK;
}

/* The row of a handle that this process made and did not withdraw, or NULL. Under the lock. */
static fh_share_row *row_of(uint64_t handle)
{
    uint32_t number = fh_share_row_of(handle);
    uint64_t key = fh_share_key(handle);
    if (!exports.table || fh_share_process(handle) != fh_process_id() || !key ||
        number >= exports.next || atomic_load(&exports.table->rows[number].key) != key)
        return NULL;
    return &exports.table->rows[number];
}

static fh_status not_ours(uint64_t handle)
{
    return fh_error(FH_INVALID,
                    "%#" PRIx64 " is not a shareable handle that this process exported, or was "
                    "freed since",
                    handle);
}

static bool is_allowed(const fh_share_row *row, int32_t process)
{
    uint32_t count = atomic_load(&row->allowed_count);
    for (uint32_t i = 0; i < count && i < FH_SHARE_ALLOWED_MOST; i++)
        if (atomic_load(&row->allowed[i]) == process)
            return true;
    return false;
}

fh_status fh_share_allow(uint64_t handle, const int32_t *processes, size_t count)
{
    fh_status status = FH_OK;
    if (!processes || !count)
        return fh_error(FH_INVALID, "no process to allow");
    for (size_t i = 0; i < count; i++)
        if (processes[i] <= 0)
            return fh_error(FH_INVALID, "%d is not a process number", processes[i]);
    fh_lock_take(&exports.lock);
    fh_share_row *row = row_of(handle);
    if (!row)
        status = not_ours(handle);
    for (size_t i = 0; !status && i < count; i++) {
        uint32_t known = atomic_load(&row->allowed_count);
        if (is_allowed(row, processes[i]))
            continue;
        if (known == FH_SHARE_ALLOWED_MOST) {
            status = fh_error(FH_LIMIT,
                              "%d processes are allowed already; export without the "
                              "check of process numbers instead",
                              FH_SHARE_ALLOWED_MOST);
            break;
        }
        atomic_store(&row->allowed[known], processes[i]);
        atomic_store(&row->allowed_count, known + 1);
    }
    fh_lock_release(&exports.lock);
    return status;
}

fh_status fh_share_find(uint64_t handle, uint32_t *share)
{
    fh_lock_take(&exports.lock);
    const fh_share_row *row = row_of(handle);
    fh_lock_release(&exports.lock);
    if (!row)
        return not_ours(handle);
    *share = fh_share_row_of(handle);
    return FH_OK;
}

bool fh_share_withdraw(uint32_t share)
{
    /* An importer puts its hold first and then looks at the key again: either it sees that the
     * key is gone, or we see its hold. */
    atomic_store(&exports.table->rows[share].key, 0);
    return fh_share_held(share);
}

bool fh_share_held(uint32_t share)
{
    if (fh_memory_file_held(exports.file, share))
        return true;
    fh_lock_take(&exports.lock);
    fh_vector_push(&exports.spare, share);
    fh_lock_release(&exports.lock);
    return false;
}
