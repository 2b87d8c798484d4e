#include "device/mem/host_memory.h"
#include "device/mem/lookup.h"
#include "os/memory_size.h"
#include "os/thread.h"
#include "tests/unit/device_mem.h"
#include "tests/unit/sweep.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void pinned(void)
{
    void *a, *b = NULL;
    int host;
    CHECK(mem_start(1, 4 * MIB, true) == FH_OK);
    CHECK(fh_host_malloc(0, &a) == FH_INVALID);
    CHECK(fh_host_malloc(UINT64_MAX, &a) == FH_NO_MEMORY);
    CHECK(fh_host_malloc(UINT64_MAX - 4096, &a) == FH_NO_MEMORY);
    CHECK(fh_host_malloc(100, &a) == FH_OK && fh_host_malloc(3 * MIB, &b) == FH_OK);
    memset(b, 9, 3 * MIB);
    CHECK(*(char *)a == 0 && !fh_space_holds(a));
    fh_place place = fh_lookup((char *)b + 5000);
    CHECK(place.kind == FH_PLACE_PINNED && place.address == (uintptr_t)b);
    CHECK(place.size == 3 * MIB && place.offset == 5000);
    CHECK(fh_lookup((char *)a + 100).kind == FH_PLACE_UNKNOWN);
    CHECK(fh_host_free((char *)b + 1) == FH_INVALID && mem_says("lies in pinned"));
    CHECK(fh_host_free(&host) == FH_INVALID && fh_host_free(NULL) == FH_INVALID);
    CHECK(fh_host_free((void *)fh_space_slot(0)) == FH_INVALID);
    CHECK(fh_host_unregister(b) == FH_INVALID);
    fflush(stdout);
    pid_t child = fork(); /* a child reads what was there */
    if (!child)
        _exit(((char *)b)[2 * MIB] == 9 ? 0 : 1);
    int how;
    waitpid(child, &how, 0);
    CHECK(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    CHECK(fh_host_free(b) == FH_OK && fh_host_free(b) == FH_INVALID);
    fh_memory_stop(); /* frees `a` */
}

static void registered(void)
{
    static char memory[100000];
    void *block;
    CHECK(mem_start(1, 4 * MIB, true) == FH_OK);
    CHECK(fh_host_register(NULL, 10) == FH_INVALID);
    CHECK(fh_host_register(memory, 0) == FH_INVALID);
    CHECK(fh_host_register(memory, UINT64_MAX) == FH_INVALID);
    CHECK(fh_host_register((void *)fh_space_slot(0), 10) == FH_INVALID &&
          mem_says("device memory"));
    CHECK(fh_host_register((char *)fh_space_slot(0) - 5, 6) == FH_INVALID);
    CHECK(fh_host_register(memory + 10, 1000) == FH_OK);
    CHECK(fh_host_register(memory + 10, 1000) == FH_LIMIT);
    CHECK(fh_host_register(memory + 9, 2) == FH_LIMIT &&
          fh_host_register(memory + 1009, 1) == FH_LIMIT);
    CHECK(fh_host_register(memory, 50000) == FH_LIMIT);
    CHECK(fh_host_register(memory, 10) == FH_OK && fh_host_register(memory + 1010, 1) == FH_OK);
    fh_place place = fh_lookup(memory + 500);
    CHECK(place.kind == FH_PLACE_REGISTERED && place.size == 1000 && place.offset == 490);
    CHECK(fh_lookup(memory + 1011).kind == FH_PLACE_UNKNOWN);
    CHECK(fh_host_unregister(memory + 11) == FH_INVALID && mem_says("lies in registered"));
    CHECK(fh_host_free(memory + 10) == FH_INVALID);
    CHECK(fh_host_unregister(memory + 10) == FH_OK);
    CHECK(fh_host_unregister(memory + 10) == FH_INVALID && mem_says("neither"));
    CHECK(fh_host_register(memory + 10, 5) == FH_OK);
    CHECK(fh_host_malloc(8192, &block) == FH_OK);
    CHECK(fh_host_register(block, 8192) == FH_LIMIT &&
          fh_host_register((char *)block + 1, 1) == FH_LIMIT);
    CHECK(fh_lookup((void *)(uintptr_t)-1).kind == FH_PLACE_UNKNOWN);
    CHECK(fh_lookup(NULL).kind == FH_PLACE_UNKNOWN);
    fh_memory_stop();
}

/* A client that unmaps what is registered: the next pinned block may get the addresses. */
static void stale_registration(void)
{
    const size_t size = 64 * MIB;
    CHECK(mem_start(1, 4 * MIB, true) == FH_OK);
    char *gone = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *block;
    CHECK(fh_host_register(gone, 4096) == FH_OK && fh_host_register(gone + 8192, 1) == FH_OK);
    munmap(gone, size);
    CHECK(fh_host_malloc(size, &block) == FH_OK);
    CHECK(fh_lookup((char *)block + 8192).kind == FH_PLACE_PINNED);
    CHECK(fh_host_free(block) == FH_OK);
    fh_memory_stop();
}

static void churn(void *context, size_t index, unsigned worker)
{
    atomic_int *wrong = context;
    static char memory[64 * 64];
    (void)worker;
    for (int i = 0; i < 50; i++) {
        void *block;
        if (fh_host_malloc(1 + index * 100, &block) || fh_host_register(memory + 64 * index, 64) ||
            fh_lookup(block).kind != FH_PLACE_PINNED || fh_host_unregister(memory + 64 * index) ||
            fh_host_free(block))
            atomic_fetch_add(wrong, 1);
    }
}

static void threads(void)
{
    atomic_int wrong = 0;
    CHECK(mem_start(1, 4 * MIB, true) == FH_OK);
    CHECK(fh_parallel_for(64, 64, churn, &wrong) == FH_OK && wrong == 0);
    fh_memory_stop();
}

static fh_status use(void *context)
{
    (void)context;
    static char memory[4096];
    void *block;
    fh_status status = mem_start(1, 4 * MIB, true);
    if (status)
        return status;
    for (int i = 0; !status && i < 100; i++)
        status = fh_host_register(memory + 2 * i, 1);
    if (!status)
        status = fh_host_malloc(4096, &block);
    fh_memory_stop();
    return status;
}

static void allocation_failures(void)
{
    CHECK(sweep(use, NULL) > 10);
}

static void host_size(void)
{
    uint64_t available = fh_host_memory_available();
    CHECK(available > MIB && available <= (uint64_t)sysconf(_SC_PHYS_PAGES) * 4096 * 16);
}

int main(void)
{
    TEST(pinned);
    TEST(registered);
    TEST(stale_registration);
    TEST(threads);
    TEST(allocation_failures);
    TEST(host_size);
    return test_report();
}
