/* walk_build.h: what the files walk*.c share while they collect. */
#ifndef FH_SCAN_WALK_BUILD_H
#define FH_SCAN_WALK_BUILD_H

#include "analyse/scan/identities.h"
#include "analyse/scan/walk.h"

/* A longer file without extension is no script. */
enum { FH_WALK_SCRIPT_BYTES = 1024 * 1024 };

/* Something to look at later: a folder, or a link. */
typedef struct {
    const char *disk;
    fh_text inside;
    fh_text label;
    uint32_t target;
} fh_walk_pending;

typedef struct {
    fh_walk *walk;
    const fh_walk_options *options;
    fh_identities taken;
    FH_VECTOR(fh_walk_pending) folders; /* a stack */
    FH_VECTOR(fh_walk_pending) links;   /* looked at when everything else is done */
    uint32_t links_done;
    uint32_t target; /* the target being walked */
    fh_text label;   /* what its paths begin with; may be empty */
    bool failed;     /* memory ran out */
} fh_collector;

/* Texts live in the arena of the walk; all are empty when memory ran out. `inside` is a path below
 * the target (walk_note.c). */

/* As printf; cut after 1,199 bytes. */
fh_text fh_walk_format(fh_collector *c, const char *pattern, ...)
    __attribute__((format(printf, 2, 3)));

/* "directory/name", terminated. */
fh_text fh_walk_join(fh_collector *c, fh_text directory, fh_text name);

/* A name as valid UTF-8; notes when it was none. */
fh_text fh_walk_shown(fh_collector *c, fh_text name, bool *repaired);

/* The path as the report shows it. */
fh_text fh_walk_path(fh_collector *c, fh_text inside);

/* Notes that something is left out: for a phrase (borrowed), for what the system said last, for
 * its size. */
void fh_walk_skip(fh_collector *c, fh_text inside, fh_text reason);
void fh_walk_skip_unreadable(fh_collector *c, fh_text inside);
void fh_walk_skip_large(fh_collector *c, fh_text inside, uint64_t size);

/* Adds a file of the current target, of which kind, size and content are set. `is_odd`: its name
 * is not UTF-8. */
void fh_walk_add(fh_collector *c, fh_text inside, fh_walk_file file, bool is_odd);

/* Collects the members of the archive at `path` (walk_archive.c). */
fh_status fh_walk_archive(fh_collector *c, const char *path);

#endif
