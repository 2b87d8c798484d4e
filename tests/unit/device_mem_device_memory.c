#include "os/thread.h"
#include "tests/unit/device_mem.h"
#include "tests/unit/sweep.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t mib = 1 << 20;

static fh_status start(uint32_t devices, uint64_t bytes, bool isolation)
{
    return fh_memory_start(
        &(fh_space_options){.devices = devices, .device_bytes = bytes, .isolation = isolation});
}

static uint64_t committed(const fh_device_memory *memory)
{
    struct stat s;
    return fstat(fh_device_memory_file(memory), &s) ? 0 : (uint64_t)s.st_blocks * 512;
}

static void space(void)
{
    int host = 1;
    CHECK(!fh_space_holds(&host) && fh_space_kernel(&host) == &host && !fh_space_is_ours());
    fh_space_options none = {.devices = 0, .device_bytes = mib};
    CHECK(fh_space_create(&none) == FH_INVALID);
    CHECK(fh_space_create(&(fh_space_options){.devices = 1}) == FH_INVALID);
    CHECK(fh_space_create(&(fh_space_options){.devices = FH_DEVICES_MOST + 1, .device_bytes = 1}) ==
          FH_INVALID);
    CHECK(fh_space_create(&(fh_space_options){.devices = 1, .device_bytes = UINT64_MAX}) ==
          FH_INVALID);
    for (int isolation = 0; isolation < 2; isolation++) {
        size_t size;
        CHECK(start(3, 5 * mib + 1, isolation) == FH_OK);
        CHECK(start(3, 5 * mib, isolation) == FH_INVALID);
        CHECK(fh_space_is_ours());
        CHECK(fh_space.slot == 6 * mib && fh_space.size == 3 * 6 * mib * 4);
        CHECK(fh_space.offset == (isolation ? fh_space.size : 0));
        char *first = (char *)fh_space.client, *last = first + fh_space.size - 1;
        CHECK(fh_space_holds(first) && fh_space_holds(last));
        CHECK(!fh_space_holds(first - 1) && !fh_space_holds(last + 1) && !fh_space_holds(NULL));
        CHECK(fh_space_kernel(last) == last + fh_space.offset);
        CHECK(fh_space_client(fh_space_kernel(last)) == last);
        CHECK(fh_space_client(&host) == &host && fh_space_kernel(NULL) == NULL);
        CHECK(fh_space_client(first - 1) == first - 1);
        CHECK(fh_space_virtual(&size) == fh_space_slot(3) && size == 3 * 6 * mib * 3);
        fh_memory_stop();
        CHECK(!fh_space_holds(first) && !fh_space_is_ours());
    }
}

/* In a child with little address space: the room shrinks, then the error says what to do. */
static int with_address_limit(uint64_t bytes, uint64_t limit)
{
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit});
        fh_status status = start(2, bytes, true);
        if (status)
            _exit(status == FH_LIMIT && strstr(fh_error_message(), "ulimit -v") ? 2 : 3);
        fh_device_memory *memory;
        status = fh_device_memory_create(1, bytes, &memory);
        _exit(status ? 3 : fh_space.size < 2 * bytes * 4 ? 1 : 0);
    }
    int how = -1;
    waitpid(child, &how, 0);
    return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

/* Other machines are emulated (qemu's user mode), which knows no limit of addresses, keeps a record
 * for each page that is reserved, and lets children have all mappings. */
#if defined(__x86_64__)
enum { NATIVE = 1 };
#else
enum { NATIVE = 0 };
#endif

static void address_limits(void)
{
    if (!NATIVE)
        return;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return; /* they need terabytes of addresses themselves */
#endif
#endif
    CHECK(with_address_limit(1 << 30, (uint64_t)1 << 40) == 0);
    CHECK(with_address_limit(1 << 30, (uint64_t)6 << 30) == 1);
    CHECK(with_address_limit(1 << 30, (uint64_t)2 << 30) == 2);
#endif
}

static void big_devices(void)
{
    fh_device_memory *memory;
    void *block;
    /* The thread sanitizer leaves no room for more (space.c). */
    const uint64_t bytes = (uint64_t)(!NATIVE ? 1 : TEST_EVERY == 1 ? 64 : 8) << 30;
    CHECK(start(8, bytes, true) == FH_OK);
    CHECK(fh_device_memory_create(7, bytes, &memory) == FH_OK);
    CHECK(fh_device_memory_malloc(memory, bytes / 16 * 15, 512, true, &block) == FH_OK);
    char *last = (char *)fh_space_kernel((char *)block + bytes / 16 * 15 - 1);
    *last = 3; /* only this page is committed */
    CHECK(committed(memory) > 0 && committed(memory) <= 2 * mib);
    CHECK(fh_device_memory_free(block) == FH_OK);
    fh_device_memory_destroy(memory);
    fh_memory_stop();
}

