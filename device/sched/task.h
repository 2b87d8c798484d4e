/* task.h: the words of the scheduler, and its smallest thing.
 *
 * task    one piece of work: a kernel, a copy, a call of the client
 * stream  a list of tasks that run in the order they were appended (stream.h)
 * moment  a place in a stream: done when everything before it is (event.h)
 * event   a client's name for the moment that it recorded last (event.h)
 * engine  the threads that run streams (engine.h)
 * owner   the one thread that runs tasks of a stream at a time
 *
 * Order and visibility. A task begins after the task before it on its stream
 * has ended, and after every moment that was waited for before it was appended
 * is done; it sees all that those tasks wrote. What the client wrote before it
 * appended a task is seen by it; when a wait for a stream, moment or event has
 * returned, the client sees what the tasks before it wrote. Nothing else is
 * ordered. All of it rests on two things: a stream is handed from owner to owner
 * under its lock, and a moment is set done under its own.
 *
 * Locks. A stream's lock may be held while the engine's is taken; the engine's
 * and a moment's are leaves. No lock is held while a task runs, so a task may
 * call anything. No function here takes a lock of the client's.
 */
#ifndef FH_SCHED_TASK_H
#define FH_SCHED_TASK_H

#include "base/status.h"
#include "device/kern/team.h"

/* Who may run a task. */
typedef enum {
    FH_TASK_ANYWHERE, /* pure work on memory: also a client's thread that waits for it */
    FH_TASK_WORKER,   /* long, or in code that is not ours: never a waiting client's thread */
    FH_TASK_HOST,     /* calls the client, who may hold any lock: a thread kept for this */
} fh_task_place;

typedef struct fh_task fh_task;
struct fh_task {
    fh_task *next;    /* the stream's */
    const char *name; /* of the operator, for errors and profiles; not owned */
    /* Does the work. A failure stays with the stream, and fh_error_message() with it. */
    fh_status (*run)(fh_task *task, const fh_team *team);
    /* Releases the task after it ran, or when it never will. */
    void (*release)(fh_task *task);
    fh_task_place place;
    uint32_t cost; /* nanoseconds it takes one thread, roughly; decides who runs it */
};

/* Tasks up to this cost run on the thread that appends them when their stream is idle: waking
 * another thread would take the issuer 5 us and the task 33 us (docs/performance.md). */
enum { FH_TASK_SMALL = 20000 };

#endif
