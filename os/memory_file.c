#include "os/memory_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static fh_status status_of(int code)
{
    switch (code) {
    case ENOENT:
    case ESRCH:
        return FH_NOT_FOUND;
    case EACCES:
    case EPERM:
    case ENOSYS:
        return FH_UNSUPPORTED;
    case EMFILE:
    case ENFILE:
        return FH_LIMIT;
    case ENOMEM:
    case ENOSPC:
        return FH_NO_MEMORY;
    default:
        return FH_IO;
    }
}

static fh_status fail(const char *what)
{
    int code = errno;
    char reason[128];
    return fh_error(status_of(code), "cannot %s: %s", what,
                    strerror_r(code, reason, sizeof reason));
}

fh_status fh_memory_file_create(const char *name, uint64_t size, int *file)
{
    /* Growing a file past ulimit -f raises SIGXFSZ, which kills by default. */
    struct rlimit limit;
    if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY &&
        size > limit.rlim_cur)
        return fh_error(FH_LIMIT,
                        "a memory file of %llu bytes is over the limit of %llu for files; raise "
                        "ulimit -f",
                        (unsigned long long)size, (unsigned long long)limit.rlim_cur);
    int made = memfd_create(name, MFD_CLOEXEC);
    if (made < 0)
        return fail("make a memory file");
    if (size > INT64_MAX || ftruncate(made, (off_t)size)) {
        errno = size > INT64_MAX ? EFBIG : errno;
        fh_status status = fail("size a memory file");
        close(made);
        return status;
    }
    *file = made;
    return FH_OK;
}

fh_status fh_memory_file_open(int64_t process, int descriptor, int *file)
{
    char path[64], what[128];
    snprintf(path, sizeof path, "/proc/%lld/fd/%d", (long long)process, descriptor);
    int opened = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (opened < 0) {
        snprintf(what, sizeof what, "open file %d of process %lld", descriptor, (long long)process);
        return fail(what);
    }
    *file = opened;
    return FH_OK;
}

/* Whether the link's text is that of a memory file of this name. */
static bool is_named(int directory, const char *entry, const char *name)
{
    char want[256], text[256];
    int length = snprintf(want, sizeof want, "/memfd:%s (deleted)", name);
    ssize_t got = readlinkat(directory, entry, text, sizeof text);
    return length > 0 && got == length && !memcmp(text, want, (size_t)length);
}

fh_status fh_memory_file_find(int64_t process, const char *name, int *descriptor)
{
    char path[64], what[128];
    snprintf(path, sizeof path, "/proc/%lld/fd", (long long)process);
    DIR *directory = opendir(path);
    if (!directory) {
        snprintf(what, sizeof what, "look at the files of process %lld", (long long)process);
        return fail(what);
    }
    int found = -1;
    for (struct dirent *entry; found < 0 && (entry = readdir(directory));)
        if (is_named(dirfd(directory), entry->d_name, name))
            found = atoi(entry->d_name);
    closedir(directory);
    if (found < 0)
        return fh_error(FH_NOT_FOUND, "process %lld has no memory file %s", (long long)process,
                        name);
    *descriptor = found;
    return FH_OK;
}

fh_status fh_memory_file_stat(int file, fh_memory_file_info *info)
{
    struct stat s;
    if (fstat(file, &s))
        return fail("look at a memory file");
    *info = (fh_memory_file_info){s.st_dev, s.st_ino, (uint64_t)s.st_size};
    return FH_OK;
}

void fh_memory_file_close(int file)
{
    if (file >= 0)
        close(file);
}

fh_status fh_memory_file_punch(int file, uint64_t offset, uint64_t size)
{
    int failed;
    if (!size)
        return FH_OK;
    do
        failed =
            fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)size);
    while (failed && errno == EINTR);
    return failed ? fail("give memory of a file back") : FH_OK;
}

/* Locks of an open file description: they belong to the opened file, not to the process, and
 * the system drops them with it. */
static int lock(int file, int command, short type, uint64_t at, struct flock *out)
{
    struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)at, .l_len = 1};
    int failed = fcntl(file, command, &range);
    if (out)
        *out = range;
    return failed;
}

fh_status fh_memory_file_hold(int file, uint64_t at)
{
    return lock(file, F_OFD_SETLK, F_RDLCK, at, NULL) ? fail("put a hold on a memory file") : FH_OK;
}

void fh_memory_file_drop(int file, uint64_t at)
{
    lock(file, F_OFD_SETLK, F_UNLCK, at, NULL);
}

bool fh_memory_file_held(int file, uint64_t at)
{
    struct flock found;
    return !lock(file, F_OFD_GETLK, F_WRLCK, at, &found) && found.l_type != F_UNLCK;
}
