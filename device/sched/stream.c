#include "device/sched/stream.h"
#include "base/memory.h"
#include "device/sched/engine.h"

#include <stdio.h>

/* Tasks of a stream that a worker runs in a row at least, before it turns to another that is ready.
 */
enum { TURN = 32 };

/* What the scheduler itself appends: a moment to set done, or to stand at. */
typedef struct {
    fh_task task;
    fh_moment *moment;
} moment_task;

fh_stream *fh_stream_create(uint32_t priority)
{
    fh_stream *stream = fh_alloc_zero(1, sizeof *stream);
    if (!stream)
        return NULL;
    atomic_init(&stream->references, 1);
    stream->priority = priority < FH_STREAM_PRIORITIES ? priority : FH_STREAM_PRIORITIES - 1;
    stream->last = &stream->first;
    stream->wake_at = UINT64_MAX;
    return stream;
}

fh_stream *fh_stream_keep(fh_stream *stream)
{
    atomic_fetch_add_explicit(&stream->references, 1, memory_order_relaxed);
    return stream;
}

/* A stream with tasks is kept by the engine, by a moment or by its owner: the last one has none. */
void fh_stream_drop(fh_stream *stream)
{
    if (atomic_fetch_sub_explicit(&stream->references, 1, memory_order_acq_rel) == 1)
        fh_free(stream);
}

/* ---- running ---- */

static fh_status record_run(fh_task *task, const fh_team *team)
{
    (void)team;
    fh_moment_set(((moment_task *)task)->moment);
    return FH_OK;
}

/* Never called: its address says what the task is. */
static fh_status wait_run(fh_task *task, const fh_team *team)
{
    (void)task, (void)team;
    return FH_OK;
}

static void moment_release(fh_task *task)
{
    fh_moment_drop(((moment_task *)task)->moment);
    fh_free(task);
}

static bool may_run(fh_task_place runner, const fh_task *task)
{
    switch (runner) {
    case FH_TASK_ANYWHERE:
        return task->place == FH_TASK_ANYWHERE;
    case FH_TASK_WORKER:
        return task->place != FH_TASK_HOST;
    case FH_TASK_HOST:
        return task->place == FH_TASK_HOST;
    }
    return false;
}

static fh_task *take_first(fh_stream *stream)
{
    fh_task *task = stream->first;
    stream->first = task->next;
    if (!stream->first)
        stream->last = &stream->first;
    return task;
}

/* Counts a task that has ended, and wakes those who wanted it to. The lock is held. */
static void count_ended(fh_stream *stream)
{
    if (++stream->ended < stream->wake_at)
        return;
    stream->wake_at = UINT64_MAX;
    atomic_fetch_add(&stream->wakes, 1);
    fh_wake_all(&stream->wakes);
}

/* The stream's next owner is somebody else. The lock is held, and released. */
static void hand_over(fh_stream *stream)
{
    fh_task_place place = stream->first->place;
    stream->state = FH_STREAM_READY;
    fh_lock_release(&stream->lock);
    fh_engine_push(stream, place);
}

static void fail(fh_stream *stream, fh_status status, const char *name)
{
    stream->failed = status;
    snprintf(stream->failure, sizeof stream->failure, "%s: %s", name, fh_error_message());
}

/* Stands at the moment of the first task, a wait. The lock is held, and again when this returns
 * false: the moment is done. When it returns true the stream is no longer the caller's. */
static bool park(fh_stream *stream)
{
    fh_moment *moment = ((moment_task *)stream->first)->moment;
    if (fh_moment_done(moment))
        return false;
    /* Parked first: the moment may unpark the stream before fh_moment_park returns. */
    stream->state = FH_STREAM_PARKED;
    stream->parked_at = fh_moment_keep(moment);
    fh_lock_release(&stream->lock);
    if (fh_moment_park(moment, stream))
        return true;
    fh_lock_take(&stream->lock);
    stream->state = FH_STREAM_OWNED;
    stream->parked_at = NULL;
    fh_moment_drop(moment);
    return false;
}

