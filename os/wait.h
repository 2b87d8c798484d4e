/* wait.h: sleeping until a word of memory changes.
 *
 * The word is the state and these calls only save processor time: a waiter
 * looks at the word, sleeps while it still has the value seen, and looks again.
 * A sleep may end without a reason. Only threads of one process can wait.
 */
#ifndef FH_OS_WAIT_H
#define FH_OS_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define FH_WAIT_FOREVER UINT64_MAX

/* Sleeps while `*word` is `seen`, at most until `deadline` (fh_clock_now's nanoseconds, or
 * FH_WAIT_FOREVER). False when the deadline had passed. */
bool fh_wait_while(_Atomic uint32_t *word, uint32_t seen, uint64_t deadline);

/* Wakes one, or all, of those that sleep on `word`. Change the word first. */
void fh_wake_one(_Atomic uint32_t *word);
void fh_wake_all(_Atomic uint32_t *word);

/* Tells the processor that this thread is in a short loop of looking. */
static inline void fh_pause(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("isb" ::: "memory");
#endif
}

#endif
