#include "device/sched/job.h"
#include "os/wait.h"

/* Pieces for each thread: enough that one which started late, or was put off the processor, holds
 * the others up for a quarter of its share at most. */
enum { PIECES = 4 };

/* How often to look for the last ones before sleeping. */
enum { LOOKS = 2000 };

void fh_job_work(fh_job *job, unsigned slot)
{
    for (;;) {
        int64_t begin = atomic_fetch_add_explicit(&job->next, job->piece, memory_order_relaxed);
        if (begin >= job->count)
            return;
        int64_t end = job->count - begin > job->piece ? begin + job->piece : job->count;
        job->part(job->context, begin, end, slot);
    }
}

void fh_team_run(const fh_team *team, int64_t count, int64_t grain, fh_part *part, void *context)
{
    if (grain < 1)
        grain = 1;
    int64_t share = count / ((int64_t)team->width * PIECES), piece = share / grain * grain;
    fh_job job = {
        .part = part,
        .context = context,
        .count = count,
        .piece = piece > grain ? piece : grain,
        .width = team->width,
    };
    fh_engine_post(&job);
    fh_job_work(&job, 0);
    fh_engine_withdraw(&job);
    /* Nobody can join any more; those inside have each a piece at most. */
    uint32_t inside;
    for (int looks = 0; (inside = atomic_load_explicit(&job.inside, memory_order_acquire)) != 0;) {
        if (looks++ < LOOKS)
            fh_pause();
        else
            fh_wait_while(&job.inside, inside, FH_WAIT_FOREVER);
    }
}
