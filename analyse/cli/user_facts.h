/* user_facts.h: the operator documentation that the user imported. */
#ifndef FH_CLI_USER_FACTS_H
#define FH_CLI_USER_FACTS_H

#include "analyse/cli/options.h"
#include "base/hash.h"
#include "facts/user.h"

/* Sets `*path` (terminated) to the directory of --facts, or the one in the configuration
 * directory. Fails with FH_NOT_FOUND when there is no home directory, FH_NO_MEMORY. */
fh_status fh_user_facts_directory(const fh_options *options, fh_buffer *path);

/* Loads it; a directory that --facts names must be there. The caller frees *facts. Fails with
 * FH_NOT_FOUND and as fh_user_facts_load. */
fh_status fh_user_facts_open(const fh_options *options, fh_user_facts **facts);

/* Stands for the content of all its tables, and their names. */
fh_hash128 fh_user_facts_hash(const fh_options *options);

#endif
