/* stream.h: ordered lists of tasks. task.h says what is ordered and seen.
 *
 * A stream is idle, ready (somebody should run it), owned (somebody does) or
 * parked at a moment. A task that fails makes its stream failed: what was
 * appended behind it is released without being run, moments behind it still
 * become done, so that nobody waits for ever, and what is appended later is
 * refused. Other streams go on.
 *
 * Any thread may call any function here.
 */
#ifndef FH_SCHED_STREAM_H
#define FH_SCHED_STREAM_H

#include "device/sched/event.h"
#include "device/sched/task.h"

enum { FH_STREAM_PRIORITIES = 8 }; /* 0 is served first, as in CANN */

typedef enum {
    FH_STREAM_IDLE,
    FH_STREAM_READY,
    FH_STREAM_OWNED,
    FH_STREAM_PARKED,
} fh_stream_state;

/* Takes what is appended while a stream does not run it itself: a graph that captures. Each call
 * is made without the stream's lock; a task or moment handed over is the sink's, also on failure.
 */
typedef struct fh_sink fh_sink;
struct fh_sink {
    fh_status (*append)(fh_sink *sink, fh_stream *stream, fh_task *task);
    fh_status (*record)(fh_sink *sink, fh_stream *stream, fh_event *event);
    fh_status (*wait)(fh_sink *sink, fh_stream *stream, fh_event *event);
};

struct fh_stream {
    _Atomic uint32_t references;
    uint32_t priority;
    fh_lock lock; /* guards what follows */
    fh_stream_state state;
    fh_status failed; /* of the task that failed */
    char failure[256];
    fh_task *first, **last;
    uint64_t appended, ended; /* tasks, ever */
    uint64_t wake_at;         /* the least count of `ended` that a sleeper wants */
    _Atomic uint32_t wakes;   /* sleepers sleep on it */
    fh_moment *parked_at;
    _Atomic(fh_sink *) sink;
    fh_stream *next_waiting; /* the moment's list */
    /* The engine's, under its lock. */
    fh_stream *next_ready;
    bool queued;
};

/* NULL when memory ran out; the caller holds the only reference. */
fh_stream *fh_stream_create(uint32_t priority);
fh_stream *fh_stream_keep(fh_stream *stream);
void fh_stream_drop(fh_stream *stream);

/* Appends a task, which is the stream's from here on, also on failure. Fails with FH_INVALID when
 * the stream has failed. The task may have ended when this returns. */
fh_status fh_stream_append(fh_stream *stream, fh_task *task);

/* Records `event` behind what was appended. Fails with FH_NO_MEMORY, or as fh_stream_append. */
fh_status fh_stream_record(fh_stream *stream, fh_event *event);

/* Lets what is appended from now on wait for what `event` names; nothing when it names nothing. */
fh_status fh_stream_wait(fh_stream *stream, fh_event *event);

/* Waits until all that was appended has ended. Returns FH_INTERRUPTED when `deadline` passed (the
 * tasks go on), or the failure of the stream, with its message. */
fh_status fh_stream_synchronize(fh_stream *stream, uint64_t deadline);

/* Whether all that was appended has ended. */
bool fh_stream_idle(fh_stream *stream);

/* Releases the tasks that have not begun, and waits for the one that runs. The stream is then as
 * new, also when it had failed. */
void fh_stream_abort(fh_stream *stream);

/* The failure with its message in fh_error_message(), or FH_OK. */
fh_status fh_stream_failure(fh_stream *stream);

/* For the engine and moments. Runs tasks of a stream whose owner the caller has become. `runner`
 * says what the calling thread may run; when the next task is not for it, or `until` tasks have
 * ended, the stream is made ready again for others. */
void fh_stream_run(fh_stream *stream, fh_task_place runner, uint64_t until, const fh_team *team);

/* Becomes the owner of a ready stream whose next task `runner` may run. */
bool fh_stream_claim(fh_stream *stream, fh_task_place runner);

/* Makes a parked stream ready. */
void fh_stream_unpark(fh_stream *stream);

/* Runs what stands before the end of `stream` on this thread, as long as there is something that
 * it may run; follows moments to the streams that they belong to. */
void fh_stream_help(fh_stream *stream, uint64_t until);

#endif