void fh_stream_run(fh_stream *stream, fh_task_place runner, uint64_t until, const fh_team *team)
{
    fh_lock_take(&stream->lock);
    uint64_t turn = stream->ended + TURN;
    while (stream->first) {
        fh_task *task = stream->first;
        bool is_wait = task->run == wait_run;
        bool skip = is_wait || (stream->failed && task->run != record_run);
        bool yields = stream->ended >= turn && runner == FH_TASK_WORKER && fh_engine_crowded();
        if (yields || stream->ended >= until || (!skip && !may_run(runner, task))) {
            hand_over(stream);
            return;
        }
        if (is_wait && !stream->failed && park(stream))
            return;
        take_first(stream);
        fh_lock_release(&stream->lock);
        fh_status status = skip ? FH_OK : task->run(task, team);
        const char *name = task->name;
        task->release(task);
        fh_lock_take(&stream->lock);
        if (status && !stream->failed)
            fail(stream, status, name);
        count_ended(stream);
    }
    stream->state = FH_STREAM_IDLE;
    fh_lock_release(&stream->lock);
}

bool fh_stream_claim(fh_stream *stream, fh_task_place runner)
{
    fh_lock_take(&stream->lock);
    if (stream->state != FH_STREAM_READY) {
        fh_lock_release(&stream->lock);
        return false;
    }
    if (may_run(runner, stream->first)) {
        stream->state = FH_STREAM_OWNED;
        fh_lock_release(&stream->lock);
        return true;
    }
    /* It was in this runner's queue for an earlier task: to the other one. */
    if (runner != FH_TASK_ANYWHERE)
        hand_over(stream);
    else
        fh_lock_release(&stream->lock);
    return false;
}

void fh_stream_unpark(fh_stream *stream)
{
    fh_lock_take(&stream->lock);
    fh_moment *moment = stream->parked_at;
    stream->parked_at = NULL;
    hand_over(stream);
    fh_moment_drop(moment);
}

/* ---- appending ---- */

static fh_status refuse(fh_stream *stream)
{
    return fh_error(stream->failed, "the stream has failed before: %s", stream->failure);
}

/* Puts a task at the end of a stream and sees that somebody runs it. */
static fh_status append(fh_stream *stream, fh_task *task)
{
    task->next = NULL;
    fh_lock_take(&stream->lock);
    if (stream->failed) {
        fh_status status = refuse(stream);
        fh_lock_release(&stream->lock);
        task->release(task);
        return status;
    }
    *stream->last = task;
    stream->last = &task->next;
    uint64_t ticket = ++stream->appended;
    if (stream->state != FH_STREAM_IDLE) {
        fh_lock_release(&stream->lock);
    } else if (task->place == FH_TASK_ANYWHERE && task->cost <= FH_TASK_SMALL) {
        stream->state = FH_STREAM_OWNED;
        fh_lock_release(&stream->lock);
        fh_stream_run(stream, FH_TASK_ANYWHERE, ticket, &fh_team_alone);
    } else {
        hand_over(stream);
    }
    return FH_OK;
}

fh_status fh_stream_append(fh_stream *stream, fh_task *task)
{
    fh_sink *sink = atomic_load_explicit(&stream->sink, memory_order_acquire);
    return sink ? sink->append(sink, stream, task) : append(stream, task);
}

static fh_status append_moment(fh_stream *stream, fh_moment *moment, const char *name,
                               fh_status (*run)(fh_task *, const fh_team *))
{
    moment_task *task = fh_alloc_zero(1, sizeof *task);
    if (!task)
        return fh_error(FH_NO_MEMORY, "%s: out of host memory", name);
    task->task = (fh_task){.name = name, .run = run, .release = moment_release};
    task->moment = fh_moment_keep(moment);
    return append(stream, &task->task);
}

fh_status fh_stream_record(fh_stream *stream, fh_event *event)
{
    fh_sink *sink = atomic_load_explicit(&stream->sink, memory_order_acquire);
    if (sink)
        return sink->record(sink, stream, event);
    fh_lock_take(&stream->lock);
    bool idle = stream->state == FH_STREAM_IDLE, failed = stream->failed != FH_OK;
    uint64_t ticket = stream->appended + 1;
    fh_status status = failed ? refuse(stream) : FH_OK;
    fh_lock_release(&stream->lock);
    if (status || (idle && fh_event_touch(event)))
        return status;
    fh_moment *moment = fh_moment_create(idle ? NULL : stream);
    if (!moment)
        return fh_error(FH_NO_MEMORY, "record: out of host memory");
    moment->ticket = ticket;
    if (!idle)
        status = append_moment(stream, moment, "record", record_run);
    if (status)
        fh_moment_drop(moment);
    else
        fh_event_replace(event, moment);
    return status;
}

