/* walk.h: which files there are to analyse.
 *
 * Targets are directories, single files and archives (archive.h). The result is
 * one list, sorted bytewise by path. What could have been analysed and is not
 * is recorded with the reason; only a target that cannot be used at all fails.
 *
 * - Links are followed after everything else, so that a file keeps its own path
 *   where it has one. Each file and directory is taken once, by device and
 *   inode, also when two targets overlap: loops end.
 * - FIFOs, sockets and devices are never opened.
 * - A name that is not UTF-8 is shown with U+FFFD; the file is read.
 * - Folders of version control, caches, environments and build output are left
 *   out (walk_rules.c has the table) unless an include pattern names them, or
 *   they are the target. A "build" that has an __init__.py is a package, and
 *   what is in an archive was put there on purpose: neither is build output.
 *
 * Patterns (base/glob.h) are matched against the path below the target. A file
 * is left out when an exclude pattern matches it or a folder it lies in, or
 * when there are include patterns and none does.
 */
#ifndef FH_ANALYSE_SCAN_WALK_H
#define FH_ANALYSE_SCAN_WALK_H

#include "analyse/scan/archive.h"
#include "base/arena.h"
#include "base/status.h"
#include "base/vector.h"

/*        name                     name in reports */
#define FH_SOURCE_MAP(X) \
    X(FH_SOURCE_NONE, "none") /* not analysed */ \
    X(FH_SOURCE_PYTHON, "python") \
    X(FH_SOURCE_NOTEBOOK, "notebook") \
    X(FH_SOURCE_CUDA, "cuda") /* .cu .cuh */ \
    X(FH_SOURCE_CPP, "cpp")   /* C++, and headers of either language */ \
    X(FH_SOURCE_C, "c") \
    X(FH_SOURCE_SHELL, "shell") \
    X(FH_SOURCE_YAML, "yaml") \
    X(FH_SOURCE_JSON, "json") \
    X(FH_SOURCE_TOML, "toml") \
    X(FH_SOURCE_REQUIREMENTS, "requirements") \
    X(FH_SOURCE_INI, "ini") /* setup.cfg, tox.ini, ... */ \
    X(FH_SOURCE_DOCKERFILE, "dockerfile") \
    X(FH_SOURCE_ENVIRONMENT, "environment") /* .env */

typedef enum {
#define X(name, text) name,
    FH_SOURCE_MAP(X)
#undef X
        FH_SOURCE_KINDS
} fh_source_kind;

const char *fh_source_kind_name(fh_source_kind kind);

/* The kind that a path's name tells; FH_SOURCE_NONE when it tells none. */
fh_source_kind fh_source_kind_of(fh_text path);

/* The kind that a first line "#!..." tells: Python, shell or none. */
fh_source_kind fh_source_kind_of_script(fh_text content);

typedef struct {
    fh_text path; /* valid UTF-8, below its target; with several targets the target's name first */
    fh_text inside; /* the part of `path` below the target */
    fh_source_kind kind;
    uint32_t sequence;  /* order of discovery */
    uint32_t target;    /* index into the targets */
    uint64_t size;      /* bytes, when it was found */
    int64_t modified;   /* nanoseconds since 1970; 0 for a member of an archive */
    const char *disk;   /* where to read it, terminated; NULL for a member of an archive */
    const char *member; /* its `size` bytes, when it is one */
} fh_walk_file;

typedef struct {
    fh_text path;   /* as in fh_walk_file */
    fh_text reason; /* a phrase: "larger than 64 MB (70,123,456 bytes)" */
} fh_walk_note;

typedef struct {
    const fh_text *include, *exclude;
    size_t include_count, exclude_count;
    uint64_t max_file_bytes; /* larger files are skipped; 0 means FH_WALK_MAX_FILE_BYTES */
} fh_walk_options;

#define FH_WALK_MAX_FILE_BYTES ((uint64_t)64 << 20)

typedef struct {
    FH_VECTOR(fh_walk_file) files;   /* sorted by path, then by target */
    FH_VECTOR(fh_walk_note) skipped; /* likewise */
    FH_VECTOR(fh_walk_note) notes;   /* odd, but read all the same */
    uint64_t max_file_bytes;         /* of the options */
    FH_VECTOR(fh_archive) archives;  /* their members' contents live here, */
    fh_arena arena;                  /* and everything else here */
} fh_walk;

/* Collects what the targets hold; `walk` must be zero, and the caller frees it,
 * also on failure. Fails with FH_NOT_FOUND, FH_IO or FH_UNSUPPORTED when a
 * target cannot be read, FH_INVALID or FH_LIMIT when an archive is refused,
 * FH_NO_MEMORY. Returns FH_INTERRUPTED with what it had found by then. */
fh_status fh_walk_collect(fh_walk *walk, const char *const *targets, size_t count,
                          const fh_walk_options *options);
void fh_walk_free(fh_walk *walk);

/* The bytes of a file, read into `storage` (cleared first) or borrowed from the
 * walk. Any number of threads may read from one walk. Fails with FH_LIMIT when the file has grown
 * above the options' limit or FH_WALK_MAX_FILE_BYTES, and as fh_file_read. */
fh_status fh_walk_read(const fh_walk *walk, const fh_walk_file *file, fh_buffer *storage,
                       fh_text *bytes);

#endif
