#include "os/identity.h"
#include "os/clock.h"
#include "os/map.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

int64_t fh_process_id(void)
{
    return getpid();
}

int64_t fh_thread_id(void)
{
    return syscall(SYS_gettid);
}

void fh_thread_name(char name[FH_THREAD_NAME_SIZE])
{
    name[0] = '\0';
    prctl(PR_GET_NAME, name, 0, 0, 0);
    name[FH_THREAD_NAME_SIZE - 1] = '\0';
}

uint64_t fh_random64(void)
{
    uint64_t bits;
    if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != sizeof bits) /* before the pool is full */
        bits = fh_clock_now() * 0x9e3779b97f4a7c15u ^ (uint64_t)getpid() << 40;
    return bits;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool *flag; /* a page of its own */

static void clear_flag(void)
{
    atomic_store(flag, false);
}

/* The kernel clears the page for any kind of fork; qemu's user mode says that it will and does
 * not, so fork() clears it, too. */
static void make_flag(void)
{
    void *page;
    if (fh_map_private(fh_page_size(), &page))
        return;
    madvise(page, fh_page_size(), MADV_WIPEONFORK);
    if (pthread_atfork(NULL, NULL, clear_flag)) {
        fh_map_release(page, fh_page_size());
        return;
    }
    flag = page;
    atomic_store(flag, true);
}

fh_status fh_fork_mark(const atomic_bool **mark)
{
    pthread_once(&once, make_flag);
    if (!flag)
        return fh_error(FH_NO_MEMORY, "out of memory for the mark of this process");
    *mark = flag;
    return FH_OK;
}
