/* event.h: moments of streams, and events that name them.
 *
 * Recording an event makes a moment; those who wait for the event then wait for
 * that moment, whatever is recorded later. Moments are counted references. Any
 * thread may call any function here.
 */
#ifndef FH_SCHED_EVENT_H
#define FH_SCHED_EVENT_H

#include "base/status.h"
#include "os/lock.h"

typedef struct fh_stream fh_stream;

typedef struct {
    _Atomic uint32_t references;
    _Atomic uint32_t done; /* 1 when it is; threads sleep on it */
    _Atomic uint32_t sleepers;
    fh_lock lock;       /* guards what follows */
    uint64_t time;      /* nanoseconds of the clock when it became done */
    fh_stream *waiting; /* streams that stand at it, linked by next_waiting */
    fh_stream *stream;  /* that it is a moment of; a reference, until it is done */
    uint64_t ticket;    /* how many tasks of the stream have ended when it is done */
} fh_moment;

/* A moment of `stream`, or one that is done when that is NULL. NULL when memory ran out. */
fh_moment *fh_moment_create(fh_stream *stream);
fh_moment *fh_moment_keep(fh_moment *moment); /* one more reference */
void fh_moment_drop(fh_moment *moment);       /* one less; NULL is allowed */

static inline bool fh_moment_done(fh_moment *moment)
{
    return atomic_load_explicit(&moment->done, memory_order_acquire);
}

/* Sets it done and lets those who wait go on. */
void fh_moment_set(fh_moment *moment);

/* True when `stream` now stands at the moment, and will be made ready when it is done; false when
 * it was done already. The caller owns the stream. */
bool fh_moment_park(fh_moment *moment, fh_stream *stream);

/* Takes a stream that stands there away; false when it no longer does. The caller makes it ready.
 */
bool fh_moment_leave(fh_moment *moment, fh_stream *stream);

/* Waits on this thread, at most until `deadline`; false when that passed. Without a deadline the
 * thread helps with tasks that the moment stands behind. */
bool fh_moment_wait(fh_moment *moment, uint64_t deadline);

/* Runs what the moment stands behind on this thread, as far as fh_stream_help does. */
void fh_moment_help(fh_moment *moment);

typedef struct {
    fh_lock lock;
    fh_moment *moment; /* what was recorded last; NULL when nothing was */
} fh_event;

/* A reference to the moment recorded last, or NULL. */
fh_moment *fh_event_moment(fh_event *event);

/* Puts another moment (whose reference is taken over) in its place. */
void fh_event_replace(fh_event *event, fh_moment *moment);

/* Records an event of which everything before it is done, without a new moment; false when others
 * still hold the last one. */
bool fh_event_touch(fh_event *event);

#endif
