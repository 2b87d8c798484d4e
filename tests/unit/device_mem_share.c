/* Processes here are forked before anything is started, so that each opens devices of its own. */
#include "device/mem/ipc.h"
#include "device/mem/lookup.h"
#include "device/mem/share.h"
#include "device/mem/virtual_memory.h"
#include "os/identity.h"
#include "tests/unit/device_mem.h"
#include "tests/unit/sweep.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { UNIT = FH_GRANULARITY };

/* What the exporter tells the importer, and back. */
typedef struct {
    uint64_t handle;
    char key[FH_IPC_KEY_SIZE];
    int value;
} note;

typedef struct {
    int in, out;
    pid_t pid;
} peer;

static bool tell(const peer *to, const note *n)
{
    return write(to->out, n, sizeof *n) == sizeof *n;
}

static note hear(const peer *from)
{
    note n = {.value = -1};
    if (read(from->in, &n, sizeof n) != sizeof n)
        n.value = -1;
    return n;
}

/* Starts a process that runs `body`; its end shows what it checked. */
static peer spawn(void (*body)(const peer *parent))
{
    int down[2], up[2];
    fflush(stdout);
    if (pipe(down) || pipe(up))
        abort();
    pid_t pid = fork();
    if (pid) {
        close(down[0]);
        close(up[1]);
        return (peer){up[0], down[1], pid};
    }
    close(down[1]);
    close(up[0]);
    alarm(60);
    test_failures = 0;
    const peer parent = {down[0], up[1], getppid()};
    body(&parent);
    fflush(stdout);
    _exit(test_failures ? 1 : 0);
}

