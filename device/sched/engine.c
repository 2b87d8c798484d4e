#include "device/sched/engine.h"
#include "base/memory.h"
#include "device/sched/job.h"
#include "os/thread.h"

/* How often a worker looks for work before it sleeps: about 5 us. More would take the processor
 * from the client's own threads. */
enum { LOOKS = 100 };

enum { MOST_WORKERS = 256 };

typedef struct {
    fh_stream *first, **last;
} stream_queue;

static struct {
    fh_lock lock; /* guards what is not atomic */
    stream_queue ready[FH_STREAM_PRIORITIES], host;
    fh_job *jobs;
    _Atomic uint32_t ready_count, job_count; /* what there is, for looks without the lock */
    _Atomic uint32_t signal;                 /* counts what was made known; workers sleep on it */
    _Atomic uint32_t sleeping;
    _Atomic uint32_t host_signal;
    _Atomic bool stop;
    unsigned wanted; /* workers */
    unsigned started;
    bool is_started;
    fh_thread *workers[MOST_WORKERS];
    fh_thread *host_thread;
    fh_team team;
} engine;

static void enqueue(stream_queue *queue, fh_stream *stream)
{
    if (!queue->last)
        queue->last = &queue->first;
    stream->next_ready = NULL;
    *queue->last = stream;
    queue->last = &stream->next_ready;
}

static fh_stream *dequeue(stream_queue *queue)
{
    fh_stream *stream = queue->first;
    if (!stream)
        return NULL;
    queue->first = stream->next_ready;
    if (!queue->first)
        queue->last = &queue->first;
    stream->queued = false;
    return stream;
}

/* The next stream for a worker, with the queue's reference, or NULL. */
static fh_stream *take_ready(void)
{
    if (!atomic_load_explicit(&engine.ready_count, memory_order_relaxed))
        return NULL;
    fh_lock_take(&engine.lock);
    fh_stream *stream = NULL;
    for (int i = 0; i < FH_STREAM_PRIORITIES && !stream; i++)
        stream = dequeue(&engine.ready[i]);
    if (stream)
        atomic_fetch_sub_explicit(&engine.ready_count, 1, memory_order_relaxed);
    fh_lock_release(&engine.lock);
    return stream;
}

/* Takes part in a split kernel; false when there is none with a place. */
static bool take_part(void)
{
    if (!atomic_load_explicit(&engine.job_count, memory_order_relaxed))
        return false;
    fh_lock_take(&engine.lock);
    fh_job *job = engine.jobs;
    while (job && (job->joined + 1 >= job->width ||
                   atomic_load_explicit(&job->next, memory_order_relaxed) >= job->count))
        job = job->next_job;
    unsigned slot = 0;
    if (job) {
        slot = ++job->joined;
        atomic_fetch_add_explicit(&job->inside, 1, memory_order_relaxed);
    }
    fh_lock_release(&engine.lock);
    if (!job)
        return false;
    fh_job_work(job, slot);
    /* The job is on the stack of who split it, and may be gone right after this; waking the
     * address of what is gone does nothing. */
    if (atomic_fetch_sub_explicit(&job->inside, 1, memory_order_acq_rel) == 1)
        fh_wake_all(&job->inside);
    return true;
}

static void worker_main(void *context)
{
    (void)context;
    unsigned looks = 0;
    while (!atomic_load_explicit(&engine.stop, memory_order_acquire)) {
        uint32_t seen = atomic_load(&engine.signal);
        fh_stream *stream = take_ready();
        if (stream) {
            if (fh_stream_claim(stream, FH_TASK_WORKER))
                fh_stream_run(stream, FH_TASK_WORKER, UINT64_MAX, &engine.team);
            fh_stream_drop(stream);
            looks = 0;
        } else if (take_part()) {
            looks = 0;
        } else if (looks++ < LOOKS) {
            fh_pause();
        } else {
            /* Counted first: who makes something known looks at the count after `signal`. */
            atomic_fetch_add(&engine.sleeping, 1);
            if (!atomic_load(&engine.stop))
                fh_wait_while(&engine.signal, seen, FH_WAIT_FOREVER);
            atomic_fetch_sub(&engine.sleeping, 1);
            looks = 0;
        }
    }
}

