/* Events of acl_rt.h. */
#include "device/abi/abi.h"

enum {
    KNOWN_FLAGS = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE |
                  ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL
};

static aclError create(const char *function, aclrtEvent *event, uint32_t flag)
{
    static _Atomic uint32_t next;
    fh_context *context = NULL;
    if (!event)
        return fh_abi_fail(function, ACL_ERROR_RT_PARAM_INVALID, "event is NULL");
    if (flag & ~(uint32_t)KNOWN_FLAGS)
        return fh_abi_fail(function, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                           "flags 0x%x: 0x%x is not supported", flag,
                           flag & ~(uint32_t)KNOWN_FLAGS);
    aclError error = fh_abi_context(function, &context);
    if (error)
        return error;
    fh_client_event *made = fh_handle_take(FH_HANDLE_EVENT, sizeof *made);
    if (!made)
        return fh_abi_fail(function, ACL_ERROR_RT_NO_EVENT_RESOURCE, "%s", fh_error_message());
    made->id = atomic_fetch_add(&next, 1);
    made->flags = flag;
    made->context = context;
    made->event = (fh_event){0};
    *event = made;
    return ACL_SUCCESS;
}

/* An event without flags can be asked for its time, as in CANN. */
FH_EXPORT aclError aclrtCreateEvent(aclrtEvent *event)
{
    return create(__func__, event, ACL_EVENT_TIME_LINE);
}

FH_EXPORT aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
    return create(__func__, event, flag);
}

FH_EXPORT aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
    return create(__func__, event, flag);
}

FH_EXPORT aclError aclrtDestroyEvent(aclrtEvent event)
{
    fh_client_event *mine = NULL;
    aclError error = fh_abi_event(__func__, event, &mine);
    if (error)
        return error;
    fh_event_replace(&mine->event, NULL);
    if (!fh_handle_give(FH_HANDLE_EVENT, mine))
        return FH_FAIL(ACL_ERROR_RT_INVALID_HANDLE, "the event was destroyed by another thread");
    return ACL_SUCCESS;
}

static aclError both(const char *function, aclrtEvent event, aclrtStream stream,
                     fh_client_event **mine, fh_client_stream **on)
{
    aclError error = fh_abi_event(function, event, mine);
    return error ? error : fh_abi_stream(function, stream, on);
}

FH_EXPORT aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    fh_client_event *mine = NULL;
    fh_client_stream *on = NULL;
    aclError error = both(__func__, event, stream, &mine, &on);
    return error ? error : FH_RESULT(fh_stream_record(on->stream, &mine->event));
}

/* Recording makes a new moment each time, so there is nothing to clear before. */
FH_EXPORT aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
    fh_client_event *mine = NULL;
    fh_client_stream *on = NULL;
    return both(__func__, event, stream, &mine, &on);
}

static aclError wait(const char *function, aclrtStream stream, aclrtEvent event)
{
    fh_client_event *mine = NULL;
    fh_client_stream *on = NULL;
    aclError error = both(function, event, stream, &mine, &on);
    return error ? error : fh_abi_code(function, fh_stream_wait(on->stream, &mine->event));
}

FH_EXPORT aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
    return wait(__func__, stream, event);
}

FH_EXPORT aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event,
                                                   int32_t timeout)
{
    if (timeout > 0)
        return FH_FAIL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                       "a time-out of a wait on the device (%d ms) is not built; use -1", timeout);
    return wait(__func__, stream, event);
}

static aclError synchronize(const char *function, aclrtEvent event, int32_t timeout)
{
    fh_client_event *mine = NULL;
    aclError error = fh_abi_event(function, event, &mine);
    if (error)
        return error;
    fh_moment *moment = fh_event_moment(&mine->event);
    bool in_time = !moment || fh_moment_wait(moment, fh_abi_deadline(timeout));
    fh_moment_drop(moment);
    return in_time ? ACL_SUCCESS
                   : fh_abi_fail(function, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
                                 "the event was not done within %d ms", timeout);
}

FH_EXPORT aclError aclrtSynchronizeEvent(aclrtEvent event)
{
    return synchronize(__func__, event, -1);
}

FH_EXPORT aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
    return synchronize(__func__, event, timeout);
}

/* Whether what the event names is done; nothing recorded counts as done. */
static aclError query(const char *function, aclrtEvent event, bool *done)
{
    fh_client_event *mine = NULL;
    aclError error = fh_abi_event(function, event, &mine);
    if (error)
        return error;
    fh_moment *moment = fh_event_moment(&mine->event);
    *done = !moment || fh_moment_done(moment);
    fh_moment_drop(moment);
    return ACL_SUCCESS;
}

FH_EXPORT aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status)
{
    bool done = false;
    FH_NEED(status);
    aclError error = query(__func__, event, &done);
    if (!error)
        *status = done ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
    return error;
}

FH_EXPORT aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)
{
    bool done = false;
    FH_NEED(status);
    aclError error = query(__func__, event, &done);
    if (!error)
        *status = done ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return error;
}

FH_EXPORT aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status)
{
    bool done = false;
    FH_NEED(status);
    aclError error = query(__func__, event, &done);
    if (!error)
        *status = done ? ACL_EVENT_WAIT_STATUS_COMPLETE : ACL_EVENT_WAIT_STATUS_NOT_READY;
    return error;
}

/* Nanoseconds of the clock at which the event was done. */
static aclError time_of(const char *function, aclrtEvent event, uint64_t *time)
{
    fh_client_event *mine = NULL;
    aclError error = fh_abi_event(function, event, &mine);
    if (error)
        return error;
    fh_moment *moment = fh_event_moment(&mine->event);
    if (!moment || !(mine->flags & ACL_EVENT_TIME_LINE))
        error = fh_abi_fail(function, ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                            moment ? "the event keeps no time; create it with ACL_EVENT_TIME_LINE"
                                   : "the event was never recorded");
    else if (!fh_moment_done(moment))
        error = fh_abi_fail(function, ACL_ERROR_RT_EVENT_NOT_COMPLETE,
                            "the event is not done; call aclrtSynchronizeEvent first");
    else
        *time = moment->time;
    fh_moment_drop(moment);
    return error;
}

FH_EXPORT aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
    uint64_t start = 0, end = 0;
    FH_NEED(ms);
    aclError error = time_of(__func__, startEvent, &start);
    if (!error)
        error = time_of(__func__, endEvent, &end);
    if (!error)
        *ms = (float)((double)(int64_t)(end - start) / 1e6);
    return error;
}

/* Microseconds, as CANN's. */
FH_EXPORT aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp)
{
    uint64_t time = 0;
    FH_NEED(timestamp);
    aclError error = time_of(__func__, event, &time);
    if (!error)
        *timestamp = time / 1000;
    return error;
}

FH_EXPORT aclError aclrtGetEventId(aclrtEvent event, uint32_t *eventId)
{
    fh_client_event *mine = NULL;
    FH_NEED(eventId);
    aclError error = fh_abi_event(__func__, event, &mine);
    if (!error)
        *eventId = mine->id;
    return error;
}
