/* sarif.h: what makes a finding the same one in the next run. */
#ifndef FH_REPORT_SARIF_H
#define FH_REPORT_SARIF_H

#include "analyse/rules/result.h"

/* The hash is of the rule, the file, the function and the source line without its indentation, so
 * that it stays when lines above come and go; equal ones are told apart by their order. */
typedef struct {
    uint64_t hash;
    uint32_t ordinal; /* from 1 */
} fh_fingerprint;

/* Of the first `count` findings; the caller frees them. NULL when memory runs out, or for none. */
fh_fingerprint *fh_fingerprints_make(const fh_result *result, uint32_t count);

#endif
