/* file.h: files and directories.
 *
 * Paths are the system's: bytes, terminated, any encoding. Messages name the
 * path and the reason. Nothing here opens a FIFO, socket or device unless its
 * comment says so. Every function may be called from any thread.
 */
#ifndef FH_OS_FILE_H
#define FH_OS_FILE_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"

typedef enum {
    FH_FILE_UNKNOWN, /* only in listings, where the file system does not say */
    FH_FILE_REGULAR,
    FH_FILE_DIRECTORY,
    FH_FILE_LINK,
    FH_FILE_SPECIAL, /* FIFO, socket, device */
} fh_file_kind;

typedef struct {
    fh_file_kind kind;
    uint64_t size;          /* bytes */
    int64_t modified;       /* nanoseconds since 1970 */
    uint64_t device, inode; /* together the identity of a file */
} fh_file_info;

/* Describes the file at `path`; a link itself, unless `follow`.
 * Fails with FH_NOT_FOUND (also for a broken link), FH_INVALID when links form
 * a loop, FH_IO otherwise. */
fh_status fh_file_stat(const char *path, bool follow, fh_file_info *info);

/* Appends the content of a regular file to `content`. The file is read, not
 * mapped: it may change or be cut under our hands.
 * Fails with FH_NOT_FOUND, FH_UNSUPPORTED when it is not a regular file,
 * FH_LIMIT above `max_bytes`, FH_NO_MEMORY, FH_IO; `content` keeps its length. */
fh_status fh_file_read(const char *path, uint64_t max_bytes, fh_buffer *content);

/* As fh_file_read, but at most the first `bytes` bytes, however long the file is. */
fh_status fh_file_read_head(const char *path, size_t bytes, fh_buffer *content);

/* Replaces the file at `path` as a whole: readers see the old content or the
 * new one. Written next to it and renamed; a link is followed; the mode of a
 * file that exists is kept. A FIFO or device (/dev/stdout) is written to in
 * place. Fails with FH_NOT_FOUND when the directory is missing, FH_IO. */
fh_status fh_file_write_atomic(const char *path, fh_text content);

/* Appends to the file at `path`, which is made when it is missing, in one write. Fails with
 * FH_IO, and then part of the content may be there. */
fh_status fh_file_append(const char *path, fh_text content);

/* Removes a file; success when there is none. Fails with FH_IO. */
fh_status fh_file_remove(const char *path);

/* A file read piece by piece, for what does not fit memory. */
typedef struct fh_file_stream fh_file_stream;

/* Opens a regular file, FIFO or device for reading; the caller closes it. */
fh_status fh_file_stream_open(const char *path, fh_file_stream **stream);

/* Reads up to `capacity` bytes; `*got` is 0 at the end only. */
fh_status fh_file_stream_read(fh_file_stream *stream, char *data, size_t capacity, size_t *got);
void fh_file_stream_close(fh_file_stream *stream); /* NULL is allowed */

/* Makes the directory and its parents; success when it exists. */
fh_status fh_directory_make(const char *path);

typedef struct {
    const char *name;
    fh_file_kind kind;
} fh_directory_entry;

typedef struct {
    FH_VECTOR(fh_directory_entry) entries; /* bytewise by name, without "." and ".." */
    fh_arena names;
} fh_directory;

/* Lists a directory; the caller frees it. An entry's kind is FH_FILE_UNKNOWN
 * where the file system does not tell. Fails with FH_NOT_FOUND, FH_IO, FH_NO_MEMORY. */
fh_status fh_directory_list(const char *path, fh_directory *directory);
void fh_directory_free(fh_directory *directory);

#endif
