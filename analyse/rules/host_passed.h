/* host_passed.h: what the callers that the program has pass to a parameter, and what its classes
 * keep in their attributes.
 *
 * Only where all of them are known, three calls at most. Methods of modules have callers outside
 * the program, so that nothing is said of where their arguments lie.
 */
#ifndef FH_RULES_HOST_PASSED_H
#define FH_RULES_HOST_PASSED_H

#include "analyse/rules/host_flow_build.h"

/* True when all that is passed to `parameter`, a PARAMETER of the walk's unit, lies on the host. */
bool fh_host_gets_host(const fh_host_walk *w, fh_value_index parameter);

/* True when `attribute`, an ATTRIBUTE of the walk's unit, is one of an object of a known class of
 * the program that keeps it on the host. */
bool fh_host_keeps_there(const fh_host_walk *w, const fh_value *attribute);

/* True when all that is passed is lists or tuples of Python. */
bool fh_host_gets_lists(const fh_host_walk *w, fh_value_index parameter);

#endif
