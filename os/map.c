#include "os/map.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

size_t fh_page_size(void)
{
    static atomic_size_t size;
    size_t known = atomic_load_explicit(&size, memory_order_relaxed);
    if (!known) {
        known = (size_t)sysconf(_SC_PAGESIZE);
        atomic_store_explicit(&size, known, memory_order_relaxed);
    }
    return known;
}

static fh_status fail(const char *what, size_t size)
{
    int code = errno;
    char reason[128];
    const char *text = strerror_r(code, reason, sizeof reason);
    if (code == ENOMEM || code == EAGAIN)
        return fh_error(FH_NO_MEMORY,
                        "cannot %s %zu bytes: %s; look at ulimit -v and sysctl vm.max_map_count",
                        what, size, text);
    return fh_error(code == EINVAL ? FH_INVALID : FH_IO, "cannot %s %zu bytes: %s", what, size,
                    text);
}

static int protection(fh_map_access access)
{
    static const int of[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE};
    return of[access];
}

fh_status fh_map_reserve(size_t size, size_t alignment, void **base)
{
    const size_t page = fh_page_size();
    if (!size || size % page || !alignment || (alignment & (alignment - 1)))
        return fh_error(FH_INVALID,
                        "cannot reserve %zu bytes aligned to %zu: the size must be whole pages of "
                        "%zu bytes, the alignment a power of two",
                        size, alignment, page);
    size_t slack = alignment > page ? alignment - page : 0;
    if (size > SIZE_MAX - slack)
        return fh_error(FH_NO_MEMORY, "cannot reserve %zu bytes aligned to %zu: too large", size,
                        alignment);
    char *all =
        mmap(NULL, size + slack, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED)
        return fail("reserve", size);
    size_t before = -(uintptr_t)all & (alignment - 1);
    if (before)
        munmap(all, before);
    if (slack - before)
        munmap(all + before + size, slack - before);
    *base = all + before;
    return FH_OK;
}

void fh_map_release(void *base, size_t size)
{
    if (base && size)
        munmap(base, size);
}

fh_status fh_map_file(void *address, size_t size, int file, uint64_t offset, fh_map_access access,
                      bool populate)
{
    int flags = MAP_SHARED | MAP_FIXED | (populate ? MAP_POPULATE : 0);
    if (mmap(address, size, protection(access), flags, file, (off_t)offset) == MAP_FAILED)
        return fail("map", size);
    return FH_OK;
}

fh_status fh_map_unmap(void *address, size_t size)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (mmap(address, size, PROT_NONE, flags, -1, 0) == MAP_FAILED)
        return fail("unmap", size);
    return FH_OK;
}

fh_status fh_map_private(size_t size, void **address)
{
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return fail("map", size);
    *address = block;
    return FH_OK;
}

fh_status fh_map_hide_from_children(void *address, size_t size)
{
    return madvise(address, size, MADV_DONTFORK) ? fail("hide from child processes", size) : FH_OK;
}
