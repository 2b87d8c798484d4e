/* thread.h: one loop spread over several threads. */
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

/* Processors this process may use, at least 1: the affinity mask, and the CPU
 * quota of its control group where there is one. */
unsigned fh_processor_count(void);

#endif
