/* What device/sched promises in task.h: order, visibility, who runs what, failures, time-outs. */
#include "base/memory.h"
#include "device/sched/engine.h"
#include "os/clock.h"
#include "os/thread.h"
#include "tests/test.h"

#include <stdlib.h>

static _Atomic int released;

typedef struct {
    fh_task task;
    void (*body)(void *context);
    void *context;
} body_task;

static fh_status body_run(fh_task *task, const fh_team *team)
{
    (void)team;
    body_task *self = (body_task *)task;
    self->body(self->context);
    return FH_OK;
}

static fh_status fail_run(fh_task *task, const fh_team *team)
{
    (void)task, (void)team;
    return fh_error(FH_INVALID, "index 7 is out of range");
}

static void body_release(fh_task *task)
{
    atomic_fetch_add(&released, 1);
    free(task);
}

static fh_task *task_of(void (*body)(void *), void *context, fh_task_place place, uint32_t cost)
{
    body_task *self = calloc(1, sizeof *self);
    self->task = (fh_task){.name = "test",
                           .run = body ? body_run : fail_run,
                           .release = body_release,
                           .place = place,
                           .cost = cost};
    self->body = body;
    self->context = context;
    return &self->task;
}

enum { BIG = 1000000 };

/* A gate holds a worker until it is opened, so that a test decides what is still to be run. */
static void pass_gate(void *gate)
{
    while (!atomic_load((_Atomic uint32_t *)gate))
        fh_wait_while(gate, 0, FH_WAIT_FOREVER);
}

static void open_gate(_Atomic uint32_t *gate)
{
    atomic_store(gate, 1);
    fh_wake_all(gate);
}

typedef struct {
    int *log, *count, value;
} step;

static void write_step(void *context)
{
    step *self = context;
    self->log[(*self->count)++] = self->value;
}

static bool in_order(const int *log, int count)
{
    for (int i = 0; i < count; i++)
        if (log[i] != i)
            return false;
    return true;
}

/* Small and big tasks alternate, so that issuer, workers and waiter all own the stream in turn. */
static void order_of_one_stream(void)
{
    enum { COUNT = 5000 };
    static int log[COUNT];
    static step steps[COUNT];
    int count = 0;
    fh_stream *stream = fh_stream_create(0);
    for (int i = 0; i < COUNT; i++) {
        steps[i] = (step){log, &count, i};
        fh_task_place place = i % 7 == 3   ? FH_TASK_HOST
                              : i % 5 == 1 ? FH_TASK_WORKER
                                           : FH_TASK_ANYWHERE;
        CHECK(fh_stream_append(stream, task_of(write_step, &steps[i], place, i % 3 ? 0 : BIG)) ==
              FH_OK);
        if (i % 97 == 0)
            CHECK(fh_stream_synchronize(stream, FH_WAIT_FOREVER) == FH_OK);
    }
    CHECK(fh_stream_synchronize(stream, FH_WAIT_FOREVER) == FH_OK);
    CHECK(count == COUNT && in_order(log, COUNT) && fh_stream_idle(stream));
    fh_stream_drop(stream);
}

static unsigned long long thread_of(void)
{
    static _Thread_local char here;
    return (unsigned long long)(uintptr_t)&here;
}

static void note_thread(void *context)
{
    *(unsigned long long *)context = thread_of();
}

static void who_runs_what(void)
{
    unsigned long long small = 0, worker = 0, host = 0;
    fh_stream *stream = fh_stream_create(0);
    fh_stream_append(stream, task_of(note_thread, &small, FH_TASK_ANYWHERE, 0));
    CHECK(small == thread_of()); /* it has already run */
    fh_stream_append(stream, task_of(note_thread, &worker, FH_TASK_WORKER, 0));
    fh_stream_append(stream, task_of(note_thread, &host, FH_TASK_HOST, 0));
    fh_stream_synchronize(stream, FH_WAIT_FOREVER);
    CHECK(worker && worker != thread_of() && host && host != thread_of() && host != worker);
    fh_stream_drop(stream);
}

static void two_streams_are_ordered_by_events(void)
{
    enum { COUNT = 2000 };
    static int log[2 * COUNT];
    static step steps[2 * COUNT];
    int count = 0;
    fh_stream *streams[] = {fh_stream_create(0), fh_stream_create(3)};
    fh_event event = {0};
    for (int i = 0; i < 2 * COUNT; i++) {
        fh_stream *stream = streams[i & 1];
        steps[i] = (step){log, &count, i};
        CHECK(fh_stream_wait(stream, &event) == FH_OK);
        fh_stream_append(stream, task_of(write_step, &steps[i], FH_TASK_ANYWHERE, i % 3 ? 0 : BIG));
        CHECK(fh_stream_record(stream, &event) == FH_OK);
    }
    fh_moment *moment = fh_event_moment(&event);
    CHECK(fh_moment_wait(moment, FH_WAIT_FOREVER) && fh_moment_done(moment));
    CHECK(count == 2 * COUNT && in_order(log, 2 * COUNT));
    fh_moment_drop(moment);
    fh_event_replace(&event, NULL);
    for (int i = 0; i < 2; i++) {
        fh_stream_synchronize(streams[i], FH_WAIT_FOREVER);
        fh_stream_drop(streams[i]);
    }
}

