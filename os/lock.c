#include "os/lock.h"

/* How often to look before sleeping: a holder that runs is done sooner than a sleep takes (33 us).
 */
enum { LOOKS = 100 };

void fh_lock_take_slowly(fh_lock *lock)
{
    for (int i = 0; i < LOOKS; i++) {
        if (atomic_load_explicit(&lock->state, memory_order_relaxed) == 0 && fh_lock_try(lock))
            return;
        fh_pause();
    }
    /* Whoever comes this way leaves a 2, also when nobody else sleeps: one needless wake at most.
     */
    while (atomic_exchange_explicit(&lock->state, 2, memory_order_acquire) != 0)
        fh_wait_while(&lock->state, 2, FH_WAIT_FOREVER);
}
