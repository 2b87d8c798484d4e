/* Devices and contexts: the part of acl_rt.h that says where a thread works. */
#include "device/abi/abi.h"

FH_EXPORT aclError aclrtGetDeviceCount(uint32_t *count)
{
    FH_NEED(count);
    FH_TRY(fh_runtime_start());
    *count = fh_runtime_options()->devices;
    return ACL_SUCCESS;
}

FH_EXPORT aclError aclrtSetDevice(int32_t deviceId)
{
    fh_device *device = NULL;
    aclError error = fh_abi_device(__func__, deviceId, &device);
    return error ? error : FH_RESULT(fh_device_use(device));
}

FH_EXPORT aclError aclrtResetDevice(int32_t deviceId)
{
    fh_device *device = NULL;
    aclError error = fh_abi_device(__func__, deviceId, &device);
    return error ? error : FH_RESULT(fh_device_leave(device));
}

FH_EXPORT aclError aclrtResetDeviceForce(int32_t deviceId)
{
    fh_device *device = NULL;
    aclError error = fh_abi_device(__func__, deviceId, &device);
    return error ? error : FH_RESULT(fh_device_reset(device));
}

FH_EXPORT aclError aclrtGetDevice(int32_t *deviceId)
{
    fh_context *context = NULL;
    FH_NEED(deviceId);
    aclError error = fh_abi_context(__func__, &context);
    if (!error)
        *deviceId = (int32_t)context->device->index;
    return error;
}

FH_EXPORT aclError aclrtGetRunMode(aclrtRunMode *runMode)
{
    FH_NEED(runMode);
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
}

FH_EXPORT aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus)
{
    fh_device *device = NULL;
    FH_NEED(deviceStatus);
    aclError error = fh_abi_device(__func__, deviceId, &device);
    if (!error)
        *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
    return error;
}

FH_EXPORT aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
    fh_context *context = NULL;
    aclError error = fh_abi_context(__func__, &context);
    if (error)
        return error;
    fh_status status = fh_device_synchronize(context->device, fh_abi_deadline(timeout));
    return fh_abi_stream_code(__func__, status, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
}

FH_EXPORT aclError aclrtSynchronizeDevice(void)
{
    return aclrtSynchronizeDeviceWithTimeout(-1);
}

FH_EXPORT aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active)
{
    fh_device *device = NULL;
    aclError error = fh_abi_device(__func__, deviceId, &device);
    if (error)
        return error;
    if (flags)
        *flags = 0;
    if (active) {
        fh_lock_take(&device->lock);
        *active = device->primary != NULL;
        fh_lock_release(&device->lock);
    }
    return ACL_SUCCESS;
}

/* Users, logic and physical numbers are the same here. */
static aclError same_number(const char *function, int32_t number, int32_t *same)
{
    fh_device *device = NULL;
    if (!same)
        return fh_abi_fail(function, ACL_ERROR_RT_PARAM_INVALID,
                           "the address of the result is NULL");
    aclError error = fh_abi_device(function, number, &device);
    if (!error)
        *same = number;
    return error;
}

FH_EXPORT aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t *const logicDevId)
{
    return same_number(__func__, userDevid, logicDevId);
}

FH_EXPORT aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId, int32_t *const userDevid)
{
    return same_number(__func__, logicDevId, userDevid);
}

FH_EXPORT aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t *const logicDevId)
{
    return same_number(__func__, phyDevId, logicDevId);
}

FH_EXPORT aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t *const phyDevId)
{
    return same_number(__func__, logicDevId, phyDevId);
}

/* ---- peers: all devices share one address space, so access is always there ---- */

static aclError two_devices(const char *function, int32_t deviceId, int32_t peerDeviceId)
{
    fh_device *device = NULL;
    aclError error = fh_abi_device(function, deviceId, &device);
    if (!error)
        error = fh_abi_device(function, peerDeviceId, &device);
    if (!error && deviceId == peerDeviceId)
        error = fh_abi_fail(function, ACL_ERROR_RT_PARAM_INVALID, "device %d is not its own peer",
                            deviceId);
    return error;
}

FH_EXPORT aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId,
                                            int32_t peerDeviceId)
{
    FH_NEED(canAccessPeer);
    aclError error = two_devices(__func__, deviceId, peerDeviceId);
    if (!error)
        *canAccessPeer = 1;
    return error;
}

static aclError with_peer(const char *function, int32_t peerDeviceId)
{
    fh_context *context = NULL;
    aclError error = fh_abi_context(function, &context);
    return error ? error : two_devices(function, (int32_t)context->device->index, peerDeviceId);
}

FH_EXPORT aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)
{
    if (flags)
        return FH_FAIL(ACL_ERROR_RT_PARAM_INVALID, "flags is %u; it must be 0", flags);
    return with_peer(__func__, peerDeviceId);
}

FH_EXPORT aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)
{
    return with_peer(__func__, peerDeviceId);
}

FH_EXPORT aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId,
                                               int32_t *status)
{
    FH_NEED(status);
    aclError error = two_devices(__func__, deviceId, peerDeviceId);
    if (!error)
        *status = 1;
    return error;
}

/* ---- contexts ---- */

FH_EXPORT aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
    fh_device *device = NULL;
    fh_context *made = NULL;
    FH_NEED(context);
    aclError error = fh_abi_device(__func__, deviceId, &device);
    if (error)
        return error;
    FH_TRY(fh_context_create(device, &made));
    *context = made;
    return ACL_SUCCESS;
}

static aclError context_of(const char *function, aclrtContext handle, fh_context **context)
{
    fh_status status = fh_runtime_start();
    if (status)
        return fh_abi_code(function, status);
    if (!fh_handle_is(FH_HANDLE_CONTEXT, handle))
        return fh_abi_fail(function, ACL_ERROR_RT_CONTEXT_NULL, "%p is no context: %s", handle,
                           fh_handle_name(handle));
    *context = handle;
    return ACL_SUCCESS;
}

FH_EXPORT aclError aclrtDestroyContext(aclrtContext context)
{
    fh_context *mine = NULL;
    aclError error = context_of(__func__, context, &mine);
    if (error)
        return error;
    if (mine->primary)
        return FH_FAIL(ACL_ERROR_RT_PARAM_INVALID,
                       "the context is device %u's primary one; aclrtResetDevice ends it",
                       mine->device->index);
    return FH_RESULT(fh_context_destroy(mine));
}

FH_EXPORT aclError aclrtSetCurrentContext(aclrtContext context)
{
    fh_context *mine = NULL;
    aclError error = context_of(__func__, context, &mine);
    if (!error)
        fh_context_set_current(mine);
    return error;
}

FH_EXPORT aclError aclrtGetCurrentContext(aclrtContext *context)
{
    fh_context *current = NULL;
    FH_NEED(context);
    aclError error = fh_abi_context(__func__, &current);
    if (!error)
        *context = current;
    return error;
}

FH_EXPORT aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream)
{
    fh_context *context = NULL;
    FH_NEED(stream);
    aclError error = fh_abi_context(__func__, &context);
    if (!error)
        *stream = context->default_stream;
    return error;
}
