/* Each case runs in a child process, forked before anything is started, whose standard error
 * output is read. */
#include "device/mem/host_memory.h"
#include "device/mem/virtual_memory.h"
#include "os/map.h"
#include "tests/unit/device_mem.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char said[8192]; /* what the last child wrote */

/* Runs `body` in a child; returns the signal that ended it, or minus its exit code. */
static int run(void (*body)(void))
{
    int ends[2], how;
    size_t length = 0;
    fflush(stdout);
    if (pipe(ends))
        abort();
    pid_t child = fork();
    if (!child) {
        /* The sanitizers' own handlers would report and end the process their way. */
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        prctl(PR_SET_DUMPABLE, 0);
        prctl(PR_SET_NAME, "tester");
        alarm(30);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        body();
        _exit(100);
    }
    close(ends[1]);
    for (ssize_t got; (got = read(ends[0], said + length, sizeof said - 1 - length)) > 0;)
        length += (size_t)got;
    said[length] = '\0';
    close(ends[0]);
    waitpid(child, &how, 0);
    return WIFSIGNALED(how) ? WTERMSIG(how) : -WEXITSTATUS(how);
}

static bool told(const char *part)
{
    if (strstr(said, part))
        return true;
    printf("  said: %s\n", said);
    return false;
}

static unsigned messages(void)
{
    unsigned count = 0;
    for (const char *at = said; (at = strstr(at, "foothold: ")); at++)
        count++;
    return count;
}

static char *block(void)
{
    void *address;
    if (mem_start(2, 4 * MIB, true) ||
        fh_device_memory_malloc(fh_device_memory_of(1), 1000, 512, true, &address))
        _exit(101);
    return address;
}

static void read_block(void)
{
    volatile char *bytes = block();
    (void)bytes[300];
}

static void write_block(void)
{
    volatile char *bytes = block();
    bytes[0] = 1;
}

static void read_freed(void)
{
    volatile char *bytes = block();
    fh_device_memory_free((void *)bytes);
    (void)bytes[5];
}

static void read_unused(void)
{
    block();
    volatile char *bytes = (char *)fh_space.client + fh_space.size - 1;
    (void)*bytes;
}

static void read_reserved(void)
{
    void *address;
    block();
    fh_virtual_reserve(512, 0, NULL, &address);
    (void)*(volatile char *)address;
}

static void read_null(void)
{
    block();
    volatile char *volatile nothing = NULL;
    (void)*nothing;
}

static void messages_of_default_action(void)
{
    CHECK(run(read_block) == SIGSEGV && messages() == 1);
    CHECK(told("300 bytes into device memory (device 1, 1000 bytes from 0x"));
    CHECK(told("(tester)") && told("aclrtMemcpy") && said[strlen(said) - 1] == '\n');
    CHECK(run(write_block) == SIGSEGV && told("0 bytes into device memory (device 1"));
    CHECK(run(read_freed) == SIGSEGV && told("freed") && told("device 1"));
    CHECK(run(read_unused) == SIGSEGV && told("nothing uses"));
    CHECK(run(read_reserved) == SIGSEGV && told("nothing mapped"));
    CHECK(run(read_null) == SIGSEGV && messages() == 0);
}

static void say_and_end(int number, siginfo_t *info, void *context)
{
    (void)context;
    bool right = number == SIGSEGV && fh_space_holds(info->si_addr);
    if (write(STDERR_FILENO, "earlier\n", 8) == 8)
        _exit(right ? 7 : 8);
}

static void with_earlier_handler(void)
{
    struct sigaction earlier = {.sa_sigaction = say_and_end, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &earlier, NULL);
    read_block();
}

static volatile sig_atomic_t plain_calls;
static sigjmp_buf back;

static void plain(int number)
{
    (void)number;
    if (++plain_calls < 3)
        return; /* the access is repeated */
    siglongjmp(back, 1);
}

static void with_plain_handler(void)
{
    signal(SIGSEGV, plain);
    volatile char *bytes = block();
    if (!sigsetjmp(back, 1))
        (void)bytes[9];
    _exit(plain_calls == 3 ? 9 : 10);
}

static void ignored(void)
{
    signal(SIGSEGV, SIG_IGN);
    read_block();
}

static void sent(void)
{
    block();
    kill(getpid(), SIGSEGV);
}

static void after_stop(void)
{
    struct sigaction now;
    signal(SIGSEGV, plain);
    block();
    fh_memory_stop();
    sigaction(SIGSEGV, NULL, &now);
    _exit(now.sa_handler == plain ? 11 : 12);
}

static void handlers_from_before(void)
{
    CHECK(run(with_earlier_handler) == -7 && messages() == 1 && told("earlier"));
    CHECK(strstr(said, "foothold") < strstr(said, "earlier"));
    CHECK(run(with_plain_handler) == -9 && messages() == 1);
    CHECK(run(ignored) == SIGSEGV && messages() == 1);
    CHECK(run(sent) == SIGSEGV && messages() == 0);
    CHECK(run(after_stop) == -11 && messages() == 0);
}

static void without_isolation(void)
{
    void *address;
    if (mem_start(1, 4 * MIB, false) ||
        fh_device_memory_malloc(fh_device_memory_of(0), 10, 512, true, &address))
        _exit(101);
    *(volatile char *)address = 4;
    _exit(*(volatile char *)address == 4 ? 13 : 14);
}

static void in_forked_child(void)
{
    volatile char *bytes = block();
    int how;
    pid_t child = fork();
    if (!child) {
        (void)bytes[1];
        _exit(0);
    }
    waitpid(child, &how, 0);
    _exit(WIFSIGNALED(how) && WTERMSIG(how) == SIGSEGV ? 15 : 16);
}

static void *read_in_thread(void *bytes)
{
    prctl(PR_SET_NAME, "reader");
    (void)((volatile char *)bytes)[77];
    return NULL;
}

static void in_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, read_in_thread, block());
    pthread_join(thread, NULL);
}

static void beyond_file(void)
{
    char *bytes = block();
    volatile char *kernel = fh_space_kernel(bytes);
    if (ftruncate(fh_device_memory_file(fh_device_memory_of(1)), 0)) /* as if the host were full */
        _exit(101);
    kernel[0] = 1;
}

static void other_cases(void)
{
    CHECK(run(without_isolation) == -13 && messages() == 0);
    CHECK(run(in_forked_child) == -15 && messages() == 1 && told("spawn"));
    CHECK(run(in_thread) == SIGSEGV && told("(reader)") && told("77 bytes into"));
    CHECK(run(beyond_file) == SIGBUS && told("host is out of memory") && told("device 1"));
}

int main(void)
{
    TEST(messages_of_default_action);
    TEST(handlers_from_before);
    TEST(other_cases);
    return test_report();
}
