#include "os/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int interrupted; /* the signal's number; 0: not yet */

static void on_signal(int number)
{
    if (atomic_exchange(&interrupted, number)) {
        /* Blocked until this handler returns; then the default ends the process. */
        signal(number, SIG_DFL);
        raise(number);
    }
}

void fh_interrupt_install(void)
{
    static const int numbers[] = {SIGINT, SIGTERM};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

bool fh_interrupted(void)
{
    return atomic_load_explicit(&interrupted, memory_order_relaxed) != 0;
}

int fh_interrupt_signal(void)
{
    int number = atomic_load(&interrupted);
    return number ? number : SIGINT;
}

void fh_interrupt_set(bool value)
{
    atomic_store(&interrupted, value ? SIGINT : 0);
}
