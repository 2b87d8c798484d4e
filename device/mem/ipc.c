#include "device/mem/ipc.h"
#include "base/vector.h"
#include "device/mem/device_memory.h"
#include "device/mem/share.h"
#include "device/mem/virtual_memory.h"
#include "os/lock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    uint64_t handle;
    void *address;
    uint32_t count;
} imported;

static struct {
    fh_lock lock;
    FH_VECTOR(imported) imports;
} ipc;

static const char prefix[] = "foothold-";
enum { PREFIX = sizeof prefix - 1, DIGITS = 16 };

void fh_ipc_stop(void)
{
    fh_vector_free(&ipc.imports);
}

fh_status fh_ipc_export(const void *address, uint64_t size, bool anyone, char *key, size_t length)
{
    fh_memory_part part;
    uint64_t handle;
    uint32_t share;
    if (!key || length < FH_IPC_KEY_SIZE)
        return fh_error(FH_INVALID, "a key needs %d bytes, not %zu", FH_IPC_KEY_SIZE,
                        key ? length : 0);
    if (!size || !fh_device_memory_find(address, &part) || part.kind != FH_PART_BLOCK)
        return fh_error(FH_INVALID,
                        "cannot export %" PRIu64 " bytes at %p: it is not a block that aclrtMalloc "
                        "gave",
                        size, address);
    uint64_t into = (uintptr_t)address - part.address;
    if (into > part.size || size > part.size - into)
        return fh_error(FH_INVALID,
                        "cannot export %" PRIu64 " bytes at %p: the block has %" PRIu64
                        " bytes from there on",
                        size, address, into > part.size ? 0 : part.size - into);
    fh_device_memory *memory = fh_device_memory_of(part.device);
    const fh_share_range range = {fh_device_memory_file(memory),
                                  fh_device_memory_offset(memory, (uintptr_t)address), size,
                                  part.device};
    fh_status status = fh_share_publish(&range, anyone, &handle, &share);
    if (status)
        return status;
    status = fh_device_memory_note_share(memory, (uintptr_t)address, share);
    if (status)
        fh_share_withdraw(share);
    else
        snprintf(key, length, "%s%016" PRIx64, prefix, handle);
    return status;
}

/* The handle in a key; at most FH_IPC_KEY_SIZE bytes are looked at. */
static fh_status read_key(const char *key, uint64_t *handle)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t value = 0;
    bool good = key && !strncmp(key, prefix, PREFIX);
    for (unsigned i = 0; good && i < DIGITS; i++) {
        const char *digit = key[PREFIX + i] ? strchr(digits, key[PREFIX + i]) : NULL;
        good = digit != NULL;
        value = value << 4 | (good ? (uint64_t)(digit - digits) : 0);
    }
    if (!good || key[PREFIX + DIGITS])
        return fh_error(FH_INVALID, "not a key that aclrtIpcMemGetExportKey gave");
    *handle = value;
    return FH_OK;
}

fh_status fh_ipc_allow(const char *key, const int32_t *processes, size_t count)
{
    uint64_t handle;
    fh_status status = read_key(key, &handle);
    return status ? status : fh_share_allow(handle, processes, count);
}

static imported *find(uint64_t handle)
{
    for (uint32_t i = 0; i < ipc.imports.count; i++)
        if (ipc.imports.items[i].handle == handle)
            return &ipc.imports.items[i];
    return NULL;
}

static fh_status import_new(uint64_t handle, uint32_t device, void **address)
{
    if (!fh_vector_reserve(&ipc.imports, 1)) {
        ipc.imports.failed = false;
        return fh_error(FH_NO_MEMORY, "out of memory for the table of imports");
    }
    fh_status status = fh_virtual_open_import(handle, device, address);
    if (!status)
        fh_vector_push(&ipc.imports, (imported){handle, *address, 1});
    return status;
}

fh_status fh_ipc_import(const char *key, uint32_t device, void **address)
{
    uint64_t handle;
    fh_status status = read_key(key, &handle);
    if (status)
        return status;
    fh_lock_take(&ipc.lock);
    imported *known = find(handle);
    if (known) {
        known->count++;
        *address = known->address;
    } else {
        status = import_new(handle, device, address);
    }
    fh_lock_release(&ipc.lock);
    return status;
}

/* Closes an export of this process. */
static fh_status close_export(uint64_t handle)
{
    uint32_t share;
    fh_status status = fh_share_find(handle, &share);
    if (status)
        return fh_error(FH_INVALID,
                        "the key is neither imported nor exported by this process, or was closed "
                        "before");
    for (uint32_t i = 0; i < fh_space.devices; i++)
        if (fh_device_memory_of(i))
            fh_device_memory_end_share(fh_device_memory_of(i), share);
    return FH_OK;
}

fh_status fh_ipc_close(const char *key)
{
    uint64_t handle;
    fh_status status = read_key(key, &handle);
    if (status)
        return status;
    fh_lock_take(&ipc.lock);
    imported *known = find(handle);
    if (!known) {
        status = close_export(handle);
    } else if (--known->count == 0) {
        fh_virtual_close_import(known->address);
        *known = fh_vector_last(&ipc.imports);
        ipc.imports.count--;
    }
    fh_lock_release(&ipc.lock);
    return status;
}
