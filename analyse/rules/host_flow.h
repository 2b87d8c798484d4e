/* host_flow.h: which values of a unit are tensors, which of them lie on the host, and which
 * numbers were read back from the device.
 *
 * One pass over the values in the order in which they are computed, after the flow of types.
 * The resolver's answers are sharpened where a guess would mislead a rule about the host: a
 * parameter counts as a tensor only when it is annotated or used as one.
 */
#ifndef FH_RULES_HOST_FLOW_H
#define FH_RULES_HOST_FLOW_H

#include "analyse/rules/dtype_flow.h"
#include "analyse/rules/host_place.h"
#include "analyse/rules/stops_graph.h"

typedef struct {
    uint8_t tensor;     /* fh_certainty of being a tensor; 0: not known to be one */
    bool is_host;       /* made or copied to the CPU, so that reading it costs nothing */
    bool is_kept_there; /* the text says so: .cpu(), device="cpu", from NumPy */
    bool is_many;       /* on the host with more than one element for certain, so that PyTorch
                           refuses it beside a tensor of the device */
    bool is_placed;     /* the text puts it on the device: device=, .to(), what a module gives */
    bool is_read_back;  /* a number or list that came from device data */
    bool is_mask;       /* a tensor of bool */
} fh_host_facts;

/* What the families host and dtype know of a unit. */
typedef struct {
    fh_rule_run *run;
    const fh_unit *unit;
    fh_callee *callees;   /* by call */
    fh_dtype_flow dtypes; /* by value */
    fh_host_facts *facts; /* by value */
    fh_host_places places;
    fh_graphs graphs;
    fh_arena arena;
} fh_host_unit;

/* Works it all out; false when memory ran out. Close it in both cases. */
bool fh_host_open(fh_host_unit *host, fh_rule_run *run);
void fh_host_close(fh_host_unit *host);

static inline const fh_host_facts *fh_host_at(const fh_host_unit *host, fh_value_index value)
{
    return &host->facts[value];
}

/* True when `value` is likely a tensor that is not known to lie on the host. */
static inline bool fh_host_is_device_tensor(const fh_host_unit *host, fh_value_index value)
{
    return host->facts[value].tensor >= FH_LIKELY && !host->facts[value].is_host;
}

/* True when `value` names the CPU: "cpu", torch.device("cpu"). */
bool fh_host_names_cpu(const fh_rule_run *run, fh_value_index value);

/* True where isinstance(value, ...) or torch.is_tensor(value) around `block` says that `value` is
 * no tensor there. */
bool fh_host_is_ruled_out(const fh_host_unit *host, fh_value_index value, uint32_t block);

/* True when a test isinstance(value, ...) stands just before `call` in the same expression:
 * x if isinstance(x, Tensor) else int(x). */
bool fh_host_follows_test(const fh_host_unit *host, const fh_call *call, fh_value_index value);

#endif
