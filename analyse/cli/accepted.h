/* accepted.h: findings that were accepted before, and are hidden.
 *
 * A finding is known again by its rule, its file, the text of its line without white space, and
 * its number among those that are equal in all three: lines may be added, removed and indented
 * around it. A file of accepted findings holds one in each line,
 *
 *     FH601<TAB>model.py<TAB>0123456789abcdef<TAB># what it said
 *
 * where "x3" behind the number stands for three that a report shows as one. Only the number
 * counts, the rest is for who reads it; blank lines and those that begin with # are passed over.
 */
#ifndef FH_CLI_ACCEPTED_H
#define FH_CLI_ACCEPTED_H

#include "analyse/rules/result.h"
#include "base/status.h"

/* Accepted findings of one rule in one file that the result does not have. */
typedef struct {
    fh_text rule, file;
    uint32_t count;
} fh_accepted_missing;

/* What became of the findings in a file of accepted ones. */
typedef struct {
    uint32_t hidden;                        /* the result had these */
    uint32_t stale;                         /* and not these: the sum of */
    FH_VECTOR(fh_accepted_missing) missing; /* by file, then rule */
    /* Where none was hidden: an accepted finding and one of the result whose paths are of one file,
     * seen from two folders; else empty. */
    fh_text there, here;
    fh_arena arena; /* of these texts */
} fh_accepted_match;

/* Takes the findings of `path`, a file as above or a JSON report, out of the result and its
 * counts. The caller frees *match, also on failure. Fails with FH_INVALID, naming the line, and as
 * fh_file_read and fh_report_load do; the result stays as it is then. */
fh_status fh_accepted_hide(const char *path, fh_result *result, fh_accepted_match *match);

void fh_accepted_match_free(fh_accepted_match *match);

/* Writes all findings of the result to `path`; *written: how many. Fails as fh_file_write_atomic.
 */
fh_status fh_accepted_write(const char *path, const fh_result *result, uint32_t *written);

#endif
