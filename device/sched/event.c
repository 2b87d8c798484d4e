#include "device/sched/event.h"
#include "base/memory.h"
#include "device/sched/stream.h"
#include "os/clock.h"

fh_moment *fh_moment_create(fh_stream *stream)
{
    fh_moment *moment = fh_alloc_zero(1, sizeof *moment);
    if (!moment)
        return NULL;
    atomic_init(&moment->references, 1);
    if (stream) {
        moment->stream = fh_stream_keep(stream);
    } else {
        moment->time = fh_clock_now();
        atomic_init(&moment->done, 1);
    }
    return moment;
}

fh_moment *fh_moment_keep(fh_moment *moment)
{
    atomic_fetch_add_explicit(&moment->references, 1, memory_order_relaxed);
    return moment;
}

void fh_moment_drop(fh_moment *moment)
{
    if (!moment || atomic_fetch_sub_explicit(&moment->references, 1, memory_order_acq_rel) > 1)
        return;
    if (moment->stream)
        fh_stream_drop(moment->stream);
    fh_free(moment);
}

void fh_moment_set(fh_moment *moment)
{
    fh_lock_take(&moment->lock);
    fh_stream *waiting = moment->waiting, *stream = moment->stream;
    moment->waiting = NULL;
    moment->stream = NULL;
    moment->time = fh_clock_now();
    /* Before `sleepers` is looked at, as a sleeper counts itself before it looks at `done`. */
    atomic_store(&moment->done, 1);
    fh_lock_release(&moment->lock);
    if (atomic_load(&moment->sleepers))
        fh_wake_all(&moment->done);
    while (waiting) {
        fh_stream *next = waiting->next_waiting;
        fh_stream_unpark(waiting);
        fh_stream_drop(waiting);
        waiting = next;
    }
    if (stream)
        fh_stream_drop(stream);
}

bool fh_moment_park(fh_moment *moment, fh_stream *stream)
{
    fh_lock_take(&moment->lock);
    bool park = !fh_moment_done(moment);
    if (park) {
        stream->next_waiting = moment->waiting;
        moment->waiting = fh_stream_keep(stream);
    }
    fh_lock_release(&moment->lock);
    return park;
}

bool fh_moment_leave(fh_moment *moment, fh_stream *stream)
{
    fh_lock_take(&moment->lock);
    fh_stream **at = &moment->waiting;
    while (*at && *at != stream)
        at = &(*at)->next_waiting;
    bool found = *at != NULL;
    if (found)
        *at = stream->next_waiting;
    fh_lock_release(&moment->lock);
    if (found)
        fh_stream_drop(stream);
    return found;
}

void fh_moment_help(fh_moment *moment)
{
    fh_lock_take(&moment->lock);
    fh_stream *stream = moment->stream ? fh_stream_keep(moment->stream) : NULL;
    fh_lock_release(&moment->lock);
    if (!stream)
        return;
    fh_stream_help(stream, moment->ticket);
    fh_stream_drop(stream);
}

bool fh_moment_wait(fh_moment *moment, uint64_t deadline)
{
    if (fh_moment_done(moment))
        return true;
    if (deadline == FH_WAIT_FOREVER)
        fh_moment_help(moment);
    bool in_time = true;
    atomic_fetch_add(&moment->sleepers, 1);
    while (!fh_moment_done(moment) && in_time)
        in_time = fh_wait_while(&moment->done, 0, deadline);
    atomic_fetch_sub(&moment->sleepers, 1);
    return fh_moment_done(moment);
}

fh_moment *fh_event_moment(fh_event *event)
{
    fh_lock_take(&event->lock);
    fh_moment *moment = event->moment ? fh_moment_keep(event->moment) : NULL;
    fh_lock_release(&event->lock);
    return moment;
}

void fh_event_replace(fh_event *event, fh_moment *moment)
{
    fh_lock_take(&event->lock);
    fh_moment *before = event->moment;
    event->moment = moment;
    fh_lock_release(&event->lock);
    fh_moment_drop(before);
}

bool fh_event_touch(fh_event *event)
{
    fh_lock_take(&event->lock);
    fh_moment *moment = event->moment;
    /* Nobody else can get a reference while the event's lock is held and there is only its own. */
    bool alone = moment && fh_moment_done(moment) &&
                 atomic_load_explicit(&moment->references, memory_order_acquire) == 1;
    if (alone)
        moment->time = fh_clock_now();
    fh_lock_release(&event->lock);
    return alone;
}
