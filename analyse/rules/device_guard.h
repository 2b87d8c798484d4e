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

/* True in a function named cuda: it is what .cuda() of the program's own objects runs. */
bool fh_device_is_cuda_method(const fh_unit *unit, uint32_t function);

/* True when call `index`, a query of torch.cuda's, is all that a function gives whose name says
 * that it is about CUDA: def cuda_device_count(): return torch.cuda.device_count(). */
bool fh_device_answers_for_cuda(const fh_rule_run *run, uint32_t index);

/* True when call `index` stands in one condition with what asks for the chip's capability:
 * torch.cuda.is_available() and torch.cuda.get_device_capability() >= (8, 9). */
bool fh_device_is_beside_query(const fh_rule_run *run, uint32_t index);

/* True when the function has a call of torch.npu with the last name of `path` as well; of
 * torch.cuda.is_available also one that asks the same by a name of the program's own:
 * is_torch_npu_available(). */
bool fh_device_has_npu_call(const fh_rule_run *run, uint32_t function, fh_text path);

/* True when the comparison at `offset` stands beside something of cuDNN's or cuBLAS's:
 * device.type == "cuda" and torch.backends.cudnn.benchmark. */
bool fh_device_is_beside_backend(const fh_rule_run *run, uint32_t block, uint32_t offset);

/* True when what is called was looked up by a name, getattr(torch, device).synchronize: the name
 * decides. */
bool fh_device_is_looked_up(const fh_rule_run *run, fh_value_index callee);

/* True when a function around `block` says in its name that it is about CUDA: is_cuda(x). */
bool fh_device_is_asked_by_name(const fh_rule_run *run, uint32_t block);

/* The value is compared with "npu" elsewhere in the function, or what is chosen by the comparison
 * at `offset` is something of NPUs: both are told apart already. */
bool fh_device_is_told_from_npu(const fh_rule_run *run, fh_value_index value, uint32_t block,
                                uint32_t offset);

/* True when the `if` whose condition holds `offset` decides on a memory format: channels_last is
 * for CUDA's convolutions. */
bool fh_device_chooses_format(const fh_rule_run *run, uint32_t block, uint32_t offset);

/* True under a condition that is named for CUDA: if IS_CUDA_SYSTEM. */
bool fh_device_is_behind_cuda(const fh_rule_run *run, uint32_t block);

/* True for a text that names a device of CUDA. */
bool fh_device_names_cuda(const fh_rule_run *run, fh_value_index value);

/* x.device.type == "cuda", device == "cuda:0", x.is_cuda: no NPU comes behind it. */
bool fh_device_asks_for_cuda(const fh_rule_run *run, fh_value_index condition);

/* True when an `if` around `block`, within its function, asks so. */
bool fh_device_is_branch_of_cuda(const fh_rule_run *run, uint32_t block);

/* True when a list gets the NPU's name later: devices.append(get_privateuse1_backend_name()). */
bool fh_device_gets_npu(const fh_unit *unit, fh_value_index list);

#endif
