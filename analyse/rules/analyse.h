/* analyse.h: from a loaded program to a result. */
#ifndef FH_RULES_ANALYSE_H
#define FH_RULES_ANALYSE_H

#include "analyse/rules/run.h"

/* Runs all rules over the program, in parallel, and fills `result` (zero before; freed by the
 * caller, also on failure). Output does not depend on the number of threads. Fails with
 * FH_NO_MEMORY. After an interrupt the result is marked partial. */
fh_status fh_analyse(fh_load *load, const fh_analysis_options *options, fh_result *result);

#endif
