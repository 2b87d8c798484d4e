/* device_branch.h: where a program has a branch for NPUs already.
 *
 * What stands in the other branch of such a condition does not run on Ascend, so that there is
 * nothing to change: `if device.type == "cuda": torch.cuda.empty_cache() elif npu: ...`, or what
 * follows `if is_npu_available(): return ...`.
 */
#ifndef FH_RULES_DEVICE_BRANCH_H
#define FH_RULES_DEVICE_BRANCH_H

#include "analyse/rules/run.h"

/* Of the unit of the run, in its scratch arena; NULL when nothing about NPUs stands in the unit, as
 * in most. */
const fh_device_branches *fh_device_branches_find(const fh_rule_run *run);

/* True when code at `offset` of `block` has a branch for NPUs beside it. */
bool fh_device_has_branch(const fh_device_branches *branches, uint32_t block, uint32_t offset);

/* True when `condition` asks for NPUs: device == "npu", is_npu_available(). */
bool fh_device_asks(const fh_unit *unit, fh_value_index condition);

/* "npu", "npu:0", torch.npu, is_npu_available: a name or literal that speaks of NPUs or HCCL. */
bool fh_text_means_npu(fh_text text);

#endif
