/* abi.h: what every exported function does the same way.
 *
 * An exported function checks its arguments, finds what its handles are, calls
 * the layers below and turns their status into CANN's code. On failure it has
 * described what happened, beginning with its own name, for
 * aclGetRecentErrMsg. It never returns success for work that was not done: what
 * is not built is refused by name.
 */
#ifndef FH_ABI_ABI_H
#define FH_ABI_ABI_H

#include "device/rt/device.h"
#include <acl/acl.h>

#define FH_EXPORT __attribute__((visibility("default")))

/* Describes a failure of the exported function `function` and returns `code`. */
aclError fh_abi_fail(const char *function, aclError code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The code for a status of the layers below, described as fh_error_message() says. */
aclError fh_abi_code(const char *function, fh_status status);

/* The same for what a stream that was waited for says: its tasks' failure, or the time-out. */
aclError fh_abi_stream_code(const char *function, fh_status status, aclError timed_out);

/* What a function that is not built returns. */
aclError fh_abi_refuse(const char *function);

#define FH_FAIL(code, ...) fh_abi_fail(__func__, code, __VA_ARGS__)
#define FH_RESULT(status) fh_abi_code(__func__, status)

/* Returns from the exported function unless the status is FH_OK. */
#define FH_TRY(call) \
    do { \
        fh_status tried_ = (call); \
        if (tried_) \
            return fh_abi_code(__func__, tried_); \
    } while (0)

/* Returns from the exported function when a pointer argument is NULL. */
#define FH_NEED(pointer) \
    do { \
        if (!(pointer)) \
            return FH_FAIL(ACL_ERROR_RT_PARAM_INVALID, #pointer " is NULL"); \
    } while (0)

/* The device of a number, the current context, and the stream of a handle (NULL is the current
 * context's default stream). Describe a failure and return its code. */
aclError fh_abi_device(const char *function, int64_t number, fh_device **device);
aclError fh_abi_context(const char *function, fh_context **context);
aclError fh_abi_stream(const char *function, aclrtStream handle, fh_client_stream **stream);
aclError fh_abi_event(const char *function, aclrtEvent handle, fh_client_event **event);

/* A time-out of `milliseconds` from now on as a deadline; -1 is none. */
uint64_t fh_abi_deadline(int32_t milliseconds);

#endif
