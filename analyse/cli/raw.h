/* raw.h: the command line, split; nothing is checked but the names of flags.
 *
 *   --flag VALUE, --flag=VALUE, -f VALUE, -fVALUE, -f=VALUE, -ab for -a -b
 *   --   all that follows are arguments; so are those behind the program that run runs
 *   -    is an argument
 *
 * The first argument is the command; flags may stand before it. Texts point
 * into argv.
 */
#ifndef FH_CLI_RAW_H
#define FH_CLI_RAW_H

#include "analyse/cli/flags.h"
#include "base/status.h"
#include "base/vector.h"

typedef struct {
    const fh_flag *flag;
    const char *value; /* NULL when it takes none */
    bool is_short;     /* written as -f */
} fh_raw_flag;

typedef struct {
    const char *command; /* NULL: none given */
    FH_VECTOR(const char *) arguments;
    FH_VECTOR(fh_raw_flag) flags; /* in the order given */
} fh_raw;

/* `raw` must be zero; the caller frees it, also on failure. Fails with
 * FH_INVALID, FH_NO_MEMORY. */
fh_status fh_raw_read(int argc, char *const *argv, fh_raw *raw);
void fh_raw_free(fh_raw *raw);

#endif
