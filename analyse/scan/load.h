/* load.h: from targets to a program: find, read, decode and parse, in parallel.
 *
 *   fh_load_find   walks the targets and hashes the content of each file
 *   fh_load_read   makes a unit of each file, or takes it from the cache
 *
 * A file that cannot be read or understood never stops the others: it is recorded
 * as skipped, with the reason. Nothing of a target is executed or imported.
 */
#ifndef FH_SCAN_LOAD_H
#define FH_SCAN_LOAD_H

#include "analyse/scan/cache.h"
#include "analyse/scan/link.h"
#include "analyse/scan/walk.h"

typedef struct {
    unsigned jobs; /* threads; 0: as many as there are processors */
    fh_walk_options walk;
    bool for_cache; /* contents and digest are known before anything is read for good */
    /* Called from the loading threads after each file; may be NULL. */
    void (*progress)(void *context, size_t done, size_t of);
    void *progress_context;
} fh_load_options;

typedef struct {
    fh_walk walk;
    fh_hash128 *contents;      /* of each file of the walk; {0, 0} when it was not or could not be
                                  read */
    fh_hash128 digest;         /* of all of them, with their paths, as they were found; only
                                  for_cache */
    fh_program program;        /* units in the order of the walk's files */
    FH_VECTOR(uint32_t) files; /* the walk's file of each unit */
    FH_VECTOR(fh_walk_note) skipped; /* the walk's and those that could not be read */
    const fh_cache *cache;           /* that units come from; NULL: none */
    fh_arena arena;
    bool moved;   /* a file changed between the two: `contents` says what was read */
    bool partial; /* interrupted: units are those that were done by then */
} fh_load;

/* Finds all files of the targets; `load` must be zero, and the caller frees it, also on failure.
 * Fails as fh_walk_collect does, and with FH_NO_MEMORY; an interrupt is no failure. */
fh_status fh_load_find(fh_load *load, const char *const *targets, size_t count,
                       const fh_load_options *options);

/* Reads what was found and links the program. `cache` may be NULL, else it must outlive what is
 * done with `load`. Fails with FH_NO_MEMORY. */
fh_status fh_load_read(fh_load *load, const fh_load_options *options, fh_cache *cache);

void fh_load_free(fh_load *load);

/* The decoded text of a unit, read again: for excerpts. Of a notebook the joined Python text.
 * *text is borrowed from `storage`. */
fh_status fh_load_text(const fh_load *load, uint32_t unit, fh_buffer storage[2], fh_text *text);

#endif
