/* device.h: devices, contexts, and the streams and events that clients hold.
 *
 * device    a software Ascend chip: memory, contexts, streams
 * context   what streams and events belong to. Each device has a primary one, which
 *           fh_device_use makes current; clients can create more
 * current   each thread has a current context, and by it a device
 *
 * The devices are made once, by fh_runtime_start. Any thread may call any
 * function here. A device's lock guards the lists of its contexts and streams.
 */
#ifndef FH_RT_DEVICE_H
#define FH_RT_DEVICE_H

#include "device/mem/device_memory.h"
#include "device/rt/handle.h"
#include "device/rt/options.h"
#include "device/sched/stream.h"

typedef struct fh_device fh_device;
typedef struct fh_context fh_context;

/* A client's stream. */
typedef struct fh_client_stream fh_client_stream;
struct fh_client_stream {
    fh_handle head;
    uint32_t id; /* unique in the process, from 0 */
    uint32_t flags;
    fh_stream *stream;
    fh_context *context;
    fh_client_stream *next, **link; /* the context's list */
};

/* A client's event. */
typedef struct {
    fh_handle head;
    uint32_t id, flags;
    fh_event event;
    fh_context *context;
} fh_client_event;

struct fh_context {
    fh_handle head;
    fh_device *device;
    fh_client_stream *default_stream;
    fh_client_stream *streams; /* with the default one */
    bool primary;
    fh_context *next;
};

struct fh_device {
    uint32_t index;
    fh_lock lock;
    fh_device_memory *memory; /* made with the first context */
    fh_context *primary;      /* NULL while nobody uses the device */
    uint32_t users;           /* fh_device_use minus fh_device_leave */
    fh_context *contexts;
    uint32_t stream_count;
};

/* Reads the options and reserves the addresses; nothing the second time. Fails as fh_options_read
 * and fh_space_create, and with FH_UNSUPPORTED in a forked child. */
fh_status fh_runtime_start(void);

const fh_options *fh_runtime_options(void); /* after fh_runtime_start */
fh_device *fh_device_at(uint32_t index);    /* NULL when there is none of that number */

/* Gives a device its memory, with its first use. Fails as fh_device_memory_create. */
fh_status fh_device_prepare(fh_device *device);

/* Makes the primary context of a device current on this thread, and counts a user. */
fh_status fh_device_use(fh_device *device);

/* Takes a user away; the last one destroys the device's contexts, streams and memory, after waiting
 * for what runs. */
fh_status fh_device_leave(fh_device *device);

/* Destroys everything of a device, however many users it has. */
fh_status fh_device_reset(fh_device *device);

/* Waits for all streams of a device; fails as fh_stream_synchronize, with the first failure. */
fh_status fh_device_synchronize(fh_device *device, uint64_t deadline);

/* A new context, current on this thread. The caller destroys it. */
fh_status fh_context_create(fh_device *device, fh_context **context);
fh_status fh_context_destroy(fh_context *context);

/* The current context of this thread, or NULL: nothing was set, or it was destroyed since. */
fh_context *fh_context_current(void);
void fh_context_set_current(fh_context *context); /* NULL sets none */

/* Fails with FH_LIMIT when the device has as many as its chip gives out (the message names it). */
fh_status fh_client_stream_create(fh_context *context, uint32_t priority, uint32_t flags,
                                  fh_client_stream **stream);

/* Waits for what was appended, or with `force` aborts it, and destroys the stream. */
fh_status fh_client_stream_destroy(fh_client_stream *stream, bool force);

#endif
