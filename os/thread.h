/* thread.h: threads, and one loop spread over several of them. */
#ifndef FH_OS_THREAD_H
#define FH_OS_THREAD_H

#include "base/status.h"

#include <stddef.h>

/* Calls run(context, index, worker) once for each index below `count`.
 *
 * Workers take the indices in rising order from one counter; a worker runs one
 * call at a time, and `worker` is below `jobs`, so that it can index data of
 * its own. The calling thread is worker 0; `jobs` of 0 or 1 starts no thread.
 * When a thread cannot be started, the others do its share. All calls have
 * returned, and their writes are visible, when the function returns.
 * fh_error_message() is per thread: `run` must keep what it wants to report.
 *
 * Returns FH_INTERRUPTED when fh_interrupted() became true and indices were
 * left out: those that ran are a prefix of all indices. */
fh_status fh_parallel_for(unsigned jobs, size_t count,
                          void (*run)(void *context, size_t index, unsigned worker), void *context);

/* A thread of its own. It leaves every signal that can wait to other threads, so that the client's
 * handlers never run on it. */
typedef struct fh_thread fh_thread;

/* Starts run(context) on a thread named `name` (15 bytes are shown). Fails with FH_LIMIT when the
 * system has no more threads, or FH_NO_MEMORY. */
fh_status fh_thread_start(const char *name, void (*run)(void *context), void *context,
                          fh_thread **thread);

/* Waits until it has returned, and forgets it. */
void fh_thread_join(fh_thread *thread);

/* Forgets it without waiting: for a thread that may never return. */
void fh_thread_detach(fh_thread *thread);

/* Lets other threads run for a moment. May be called in a signal handler. */
void fh_thread_yield(void);

/* Processors this process may use, at least 1: the affinity mask, and the CPU
 * quota of its control group where there is one. */
unsigned fh_processor_count(void);

#endif
