#include "os/identity.h"
#include "os/map.h"
#include "os/memory_file.h"
#include "tests/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whether the system can read the byte at an address. */
static bool readable(const void *address)
{
    int ends[2];
    bool yes = !pipe(ends) && write(ends[1], address, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return yes;
}

/* Runs `body` in a child; returns its exit code, or 1000 + the signal. */
static int in_child(int (*body)(void *context), void *context)
{
    int how;
    fflush(stdout);
    pid_t child = fork();
    if (!child)
        _exit(body(context));
    waitpid(child, &how, 0);
    return WIFEXITED(how) ? WEXITSTATUS(how) : 1000 + WTERMSIG(how);
}

static void reserving(void)
{
    const size_t page = fh_page_size();
    void *base = NULL;
    CHECK(page >= 4096 && (page & (page - 1)) == 0);
    CHECK(fh_map_reserve(0, page, &base) == FH_INVALID);
    CHECK(fh_map_reserve(page + 1, page, &base) == FH_INVALID);
    CHECK(fh_map_reserve(page, 0, &base) == FH_INVALID);
    CHECK(fh_map_reserve(page, 3 * page, &base) == FH_INVALID);
    CHECK(fh_map_reserve(SIZE_MAX - page + 1, page, &base) == FH_NO_MEMORY);
    CHECK(fh_map_reserve(page, (size_t)1 << 63, &base) == FH_NO_MEMORY);
    CHECK(fh_map_reserve(SIZE_MAX - page + 1, (size_t)1 << 30, &base) == FH_NO_MEMORY && !base);
    for (size_t alignment = 1; alignment <= (size_t)1 << 28; alignment *= 2) {
        CHECK(fh_map_reserve(3 * page, alignment, &base) == FH_OK);
        CHECK((uintptr_t)base % alignment == 0 && !readable(base));
        fh_map_release(base, 3 * page);
    }
    fh_map_release(NULL, page);
}

static void files_at_fixed_addresses(void)
{
    const size_t page = fh_page_size();
    void *range;
    int file;
    struct stat s;
    CHECK(fh_memory_file_create("test-map", 4 * page, &file) == FH_OK);
    CHECK(fh_map_reserve(4 * page, page, &range) == FH_OK);
    char *base = range;
    CHECK(fh_map_file(base, page, file, 2 * page, FH_MAP_READ_WRITE, false) == FH_OK);
    CHECK(fh_map_file(base + 2 * page, page, file, 2 * page, FH_MAP_READ, true) == FH_OK);
    base[7] = 3;
    CHECK(base[2 * page + 7] == 3);
    CHECK(!readable(base + page) && readable(base) && readable(base + 2 * page));
    CHECK(!fstat(file, &s) && (size_t)s.st_blocks * 512 == page); /* what was touched */
    CHECK(fh_map_file(base, page, file, 1, FH_MAP_READ, false) == FH_INVALID);
    CHECK(fh_map_file(base, page, -1, 0, FH_MAP_READ, false) == FH_IO && base[7] == 3);
    CHECK(fh_memory_file_punch(file, 2 * page, page) == FH_OK && base[7] == 0);
    CHECK(fh_memory_file_punch(file, 0, 0) == FH_OK);
    CHECK(!fstat(file, &s) && s.st_size == (off_t)(4 * page));
    CHECK(fh_memory_file_punch(-1, 0, page) == FH_IO);
    CHECK(fh_map_unmap(base, page) == FH_OK && !readable(base));
    fh_map_release(base, 4 * page);
    fh_memory_file_close(file);
    fh_memory_file_close(-1);
}

/* Other machines are emulated, by qemu's user mode, which gives children all mappings. */
#if defined(__x86_64__)
enum { NATIVE = 1 };
#else
enum { NATIVE = 0 };
#endif

static int look_at(void *address)
{
    return readable(address);
}

static void what_children_get(void)
{
    void *hidden, *seen = NULL;
    CHECK(fh_map_private(10, &hidden) == FH_OK && fh_map_private(10, &seen) == FH_OK);
    CHECK(fh_map_hide_from_children(hidden, fh_page_size()) == FH_OK);
    CHECK(in_child(look_at, seen) == 1 && (in_child(look_at, hidden) == 0 || !NATIVE));
    fh_map_release(hidden, 10);
    fh_map_release(seen, 10);
    CHECK(fh_map_private(SIZE_MAX, &seen) == FH_NO_MEMORY);
    CHECK(fh_map_private(SIZE_MAX / 2, &seen) == FH_NO_MEMORY);
}

static int mark_is_set(void *mark)
{
    return atomic_load((const atomic_bool *)mark);
}

static void fork_mark(void)
{
    const atomic_bool *mark, *again;
    CHECK(fh_fork_mark(&mark) == FH_OK && fh_fork_mark(&again) == FH_OK && mark == again);
    CHECK(atomic_load(mark));
    CHECK(in_child(mark_is_set, (void *)(uintptr_t)mark) == 0);
    CHECK(atomic_load(mark) && fh_process_id() == getpid() && fh_thread_id() == getpid());
    CHECK(fh_random64() != fh_random64());
}

/* In another process: opens ours by name, checks the content, holds a byte. */
static int open_ours(void *context)
{
    int number, file;
    char byte;
    int64_t parent = getppid();
    (void)context;
    if (fh_memory_file_find(parent, "test-peer", &number) ||
        fh_memory_file_open(parent, number, &file) || pread(file, &byte, 1, 100) != 1)
        return 1;
    if (fh_memory_file_hold(file, 5) || fh_memory_file_hold(file, 5) ||
        fh_memory_file_hold(file, 9))
        return 2;
    fh_memory_file_drop(file, 9);
    byte++;
    return pwrite(file, &byte, 1, 100) == 1 && pause() == 0 ? 0 : 3;
}

static void files_of_other_processes(void)
{
    int file, other, number;
    char byte = 20;
    CHECK(fh_memory_file_create("test-peer", 4096, &file) == FH_OK);
    CHECK(pwrite(file, &byte, 1, 100) == 1 && !fh_memory_file_held(file, 5));
    fflush(stdout);
    pid_t child = fork();
    if (!child)
        _exit(open_ours(NULL));
    for (int i = 0; byte == 20 && i < 2000; i++) {
        usleep(1000);
        CHECK(pread(file, &byte, 1, 100) == 1);
    }
    CHECK(byte == 21);
    CHECK(fh_memory_file_held(file, 5) && !fh_memory_file_held(file, 4) &&
          !fh_memory_file_held(file, 9));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    CHECK(!fh_memory_file_held(file, 5)); /* the system took it away */
    CHECK(fh_memory_file_find(child, "test-peer", &number) == FH_NOT_FOUND);
    CHECK(fh_memory_file_open(child, 3, &other) == FH_NOT_FOUND);
    CHECK(fh_memory_file_find(getpid(), "test-pee", &number) == FH_NOT_FOUND);
    CHECK(fh_memory_file_find(-1, "test-peer", &number) == FH_NOT_FOUND);
    CHECK(fh_memory_file_open(getpid(), 987654, &other) == FH_NOT_FOUND);
    CHECK(fh_memory_file_hold(file, 5) == FH_OK && !fh_memory_file_held(file, 5)); /* its own */
    fh_memory_file_close(file);
}

static int past_the_limit(void *context)
{
    int file;
    (void)context;
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){8192, 8192});
    if (fh_memory_file_create("test-limit", 8192, &file))
        return 1;
    return fh_memory_file_create("test-limit", 8193, &file) == FH_LIMIT ? 0 : 2;
}

static int no_descriptors(void *context)
{
    int file;
    (void)context;
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, 3});
    return fh_memory_file_create("test-limit", 8192, &file) == FH_LIMIT ? 0 : 1;
}

static void limits(void)
{
    int file;
    CHECK(in_child(past_the_limit, NULL) == 0);
    CHECK(in_child(no_descriptors, NULL) == 0);
    CHECK(fh_memory_file_create("test-huge", UINT64_MAX, &file) == FH_IO);
    CHECK(fh_memory_file_create("test-empty", 0, &file) == FH_OK);
    fh_memory_file_close(file);
}

int main(void)
{
    TEST(reserving);
    TEST(files_at_fixed_addresses);
    TEST(what_children_get);
    TEST(fork_mark);
    TEST(files_of_other_processes);
    TEST(limits);
    return test_report();
}
