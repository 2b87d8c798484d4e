/* Memory of acl_rt.h: allocation, and what is at an address. */
#include "device/abi/abi.h"
#include "device/mem/host_memory.h"
#include "device/mem/lookup.h"

/* CANN's allocations begin at multiples of 512 bytes. */
enum { ALIGNMENT = 512 };

static aclError allocate(const char *function, void **devPtr, size_t size, bool padded)
{
    fh_context *context = NULL;
    if (!devPtr)
        return fh_abi_fail(function, ACL_ERROR_RT_PARAM_INVALID, "devPtr is NULL");
    aclError error = fh_abi_context(function, &context);
    if (error)
        return error;
    void *address = NULL;
    fh_status status =
        fh_device_memory_malloc(context->device->memory, size, ALIGNMENT, padded, &address);
    if (!status)
        *devPtr = address;
    return fh_abi_code(function, status);
}

/* The policy says which pages of the chip to prefer: all are the same here. */
FH_EXPORT aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    (void)policy;
    return allocate(__func__, devPtr, size, true);
}

FH_EXPORT aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    (void)policy;
    return allocate(__func__, devPtr, size, false);
}

FH_EXPORT aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    (void)policy;
    return allocate(__func__, devPtr, size, true);
}

FH_EXPORT aclError aclrtFree(void *devPtr)
{
    FH_NEED(devPtr);
    FH_TRY(fh_runtime_start());
    return FH_RESULT(fh_device_memory_free(devPtr));
}

FH_EXPORT aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total)
{
    fh_context *context = NULL;
    (void)attr; /* one kind of memory holds all */
    FH_NEED(free);
    FH_NEED(total);
    aclError error = fh_abi_context(__func__, &context);
    if (error)
        return error;
    fh_device_memory_info info = fh_device_memory_info_of(context->device->memory);
    *free = info.free;
    *total = info.total;
    return ACL_SUCCESS;
}

FH_EXPORT aclError aclrtMallocHost(void **hostPtr, size_t size)
{
    FH_NEED(hostPtr);
    FH_TRY(fh_runtime_start());
    return FH_RESULT(fh_host_malloc(size, hostPtr));
}

FH_EXPORT aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg)
{
    (void)cfg; /* a module's number, for statistics of the driver */
    return aclrtMallocHost(ptr, size);
}

FH_EXPORT aclError aclrtFreeHost(void *hostPtr)
{
    FH_NEED(hostPtr);
    FH_TRY(fh_runtime_start());
    return FH_RESULT(fh_host_free(hostPtr));
}

FH_EXPORT aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes)
{
    FH_NEED(ptr);
    FH_NEED(attributes);
    FH_TRY(fh_runtime_start());
    fh_place place = fh_lookup(ptr);
    aclrtMemLocation location = {.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED};
    switch (place.kind) {
    case FH_PLACE_BLOCK:
    case FH_PLACE_MAPPED:
    case FH_PLACE_IMPORTED:
        location = (aclrtMemLocation){place.device, ACL_MEM_LOCATION_TYPE_DEVICE};
        break;
    case FH_PLACE_PINNED:
    case FH_PLACE_REGISTERED:
        location.type = ACL_MEM_LOCATION_TYPE_HOST;
        break;
    default:
        break;
    }
    *attributes = (aclrtPtrAttributes){.location = location, .pageSize = FH_GRANULARITY};
    return ACL_SUCCESS;
}
