#include "os/thread.h"
#include "base/memory.h"
#include "os/interrupt.h"

#include <pthread.h>
#include <stdatomic.h>

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