static void host_main(void *context)
{
    (void)context;
    while (!atomic_load(&engine.stop)) {
        uint32_t seen = atomic_load(&engine.host_signal);
        fh_lock_take(&engine.lock);
        fh_stream *stream = dequeue(&engine.host);
        fh_lock_release(&engine.lock);
        if (!stream) {
            fh_wait_while(&engine.host_signal, seen, FH_WAIT_FOREVER);
            continue;
        }
        if (fh_stream_claim(stream, FH_TASK_HOST))
            fh_stream_run(stream, FH_TASK_HOST, UINT64_MAX, &fh_team_alone);
        fh_stream_drop(stream);
    }
}

static void wake_workers(uint32_t most)
{
    atomic_fetch_add(&engine.signal, 1);
    uint32_t sleeping = atomic_load(&engine.sleeping);
    if (sleeping > most)
        sleeping = most;
    while (sleeping--)
        fh_wake_one(&engine.signal);
}

/* Starts what is not there yet; the lock is held. */
static void start(void)
{
    if (engine.is_started)
        return;
    engine.is_started = true;
    unsigned wanted = engine.wanted ? engine.wanted : fh_processor_count();
    if (wanted > MOST_WORKERS)
        wanted = MOST_WORKERS;
    engine.team = (fh_team){.width = wanted, .split = fh_team_run};
    atomic_store(&engine.stop, false);
    while (engine.started < wanted &&
           !fh_thread_start("npu worker", worker_main, NULL, &engine.workers[engine.started]))
        engine.started++;
}

void fh_engine_set_workers(unsigned workers)
{
    fh_lock_take(&engine.lock);
    engine.wanted = workers;
    fh_lock_release(&engine.lock);
}

const fh_team *fh_engine_team(void)
{
    fh_lock_take(&engine.lock);
    start();
    fh_lock_release(&engine.lock);
    return &engine.team;
}

bool fh_engine_crowded(void)
{
    return atomic_load_explicit(&engine.ready_count, memory_order_relaxed) > 0;
}

void fh_engine_push(fh_stream *stream, fh_task_place place)
{
    bool for_host = place == FH_TASK_HOST, nobody = false;
    fh_lock_take(&engine.lock);
    start();
    if (for_host && !engine.host_thread)
        (void)fh_thread_start("npu host", host_main, NULL, &engine.host_thread);
    nobody = for_host ? !engine.host_thread : !engine.started;
    if (!stream->queued && !nobody) {
        stream->queued = true;
        enqueue(for_host ? &engine.host : &engine.ready[stream->priority], fh_stream_keep(stream));
        if (!for_host)
            atomic_fetch_add_explicit(&engine.ready_count, 1, memory_order_relaxed);
    }
    fh_lock_release(&engine.lock);
    if (nobody) {
        /* The system gives no thread: slower, and still right. */
        fh_task_place runner = for_host ? FH_TASK_HOST : FH_TASK_WORKER;
        if (fh_stream_claim(stream, runner))
            fh_stream_run(stream, runner, UINT64_MAX, &fh_team_alone);
    } else if (for_host) {
        atomic_fetch_add(&engine.host_signal, 1);
        fh_wake_one(&engine.host_signal);
    } else {
        wake_workers(1);
    }
}

void fh_engine_post(fh_job *job)
{
    fh_lock_take(&engine.lock);
    job->next_job = engine.jobs;
    engine.jobs = job;
    atomic_fetch_add_explicit(&engine.job_count, 1, memory_order_relaxed);
    fh_lock_release(&engine.lock);
    wake_workers(job->width - 1);
}

void fh_engine_withdraw(fh_job *job)
{
    fh_lock_take(&engine.lock);
    fh_job **at = &engine.jobs;
    while (*at != job)
        at = &(*at)->next_job;
    *at = job->next_job;
    atomic_fetch_sub_explicit(&engine.job_count, 1, memory_order_relaxed);
    fh_lock_release(&engine.lock);
}

void fh_engine_stop(void)
{
    atomic_store(&engine.stop, true);
    atomic_fetch_add(&engine.signal, 1);
    fh_wake_all(&engine.signal);
    for (unsigned i = 0; i < engine.started; i++)
        fh_thread_join(engine.workers[i]);
    if (engine.host_thread) {
        /* It may be in a call of the client that never returns. */
        fh_thread_detach(engine.host_thread);
        engine.host_thread = NULL;
        atomic_fetch_add(&engine.host_signal, 1);
        fh_wake_all(&engine.host_signal);
    }
    engine.started = 0;
    engine.is_started = false;
}
