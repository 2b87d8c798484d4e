/* kept.h: what the rules found in each unit, kept for the next run.
 *
 * What is found in a unit depends on
 *   - the units that the resolver looked at on the way (fh_resolver_has_looked): on what the names
 *     mean that were looked up there (fh_resolver_looks), or on all of such a unit,
 *   - what calls anywhere pass to the parameters of their functions,
 *   - the paths of all files and the command-line options that the program defines,
 *   - what the user chose, the tables of facts, and this build.
 * A unit for which all that is as it was gets its sites and findings from the file. Of a file that
 * has changed the unit as it was is in the cache of units, and unit_match.h says which names mean
 * what they meant; where it is not there any more, none does. One file belongs to one target with
 * one set of choices, and is written anew when a unit was analysed. Nothing in it is trusted: a
 * file that is damaged, or of another build, is ignored.
 */
#ifndef FH_RULES_KEPT_H
#define FH_RULES_KEPT_H

#include "analyse/rules/gather.h"

typedef struct fh_kept fh_kept;

/* Reads the file at `path`. `choices` stands for all that is not the program itself. The arguments
 * must be bound (fh_bind_arguments), and load->cache be open. Never fails for a bad or missing
 * file; NULL when memory ran out. `load` must outlive the result. */
fh_kept *fh_kept_open(const char *path, fh_hash128 choices, const fh_load *load);

/* Appends what was found in `unit`, with texts in `arena` and paths of `resolver`. False, and then
 * nothing is appended, when the unit has to be analysed. Any number of threads. */
bool fh_kept_take(const fh_kept *kept, uint32_t unit, fh_resolver *resolver, fh_arena *arena,
                  fh_raw_sites *sites, fh_raw_findings *findings);

/* Keeps sites[first_site..] and findings[first_finding..] as what was found in `unit` since
 * `resolver` entered it. Each unit once; any number of threads. Running out of memory only means
 * that it is not kept. */
void fh_kept_add(fh_kept *kept, uint32_t unit, const fh_resolver *resolver,
                 const fh_raw_sites *sites, uint32_t first_site, const fh_raw_findings *findings,
                 uint32_t first_finding);

/* Writes the file when something was added. Fails with FH_IO, FH_NO_MEMORY; nothing is lost but
 * the time of the next run. */
fh_status fh_kept_save(fh_kept *kept);

void fh_kept_close(fh_kept *kept);

#endif
