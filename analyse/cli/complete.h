/* complete.h: completion scripts for shells, from the records. */
#ifndef FH_CLI_COMPLETE_H
#define FH_CLI_COMPLETE_H

#include "base/text.h"

/* Appends the script for "bash", "zsh" or "fish"; nothing for any other shell. */
void fh_complete_add(fh_buffer *out, fh_text shell);

#endif
