/* clock.h: time for measuring; it has nothing to do with the date. */
#ifndef FH_OS_CLOCK_H
#define FH_OS_CLOCK_H

#include <stdint.h>

/* Nanoseconds of the monotonic clock. */
uint64_t fh_clock_now(void);

#endif
