/* interrupt.h: Ctrl-C and SIGTERM as a flag.
 *
 * After fh_interrupt_install() the first of either sets the flag, so that the
 * program can finish with what it has; the second ends the process at once. A
 * signal that was ignored when the program started (nohup) stays ignored.
 */
#ifndef FH_OS_INTERRUPT_H
#define FH_OS_INTERRUPT_H

#include <stdbool.h>

void fh_interrupt_install(void);

/* True once interrupted; costs one relaxed atomic load. */
bool fh_interrupted(void);

/* The number of the signal that interrupted; SIGINT's when fh_interrupt_set did. */
int fh_interrupt_signal(void);

/* Sets the flag as a signal would, or clears it: for tests. */
void fh_interrupt_set(bool interrupted);

#endif
