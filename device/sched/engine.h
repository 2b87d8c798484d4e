/* engine.h: the threads that run streams; one set for the process.
 *
 * There are as many workers as processors that the process may use; they start
 * with the first task that needs one. A worker runs a ready stream, or takes
 * part in a kernel that another thread has split, streams first, so that
 * several streams advance side by side. One more thread, started when first
 * needed, makes the calls of the client (FH_TASK_HOST).
 */
#ifndef FH_SCHED_ENGINE_H
#define FH_SCHED_ENGINE_H

#include "device/sched/stream.h"

/* Sets the number of workers; 0 means one for each processor. Only before the first task. */
void fh_engine_set_workers(unsigned workers);

/* Makes `stream`, which is ready, known to those who may run `place`. */
void fh_engine_push(fh_stream *stream, fh_task_place place);

/* Whether ready streams wait for a worker. */
bool fh_engine_crowded(void);

/* The team of all workers and the calling thread. */
const fh_team *fh_engine_team(void);

/* Lets the workers end after what they are running, and waits for them; ready streams stay as they
 * are. For the end of the process, and for tests. */
void fh_engine_stop(void);

#endif
