#include "os/clock.h"
#include "os/interrupt.h"
#include "os/thread.h"
#include "tests/test.h"
#include "tests/unit/sweep.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 5000, JOBS = 8 };

typedef struct {
    unsigned times[MANY]; /* plain: each is written by one call alone */
    unsigned long sums[JOBS];
    atomic_size_t calls;
    size_t stop_at;
} record;

static void run_one(void *context, size_t index, unsigned worker)
{
    record *r = context;
    r->times[index]++;
    r->sums[worker] += index;
    if (atomic_fetch_add(&r->calls, 1) == r->stop_at)
        fh_interrupt_set(true);
}

static void every_index_once(void)
{
    static const unsigned jobs[] = {0, 1, 2, JOBS};
    for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++)
        for (size_t count = 0; count <= MANY; count = count ? count * 17 : 1) {
            static record r;
            memset(&r, 0, sizeof r);
            r.stop_at = SIZE_MAX;
            CHECK(fh_parallel_for(jobs[j], count, run_one, &r) == FH_OK);
            unsigned long sum = 0, wrong = 0;
            for (unsigned i = 0; i < JOBS; i++)
                sum += r.sums[i];
            for (size_t i = 0; i < MANY; i++)
                wrong += r.times[i] != (i < count);
            CHECK(!wrong && sum == count * (count - 1) / 2 * (count > 0));
        }
}

static void interrupted_loops_run_a_prefix(void)
{
    for (unsigned jobs = 1; jobs <= JOBS; jobs += 3) {
        static record r;
        memset(&r, 0, sizeof r);
        r.stop_at = 100;
        CHECK(fh_parallel_for(jobs, MANY, run_one, &r) == FH_INTERRUPTED);
        fh_interrupt_set(false);
        size_t done = atomic_load(&r.calls), prefix = 0;
        while (prefix < MANY && r.times[prefix])
            prefix++;
        CHECK(done == prefix && done >= 100 && done < 100 + 2 * JOBS);
    }
    /* After the last index there is nothing left to interrupt. */
    static record last;
    last.stop_at = 0;
    CHECK(fh_parallel_for(1, 1, run_one, &last) == FH_OK);
    fh_interrupt_set(false);
}

static void count_indices(void *context, size_t index, unsigned worker)
{
    (void)index, (void)worker;
    atomic_fetch_add((atomic_size_t *)context, 1);
}

static fh_status loop_once(void *context)
{
    atomic_size_t calls = 0;
    (void)context;
    fh_status status = fh_parallel_for(4, 100, count_indices, &calls);
    CHECK(atomic_load(&calls) == 100);
    return status;
}

/* Without memory for threads the calling thread does it all. */
static void memory_runs_out(void)
{
    CHECK(sweep(loop_once, NULL) == 0);
}

static void processors_are_counted(void)
{
    cpu_set_t set, one;
    unsigned count = fh_processor_count();
    CHECK(count >= 1 && count <= (unsigned)sysconf(_SC_NPROCESSORS_CONF));
    CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set)) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            break;
        }
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(fh_processor_count() == 1);
    CHECK(sched_setaffinity(0, sizeof set, &set) == 0);
}

static void clock_goes_forward(void)
{
    uint64_t before = fh_clock_now();
    usleep(2000);
    uint64_t passed = fh_clock_now() - before;
    CHECK(passed >= 2000000 && passed < 60ull * 1000000000);
}

/* Runs `play` in a child process and returns what waitpid says. */
static int in_child(void (*play)(void))
{
    int state = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        play();
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &state, 0) == child);
    return state;
}

static void one_signal(void)
{
    fh_interrupt_install();
    raise(SIGINT);
    _exit(fh_interrupted() && fh_interrupt_signal() == SIGINT ? 7 : 8);
}

static void two_signals(void)
{
    fh_interrupt_install();
    raise(SIGINT);
    raise(SIGTERM);
    _exit(9);
}

static void ignored_signal(void)
{
    signal(SIGINT, SIG_IGN);
    fh_interrupt_install();
    raise(SIGINT);
    _exit(fh_interrupted() ? 8 : 7);
}

static void first_signal_sets_the_flag_second_ends(void)
{
    int state = in_child(one_signal);
    CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 7);
    state = in_child(two_signals);
    CHECK(WIFSIGNALED(state) && WTERMSIG(state) == SIGTERM);
    state = in_child(ignored_signal);
    CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 7);
    CHECK(!fh_interrupted());
}

int main(void)
{
    TEST(every_index_once);
    TEST(interrupted_loops_run_a_prefix);
    TEST(memory_runs_out);
    TEST(processors_are_counted);
    TEST(clock_goes_forward);
    TEST(first_signal_sets_the_flag_second_ends);
    return test_report();
}
