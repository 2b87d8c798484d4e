/* unit_match.h: what of a changed file means what it meant before.
 *
 * Two units of one file, as it was and as it is, are walked side by side from the names that the
 * module binds: values that are built alike, out of values that are built alike, match. Positions
 * and numbers in the tables do not count, so that a function added, or a body changed, leaves
 * alone what does not refer to it. Matches are one to one over the whole unit: what were two
 * things stays two.
 *
 * The resolver reaches values of another file only from a name that its module binds, from an
 * argument that a call passes or the default of an option, and from there by references, which is
 * what is walked here. So it finds the same where the same names match. What it reads of a file
 * without a name is compared by fh_unit_match_file.
 */
#ifndef FH_SCAN_UNIT_MATCH_H
#define FH_SCAN_UNIT_MATCH_H

#include "analyse/scan/program.h"

typedef struct fh_unit_match fh_unit_match;

/* Both units are borrowed. NULL when memory ran out. */
fh_unit_match *fh_unit_match_create(const fh_unit *before, const fh_unit *after);
void fh_unit_match_destroy(fh_unit_match *match);

/* True when the same holds for the file as a whole: its star imports, what changes __all__,
 * whether it mentions torch and activates torch_npu. */
bool fh_unit_match_file(const fh_unit_match *match);

/* True when the module binds `name` to the same, or neither binds it. */
bool fh_unit_match_name(fh_unit_match *match, fh_text name);

/* True when value `before` matches `after`; may be called for any two, but what matches first
 * stays. */
bool fh_unit_match_value(fh_unit_match *match, fh_value_index before, fh_value_index after);

/* The parameter or field that matches `before` by what was matched up to now; 0: none does. */
uint32_t fh_unit_match_parameter(const fh_unit_match *match, uint32_t before);
/* The other way. */
uint32_t fh_unit_match_parameter_before(const fh_unit_match *match, uint32_t after);

/* How much matches up to now. */
uint32_t fh_unit_match_count(const fh_unit_match *match);

#endif
