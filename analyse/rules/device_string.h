/* device_string.h: strings that name a CUDA device (FH604): what they are used for, and whether the
 * program has another one for NPUs.
 */
#ifndef FH_RULES_DEVICE_STRING_H
#define FH_RULES_DEVICE_STRING_H

#include "analyse/rules/device_branch.h"

/* Reports them. `migrated`: the unit, or one it imports, activates transfer_to_npu. */
void fh_device_check_strings(fh_rule_run *run, const fh_device_branches *branches, bool migrated);

#endif
