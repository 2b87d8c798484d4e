/* man.h: the man page, as roff, from the records. */
#ifndef FH_CLI_MAN_H
#define FH_CLI_MAN_H

#include "base/text.h"

void fh_man_add(fh_buffer *out);

#endif