/* An event that is recorded again does not change what was already waited for. */
static void a_wait_keeps_its_moment(void)
{
    _Atomic uint32_t first = 0, second = 0;
    fh_stream *a = fh_stream_create(0), *b = fh_stream_create(0), *c = fh_stream_create(0);
    fh_event event = {0};
    fh_stream_append(a, task_of(pass_gate, (void *)&first, FH_TASK_WORKER, 0));
    fh_stream_record(a, &event);
    fh_stream_wait(c, &event);
    fh_stream_append(b, task_of(pass_gate, (void *)&second, FH_TASK_HOST, 0));
    fh_stream_record(b, &event);
    CHECK(!fh_stream_idle(c));
    open_gate(&first);
    CHECK(fh_stream_synchronize(c, FH_WAIT_FOREVER) == FH_OK);
    fh_moment *moment = fh_event_moment(&event);
    CHECK(!fh_moment_done(moment));
    CHECK(!fh_moment_wait(moment, fh_clock_now() + 1000000));
    open_gate(&second);
    CHECK(fh_moment_wait(moment, FH_WAIT_FOREVER));
    fh_moment_drop(moment);
    fh_event_replace(&event, NULL);
    fh_stream *all[] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        fh_stream_synchronize(all[i], FH_WAIT_FOREVER);
        fh_stream_drop(all[i]);
    }
}

static void a_failure_stays_with_its_stream(void)
{
    int ran = 0, log[4];
    step steps[2] = {{log, &ran, 0}, {log, &ran, 1}};
    _Atomic uint32_t gate = 0;
    fh_stream *bad = fh_stream_create(0), *good = fh_stream_create(0);
    fh_event event = {0};
    fh_stream_append(bad, task_of(pass_gate, (void *)&gate, FH_TASK_WORKER, 0));
    fh_stream_append(bad, task_of(NULL, NULL, FH_TASK_ANYWHERE, 0));
    fh_stream_append(bad, task_of(write_step, &steps[0], FH_TASK_ANYWHERE, 0));
    CHECK(fh_stream_record(bad, &event) == FH_OK);
    open_gate(&gate);
    CHECK(fh_stream_synchronize(bad, FH_WAIT_FOREVER) == FH_INVALID);
    CHECK(strstr(fh_error_message(), "index 7 is out of range"));
    CHECK(ran == 0);
    fh_moment *moment = fh_event_moment(&event);
    CHECK(fh_moment_done(moment)); /* nobody waits for ever */
    fh_moment_drop(moment);
    CHECK(fh_stream_append(bad, task_of(write_step, &steps[0], FH_TASK_ANYWHERE, 0)) == FH_INVALID);
    CHECK(strstr(fh_error_message(), "failed before") && ran == 0);
    CHECK(fh_stream_append(good, task_of(write_step, &steps[1], FH_TASK_ANYWHERE, 0)) == FH_OK &&
          ran == 1);
    fh_stream_abort(bad);
    CHECK(fh_stream_append(bad, task_of(write_step, &steps[0], FH_TASK_ANYWHERE, 0)) == FH_OK &&
          ran == 2);
    fh_event_replace(&event, NULL);
    fh_stream_drop(bad);
    fh_stream_drop(good);
}

static void time_outs_and_abort(void)
{
    _Atomic uint32_t gate = 0;
    int ran = 0, log[4];
    step never = {log, &ran, 0};
    fh_stream *holds = fh_stream_create(0), *parked = fh_stream_create(0);
    fh_event event = {0};
    fh_stream_append(holds, task_of(pass_gate, (void *)&gate, FH_TASK_HOST, 0));
    fh_stream_record(holds, &event);
    fh_stream_wait(parked, &event);
    fh_stream_append(parked, task_of(write_step, &never, FH_TASK_ANYWHERE, 0));
    CHECK(fh_stream_synchronize(parked, fh_clock_now() + 2000000) == FH_INTERRUPTED);
    CHECK(ran == 0);
    fh_stream_abort(parked); /* although what it stands at is not done */
    CHECK(fh_stream_idle(parked) && ran == 0);
    CHECK(fh_stream_synchronize(parked, 0) == FH_OK);
    open_gate(&gate);
    CHECK(fh_stream_synchronize(holds, FH_WAIT_FOREVER) == FH_OK);
    fh_event_replace(&event, NULL);
    fh_stream_drop(holds);
    fh_stream_drop(parked);
}

