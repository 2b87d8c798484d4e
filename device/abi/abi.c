#include "device/abi/abi.h"
#include "os/clock.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[2048];
static _Thread_local bool has_message;
static _Thread_local aclError last_error;

aclError fh_abi_fail(const char *function, aclError code, const char *format, ...)
{
    va_list arguments;
    int length = snprintf(message, sizeof message, "%s: ", function);
    va_start(arguments, format);
    vsnprintf(message + length, sizeof message - (size_t)length, format, arguments);
    va_end(arguments);
    has_message = true;
    last_error = code;
    return code;
}

static aclError code_of(fh_status status)
{
    switch (status) {
    case FH_OK:
        return ACL_SUCCESS;
    case FH_NO_MEMORY:
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    case FH_INVALID:
        return ACL_ERROR_RT_PARAM_INVALID;
    case FH_NOT_FOUND:
        return ACL_ERROR_RT_INVALID_HANDLE;
    case FH_UNSUPPORTED:
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    case FH_LIMIT:
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    case FH_IO:
    case FH_INTERRUPTED:
        return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    }
    return ACL_ERROR_RT_INTERNAL_ERROR;
}

aclError fh_abi_code(const char *function, fh_status status)
{
    return status ? fh_abi_fail(function, code_of(status), "%s", fh_error_message()) : ACL_SUCCESS;
}

aclError fh_abi_stream_code(const char *function, fh_status status, aclError timed_out)
{
    if (!status)
        return ACL_SUCCESS;
    aclError code = status == FH_INTERRUPTED ? timed_out : ACL_ERROR_RT_AICORE_EXCEPTION;
    return fh_abi_fail(function, code, "%s", fh_error_message());
}

aclError fh_abi_refuse(const char *function)
{
    return fh_abi_fail(function, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                       "not built in this software device");
}

FH_EXPORT const char *aclGetRecentErrMsg(void)
{
    /* As in CANN, a message is told once. The text stays where it is until the next failure. */
    const char *text = has_message ? message : "";
    has_message = false;
    return text;
}

FH_EXPORT aclError aclrtPeekAtLastError(aclrtLastErrLevel level)
{
    if (level != ACL_RT_THREAD_LEVEL)
        return FH_FAIL(ACL_ERROR_RT_PARAM_INVALID, "level %d; only that of the thread (0) is known",
                       level);
    return last_error;
}

FH_EXPORT aclError aclrtGetLastError(aclrtLastErrLevel level)
{
    aclError error = aclrtPeekAtLastError(level);
    last_error = ACL_SUCCESS;
    return error;
}

aclError fh_abi_device(const char *function, int64_t number, fh_device **device)
{
    fh_status status = fh_runtime_start();
    if (status)
        return fh_abi_code(function, status);
    *device = number < 0 || number > UINT32_MAX ? NULL : fh_device_at((uint32_t)number);
    return *device ? ACL_SUCCESS
                   : fh_abi_fail(function, ACL_ERROR_RT_INVALID_DEVICEID,
                                 "device %lld does not exist; there are %u (FOOTHOLD_DEVICES)",
                                 (long long)number, fh_runtime_options()->devices);
}

aclError fh_abi_context(const char *function, fh_context **context)
{
    fh_status status = fh_runtime_start();
    if (status)
        return fh_abi_code(function, status);
    *context = fh_context_current();
    return *context ? ACL_SUCCESS
                    : fh_abi_fail(function, ACL_ERROR_RT_CONTEXT_NULL,
                                  "this thread has no context; call aclrtSetDevice first");
}

aclError fh_abi_stream(const char *function, aclrtStream handle, fh_client_stream **stream)
{
    if (!handle) {
        fh_context *context;
        aclError error = fh_abi_context(function, &context);
        if (!error)
            *stream = context->default_stream;
        return error;
    }
    fh_status status = fh_runtime_start();
    if (status)
        return fh_abi_code(function, status);
    if (!fh_handle_is(FH_HANDLE_STREAM, handle))
        return fh_abi_fail(function, ACL_ERROR_RT_INVALID_HANDLE, "%p is no stream: %s", handle,
                           fh_handle_name(handle));
    *stream = handle;
    return ACL_SUCCESS;
}

aclError fh_abi_event(const char *function, aclrtEvent handle, fh_client_event **event)
{
    fh_status status = fh_runtime_start();
    if (status)
        return fh_abi_code(function, status);
    if (!fh_handle_is(FH_HANDLE_EVENT, handle))
        return fh_abi_fail(function, ACL_ERROR_RT_INVALID_HANDLE, "%p is no event: %s", handle,
                           fh_handle_name(handle));
    *event = handle;
    return ACL_SUCCESS;
}

uint64_t fh_abi_deadline(int32_t milliseconds)
{
    return milliseconds < 0 ? FH_WAIT_FOREVER : fh_clock_now() + (uint64_t)milliseconds * 1000000;
}
