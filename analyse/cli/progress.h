/* progress.h: a bar on standard error while something takes long.
 *
 * It appears after one second, changes at most ten times a second, and is gone
 * when the work ends; where standard error is no terminal there is none. Nothing
 * else may write to standard error between start and finish.
 */
#ifndef FH_CLI_PROGRESS_H
#define FH_CLI_PROGRESS_H

#include "base/text.h"

#include <stdatomic.h>

typedef struct {
    const char *what; /* "reading" */
    bool enabled;
    uint64_t started;           /* nanoseconds of the monotonic clock */
    atomic_uint_fast64_t done;  /* the most that was told */
    atomic_uint_fast64_t drawn; /* when the bar was last drawn; 0: never */
} fh_progress;

/* `what` must outlive the progress. `wanted`: the user did not say no. */
void fh_progress_start(fh_progress *progress, const char *what, bool wanted);

/* `done` of `of` are done; `progress` is an fh_progress, so that this is a callback for
 * fh_load_options. Any thread may call it, in any order; one of them draws, none waits. */
void fh_progress_tell(void *progress, size_t done, size_t of);

/* Removes the bar; when all threads that tell have ended. */
void fh_progress_finish(fh_progress *progress);

/* Appends the bar's line for a terminal of `width` columns, without line feed:
 * "reading [======>      ]  42 %  1,234 of 2,912" */
void fh_progress_add_line(fh_buffer *out, const char *what, uint64_t done, uint64_t of,
                          unsigned width);

#endif
