#include "os/process.h"
#include "os/clock.h"
#include "os/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { POLL_MILLISECONDS = 100, PIECE = 65536 };

/* Starts the program in a process group of its own, with its output in a pipe. */
static fh_status start(const char *const *arguments, pid_t *child, int *reader)
{
    int ends[2];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (pipe2(ends, O_CLOEXEC))
        return fh_error(FH_IO, "cannot start %s: %s", arguments[0], strerror(errno));
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed) {
        close(ends[0]);
        close(ends[1]);
        return fh_error(FH_NO_MEMORY, "out of memory while starting %s", arguments[0]);
    }
    failed = posix_spawnattr_init(&attributes);
    if (!failed) {
        failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        failed = failed ? failed : posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
        failed = failed ? failed
                        : posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
        failed = failed ? failed : posix_spawnattr_setpgroup(&attributes, 0);
        failed = failed ? failed : posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        /* posix_spawnp does not write to the strings; its prototype is older than const. */
        failed = failed ? failed
                        : posix_spawnp(child, arguments[0], &actions, &attributes,
                                       (char *const *)(void *)arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        return fh_error(failed == ENOENT   ? FH_NOT_FOUND
                        : failed == ENOMEM ? FH_NO_MEMORY
                                           : FH_IO,
                        "cannot start %s: %s", arguments[0], strerror(failed));
    }
    *reader = ends[0];
    return FH_OK;
}

/* When to give up, and what to say then. */
typedef struct {
    const char *name;
    uint64_t end;
    unsigned milliseconds;
} deadline;

static fh_status check(const deadline *limit)
{
    if (fh_interrupted())
        return fh_error(FH_INTERRUPTED, "interrupted while %s ran", limit->name);
    if (fh_clock_now() > limit->end)
        return fh_error(FH_LIMIT, "%s took longer than %u ms and was stopped", limit->name,
                        limit->milliseconds);
    return FH_OK;
}

static fh_status read_all(const deadline *limit, int reader, uint64_t max_bytes, fh_buffer *output)
{
    const char *name = limit->name;
    size_t first = output->length;
    for (;;) {
        struct pollfd waiting = {.fd = reader, .events = POLLIN};
        fh_status status = check(limit);
        if (status)
            return status;
        int ready = poll(&waiting, 1, POLL_MILLISECONDS);
        if (ready == 0 || (ready < 0 && errno == EINTR))
            continue;
        if (!fh_buffer_reserve(output, PIECE))
            return fh_error(FH_NO_MEMORY, "out of memory while reading from %s", name);
        ssize_t got = read(reader, output->data + output->length, PIECE);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fh_error(FH_IO, "cannot read from %s: %s", name, strerror(errno));
        if (got == 0)
            return FH_OK;
        output->length += (size_t)got;
        if (output->length - first > max_bytes)
            return fh_error(FH_LIMIT, "%s wrote more than %llu bytes and was stopped", name,
                            (unsigned long long)max_bytes);
    }
}

/* Waits for the child, which may go on after it closed its output. */
static fh_status wait_for(const deadline *limit, pid_t child, int *how)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    fh_status status = FH_OK;
    while (!status) {
        pid_t ended = waitpid(child, how, WNOHANG);
        if (ended == child)
            return FH_OK;
        if (ended < 0 && errno != EINTR)
            return fh_error(FH_IO, "cannot wait for %s: %s", limit->name, strerror(errno));
        nanosleep(&pause, NULL);
        status = check(limit);
    }
    return status;
}

fh_status fh_process_run(const char *const *arguments, uint64_t max_bytes, unsigned milliseconds,
                         fh_buffer *output, int *exit_code)
{
    pid_t child;
    int reader, how = 0;
    size_t first = output->length;
    fh_status status = start(arguments, &child, &reader);
    if (status)
        return status;
    const deadline limit = {arguments[0], fh_clock_now() + (uint64_t)milliseconds * 1000000,
                            milliseconds};
    status = read_all(&limit, reader, max_bytes, output);
    close(reader);
    if (!status)
        status = wait_for(&limit, child, &how);
    if (!status) {
        *exit_code = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
        return FH_OK;
    }
    kill(-child, SIGKILL);
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        ;
    output->length = first;
    return status;
}

fh_status fh_process_replace(const char *const *arguments)
{
    execvp(arguments[0], (char *const *)(void *)arguments);
    return fh_error(errno == ENOENT ? FH_NOT_FOUND : FH_IO, "cannot run %s: %s", arguments[0],
                    strerror(errno));
}
