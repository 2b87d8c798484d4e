/* release.h: the releases of torch that the tables speak of.
 *
 * A release is a minor version of torch, 2.13; one release of torch_npu, the
 * newest on PyPI when the tables were made, stands for each. Ranges are written
 * as in the tables: "2.1-" (2.1 and later), "2.1-2.12", "2.6", several joined
 * by ',' or '/'.
 */
#ifndef FH_FACTS_RELEASE_H
#define FH_FACTS_RELEASE_H

#include "base/status.h"
#include "base/text.h"

typedef struct {
    uint16_t major, minor;
} fh_release;

/* Reads "2.7", "v2.7.1", "2.7.1.post4", "2.13.0+cpu": the first two numbers count.
 * Fails with FH_INVALID when `text` does not begin that way. */
fh_status fh_release_parse(fh_text text, fh_release *release);

/* The same for what a user asks for: "" gives the default, and the tables must
 * have the release. Fails with FH_NOT_FOUND, naming those that are there. */
fh_status fh_release_get(fh_text text, fh_release *release);

int fh_release_compare(fh_release a, fh_release b); /* <0, 0, >0 */

/* Whether a range contains the release; the empty range contains none. */
bool fh_release_in(fh_release release, fh_text range);

/* A cell "a@2.1-2.3|b@2.4-" for one release: "a" or "b", "" when no part covers it.
 * A cell without '@' is what it is for every release. */
fh_text fh_release_cell(fh_release release, fh_text cell);

/* Releases in the tables, oldest first. */
unsigned fh_release_count(void);
fh_release fh_release_at(unsigned index);
fh_release fh_release_default(void); /* the newest */

/* Version and day of the torch_npu that stands for a release, "2.7.1.post11" and
 * "2026-10-15"; empty for a release that is not in the tables. */
fh_text fh_release_torch_npu(fh_release release);
fh_text fh_release_date(fh_release release);

void fh_release_add(fh_buffer *buffer, fh_release release); /* "2.13" */

#endif
