/* lock.h: a mutual-exclusion lock of four bytes, free when it is zero: `fh_lock lock = {0};`
 *
 * Not recursive, and there is nothing to destroy. Taking and releasing one that
 * nobody else wants is an atomic instruction each.
 */
#ifndef FH_OS_LOCK_H
#define FH_OS_LOCK_H

#include "os/wait.h"

typedef struct {
    _Atomic uint32_t state; /* 0 free, 1 taken, 2 taken and somebody sleeps */
} fh_lock;

void fh_lock_take_slowly(fh_lock *lock);

static inline bool fh_lock_try(fh_lock *lock)
{
    uint32_t free_ = 0;
    return atomic_compare_exchange_strong_explicit(&lock->state, &free_, 1, memory_order_acquire,
                                                   memory_order_relaxed);
}

static inline void fh_lock_take(fh_lock *lock)
{
    if (!fh_lock_try(lock))
        fh_lock_take_slowly(lock);
}

static inline void fh_lock_release(fh_lock *lock)
{
    if (atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 2)
        fh_wake_one(&lock->state);
}

#endif
