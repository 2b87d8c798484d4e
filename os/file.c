#include "os/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Turns errno into a status and a message "cannot <what> <path>: <reason>". */
static fh_status fail(const char *what, const char *path)
{
    int code = errno;
    char reason[128];
    fh_status status = FH_IO;
    if (code == ENOENT || code == ENOTDIR)
        status = FH_NOT_FOUND;
    else if (code == ELOOP)
        status = FH_INVALID;
    else if (code == ENOMEM)
        status = FH_NO_MEMORY;
    return fh_error(status, "cannot %s %s: %s", what, path,
                    strerror_r(code, reason, sizeof reason));
}

static fh_file_kind kind_of(mode_t mode)
{
    if (S_ISREG(mode))
        return FH_FILE_REGULAR;
    if (S_ISDIR(mode))
        return FH_FILE_DIRECTORY;
    return S_ISLNK(mode) ? FH_FILE_LINK : FH_FILE_SPECIAL;
}

fh_status fh_file_stat(const char *path, bool follow, fh_file_info *info)
{
    struct stat s;
    if (fstatat(AT_FDCWD, path, &s, follow ? 0 : AT_SYMLINK_NOFOLLOW))
        return fail("look at", path);
    *info = (fh_file_info){
        .kind = kind_of(s.st_mode),
        .size = (uint64_t)s.st_size,
        .modified = (int64_t)s.st_mtim.tv_sec * 1000000000 + s.st_mtim.tv_nsec,
        .device = (uint64_t)s.st_dev,
        .inode = (uint64_t)s.st_ino,
    };
    return FH_OK;
}

/* read() that survives signals. */
static ssize_t read_some(int fd, char *data, size_t capacity)
{
    ssize_t got;
    do
        got = read(fd, data, capacity);
    while (got < 0 && errno == EINTR);
    return got;
}

/* Opens a regular file. O_NONBLOCK keeps a FIFO, put there since somebody
 * looked, from stopping us; it means nothing for regular files. */
static fh_status open_regular(const char *path, int *fd, uint64_t *size)
{
    struct stat s;
    int opened = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (opened < 0)
        return fail("open", path);
    fh_status status = FH_OK;
    if (fstat(opened, &s))
        status = fail("look at", path);
    else if (!S_ISREG(s.st_mode))
        status = fh_error(FH_UNSUPPORTED, "%s is not a regular file", path);
    if (status) {
        close(opened);
        return status;
    }
    *fd = opened;
    *size = (uint64_t)s.st_size;
    return FH_OK;
}

/* Appends until the end, or until `most` bytes came. `expected` only sizes the
 * buffer: the file may have changed, and /proc files say 0. */
static fh_status read_up_to(int fd, const char *path, uint64_t expected, uint64_t most,
                            fh_buffer *content)
{
    uint64_t total = 0;
    while (total < most) {
        uint64_t want = expected > total ? expected - total + 1 : 4096;
        if (want > most - total)
            want = most - total;
        if (want > 1 << 30)
            want = 1 << 30;
        if (!fh_buffer_reserve(content, (size_t)want))
            return fh_error(FH_NO_MEMORY, "out of memory while reading %s", path);
        ssize_t got = read_some(fd, content->data + content->length, (size_t)want);
        if (got < 0)
            return fail("read", path);
        if (got == 0)
            break;
        content->length += (size_t)got;
        total += (uint64_t)got;
    }
    return FH_OK;
}

/* Appends the first `most` bytes of a file, none when that fails. A file of more than `limit` bytes
 * is refused, as soon as that shows. */
static fh_status read_limited(const char *path, uint64_t limit, uint64_t most, fh_buffer *content)
{
    int fd = -1;
    uint64_t size = 0;
    size_t before = content->length;
    fh_status status = open_regular(path, &fd, &size);
    if (status)
        return status;
    if (size <= limit)
        status = read_up_to(fd, path, size, most, content);
    close(fd);
    if (!status && (size > limit || content->length - before > limit))
        status =
            fh_error(FH_LIMIT, "%s is larger than %llu bytes", path, (unsigned long long)limit);
    if (status)
        content->length = before;
    return status;
}

fh_status fh_file_read(const char *path, uint64_t max_bytes, fh_buffer *content)
{
    /* One byte more shows that the file has grown since. */
    return read_limited(path, max_bytes, max_bytes == UINT64_MAX ? max_bytes : max_bytes + 1,
                        content);
}

fh_status fh_file_read_head(const char *path, size_t bytes, fh_buffer *content)
{
    return read_limited(path, UINT64_MAX, bytes, content);
}

static bool write_all(int fd, fh_text text)
{
    while (text.length) {
        ssize_t put = write(fd, text.data, text.length);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        text = fh_text_slice(text, (size_t)put, text.length);
    }
    return true;
}

static fh_status write_in_place(const char *path, fh_text content)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return fail("open", path);
    bool written = write_all(fd, content);
    fh_status status = written ? FH_OK : fail("write", path);
    if (close(fd) && !status)
        status = fail("write", path);
    return status;
}

/* The mode a new file gets. There is no call that only reads the mask, and
 * setting it would race with other threads; Linux tells it in /proc. */
static mode_t default_mode(void)
{
    unsigned mask = 022;
    char line[256];
    FILE *file = fopen("/proc/self/status", "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Umask: %o", &mask) == 1)
            break;
    if (file)
        fclose(file);
    return 0666 & ~(mode_t)mask;
}

