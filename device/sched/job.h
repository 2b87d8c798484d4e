/* job.h: a kernel that was split, while threads take parts of it. For engine.c and team.c. */
#ifndef FH_SCHED_JOB_H
#define FH_SCHED_JOB_H

#include "device/kern/team.h"

#include <stdatomic.h>

typedef struct fh_job fh_job;
struct fh_job {
    fh_part *part;
    void *context;
    int64_t count, piece; /* of what is split; elements that one call of `part` gets */
    unsigned width;
    _Atomic int64_t next;    /* the first element that nobody has taken */
    _Atomic uint32_t inside; /* threads at work beside the one that split; it sleeps on this */
    unsigned joined;         /* slots given out; under the engine's lock, as is the list */
    fh_job *next_job;
};

/* Runs pieces until none is left. */
void fh_job_work(fh_job *job, unsigned slot);

/* Lets idle workers see a job, and hides it again. */
void fh_engine_post(fh_job *job);
void fh_engine_withdraw(fh_job *job);

/* Runs kernels over all workers; the width is set by the engine. */
void fh_team_run(const fh_team *team, int64_t count, int64_t grain, fh_part *part, void *context);

#endif