fh_status fh_stream_wait(fh_stream *stream, fh_event *event)
{
    fh_sink *sink = atomic_load_explicit(&stream->sink, memory_order_acquire);
    if (sink)
        return sink->wait(sink, stream, event);
    fh_moment *moment = fh_event_moment(event);
    fh_status status = FH_OK;
    if (moment && !fh_moment_done(moment))
        status = append_moment(stream, moment, "wait", wait_run);
    fh_moment_drop(moment);
    return status;
}

/* ---- waiting ---- */

void fh_stream_help(fh_stream *stream, uint64_t until)
{
    if (fh_stream_claim(stream, FH_TASK_ANYWHERE))
        fh_stream_run(stream, FH_TASK_ANYWHERE, until, fh_engine_team());
    for (;;) {
        fh_lock_take(&stream->lock);
        fh_moment *moment = stream->ended < until && stream->state == FH_STREAM_PARKED
                                ? fh_moment_keep(stream->parked_at)
                                : NULL;
        fh_lock_release(&stream->lock);
        if (!moment)
            return;
        fh_moment_help(moment);
        bool done = fh_moment_done(moment);
        fh_moment_drop(moment);
        if (!done)
            return; /* somebody else runs what it stands behind */
        if (fh_stream_claim(stream, FH_TASK_ANYWHERE))
            fh_stream_run(stream, FH_TASK_ANYWHERE, until, fh_engine_team());
    }
}

fh_status fh_stream_synchronize(fh_stream *stream, uint64_t deadline)
{
    fh_lock_take(&stream->lock);
    uint64_t target = stream->appended;
    bool in_time = true;
    if (stream->ended < target && deadline == FH_WAIT_FOREVER) {
        fh_lock_release(&stream->lock);
        fh_stream_help(stream, target);
        fh_lock_take(&stream->lock);
    }
    while (stream->ended < target && in_time) {
        if (stream->wake_at > target)
            stream->wake_at = target;
        uint32_t seen = atomic_load(&stream->wakes);
        fh_lock_release(&stream->lock);
        in_time = fh_wait_while(&stream->wakes, seen, deadline);
        fh_lock_take(&stream->lock);
    }
    bool done = stream->ended >= target;
    fh_status status = stream->failed ? fh_error(stream->failed, "%s", stream->failure) : FH_OK;
    fh_lock_release(&stream->lock);
    return done ? status
                : fh_error(FH_INTERRUPTED, "the time-out passed before the stream was done");
}

bool fh_stream_idle(fh_stream *stream)
{
    fh_lock_take(&stream->lock);
    bool idle = stream->ended == stream->appended;
    fh_lock_release(&stream->lock);
    return idle;
}

fh_status fh_stream_failure(fh_stream *stream)
{
    fh_lock_take(&stream->lock);
    fh_status status = stream->failed ? fh_error(stream->failed, "%s", stream->failure) : FH_OK;
    fh_lock_release(&stream->lock);
    return status;
}

void fh_stream_abort(fh_stream *stream)
{
    fh_lock_take(&stream->lock);
    if (!stream->failed) { /* so that what is queued is released and not run */
        stream->failed = FH_INTERRUPTED;
        snprintf(stream->failure, sizeof stream->failure, "the stream is being aborted");
    }
    fh_moment *moment =
        stream->state == FH_STREAM_PARKED ? fh_moment_keep(stream->parked_at) : NULL;
    fh_lock_release(&stream->lock);
    if (moment && fh_moment_leave(moment, stream))
        fh_stream_unpark(stream);
    fh_moment_drop(moment);
    fh_stream_synchronize(stream, FH_WAIT_FOREVER);
    fh_lock_take(&stream->lock);
    stream->failed = FH_OK;
    fh_lock_release(&stream->lock);
}
