/* ignore.h: comments by which a line's findings are hidden.
 *
 *     x.cuda()  # foothold: ignore             all findings of the line
 *     k<<<1, 1>>>();  // foothold: ignore[FH210, FH2]   of these rules, or beginnings of ids
 *
 * Other comments may stand before it: "# noqa # foothold: ignore".
 */
#ifndef FH_SCAN_IGNORE_H
#define FH_SCAN_IGNORE_H

#include "analyse/scan/program.h"

/* Adds those in `text`, which begins at `offset` of the unit, whose positions are there already.
 * What looks like a comment counts as one. */
void fh_ignores_add(fh_unit *unit, fh_text text, uint32_t offset);

#endif
