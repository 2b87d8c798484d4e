/* fault.h: being told of accesses to memory that is not there (SIGSEGV, SIGBUS). */
#ifndef FH_OS_FAULT_H
#define FH_OS_FAULT_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const void *address; /* that was accessed */
    bool bus;            /* SIGBUS: it is mapped, but the system could not provide the memory */
} fh_fault;

/* Calls `notice` in the thread that faulted, as a signal handler: it may call only what is safe
 * there. Afterwards the handler that was there before runs, or the default action, so the
 * process ends as it would have. Faults that another process sent (kill) are not noticed. One
 * notice serves the process: a second call replaces it. Fails with FH_IO. */
fh_status fh_fault_notice(void (*notice)(const fh_fault *fault));

/* Ends that: the handlers from before are back, unless others were put in front of ours; then
 * ours only passes on. */
void fh_fault_ignore(void);

/* Writes to the standard error output; safe in a signal handler. */
void fh_fault_write(const char *text, size_t length);

#endif
