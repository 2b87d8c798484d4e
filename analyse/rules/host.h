/* host.h: what the rules about the host and about number types share. They ask the same of a unit,
 * which is worked out once.
 */
#ifndef FH_RULES_HOST_H
#define FH_RULES_HOST_H

#include "analyse/rules/host_flow.h"

/* How much a finding matters at a place, and how sure it can be there of tensor `value`, which is
 * one with certainty `known`. That a tensor lies on the device is never more than likely; in a
 * function that nothing speaks for it is only possible, unless the text puts it there. */
fh_severity fh_host_severity(fh_place_kind place);
fh_certainty fh_host_certainty(const fh_host_unit *host, fh_place_kind place, fh_value_index value,
                               uint8_t known);

/* What a message says of the place behind "waits for the device". */
const char *fh_host_words(const fh_host_unit *host, uint32_t block, fh_value_index value);

/* FH702 of conditions (host_truth.c). */
void fh_host_check_truths(fh_host_unit *host);

/* FH705 of one call (host_print.c). */
void fh_host_check_print(fh_host_unit *host, const fh_call *call, const fh_callee *callee,
                         fh_place_kind place);

/* FH703 and FH704 (host_shape.c). */
void fh_host_check_shapes(fh_host_unit *host);

/* FH706 and FH707 (host_loop.c). */
void fh_host_check_loops(fh_host_unit *host);

/* FH220 to FH223 (dtype.c). */
void fh_dtype_check(fh_host_unit *host);

#endif
