/* Streams of acl_rt.h, and calls of the client in them. */
#include "device/abi/abi.h"

#include "base/memory.h"

static aclError create(const char *function, aclrtStream *stream, uint32_t priority, uint32_t flag)
{
    fh_context *context = NULL;
    fh_client_stream *made = NULL;
    aclError error = fh_abi_context(function, &context);
    if (error)
        return error;
    if (priority >= FH_STREAM_PRIORITIES)
        return fh_abi_fail(function, ACL_ERROR_RT_PARAM_INVALID,
                           "priority %u; it is 0 (first) to %d", priority,
                           FH_STREAM_PRIORITIES - 1);
    fh_status status = fh_client_stream_create(context, priority, flag, &made);
    if (!status)
        *stream = made;
    return fh_abi_code(function, status);
}

FH_EXPORT aclError aclrtCreateStream(aclrtStream *stream)
{
    FH_NEED(stream);
    return create(__func__, stream, 0, 0);
}

FH_EXPORT aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority,
                                               uint32_t flag)
{
    FH_NEED(stream);
    return create(__func__, stream, priority, flag);
}

FH_EXPORT aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority,
                                                     int32_t *greatestPriority)
{
    if (leastPriority)
        *leastPriority = FH_STREAM_PRIORITIES - 1;
    if (greatestPriority)
        *greatestPriority = 0;
    return ACL_SUCCESS;
}

static aclError destroy(const char *function, aclrtStream handle, bool force)
{
    fh_client_stream *stream = NULL;
    if (!handle)
        return fh_abi_fail(function, ACL_ERROR_RT_PARAM_INVALID,
                           "the default stream ends with its context");
    aclError error = fh_abi_stream(function, handle, &stream);
    if (error)
        return error;
    if (stream == stream->context->default_stream)
        return fh_abi_fail(function, ACL_ERROR_RT_PARAM_INVALID,
                           "the default stream ends with its context");
    return fh_abi_stream_code(function, fh_client_stream_destroy(stream, force),
                              ACL_ERROR_RT_INTERNAL_ERROR);
}

FH_EXPORT aclError aclrtDestroyStream(aclrtStream stream)
{
    return destroy(__func__, stream, false);
}

FH_EXPORT aclError aclrtDestroyStreamForce(aclrtStream stream)
{
    return destroy(__func__, stream, true);
}

FH_EXPORT aclError aclrtStreamAbort(aclrtStream stream)
{
    fh_client_stream *mine = NULL;
    aclError error = fh_abi_stream(__func__, stream, &mine);
    if (!error)
        fh_stream_abort(mine->stream);
    return error;
}

static aclError synchronize(const char *function, aclrtStream stream, int32_t timeout)
{
    fh_client_stream *mine = NULL;
    aclError error = fh_abi_stream(function, stream, &mine);
    if (error)
        return error;
    fh_status status = fh_stream_synchronize(mine->stream, fh_abi_deadline(timeout));
    return fh_abi_stream_code(function, status, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
}

FH_EXPORT aclError aclrtSynchronizeStream(aclrtStream stream)
{
    return synchronize(__func__, stream, -1);
}

FH_EXPORT aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
    return synchronize(__func__, stream, timeout);
}

FH_EXPORT aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)
{
    fh_client_stream *mine = NULL;
    FH_NEED(status);
    aclError error = fh_abi_stream(__func__, stream, &mine);
    if (error)
        return error;
    error =
        fh_abi_stream_code(__func__, fh_stream_failure(mine->stream), ACL_ERROR_RT_INTERNAL_ERROR);
    if (!error)
        *status =
            fh_stream_idle(mine->stream) ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    return error;
}

FH_EXPORT aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)
{
    fh_client_stream *mine = NULL;
    FH_NEED(streamId);
    aclError error = fh_abi_stream(__func__, stream, &mine);
    if (!error)
        *streamId = (int32_t)mine->id;
    return error;
}

FH_EXPORT aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority)
{
    fh_client_stream *mine = NULL;
    FH_NEED(priority);
    aclError error = fh_abi_stream(__func__, stream, &mine);
    if (!error)
        *priority = mine->stream->priority;
    return error;
}

FH_EXPORT aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)
{
    fh_client_stream *mine = NULL;
    FH_NEED(flags);
    aclError error = fh_abi_stream(__func__, stream, &mine);
    if (!error)
        *flags = mine->flags;
    return error;
}

/* ---- calls of the client ---- */

typedef struct {
    fh_task task;
    void (*function)(void *argument);
    void *argument;
} host_task;

static fh_status call_client(fh_task *task, const fh_team *team)
{
    (void)team;
    host_task *self = (host_task *)task;
    self->function(self->argument);
    return FH_OK;
}

static void free_task(fh_task *task)
{
    fh_free(task);
}

FH_EXPORT aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)
{
    fh_client_stream *mine = NULL;
    FH_NEED(fn);
    aclError error = fh_abi_stream(__func__, stream, &mine);
    if (error)
        return error;
    host_task *self = fh_alloc(sizeof *self);
    if (!self)
        return FH_FAIL(ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory for a task");
    *self = (host_task){
        .task = {.name = __func__, .run = call_client, .release = free_task, .place = FH_TASK_HOST},
        .function = fn,
        .argument = args};
    return FH_RESULT(fh_stream_append(mine->stream, &self->task));
}
