/* archive.h: wheels, zip files and compressed tar files, read into memory.
 *
 * Nothing is ever written to disk. An archive is refused as a whole when a
 * member would land outside it (an absolute path, "..", a link that points
 * out), when it is encrypted, or when it is larger unpacked than any source
 * code is. A member that cannot be read is skipped with the reason.
 */
#ifndef FH_ANALYSE_SCAN_ARCHIVE_H
#define FH_ANALYSE_SCAN_ARCHIVE_H

#include "base/arena.h"
#include "base/status.h"
#include "base/vector.h"

typedef struct {
    uint64_t total_bytes;  /* unpacked, all members, wanted or not */
    uint64_t ratio;        /* of the bytes unpacked to the size of the archive ... */
    uint64_t ratio_from;   /* ... which counts from so many unpacked bytes on */
    uint64_t members;      /* of any type */
    uint64_t member_bytes; /* larger members are skipped */
} fh_archive_limits;

/* 4 GiB in all; 200 times the archive, from 100 MB on; 200,000 members; 64 MiB each. */
extern const fh_archive_limits fh_archive_default_limits;

typedef struct {
    fh_text path;    /* tidy: no "./", no "//"; may be invalid UTF-8 */
    fh_text bytes;   /* the content; of a skipped member, empty */
    fh_text skipped; /* why the member could not be read; empty when it could */
} fh_archive_member;

typedef struct {
    FH_VECTOR(fh_archive_member) members; /* in the archive's order */
    fh_arena arena;
} fh_archive;

/* Whether the name is one of an archive that can be read: .whl .zip .egg .tar
 * .tar.gz .tgz .tar.bz2 .tbz2 .tar.xz .txz .tar.zst */
bool fh_archive_is_name(fh_text path);

/* Decides by a member's path and size whether its content is wanted. */
typedef bool fh_archive_wanted(void *context, fh_text path, uint64_t size);

/* Reads the wanted members of the archive at `path`; the caller frees
 * `archive`, which must be zero, also on failure. Fails with FH_INVALID when it
 * is refused or is no archive, FH_LIMIT when it is too large unpacked,
 * FH_NOT_FOUND, FH_IO, FH_NO_MEMORY, FH_INTERRUPTED. When the archive ends too
 * early or is damaged, what came before is kept, and the last member (with the
 * empty path when it is unknown) says so in `skipped`. */
fh_status fh_archive_read(const char *path, const fh_archive_limits *limits,
                          fh_archive_wanted *wanted, void *context, fh_archive *archive);
void fh_archive_free(fh_archive *archive);

#endif
