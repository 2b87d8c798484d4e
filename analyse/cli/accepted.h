/* accepted.h: findings that were accepted before, and are hidden.
 *
 * A finding is known again by its rule, its file, the text of its line without white space, and
 * its number among those that are equal in all three: lines may be added, removed and indented
 * around it. A file of accepted findings holds one in each line,
 *
 *     FH601<TAB>model.py<TAB>0123456789abcdef<TAB># what it said
 *
 * where "x3" behind the number stands for three that a report shows as one. Only the number
 * counts; blank lines and those that begin with # are passed over.
 */
#ifndef FH_CLI_ACCEPTED_H
#define FH_CLI_ACCEPTED_H

#include "analyse/rules/result.h"
#include "base/status.h"

/* Takes the findings of `path`, a file as above or a JSON report, out of the result and its
 * counts; *hidden: how many, *stale: how many of those in the file the result does not have. Fails
 * with FH_INVALID, naming the line, and as fh_file_read and fh_report_load do; the result stays as
 * it is then. */
fh_status fh_accepted_hide(const char *path, fh_result *result, uint32_t *hidden, uint32_t *stale);

/* Writes all findings of the result to `path`; *written: how many. Fails as fh_file_write_atomic.
 */
fh_status fh_accepted_write(const char *path, const fh_result *result, uint32_t *written);

#endif
