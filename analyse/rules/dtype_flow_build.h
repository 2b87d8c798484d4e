/* dtype_flow_build.h: what dtype_flow.c and dtype_call.c share. */
#ifndef FH_RULES_DTYPE_FLOW_BUILD_H
#define FH_RULES_DTYPE_FLOW_BUILD_H

#include "analyse/rules/dtype_flow.h"

typedef struct {
    const fh_rule_run *run;
    const fh_unit *unit;
    const fh_callee *callees;
    fh_dtype_flow flow;
    fh_number_type *returned; /* by function, from the pass before */
} fh_dtype_walk;

static inline const fh_number_type *fh_dtype_at(const fh_dtype_walk *w, fh_value_index value)
{
    return &w->flow.types[value];
}

static inline fh_number_type fh_dtype_of(fh_numbers numbers, fh_certainty certainty,
                                         fh_value_index origin)
{
    return (fh_number_type){.numbers = (uint8_t)numbers,
                            .certainty = (uint8_t)certainty,
                            .origin = numbers >= FH_NUMBERS_FLOAT64 ? origin : 0};
}

/* What an operator with operands of both types gives. An operand whose type is not known may be
 * of a higher one, but is seldom. */
fh_number_type fh_dtype_promoted(fh_number_type a, fh_number_type b);

/* What call number `index` gives. */
fh_number_type fh_dtype_of_call(const fh_dtype_walk *w, uint32_t index);

#endif
