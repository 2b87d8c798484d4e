/* Virtual memory of acl_rt.h. */
#include "device/abi/abi.h"
#include "device/mem/virtual_memory.h"

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
    FH_TRY(fh_pages_create(device->index, size, &pages));
    *handle = pages;
    return ACL_SUCCESS;
}

FH_EXPORT aclError aclrtFreePhysical(aclrtDrvMemHandle handle)
{
    FH_NEED(handle);
    FH_TRY(fh_runtime_start());
    fh_pages_drop(handle);
    return ACL_SUCCESS;
}

FH_EXPORT aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                               uint64_t flags)
{
    (void)flags;
    FH_NEED(virPtr);
    FH_NEED(handle);
    FH_TRY(fh_runtime_start());
    return FH_RESULT(fh_virtual_map(virPtr, size, offset, handle));
}

FH_EXPORT aclError aclrtUnmapMem(void *virPtr)
{
    FH_NEED(virPtr);
    FH_TRY(fh_runtime_start());
    return FH_RESULT(fh_virtual_unmap(virPtr));
}
