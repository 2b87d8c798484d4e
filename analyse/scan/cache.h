/* cache.h: units of earlier runs, by the content of their files.
 *
 * One pack file for each target holds the units of all its files: a header, then
 * records of content hash, kind, sizes, checksum and the unit's tables, packed
 * with zstd. New units are appended; a file that is damaged anywhere counts up to
 * the damage and is written anew by the next run. Nothing in a pack is trusted: a
 * record that does not fit its checksum, or was written by another build, is
 * ignored. Two runs at once at worst lose each other's new records.
 */
#ifndef FH_SCAN_CACHE_H
#define FH_SCAN_CACHE_H

#include "analyse/scan/program.h"
#include "base/hash.h"

typedef struct fh_cache fh_cache;

/* Opens the pack that belongs to `key` (any text that tells one target from another) in
 * `directory`, which is made when it is missing. Never fails for a bad or missing pack; NULL
 * when memory ran out. */
fh_cache *fh_cache_open(const char *directory, fh_text key);

/* Reads the unit of a file with that content and kind into the fresh `unit` (fh_unit_init with
 * its path). False when the cache does not have it: the unit is then still fresh. Any number
 * of threads may read at once. */
bool fh_cache_read(const fh_cache *cache, fh_hash128 content, fh_unit *unit);

/* Keeps a unit for fh_cache_save. Any number of threads may add at once. Running out of memory
 * only means that it is not kept. */
void fh_cache_add(fh_cache *cache, fh_hash128 content, const fh_unit *unit);

/* Writes what was added. Fails with FH_IO; nothing is lost but the time of the next run. */
fh_status fh_cache_save(fh_cache *cache);

void fh_cache_close(fh_cache *cache);

/* A unit as bytes and back, without compression; for the cache and its tests. fh_unit_read
 * fails with FH_INVALID when the bytes are not what fh_unit_write wrote. */
void fh_unit_write(const fh_unit *unit, fh_buffer *out);
fh_status fh_unit_read(fh_text bytes, fh_unit *unit);

#endif
