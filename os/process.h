/* process.h: running another program: beside this one, reading what it writes, or in its place. No
 * shell is involved. */
#ifndef FH_OS_PROCESS_H
#define FH_OS_PROCESS_H

#include "base/status.h"
#include "base/text.h"

/* Runs a program, found on PATH when its name has no '/', with `arguments` (its name
 * first, NULL last), nothing on its input and its errors thrown away, and appends what it
 * writes to `output`. `*exit_code` is its own, or 128 + the signal that ended it.
 *
 * It and what it started are killed when it takes longer than `milliseconds` or writes
 * more than `max_bytes` (FH_LIMIT), or when the user interrupts (FH_INTERRUPTED). Fails with
 * FH_NOT_FOUND when there is no such program, FH_IO, FH_NO_MEMORY; `output` then keeps its
 * length. */
fh_status fh_process_run(const char *const *arguments, uint64_t max_bytes, unsigned milliseconds,
                         fh_buffer *output, int *exit_code);

/* Becomes another program, found on PATH when its name has no '/', with `arguments` (its name
 * first, NULL last), this environment and these open files; returns only when that fails: with
 * FH_NOT_FOUND when there is no such program, FH_IO when it cannot be run. */
fh_status fh_process_replace(const char *const *arguments);

#endif
