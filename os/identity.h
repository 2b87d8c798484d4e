/* identity.h: who is running: process and thread, and numbers nobody can guess. */
#ifndef FH_OS_IDENTITY_H
#define FH_OS_IDENTITY_H

#include "base/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { FH_THREAD_NAME_SIZE = 16 }; /* the kernel's limit, with the final 0 */

/* These two make one system call each and may be called in a signal handler. */
int64_t fh_process_id(void);
int64_t fh_thread_id(void);

/* The calling thread's name, as set for debuggers. May be called in a signal handler. */
void fh_thread_name(char name[FH_THREAD_NAME_SIZE]);

/* 64 random bits from the system. */
uint64_t fh_random64(void);

/* Points `*mark` to a flag that is true in this process and false in every child it forks:
 * however it forks where the kernel helps (Linux 4.14), by fork() elsewhere. Asking costs a
 * load. One flag serves the whole process, and it is never freed. Fails with FH_NO_MEMORY. */
fh_status fh_fork_mark(const atomic_bool **mark);

#endif
