#include "analyse/scan/archive.h"
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static bool want_all(void *context, fh_text path, uint64_t size)
{
    (void)context;
    (void)path;
    return size < 1 << 20;
}

/* No member may lead out of the archive. */
static void check_path(fh_text path)
{
    fh_text part;
    if (fh_text_starts(path, "/"))
        abort();
    while (fh_text_next(&path, '/', &part))
        if (fh_text_is(part, ".."))
            abort();
}

/* Archives are read by name: the bytes become a file in memory. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const fh_archive_limits limits = {4 << 20, 200, 1 << 20, 1000, 1 << 20};
    char path[64];
    fh_archive archive = {0};
    int file = memfd_create("fuzz", 0);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    (void)fh_archive_read(path, &limits, want_all, NULL, &archive);
    for (uint32_t i = 0; i < archive.members.count; i++)
        check_path(archive.members.items[i].path);
    fh_archive_free(&archive);
    close(file);
    return 0;
}
