/* help.h: the text of --help, from the records. */
#ifndef FH_CLI_HELP_H
#define FH_CLI_HELP_H

#include "analyse/cli/flags.h"

/* Appends the help of a command, or with FH_COMMAND_NONE of the program, for a terminal of `width`
 * columns. `is_long` adds what --help says more than -h. */
void fh_help_add(fh_buffer *out, fh_command command, bool is_long, unsigned width);

#endif
