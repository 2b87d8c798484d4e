/* bind.h: which arguments the calls of a program pass to its functions, and which
 * parameters are used as tensors.
 *
 * One pass over all calls, in parallel, before the rules: afterwards the resolver
 * knows that `b` in `def start(b): init_process_group(b)` can be the "nccl" that
 * some other file passes. At most FH_BIND_MOST arguments are kept for each
 * parameter, the first in the order of files and lines.
 */
#ifndef FH_SCAN_BIND_H
#define FH_SCAN_BIND_H

#include "analyse/scan/link.h"

enum { FH_BIND_MOST = 4 };

/* Fills program->passed and program->tensors. Fails with FH_NO_MEMORY. */
fh_status fh_bind_arguments(fh_program *program, unsigned jobs);

#endif
