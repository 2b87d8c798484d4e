/* host_flow_build.h: what host_flow.c, host_flow_call.c, host_attribute.c and host_parameter.c
 * share. */
#ifndef FH_RULES_HOST_FLOW_BUILD_H
#define FH_RULES_HOST_FLOW_BUILD_H

#include "analyse/rules/host_flow.h"

typedef struct {
    fh_host_unit *host;
    const fh_rule_run *run;
    const fh_unit *unit;
    uint8_t *used;          /* by parameter: how it is used */
    uint8_t *is_dtype;      /* by value: somewhere it is handed on as dtype= */
    uint8_t *appended;      /* by value that is a list: FH_HOST_APPENDED, FH_DEVICE_APPENDED */
    bool device_by_default; /* torch.set_default_device, with torch.device(...): */
    fh_value_index at;      /* what is being worked out: facts of later values are not known yet */
    bool *looked_ahead;     /* set when one was asked for */
} fh_host_walk;

/* Where what a list gets by append and its kin lies. */
enum { FH_HOST_APPENDED = 1, FH_DEVICE_APPENDED = 2 };

/* What was found out of a value before. */
static inline const fh_host_facts *fh_host_walked(const fh_host_walk *w, fh_value_index value)
{
    return &w->host->facts[value];
}

/* A tensor for the resolver (fh_certainty; 0: none). Where it may be a number or something else as
 * well, possibly one. */
uint8_t fh_host_resolved(const fh_host_walk *w, fh_value_index value);

/* Works out how parameters are used, and what is known of parameter `v`, which is value `index`. */
void fh_host_find_uses(fh_host_walk *w);
fh_host_facts fh_host_parameter_facts(const fh_host_walk *w, fh_value_index index,
                                      const fh_value *v);

/* True when `value`, which may stand later in the text, is known to lie on the host; of
 * alternatives all but None. */
bool fh_host_is_kept(const fh_host_walk *w, fh_value_index value);

/* True when `value` or, of alternatives, each is a list that only what lies on the host is
 * appended to. */
bool fh_host_gathers(const fh_host_walk *w, fh_value_index value);

/* Works `appended` out of what is known of all values; true when some list has what lies on the
 * host. */
bool fh_host_find_appended(fh_host_walk *w);

/* Sets what the place of attribute `v` is: is_host, is_kept_there, is_placed. */
void fh_host_attribute_facts(const fh_host_walk *w, const fh_value *v, fh_host_facts *facts);

/* Sets what the place of a call's result is: is_host, is_kept_there, is_many,
 * is_placed, is_read_back. */
void fh_host_call_facts(const fh_host_walk *w, const fh_call *call, const fh_callee *callee,
                        fh_host_facts *facts);

#endif