typedef struct {
    _Atomic unsigned char *marks;
    unsigned width;
    _Atomic int wrong;
} marks;

static void mark(void *context, int64_t begin, int64_t end, unsigned slot)
{
    marks *self = context;
    if (slot >= self->width || begin >= end)
        atomic_fetch_add(&self->wrong, 1);
    for (int64_t i = begin; i < end; i++)
        atomic_fetch_add_explicit(&self->marks[i], 1, memory_order_relaxed);
}

static fh_status split_run(fh_task *task, const fh_team *team)
{
    marks *self = ((body_task *)task)->context;
    self->width = team->width;
    fh_team_split(team, 100003, 64, mark, self);
    fh_team_split(team, 0, 1, mark, self);
    return FH_OK;
}

static void kernels_are_split_once_over_everything(void)
{
    static _Atomic unsigned char seen[100003];
    enum { TIMES = 50 };
    marks context = {.marks = seen};
    fh_stream *stream = fh_stream_create(0);
    for (int i = 0; i < TIMES; i++) {
        fh_task *task = task_of(NULL, &context, FH_TASK_ANYWHERE, BIG);
        task->run = split_run;
        fh_stream_append(stream, task);
    }
    CHECK(fh_stream_synchronize(stream, FH_WAIT_FOREVER) == FH_OK);
    int wrong = 0;
    for (int i = 0; i < 100003; i++)
        wrong += seen[i] != TIMES;
    CHECK(wrong == 0 && context.wrong == 0);
    fh_stream_drop(stream);
}

typedef struct {
    fh_stream **streams;
    fh_event *events;
    long *counters;
    unsigned seed;
} hammer;

enum { STREAMS = 16, ROUNDS = 4000 };

static void add_one(void *context)
{
    ++*(long *)context; /* not atomic: only one task of a stream runs at a time */
}

static void hammer_main(void *context)
{
    hammer *self = context;
    for (int i = 0; i < ROUNDS; i++) {
        unsigned r = self->seed = self->seed * 1664525 + 1013904223;
        int s = (int)(r >> 8) % STREAMS, e = (int)(r >> 16) % STREAMS;
        fh_task_place place = (fh_task_place)(r >> 20) % 3;
        switch (r >> 28) {
        case 0:
            fh_stream_wait(self->streams[s], &self->events[e]);
            break;
        case 1:
            fh_stream_record(self->streams[s], &self->events[e]);
            break;
        case 2:
            if (i % 16 == 0)
                fh_stream_synchronize(self->streams[s], FH_WAIT_FOREVER);
            break;
        default:
            fh_stream_append(self->streams[s],
                             task_of(add_one, &self->counters[s], place, r >> 30 ? 0 : BIG));
        }
    }
}

/* Threads share streams and events; counts are exact and everything is released. */
static void many_threads_share_streams(void)
{
    fh_stream *streams[STREAMS];
    fh_event events[STREAMS] = {0};
    static long counters[STREAMS];
    for (int i = 0; i < STREAMS; i++)
        streams[i] = fh_stream_create((uint32_t)i);
    atomic_store(&released, 0);
    hammer hammers[4];
    fh_thread *threads[4];
    for (unsigned i = 0; i < 4; i++) {
        hammers[i] = (hammer){streams, events, counters, i + 1};
        CHECK(fh_thread_start("hammer", hammer_main, &hammers[i], &threads[i]) == FH_OK);
    }
    for (int i = 0; i < 4; i++)
        fh_thread_join(threads[i]);
    long sum = 0;
    for (int i = 0; i < STREAMS; i++) {
        CHECK(fh_stream_synchronize(streams[i], FH_WAIT_FOREVER) == FH_OK);
        sum += counters[i];
        fh_event_replace(&events[i], NULL);
    }
    for (int i = 0; i < STREAMS; i++)
        fh_stream_drop(streams[i]);
    CHECK(sum > 4 * ROUNDS / 2 && sum == atomic_load(&released));
}

int main(void)
{
    fh_engine_set_workers(2);
    TEST(order_of_one_stream);
    TEST(who_runs_what);
    TEST(two_streams_are_ordered_by_events);
    TEST(a_wait_keeps_its_moment);
    TEST(a_failure_stays_with_its_stream);
    TEST(time_outs_and_abort);
    TEST(kernels_are_split_once_over_everything);
    TEST(many_threads_share_streams);
    fh_engine_stop();
    return test_report();
}
