/* host_memory.h: host memory that the device knows of.
 *
 * Pinned memory is allocated here: private and anonymous, so that a forked child can read it.
 * Registered memory is the client's; only its range is noted. No two of these ranges overlap. A
 * registered range may begin and end anywhere. Any thread may call any function; one lock.
 */
#ifndef FH_MEM_HOST_MEMORY_H
#define FH_MEM_HOST_MEMORY_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { FH_HOST_PINNED = 1, FH_HOST_REGISTERED } fh_host_kind;

typedef struct {
    fh_host_kind kind;
    uintptr_t address;
    uint64_t size; /* bytes that were asked for */
} fh_host_range;

/* Before any other function here, and after all: pinned memory is freed then. Fails with
 * FH_NO_MEMORY. */
fh_status fh_host_start(void);
void fh_host_stop(void);

/* Allocates pinned memory, whole zero pages. Fails with FH_INVALID for size 0, FH_NO_MEMORY. */
fh_status fh_host_malloc(uint64_t size, void **address);

/* Frees pinned memory by its first address. Fails with FH_INVALID: not pinned, within a block,
 * freed before. */
fh_status fh_host_free(void *address);

/* Notes a range of the client, and forgets it by its first address. Fail with FH_INVALID (empty,
 * wrapping, device memory; no range begins there), FH_LIMIT when a part is pinned or registered
 * already, FH_NO_MEMORY. */
fh_status fh_host_register(void *address, uint64_t size);
fh_status fh_host_unregister(void *address);

/* The range that holds an address. Takes no lock: also for signal handlers. */
bool fh_host_find(const void *address, fh_host_range *range);

#endif
