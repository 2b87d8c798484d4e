/* fault.h: what a program is told when the host touches device memory.
 *
 * Host code that follows a device pointer would crash on hardware, too; here it is also told
 * where: one message names the address, what is there (its device, beginning, size, and the
 * offset) and the thread. Then the handler from before goes on, or the process ends.
 */
#ifndef FH_MEM_FAULT_H
#define FH_MEM_FAULT_H

#include "base/status.h"

/* Begins and ends to watch. Fails with FH_IO. */
fh_status fh_memory_watch(void);
void fh_memory_unwatch(void);

#endif
