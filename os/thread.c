#include "os/thread.h"
#include "base/memory.h"
#include "os/interrupt.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* What all workers of one loop share. */
typedef struct {
    atomic_size_t next;
    size_t count;
    void (*run)(void *context, size_t index, unsigned worker);
    void *context;
} loop;

typedef struct {
    loop *loop;
    unsigned number;
    pthread_t thread;
} worker;

static void work(loop *shared, unsigned number)
{
    /* The flag is looked at before an index is taken, so that every index that
     * was taken also runs: what ran is a prefix. */
    while (!fh_interrupted()) {
        size_t index = atomic_fetch_add(&shared->next, 1);
        if (index >= shared->count)
            return;
        shared->run(shared->context, index, number);
    }
}

static void *thread_main(void *argument)
{
    worker *self = argument;
    work(self->loop, self->number);
    return NULL;
}

/* As many threads as can be had, at most `wanted`; returns how many run. */
static unsigned start(loop *shared, worker *workers, unsigned wanted)
{
    /* The stack of the main thread, by default: parsers recurse. */
    static const size_t stack = 8u << 20;
    unsigned started = 0;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes))
        return 0;
    pthread_attr_setstacksize(&attributes, stack);
    while (started < wanted) {
        worker *each = &workers[started];
        *each = (worker){.loop = shared, .number = started + 1};
        if (pthread_create(&each->thread, &attributes, thread_main, each))
            break;
        started++;
    }
    pthread_attr_destroy(&attributes);
    return started;
}

fh_status fh_parallel_for(unsigned jobs, size_t count,
                          void (*run)(void *context, size_t index, unsigned worker), void *context)
{
    loop shared = {.count = count, .run = run, .context = context};
    unsigned helpers = jobs > 1 ? jobs - 1 : 0, started = 0;
    if (count < 2)
        helpers = 0;
    else if (helpers > count - 1)
        helpers = (unsigned)(count - 1);
    worker *workers = helpers ? fh_alloc_zero(helpers, sizeof *workers) : NULL;
    if (workers)
        started = start(&shared, workers, helpers);
    work(&shared, 0);
    for (unsigned i = 0; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    fh_free(workers);
    if (atomic_load(&shared.next) < count)
        return fh_error(FH_INTERRUPTED, "interrupted");
    return FH_OK;
}

struct fh_thread {
    pthread_t thread;
};

/* What a new thread is given; it frees this itself, since its fh_thread may be forgotten any time.
 */
typedef struct {
    void (*run)(void *context);
    void *context;
} entry;

static void *entry_main(void *argument)
{
    entry given = *(entry *)argument;
    fh_free(argument);
    given.run(given.context);
    return NULL;
}

/* Signals but those that the thread itself can cause, which must reach their handlers. */
static void block_signals(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigset_t set;
    sigfillset(&set);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&set, own[i]);
    pthread_sigmask(SIG_SETMASK, &set, before);
}

fh_status fh_thread_start(const char *name, void (*run)(void *context), void *context,
                          fh_thread **thread)
{
    fh_thread *self = fh_alloc(sizeof *self);
    entry *given = fh_alloc(sizeof *given);
    int failed = 0;
    if (self && given) {
        *given = (entry){run, context};
        sigset_t before;
        block_signals(&before);
        failed = pthread_create(&self->thread, NULL, entry_main, given);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (!self || !given || failed) {
        fh_free(self);
        fh_free(given);
        return failed ? fh_error(FH_LIMIT, "thread %s: %s", name, strerror(failed))
                      : fh_error(FH_NO_MEMORY, "thread %s: out of memory", name);
    }
    char shown[16];
    snprintf(shown, sizeof shown, "%s", name);
    pthread_setname_np(self->thread, shown);
    *thread = self;
    return FH_OK;
}

void fh_thread_join(fh_thread *thread)
{
    pthread_join(thread->thread, NULL);
    fh_free(thread);
}

void fh_thread_detach(fh_thread *thread)
{
    pthread_detach(thread->thread);
    fh_free(thread);
}

void fh_thread_yield(void)
{
    sched_yield();
}
