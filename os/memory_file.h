/* memory_file.h: files that live in memory alone, and reach other processes through /proc.
 *
 * A file is a descriptor (never inherited by programs that are started). It takes memory only
 * where it was written, and goes when its last descriptor and mapping go, however their
 * processes end. Holds are marks of one opened file on one byte of it: they go with it too, so
 * that the file's maker can ask whether somebody still uses a part.
 */
#ifndef FH_OS_MEMORY_FILE_H
#define FH_OS_MEMORY_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t device, inode; /* together the identity while somebody has it open */
    uint64_t size;          /* bytes */
} fh_memory_file_info;

/* Makes a file of `size` zero bytes; `name` (at most 200 bytes) shows in /proc. The caller
 * closes it. Fails with FH_LIMIT when ulimit -f is lower or descriptors are out, FH_NO_MEMORY,
 * FH_UNSUPPORTED where the system has no memory files, FH_IO. */
fh_status fh_memory_file_create(const char *name, uint64_t size, int *file);

/* Opens what process `process` has at descriptor `descriptor`, for reading and writing, as a
 * file of its own; the caller closes it. Fails with FH_NOT_FOUND when there is no such process
 * or descriptor, FH_UNSUPPORTED when the system does not let us (another user), FH_LIMIT, FH_IO. */
fh_status fh_memory_file_open(int64_t process, int descriptor, int *file);

/* Finds the descriptor of a process's memory file by its name. Fails as above, FH_NOT_FOUND
 * also when no file has that name. */
fh_status fh_memory_file_find(int64_t process, const char *name, int *descriptor);

fh_status fh_memory_file_stat(int file, fh_memory_file_info *info); /* fails with FH_IO */
void fh_memory_file_close(int file);                                /* negative: nothing */

/* Gives the memory of a range back; it reads as zeros. Fails with FH_IO. */
fh_status fh_memory_file_punch(int file, uint64_t offset, uint64_t size);

/* Puts a hold on byte `at`, which need not exist, and takes it away. One opened file has one
 * hold on a byte, however often it asks. Fails with FH_IO. */
fh_status fh_memory_file_hold(int file, uint64_t at);
void fh_memory_file_drop(int file, uint64_t at);

/* Whether an opened file other than this one has a hold on byte `at`. */
bool fh_memory_file_held(int file, uint64_t at);

#endif
