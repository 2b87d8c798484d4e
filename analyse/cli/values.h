/* values.h: the values of flags, read and checked one by one. */
#ifndef FH_CLI_VALUES_H
#define FH_CLI_VALUES_H

#include "analyse/cli/options.h"

/* Sets the option that belongs to `flag` from `value`, which is NULL when the flag takes none.
 * `said` is how the user said it, for messages: "--jobs" or "FOOTHOLD_JOBS". Fails with FH_INVALID,
 * FH_NO_MEMORY. */
fh_status fh_value_set(fh_options *options, const fh_flag *flag, const char *said,
                       const char *value);

#endif
