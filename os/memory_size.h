/* memory_size.h: how much memory the host has. */
#ifndef FH_OS_MEMORY_SIZE_H
#define FH_OS_MEMORY_SIZE_H

#include <stdint.h>

/* Bytes that this process could still use without swapping: what the kernel estimates, and no
 * more than its control group (version 2) leaves. UINT64_MAX when the system does not tell.
 * Reads files: some 20 us. */
uint64_t fh_host_memory_available(void);

#endif
