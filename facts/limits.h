/* limits.h: what the software Ascend can be told to be. `foothold run` checks it on its command
 * line, device/rt/options.c in the environment. */
#ifndef FH_FACTS_LIMITS_H
#define FH_FACTS_LIMITS_H

#include <stdint.h>

enum { FH_MOST_DEVICES = 64 };

/* Bytes of one device: less than this. */
#define FH_MEMORY_LIMIT ((uint64_t)1 << 44)

#endif