/* Writes `content` to a new file beside `path` and renames it to `path`. */
static fh_status write_and_rename(const char *path, mode_t mode, fh_text content)
{
    fh_buffer name = {0};
    fh_buffer_add_string(&name, path);
    fh_buffer_add(&name, (fh_text){".XXXXXX", 8}); /* with its 0 byte */
    if (name.failed) {
        fh_buffer_free(&name);
        return fh_error(FH_NO_MEMORY, "out of memory while writing %s", path);
    }
    fh_status status = FH_OK;
    int fd = mkostemp(name.data, O_CLOEXEC);
    if (fd < 0) {
        status = fail("write", path);
    } else {
        if (fchmod(fd, mode) || !write_all(fd, content))
            status = fail("write", path);
        if (close(fd) && !status)
            status = fail("write", path);
        if (!status && rename(name.data, path))
            status = fail("replace", path);
        if (status)
            unlink(name.data);
    }
    fh_buffer_free(&name);
    return status;
}

fh_status fh_file_write_atomic(const char *path, fh_text content)
{
    struct stat s;
    if (stat(path, &s))
        return write_and_rename(path, default_mode(), content);
    if (S_ISDIR(s.st_mode))
        return fh_error(FH_INVALID, "cannot write %s: it is a directory", path);
    if (!S_ISREG(s.st_mode))
        return write_in_place(path, content);

    /* Renaming onto a link would replace the link, not the file. */
    char *real = realpath(path, NULL);
    fh_status status =
        real ? write_and_rename(real, s.st_mode & 07777, content) : fail("write", path);
    free(real);
    return status;
}

fh_status fh_file_append(const char *path, fh_text content)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, default_mode());
    if (fd < 0)
        return fail("write", path);
    fh_status status = write_all(fd, content) ? FH_OK : fail("write", path);
    if (close(fd) && !status)
        status = fail("write", path);
    return status;
}

fh_status fh_file_remove(const char *path)
{
    if (unlink(path) && errno != ENOENT)
        return fail("remove", path);
    return FH_OK;
}

struct fh_file_stream {
    int fd;
    char path[];
};

fh_status fh_file_stream_open(const char *path, fh_file_stream **stream)
{
    size_t size = strlen(path) + 1;
    fh_file_stream *made = fh_alloc(sizeof *made + size);
    if (!made)
        return fh_error(FH_NO_MEMORY, "out of memory while opening %s", path);
    memcpy(made->path, path, size);
    made->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (made->fd < 0) {
        fh_status status = fail("open", path);
        fh_free(made);
        return status;
    }
    *stream = made;
    return FH_OK;
}

fh_status fh_file_stream_read(fh_file_stream *stream, char *data, size_t capacity, size_t *got)
{
    ssize_t count = read_some(stream->fd, data, capacity);
    if (count < 0)
        return fail("read", stream->path);
    *got = (size_t)count;
    return FH_OK;
}

void fh_file_stream_close(fh_file_stream *stream)
{
    if (!stream)
        return;
    close(stream->fd);
    fh_free(stream);
}

static bool make_one(const char *path)
{
    struct stat s;
    if (mkdir(path, 0777) == 0)
        return true;
    int code = errno;
    if (code == EEXIST && stat(path, &s) == 0 && S_ISDIR(s.st_mode))
        return true;
    errno = code == EEXIST ? ENOTDIR : code;
    return false;
}

fh_status fh_directory_make(const char *path)
{
    fh_buffer copy = {0};
    fh_buffer_add(&copy, (fh_text){path, strlen(path) + 1});
    if (copy.failed)
        return fh_error(FH_NO_MEMORY, "out of memory while making %s", path);
    fh_status status = FH_OK;
    for (char *slash = strchr(copy.data + (*path == '/'), '/'); slash && !status;
         slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (!make_one(copy.data))
            status = fail("make directory", copy.data);
        *slash = '/';
    }
    if (!status && !make_one(path))
        status = fail("make directory", path);
    fh_buffer_free(&copy);
    return status;
}

static fh_file_kind kind_of_entry(unsigned char type)
{
    switch (type) {
    case DT_UNKNOWN:
        return FH_FILE_UNKNOWN;
    case DT_REG:
        return FH_FILE_REGULAR;
    case DT_DIR:
        return FH_FILE_DIRECTORY;
    case DT_LNK:
        return FH_FILE_LINK;
    default:
        return FH_FILE_SPECIAL;
    }
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const fh_directory_entry *)a)->name, ((const fh_directory_entry *)b)->name);
}

static fh_status list_open(DIR *open_directory, const char *path, fh_directory *directory)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(open_directory);
        if (!entry && errno)
            return fail("list", path);
        if (!entry)
            return FH_OK;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        const char *name = fh_arena_copy(&directory->names, fh_text_from(entry->d_name)).data;
        if (!name || !fh_vector_push(&directory->entries,
                                     (fh_directory_entry){name, kind_of_entry(entry->d_type)}))
            return fh_error(FH_NO_MEMORY, "out of memory while listing %s", path);
    }
}

fh_status fh_directory_list(const char *path, fh_directory *directory)
{
    fh_directory listed = {0};
    DIR *open_directory = opendir(path);
    if (!open_directory)
        return fail("list", path);
    fh_status status = list_open(open_directory, path, &listed);
    closedir(open_directory);
    if (status) {
        fh_directory_free(&listed);
        return status;
    }
    if (listed.entries.count)
        qsort(listed.entries.items, listed.entries.count, sizeof *listed.entries.items,
              compare_entries);
    *directory = listed;
    return FH_OK;
}

void fh_directory_free(fh_directory *directory)
{
    fh_vector_free(&directory->entries);
    fh_arena_free(&directory->names);
}
