/* target.h: reading what the user named, for every command that does: in parallel, through the
 * cache, with a bar.
 */
#ifndef FH_CLI_TARGET_H
#define FH_CLI_TARGET_H

#include "analyse/cli/options.h"
#include "analyse/cli/progress.h"
#include "analyse/scan/load.h"

typedef struct {
    const fh_options *options;
    fh_load load;
    fh_load_options load_options;
    fh_buffer cache; /* directory of the cache, terminated; empty: none */
    fh_cache *units; /* of that directory; NULL: none */
    fh_progress bar;
} fh_target;

/* Finds all files. `target` must be zero and stay where it is; the caller frees it, also on
 * failure. Fails as fh_load_find does. */
fh_status fh_target_find(const fh_options *options, fh_target *target);

/* Reads what was found, as far as the cache does not have it. Fails as fh_load_read does. */
fh_status fh_target_read(fh_target *target);

/* Where results may be kept, or NULL. */
const char *fh_target_cache(const fh_target *target);

/* Takes the bar away; afterwards messages may be written. */
void fh_target_finish(fh_target *target);

void fh_target_free(fh_target *target);

#endif
