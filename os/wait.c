#include "os/wait.h"
#include "os/clock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long futex(_Atomic uint32_t *word, int operation, uint32_t value,
                  const struct timespec *time)
{
    return syscall(SYS_futex, (uint32_t *)word, operation | FUTEX_PRIVATE_FLAG, value, time, NULL,
                   FUTEX_BITSET_MATCH_ANY);
}

bool fh_wait_while(_Atomic uint32_t *word, uint32_t seen, uint64_t deadline)
{
    if (deadline == FH_WAIT_FOREVER) {
        futex(word, FUTEX_WAIT_BITSET, seen, NULL);
        return true;
    }
    /* WAIT_BITSET takes a point of the monotonic clock, WAIT would take a duration. */
    struct timespec until = {.tv_sec = (time_t)(deadline / 1000000000),
                             .tv_nsec = (long)(deadline % 1000000000)};
    return futex(word, FUTEX_WAIT_BITSET, seen, &until) == 0 || errno != ETIMEDOUT;
}

void fh_wake_one(_Atomic uint32_t *word)
{
    futex(word, FUTEX_WAKE_BITSET, 1, NULL);
}

void fh_wake_all(_Atomic uint32_t *word)
{
    futex(word, FUTEX_WAKE_BITSET, INT_MAX, NULL);
}
