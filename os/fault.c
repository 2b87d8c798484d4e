#include "os/fault.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static void (*_Atomic notified)(const fh_fault *fault);
static bool installed;

/* What was there before, for SIGSEGV and SIGBUS; written before our handler can run. */
static struct sigaction before[2];

static struct sigaction *before_of(int number)
{
    return &before[number == SIGBUS];
}

/* Does what would have happened without us. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    const struct sigaction *old = before_of(number);
    bool plain = !(old->sa_flags & SA_SIGINFO);
    if (plain && (old->sa_handler == SIG_DFL || old->sa_handler == SIG_IGN)) {
        /* The access is repeated on return, and now ends the process, with its own address in
         * the core file. A signal that was sent does not repeat: it is raised again. */
        signal(number, SIG_DFL);
        if (info->si_code <= 0)
            raise(number);
        return;
    }
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, &old->sa_mask, &mask);
    if (plain)
        old->sa_handler(number);
    else
        old->sa_sigaction(number, info, context);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

static void handle(int number, siginfo_t *info, void *context)
{
    int code = errno;
    void (*notice)(const fh_fault *fault) = atomic_load(&notified);
    if (notice && info->si_code > 0)
        notice(&(fh_fault){info->si_addr, number == SIGBUS});
    errno = code;
    pass_on(number, info, context);
}

fh_status fh_fault_notice(void (*notice)(const fh_fault *fault))
{
    static const int numbers[] = {SIGSEGV, SIGBUS};
    /* On the alternate stack where the thread has one: the stack may be what overflowed. */
    struct sigaction ours = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    atomic_store(&notified, notice);
    for (size_t i = 0; !installed && i < 2; i++)
        if (sigaction(numbers[i], NULL, before_of(numbers[i])) ||
            sigaction(numbers[i], &ours, NULL)) {
            char reason[128];
            return fh_error(FH_IO, "cannot watch for wrong accesses to memory: %s",
                            strerror_r(errno, reason, sizeof reason));
        }
    installed = true;
    return FH_OK;
}

void fh_fault_ignore(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS};
    bool outermost = installed;
    atomic_store(&notified, NULL);
    for (size_t i = 0; i < 2; i++) {
        struct sigaction now;
        outermost &= !sigaction(numbers[i], NULL, &now) && now.sa_flags & SA_SIGINFO &&
                     now.sa_sigaction == handle;
    }
    for (size_t i = 0; outermost && i < 2; i++)
        sigaction(numbers[i], before_of(numbers[i]), NULL);
    if (outermost)
        installed = false;
}

void fh_fault_write(const char *text, size_t length)
{
    while (length) {
        ssize_t written = write(STDERR_FILENO, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        text += written;
        length -= (size_t)written;
    }
}
