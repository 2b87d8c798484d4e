#include "device/rt/device.h"
#include "base/memory.h"

/* Counts the streams of the process, for their ids. */
static _Atomic uint32_t next_stream;

/* The context that this thread set last; it may have been destroyed since. */
static _Thread_local fh_context *current;

fh_context *fh_context_current(void)
{
    if (current && !fh_handle_is(FH_HANDLE_CONTEXT, current))
        current = NULL;
    return current;
}

void fh_context_set_current(fh_context *context)
{
    current = context;
}

/* ---- streams ---- */

fh_status fh_client_stream_create(fh_context *context, uint32_t priority, uint32_t flags,
                                  fh_client_stream **out)
{
    fh_client_stream *stream = fh_handle_take(FH_HANDLE_STREAM, sizeof *stream);
    if (!stream)
        return FH_LIMIT;
    fh_stream *list = fh_stream_create(priority);
    if (!list) {
        fh_handle_give(FH_HANDLE_STREAM, stream);
        return fh_error(FH_NO_MEMORY, "no host memory for a stream");
    }
    stream->id = atomic_fetch_add(&next_stream, 1);
    stream->flags = flags;
    stream->stream = list;
    stream->context = context;
    fh_device *device = context->device;
    fh_lock_take(&device->lock);
    stream->next = context->streams;
    stream->link = &context->streams;
    if (stream->next)
        stream->next->link = &stream->next;
    context->streams = stream;
    device->stream_count++;
    fh_lock_release(&device->lock);
    *out = stream;
    return FH_OK;
}

fh_status fh_client_stream_destroy(fh_client_stream *stream, bool force)
{
    fh_stream *list = stream->stream;
    fh_device *device = stream->context->device;
    fh_status status = FH_OK;
    if (force)
        fh_stream_abort(list);
    else
        status = fh_stream_synchronize(list, FH_WAIT_FOREVER);
    fh_lock_take(&device->lock);
    bool ours = fh_handle_give(FH_HANDLE_STREAM, stream);
    if (ours) {
        *stream->link = stream->next;
        if (stream->next)
            stream->next->link = stream->link;
        device->stream_count--;
    }
    fh_lock_release(&device->lock);
    if (!ours)
        return fh_error(FH_INVALID, "the stream was destroyed by another thread");
    fh_stream_drop(list);
    return status;
}

/* ---- contexts ---- */

static fh_status make_context(fh_device *device, bool primary, fh_context **out)
{
    fh_context *context = fh_handle_take(FH_HANDLE_CONTEXT, sizeof *context);
    if (!context)
        return FH_LIMIT;
    context->device = device;
    context->default_stream = NULL;
    context->streams = NULL;
    context->primary = primary;
    fh_status status = fh_client_stream_create(context, 0, 0, &context->default_stream);
    if (status) {
        fh_handle_give(FH_HANDLE_CONTEXT, context);
        return status;
    }
    fh_lock_take(&device->lock);
    context->next = device->contexts;
    device->contexts = context;
    fh_lock_release(&device->lock);
    *out = context;
    return FH_OK;
}

fh_status fh_device_prepare(fh_device *device)
{
    fh_lock_take(&device->lock);
    fh_status status =
        device->memory
            ? FH_OK
            : fh_device_memory_create(device->index, fh_runtime_options()->memory, &device->memory);
    fh_lock_release(&device->lock);
    return status;
}

fh_status fh_context_create(fh_device *device, fh_context **out)
{
    fh_context *context;
    fh_status status = fh_device_prepare(device);
    if (!status)
        status = make_context(device, false, &context);
    if (status)
        return status;
    current = context;
    *out = context;
    return FH_OK;
}

fh_status fh_context_destroy(fh_context *context)
{
    fh_device *device = context->device;
    while (context->streams)
        fh_client_stream_destroy(context->streams, true);
    fh_lock_take(&device->lock);
    for (fh_context **at = &device->contexts; *at; at = &(*at)->next)
        if (*at == context) {
            *at = context->next;
            break;
        }
    if (device->primary == context)
        device->primary = NULL;
    bool ours = fh_handle_give(FH_HANDLE_CONTEXT, context);
    fh_lock_release(&device->lock);
    if (current == context)
        current = NULL;
    return ours ? FH_OK : fh_error(FH_INVALID, "the context was destroyed by another thread");
}

/* ---- devices ---- */

fh_status fh_device_use(fh_device *device)
{
    fh_status status = fh_device_prepare(device);
    if (status)
        return status;
    fh_lock_take(&device->lock);
    fh_context *primary = device->primary;
    fh_lock_release(&device->lock);
    if (!primary) {
        fh_context *made;
        status = make_context(device, true, &made);
        if (status)
            return status;
        fh_lock_take(&device->lock);
        if (!device->primary)
            device->primary = made;
        primary = device->primary;
        fh_lock_release(&device->lock);
        if (primary != made)
            fh_context_destroy(made);
    }
    if (current != primary) {
        fh_lock_take(&device->lock);
        device->users++;
        fh_lock_release(&device->lock);
    }
    current = primary;
    return FH_OK;
}

fh_status fh_device_reset(fh_device *device)
{
    while (device->contexts)
        fh_context_destroy(device->contexts);
    fh_lock_take(&device->lock);
    device->users = 0;
    fh_status status = device->memory ? fh_device_memory_reset(device->memory) : FH_OK;
    fh_lock_release(&device->lock);
    return status;
}

fh_status fh_device_leave(fh_device *device)
{
    fh_lock_take(&device->lock);
    bool last = device->users <= 1;
    if (!last)
        device->users--;
    fh_lock_release(&device->lock);
    return last ? fh_device_reset(device) : FH_OK;
}

fh_status fh_device_synchronize(fh_device *device, uint64_t deadline)
{
    fh_status first = FH_OK;
    fh_stream *streams[256];
    /* References are taken under the lock and waited for without it: a stream may be destroyed, and
     * others made, meanwhile. Those made later need not be waited for. */
    uint32_t passed = 0, count;
    do {
        uint32_t seen = 0;
        count = 0;
        fh_lock_take(&device->lock);
        for (fh_context *context = device->contexts; context; context = context->next)
            for (fh_client_stream *each = context->streams; each; each = each->next)
                if (seen++ >= passed && count < sizeof streams / sizeof *streams)
                    streams[count++] = fh_stream_keep(each->stream);
        fh_lock_release(&device->lock);
        passed += count;
        for (uint32_t i = 0; i < count; i++) {
            fh_status status = fh_stream_synchronize(streams[i], deadline);
            if (!first)
                first = status;
            fh_stream_drop(streams[i]);
        }
    } while (count == sizeof streams / sizeof *streams);
    return first;
}