static void bad_devices(void)
{
    fh_device_memory *memory;
    CHECK(fh_device_memory_create(0, mib, &memory) == FH_INVALID);
    CHECK(start(2, 4 * mib, true) == FH_OK);
    CHECK(fh_device_memory_create(2, mib, &memory) == FH_INVALID);
    CHECK(fh_device_memory_create(0, 0, &memory) == FH_INVALID);
    CHECK(fh_device_memory_create(0, 511, &memory) == FH_INVALID);
    CHECK(fh_device_memory_create(0, 4 * mib + 1, &memory) == FH_INVALID);
    CHECK(fh_device_memory_create(0, 1023, &memory) == FH_OK);
    CHECK(fh_device_memory_info_of(memory).total == 512);
    fh_device_memory *again;
    CHECK(fh_device_memory_create(0, mib, &again) == FH_INVALID);
    CHECK(fh_device_memory_of(0) == memory && !fh_device_memory_of(1) &&
          !fh_device_memory_of(9999));
    fh_device_memory_destroy(memory);
    CHECK(!fh_device_memory_of(0));
    fh_device_memory_destroy(NULL);
    fh_memory_stop();
}

/* Blocks and frees, right and wrong. */
static void blocks(void)
{
    fh_device_memory *memory, *other;
    void *a, *b, *c;
    int host;
    CHECK(start(2, 4 * mib, true) == FH_OK);
    CHECK(fh_device_memory_create(0, 4 * mib, &memory) == FH_OK);
    CHECK(fh_device_memory_create(1, 4 * mib, &other) == FH_OK);
    CHECK(fh_device_memory_malloc(memory, 0, 512, true, &a) == FH_INVALID);
    CHECK(fh_device_memory_malloc(memory, 1, 0, true, &a) == FH_INVALID);
    CHECK(fh_device_memory_malloc(memory, 1, 513, true, &a) == FH_INVALID);
    CHECK(fh_device_memory_malloc(memory, SIZE_MAX, 512, true, &a) == FH_NO_MEMORY);
    CHECK(mem_says("device 0") && mem_says("18446744073709551615") && mem_says("4194304"));
    CHECK(fh_device_memory_malloc(memory, SIZE_MAX - 30, 512, true, &a) == FH_NO_MEMORY);
    CHECK(fh_device_memory_malloc(memory, 1, (uint64_t)1 << 63, true, &a) == FH_NO_MEMORY);
    CHECK(fh_device_memory_malloc(memory, 4 * mib, 512, true, &a) == FH_NO_MEMORY);
    CHECK(fh_device_memory_malloc(memory, 4 * mib, 512, false, &a) == FH_OK);
    CHECK(fh_device_memory_malloc(memory, 1, 512, false, &b) == FH_NO_MEMORY);
    CHECK(mem_says("free are 0") && fh_device_memory_free(a) == FH_OK);

    CHECK(fh_device_memory_malloc(memory, 480, 512, true, &a) == FH_OK); /* 512 with the padding */
    CHECK(fh_device_memory_malloc(memory, 481, 512, true, &b) == FH_OK);
    CHECK((char *)b == (char *)a + 512);
    CHECK(fh_device_memory_malloc(memory, 1, mib, true, &c) == FH_OK);
    CHECK((uintptr_t)c % mib == 0 && (char *)c > (char *)b);
    fh_device_memory_info info = fh_device_memory_info_of(memory);
    CHECK(info.used == 512 + 1024 + 512 && info.blocks == 3 && info.free == 4 * mib - info.used);

    fh_memory_part part;
    CHECK(fh_device_memory_find((char *)b + 700, &part) && part.kind == FH_PART_BLOCK);
    CHECK(part.device == 0 && part.address == (uintptr_t)b && part.size == 481);
    CHECK(fh_device_memory_find((char *)c + 512, &part) && part.kind == FH_PART_FREE);
    CHECK(!fh_device_memory_find(&host, &part) && !fh_device_memory_find(NULL, &part));

    CHECK(fh_device_memory_free(&host) == FH_INVALID && mem_says("host address"));
    CHECK(fh_device_memory_free(NULL) == FH_INVALID);
    CHECK(fh_device_memory_free((char *)b + 1) == FH_INVALID &&
          mem_says("1 bytes into a block of 481"));
    CHECK(fh_device_memory_free((char *)c + 512) == FH_INVALID && mem_says("nothing is allocated"));
    CHECK(fh_device_memory_free((void *)fh_space_slot(1)) == FH_INVALID && mem_says("device 1"));
    CHECK(fh_device_memory_free((void *)fh_space_slot(2)) == FH_INVALID && mem_says("reserved"));
    CHECK(fh_device_memory_free(a) == FH_OK);
    CHECK(fh_device_memory_free(a) == FH_INVALID && mem_says("freed"));
    CHECK(fh_device_memory_free(b) == FH_OK && fh_device_memory_free(c) == FH_OK);
    CHECK(fh_device_memory_info_of(memory).largest == 4 * mib);
    fh_device_memory_destroy(memory);
    fh_device_memory_destroy(other);
    fh_memory_stop();
}

