/* memory.h: starting and stopping all of device/mem, in the right order. */
#ifndef FH_MEM_MEMORY_H
#define FH_MEM_MEMORY_H

#include "device/mem/space.h"

/* Reserves the space and makes all tables; devices get their memory one by one afterwards
 * (device_memory.h). Fails as fh_space_create(), and with FH_NO_MEMORY, FH_IO; then nothing is
 * left behind. */
fh_status fh_memory_start(const fh_space_options *options);

/* Undoes it, with the memory of all devices, when no thread uses any more; nothing in a forked
 * child, or when it was not started. Pages that their creators still hold leak. */
void fh_memory_stop(void);

#endif
