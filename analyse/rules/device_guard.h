/* device_guard.h: where CUDA is what is meant, so that an NPU's name in its place would not help.
 */
#ifndef FH_RULES_DEVICE_GUARD_H
#define FH_RULES_DEVICE_GUARD_H

#include "analyse/rules/run.h"

/* True when `offset`, in `block`, stands in the condition of an `if` that leaves with a text which
 * names a package that no NPU runs: "xformers needs CUDA". */
bool fh_device_is_refused(const fh_rule_run *run, uint32_t block, uint32_t offset);

/* True when the branch or the attempt that `block` is calls such a package. */
bool fh_device_is_for_package(const fh_rule_run *run, uint32_t block);

/* True when a function around `block` says in its name that it is about CUDA: is_cuda(x). */
bool fh_device_is_asked_by_name(const fh_rule_run *run, uint32_t block);

/* True when a list gets the NPU's name later: devices.append(get_privateuse1_backend_name()). */
bool fh_device_gets_npu(const fh_unit *unit, fh_value_index list);

#endif
