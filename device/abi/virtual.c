/* Virtual memory of acl_rt.h. */
#include "device/abi/abi.h"
#include "device/mem/virtual_memory.h"

/* An aclrtDrvMemHandle: the client's hold of pages. */
typedef struct {
    fh_handle head;
    fh_pages *pages;
} physical;

static aclError physical_of(const char *function, aclrtDrvMemHandle handle, physical **found)
{
    fh_status status = fh_runtime_start();
    if (status)
        return fh_abi_code(function, status);
    if (!fh_handle_is(FH_HANDLE_PHYSICAL, handle))
        return fh_abi_fail(function, ACL_ERROR_RT_INVALID_HANDLE,
                           "%p is no handle of physical memory: %s", handle,
                           fh_handle_name(handle));
    *found = handle;
    return ACL_SUCCESS;
}

FH_EXPORT aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop,
                                                    aclrtMemGranularityOptions option,
                                                    size_t *granularity)
{
    FH_NEED(prop);
    FH_NEED(granularity);
    if (option != ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM &&
        option != ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED)
        return FH_FAIL(ACL_ERROR_RT_PARAM_INVALID, "option %d is not known", option);
    *granularity = FH_GRANULARITY;
    return ACL_SUCCESS;
}

FH_EXPORT aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment,
                                          void *expectPtr, uint64_t flags)
{
    (void)flags; /* 1 asks for huge pages */
    FH_NEED(virPtr);
    FH_TRY(fh_runtime_start());
    return FH_RESULT(fh_virtual_reserve(size, alignment, expectPtr, virPtr));
}

FH_EXPORT aclError aclrtReleaseMemAddress(void *virPtr)
{
    FH_NEED(virPtr);
    FH_TRY(fh_runtime_start());
    return FH_RESULT(fh_virtual_release(virPtr));
}

FH_EXPORT aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size,
                                       const aclrtPhysicalMemProp *prop, uint64_t flags)
{
    fh_device *device = NULL;
    fh_pages *pages = NULL;
    (void)flags;
    FH_NEED(handle);
    FH_NEED(prop);
    if (prop->location.type != ACL_MEM_LOCATION_TYPE_DEVICE)
        return FH_FAIL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                       "location type %d: only memory of a device can be had in pages",
                       prop->location.type);
    aclError error = fh_abi_device(__func__, prop->location.id, &device);
    if (error)
        return error;
    FH_TRY(fh_device_prepare(device));
    physical *made = fh_handle_take(FH_HANDLE_PHYSICAL, sizeof *made);
    if (!made)
        return FH_RESULT(FH_LIMIT);
    fh_status status = fh_pages_create(device->index, size, &pages);
    if (status) {
        fh_handle_give(FH_HANDLE_PHYSICAL, made);
        return FH_RESULT(status);
    }
    made->pages = pages;
    *handle = made;
    return ACL_SUCCESS;
}

FH_EXPORT aclError aclrtFreePhysical(aclrtDrvMemHandle handle)
{
    physical *mine = NULL;
    aclError error = physical_of(__func__, handle, &mine);
    if (error)
        return error;
    fh_pages *pages = mine->pages;
    if (!fh_handle_give(FH_HANDLE_PHYSICAL, mine))
        return FH_FAIL(ACL_ERROR_RT_INVALID_HANDLE, "another thread has just freed it");
    fh_pages_drop(pages);
    return ACL_SUCCESS;
}

FH_EXPORT aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                               uint64_t flags)
{
    physical *mine = NULL;
    (void)flags;
    FH_NEED(virPtr);
    aclError error = physical_of(__func__, handle, &mine);
    return error ? error : FH_RESULT(fh_virtual_map(virPtr, size, offset, mine->pages));
}

FH_EXPORT aclError aclrtUnmapMem(void *virPtr)
{
    FH_NEED(virPtr);
    FH_TRY(fh_runtime_start());
    return FH_RESULT(fh_virtual_unmap(virPtr));
}
