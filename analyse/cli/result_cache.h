/* result_cache.h: results of earlier runs, for input and options that are the same again.
 *
 * A result is kept as its JSON report, behind a hash of it, under a name made of everything it
 * depends on: paths and contents of all files, the options, and this build. The oldest are removed
 * when there are many. A file that cannot be read as a report is ignored.
 */
#ifndef FH_CLI_RESULT_CACHE_H
#define FH_CLI_RESULT_CACHE_H

#include "analyse/cli/options.h"
#include "analyse/scan/load.h"

/* Loads the result that belongs to this input and these options; false when there is none. */
bool fh_result_cache_load(const char *directory, const fh_load *load, const fh_options *options,
                          fh_result *result);

/* Keeps a result. Failing to is no error: the next run takes longer. */
void fh_result_cache_save(const char *directory, const fh_load *load, const fh_options *options,
                          const fh_result *result);

/* The file for what is kept of each unit between runs with these options, whatever the files hold
 * (analyse/rules/kept.h), and what stands for the options. Its folder is made. False when that
 * failed. */
bool fh_result_cache_units(const char *directory, const fh_options *options, fh_buffer *path,
                           fh_hash128 *choices);

#endif