/* Pages stay with the file after a free, until trimmed; what is used keeps its content. */
static void trimming(void)
{
    fh_device_memory *memory;
    void *kept, *gone;
    uintptr_t pages;
    CHECK(start(1, 16 * mib, true) == FH_OK);
    CHECK(fh_device_memory_create(0, 16 * mib, &memory) == FH_OK);
    CHECK(committed(memory) == 0);
    CHECK(fh_device_memory_malloc(memory, 1000, 512, true, &kept) == FH_OK);
    CHECK(fh_device_memory_malloc(memory, 4 * mib, 512, true, &gone) == FH_OK);
    memset(fh_space_kernel(kept), 7, 1000);
    memset(fh_space_kernel(gone), 8, 4 * mib);
    CHECK(fh_device_memory_take_pages(memory, 2 * mib, &pages) == FH_OK);
    CHECK(pages == fh_space_slot(0) + 14 * mib);
    CHECK(fh_device_memory_free((void *)pages) == FH_INVALID && mem_says("aclrtFreePhysical"));
    CHECK(fh_device_memory_free(gone) == FH_OK);
    CHECK(committed(memory) >= 4 * mib);
    CHECK(fh_device_memory_trim(memory) == FH_OK);
    CHECK(committed(memory) <= 8192 && committed(memory) > 0);
    CHECK(*(char *)fh_space_kernel((char *)kept + 999) == 7);
    CHECK(fh_device_memory_reset(memory) == FH_OK);
    CHECK(committed(memory) == 0 && fh_device_memory_info_of(memory).used == 2 * mib);
    fh_device_memory_free_pages(memory, pages);
    CHECK(fh_device_memory_info_of(memory).used == 0);
    fh_device_memory_destroy(memory);
    fh_memory_stop();
}

static fh_device_memory *shared;

/* Each call fills and checks blocks of its own: an overlap would show. */
static void hammer(void *context, size_t index, unsigned worker)
{
    atomic_int *wrong = context;
    void *blocks[16] = {0};
    unsigned random = (unsigned)index + 1;
    (void)worker;
    for (int i = 0; i < 400; i++) {
        random = random * 1103515245 + 12345;
        void **slot = &blocks[random >> 16 & 15];
        if (*slot) {
            unsigned char *bytes = fh_space_kernel(*slot);
            if (bytes[0] != (unsigned char)index || bytes[299] != (unsigned char)index ||
                fh_device_memory_free(*slot))
                atomic_fetch_add(wrong, 1);
            *slot = NULL;
        } else if (fh_device_memory_malloc(shared, 300 + (random >> 20), 512, true, slot)) {
            atomic_fetch_add(wrong, 1);
        } else {
            memset(fh_space_kernel(*slot), (int)index, 300);
        }
    }
    for (int i = 0; i < 16; i++)
        if (blocks[i] && fh_device_memory_free(blocks[i]))
            atomic_fetch_add(wrong, 1);
}

static void a_hundred_threads(void)
{
    atomic_int wrong = 0;
    CHECK(start(1, 64 * mib, true) == FH_OK);
    CHECK(fh_device_memory_create(0, 64 * mib, &shared) == FH_OK);
    CHECK(fh_parallel_for(100, 100, hammer, &wrong) == FH_OK);
    CHECK(wrong == 0 && fh_device_memory_info_of(shared).used == 0);
    fh_device_memory_destroy(shared);
    fh_memory_stop();
}

static fh_status use_device(void *context)
{
    (void)context;
    fh_device_memory *memory;
    void *block;
    fh_status status = start(1, 8 * mib, true);
    if (status)
        return status;
    status = fh_device_memory_create(0, 8 * mib, &memory);
    for (int i = 0; !status && i < 100; i++) /* 100 blocks need a second chunk of the table */
        status = fh_device_memory_malloc(memory, 1, 512, true, &block);
    if (fh_device_memory_of(0)) {
        CHECK(fh_device_memory_reset(memory) == FH_OK);
        CHECK(fh_device_memory_info_of(memory).used == 0);
        fh_device_memory_destroy(memory);
    }
    fh_memory_stop();
    return status;
}

static void allocation_failures(void)
{
    CHECK(sweep(use_device, NULL) >= 5);
}

/* The child is told, and what it does not get is not there. */
static void forked_child(void)
{
    fh_device_memory *memory;
    void *block;
    CHECK(start(1, 4 * mib, true) == FH_OK);
    CHECK(fh_device_memory_create(0, 4 * mib, &memory) == FH_OK);
    CHECK(fh_device_memory_malloc(memory, 4096, 512, true, &block) == FH_OK);
    char *bytes = fh_space_kernel(block);
    bytes[0] = 5;
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        int ends[2]; /* write() says whether it could read the byte */
        bool readable = pipe(ends) || write(ends[1], bytes, 1) == 1;
        _exit(fh_space_is_ours() ? 1 : NATIVE && readable ? 2 : 0);
    }
    int how;
    waitpid(child, &how, 0);
    CHECK(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    CHECK(fh_space_is_ours() && bytes[0] == 5);
    fh_device_memory_destroy(memory);
    fh_memory_stop();
}

int main(void)
{
    TEST(space);
    TEST(address_limits);
    TEST(big_devices);
    TEST(bad_devices);
    TEST(blocks);
    TEST(trimming);
    TEST(a_hundred_threads);
    TEST(allocation_failures);
    TEST(forked_child);
    return test_report();
}