static void ends_well(const peer *p)
{
    int how;
    CHECK(tell(p, &(note){.value = 'e'}));
    close(p->out);
    waitpid(p->pid, &how, 0);
    close(p->in);
    CHECK(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    if (how)
        printf("  status %#x\n", how);
}

static void killed(const peer *p)
{
    int how;
    kill(p->pid, SIGKILL);
    waitpid(p->pid, &how, 0);
    close(p->in);
    close(p->out);
}

/* Exports pages and a block with the byte 42, and obeys. */
static void exporter(const peer *parent)
{
    void *base, *block;
    fh_pages *pages;
    note n = {0};
    CHECK(mem_start(2, 16 * MIB, true) == FH_OK);
    CHECK(fh_virtual_reserve(2 * UNIT, 0, NULL, &base) == FH_OK);
    CHECK(fh_pages_create(1, 2 * UNIT, &pages) == FH_OK);
    CHECK(fh_virtual_map(base, 2 * UNIT, 0, pages) == FH_OK);
    *mem_byte((char *)base + UNIT + 3) = 42;
    CHECK(fh_device_memory_malloc(fh_device_memory_of(0), 700, 512, true, &block) == FH_OK);
    CHECK(fh_device_memory_malloc(fh_device_memory_of(0), 5000, 512, true, &block) == FH_OK);
    *mem_byte((char *)block + 4999) = 42;
    CHECK(fh_pages_export(pages, true, &n.handle) == FH_OK);
    CHECK(fh_ipc_export(block, 5000, true, n.key, sizeof n.key) == FH_OK);
    for (;;) {
        CHECK(tell(parent, &n));
        n.value = hear(parent).value;
        if (n.value == 'f') { /* free all of it */
            CHECK(fh_device_memory_free(block) == FH_OK);
            CHECK(fh_virtual_unmap(base) == FH_OK);
            fh_pages_drop(pages);
        } else if (n.value == 'u') { /* how much is used */
            n.value = (int)((mem_used(0) + mem_used(1)) / 512);
            continue;
        } else if (n.value == 'r') { /* read */
            n.value = *mem_byte((char *)base + UNIT + 3);
            continue;
        } else {
            break;
        }
        n.value = 0;
    }
    fh_memory_stop();
}

static note ask(const peer *p, int what)
{
    note n = {.value = what};
    CHECK(tell(p, &n));
    return hear(p);
}

static void pages_of_another_process(void)
{
    peer p = spawn(exporter);
    CHECK(mem_start(2, 16 * MIB, true) == FH_OK);
    note n = hear(&p);
    fh_pages *pages, *twice;
    void *base, *block, *again;
    uint64_t other;
    CHECK(fh_pages_import(n.handle, 2, &pages) == FH_INVALID);
    CHECK(fh_pages_import(n.handle, 0, &pages) == FH_OK);
    CHECK(fh_pages_import(n.handle, 0, &twice) == FH_OK);
    CHECK(fh_pages_size(pages) == 2 * UNIT && mem_used(0) == 0);
    CHECK(fh_pages_export(pages, true, &other) == FH_UNSUPPORTED && mem_says("owner"));
    CHECK(fh_virtual_reserve(2 * UNIT, 0, NULL, &base) == FH_OK);
    CHECK(fh_virtual_map(base, 2 * UNIT, 0, pages) == FH_OK);
    CHECK(*mem_byte((char *)base + UNIT + 3) == 42);
    *mem_byte((char *)base + UNIT + 3) = 43;
    CHECK(ask(&p, 'r').value == 43);
    CHECK(fh_lookup(base).kind == FH_PLACE_IMPORTED);

    CHECK(fh_ipc_import(n.key, 1, &block) == FH_OK && fh_space_holds(block));
    CHECK(fh_ipc_import(n.key, 1, &again) == FH_OK && again == block);
    CHECK((uintptr_t)block % 512 == 0 && *mem_byte((char *)block + 4999) == 42);
    CHECK(fh_virtual_unmap((void *)((uintptr_t)block / 4096 * 4096)) == FH_INVALID);
    CHECK(fh_virtual_release((void *)((uintptr_t)block / UNIT * UNIT)) == FH_INVALID);
    CHECK(fh_device_memory_free(block) == FH_INVALID && mem_says("reserved"));
    CHECK(fh_pages_import(strtoull(n.key + 9, NULL, 16), 0, &pages) == FH_INVALID &&
          mem_says("aclrtIpcMemImportByKey"));

    /* What is freed there stays away from new allocations until nobody has it here. */
    int before = ask(&p, 'u').value;
    CHECK(ask(&p, 'f').value == 0);
    CHECK(ask(&p, 'u').value == before);
    CHECK(*mem_byte((char *)base + UNIT + 3) == 43 && *mem_byte((char *)block + 4999) == 42);
    CHECK(fh_pages_import(n.handle, 0, &pages) == FH_NOT_FOUND && mem_says("freed or closed"));
    CHECK(fh_ipc_import(n.key, 1, &again) == FH_OK); /* it is here still */
    for (int i = 0; i < 3; i++)
        CHECK(fh_ipc_close(n.key) == FH_OK);
    CHECK(fh_ipc_close(n.key) == FH_INVALID);
    CHECK(fh_ipc_import(n.key, 1, &again) == FH_NOT_FOUND);
    CHECK(ask(&p, 'u').value == 2 * UNIT / 512 + 2); /* the block of 700 bytes stays */
    CHECK(fh_virtual_unmap(base) == FH_OK);
    fh_pages_drop(twice);
    CHECK(ask(&p, 'u').value == 2 * UNIT / 512 + 2);
    fh_pages_drop(pages);
    fh_memory_stop();
    CHECK(ask(&p, 'u').value == 2);
    ends_well(&p);
}

static void killed_exporter(void)
{
    peer p = spawn(exporter);
    CHECK(mem_start(1, 16 * MIB, true) == FH_OK);
    note n = hear(&p);
    fh_pages *pages, *late;
    void *base, *block, *other;
    CHECK(fh_pages_import(n.handle, 0, &pages) == FH_OK);
    CHECK(fh_virtual_reserve(2 * UNIT, 0, NULL, &base) == FH_OK);
    CHECK(fh_virtual_map(base, 2 * UNIT, 0, pages) == FH_OK);
    CHECK(fh_ipc_import(n.key, 0, &block) == FH_OK);
    killed(&p);
    CHECK(*mem_byte((char *)base + UNIT + 3) == 42 && *mem_byte((char *)block + 4999) == 42);
    *mem_byte((char *)base) = 1;
    CHECK(fh_pages_import(n.handle, 0, &late) == FH_NOT_FOUND && mem_says("has ended"));
    CHECK(fh_ipc_close(n.key) == FH_OK && fh_ipc_import(n.key, 0, &other) == FH_NOT_FOUND);
    CHECK(fh_virtual_unmap(base) == FH_OK);
    fh_pages_drop(pages);
    fh_memory_stop();
}

/* Imports what it is told, says so and waits to be killed. */
static void importer(const peer *parent)
{
    CHECK(mem_start(1, 16 * MIB, true) == FH_OK);
    note n = hear(parent);
    fh_pages *pages;
    void *block;
    n.value = fh_pages_import(n.handle, 0, &pages) * 100 + fh_ipc_import(n.key, 0, &block);
    CHECK(tell(parent, &n));
    hear(parent);
    fh_memory_stop();
}

static void killed_importer(void)
{
    peer p = spawn(importer);
    fh_pages *pages;
    void *block;
    note n = {0};
    CHECK(mem_start(1, 16 * MIB, true) == FH_OK);
    CHECK(fh_pages_create(0, UNIT, &pages) == FH_OK);
    CHECK(fh_device_memory_malloc(fh_device_memory_of(0), 512, 512, false, &block) == FH_OK);
    CHECK(fh_pages_export(pages, true, &n.handle) == FH_OK);
    CHECK(fh_ipc_export(block, 512, true, n.key, sizeof n.key) == FH_OK);
    CHECK(tell(&p, &n) && hear(&p).value == 0);
    CHECK(fh_ipc_close(n.key) == FH_OK && fh_ipc_close(n.key) == FH_INVALID);
    CHECK(fh_device_memory_free(block) == FH_OK);
    CHECK(fh_lookup(block).kind == FH_PLACE_FREE);
    CHECK(fh_device_memory_free(block) == FH_INVALID && mem_says("freed"));
    fh_pages_drop(pages);
    CHECK(mem_used(0) == UNIT + 512);
    killed(&p);
    CHECK(mem_used(0) == 0); /* the system dropped its holds */
    /* A full device looks at what lingers, too. */
    CHECK(fh_device_memory_malloc(fh_device_memory_of(0), 16 * MIB, 512, false, &block) == FH_OK);
    fh_memory_stop();
}

static void allowed_processes(void)
{
    peer good = spawn(importer), bad = spawn(importer);
    fh_pages *pages;
    void *block;
    uint64_t other;
    note n = {0};
    CHECK(mem_start(1, 16 * MIB, true) == FH_OK);
    CHECK(fh_pages_create(0, UNIT, &pages) == FH_OK);
    CHECK(fh_device_memory_malloc(fh_device_memory_of(0), 512, 512, false, &block) == FH_OK);
    CHECK(fh_pages_export(pages, false, &n.handle) == FH_OK);
    CHECK(fh_pages_export(pages, false, &other) == FH_INVALID && mem_says("already"));
    CHECK(fh_ipc_export(block, 512, false, n.key, sizeof n.key) == FH_OK);
    int32_t who[] = {good.pid, 1, good.pid};
    CHECK(fh_share_allow(n.handle, who, 0) == FH_INVALID);
    CHECK(fh_share_allow(n.handle, NULL, 1) == FH_INVALID);
    CHECK(fh_share_allow(n.handle, &(int32_t){0}, 1) == FH_INVALID);
    CHECK(fh_share_allow(n.handle ^ 1, who, 3) == FH_INVALID);
    CHECK(fh_share_allow(n.handle, who, 3) == FH_OK && fh_ipc_allow(n.key, who, 1) == FH_OK);
    CHECK(tell(&bad, &n) && hear(&bad).value == 100 * FH_UNSUPPORTED + FH_UNSUPPORTED);
    CHECK(tell(&good, &n) && hear(&good).value == 0);
    int32_t many[FH_SHARE_ALLOWED_MOST];
    for (int i = 0; i < FH_SHARE_ALLOWED_MOST; i++)
        many[i] = 1000000 + i;
    CHECK(fh_share_allow(n.handle, many, FH_SHARE_ALLOWED_MOST) == FH_LIMIT);
    ends_well(&good);
    ends_well(&bad);
    fh_pages_drop(pages);
    fh_memory_stop();
}

static void forged_handles(void)
{
    fh_pages *pages, *got;
    void *address, *block;
    char key[FH_IPC_KEY_SIZE], small[64];
    uint64_t handle;
    CHECK(mem_start(1, 16 * MIB, true) == FH_OK);
    CHECK(fh_pages_import(0, 0, &got) == FH_INVALID);
    CHECK(fh_pages_import(UINT64_MAX, 0, &got) == FH_NOT_FOUND);
    uint64_t self = (uint64_t)fh_process_id() << 42;
    CHECK(fh_pages_import(self | 5, 0, &got) == FH_NOT_FOUND); /* exports nothing yet */
    CHECK(fh_pages_import((uint64_t)1 << 42 | 5, 0, &got) != FH_OK);
    CHECK(fh_pages_create(0, UNIT, &pages) == FH_OK);
    CHECK(fh_pages_export(pages, true, &handle) == FH_OK && handle >> 42 == self >> 42);
    for (int bit = 0; bit < 42; bit++)
        CHECK(fh_pages_import(handle ^ (uint64_t)1 << bit, 0, &got) != FH_OK);
    CHECK(fh_pages_import(handle, 0, &got) == FH_OK); /* in its own process, too */
    fh_pages_drop(got);
    fh_pages_drop(pages);
    CHECK(fh_pages_import(handle, 0, &got) == FH_NOT_FOUND);

    CHECK(fh_device_memory_malloc(fh_device_memory_of(0), 512, 512, false, &block) == FH_OK);
    CHECK(fh_ipc_export(block, 512, true, small, sizeof small) == FH_INVALID);
    CHECK(fh_ipc_export(block, 512, true, NULL, 65) == FH_INVALID);
    CHECK(fh_ipc_export(block, 513, true, key, sizeof key) == FH_INVALID);
    CHECK(fh_ipc_export(block, 0, true, key, sizeof key) == FH_INVALID);
    CHECK(fh_ipc_export(key, 1, true, key, sizeof key) == FH_INVALID);
    CHECK(fh_ipc_export((char *)block + 512, 1, true, key, sizeof key) == FH_INVALID);
    CHECK(fh_ipc_export((char *)block + 511, UINT64_MAX, true, key, sizeof key) == FH_INVALID);
    CHECK(fh_ipc_export((char *)block + 100, 412, true, key, sizeof key) == FH_OK);
    *mem_byte((char *)block + 100) = 8;
    CHECK(fh_ipc_import(key, 0, &address) == FH_OK && *mem_byte(address) == 8);
    CHECK(fh_ipc_close(key) == FH_OK && fh_ipc_close(key) == FH_OK); /* the import, the export */
    CHECK(fh_ipc_close(key) == FH_INVALID);
    CHECK(fh_ipc_import("", 0, &address) == FH_INVALID && fh_ipc_import(NULL, 0, &address));
    CHECK(fh_ipc_import("foothold-", 0, &address) == FH_INVALID);
    CHECK(fh_ipc_import("foothold-0000000000000000x", 0, &address) == FH_INVALID);
    CHECK(fh_ipc_import("foothold-0000000000000000", 0, &address) == FH_INVALID);
    memset(key, 'f', sizeof key); /* no end */
    CHECK(fh_ipc_import(key, 0, &address) == FH_INVALID && fh_ipc_close(key) == FH_INVALID);
    CHECK(mem_used(0) == 512);
    fh_memory_stop();
}

/* Rows are used again, and all of them can be used. */
static void all_rows(void)
{
    uint64_t handle, first = 0;
    uint32_t share;
    CHECK(mem_start(1, 4 * MIB, true) == FH_OK);
    const fh_share_range range = {fh_device_memory_file(fh_device_memory_of(0)), 0, 512, 0};
    for (int i = 0; i < FH_SHARES_MOST; i++) {
        CHECK(fh_share_publish(&range, true, &handle, &share) == FH_OK);
        first = first ? first : handle;
    }
    CHECK(fh_share_publish(&range, true, &handle, &share) == FH_LIMIT);
    CHECK(!fh_share_withdraw(77));
    CHECK(fh_share_publish(&range, true, &handle, &share) == FH_OK && share == 77);
    CHECK(fh_share_find(first, &share) == FH_OK && share == 0);
    fh_memory_stop();
}

static fh_status use(void *context)
{
    (void)context;
    fh_pages *pages = NULL, *got = NULL;
    void *block, *address, *base;
    uint64_t handle;
    char key[FH_IPC_KEY_SIZE];
    fh_status status = mem_start(1, 16 * MIB, true);
    if (status)
        return status;
    status = fh_pages_create(0, UNIT, &pages);
    status = status ? status : fh_pages_export(pages, true, &handle);
    status = status ? status : fh_pages_import(handle, 0, &got);
    status = status ? status : fh_virtual_reserve(UNIT, 0, NULL, &base);
    status = status ? status : fh_virtual_map(base, UNIT, 0, got);
    status =
        status ? status : fh_device_memory_malloc(fh_device_memory_of(0), 512, 512, false, &block);
    status = status ? status : fh_ipc_export(block, 512, true, key, sizeof key);
    status = status ? status : fh_ipc_import(key, 0, &address);
    if (got)
        fh_pages_drop(got);
    if (pages)
        fh_pages_drop(pages);
    fh_memory_stop();
    return status;
}

static void allocation_failures(void)
{
    CHECK(sweep(use, NULL) > 15);
}

int main(void)
{
    TEST(forged_handles);
    TEST(pages_of_another_process);
    TEST(killed_exporter);
    TEST(killed_importer);
    TEST(allowed_processes);
    TEST(all_rows);
    TEST(allocation_failures);
    return test_report();
}
