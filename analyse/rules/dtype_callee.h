/* dtype_callee.h: what each call of a unit calls, as the flows of types and places need it. */
#ifndef FH_RULES_DTYPE_CALLEE_H
#define FH_RULES_DTYPE_CALLEE_H

#include "analyse/rules/run.h"

typedef struct {
    fh_text path; /* canonical; "" when the callee is nothing outside the program */
    fh_text name; /* last part of the path, without the '_' of an in-place method */
    const fh_api *api;
    fh_value_index self; /* the receiver of a method of a tensor, else the first argument */
    uint8_t certainty;   /* fh_certainty */
    bool is_torch;       /* an operator, function or class of PyTorch */
    bool is_method;      /* of torch.Tensor */
    bool is_numpy;
    bool gives_tensor; /* for certain, though the tables do not say so */
} fh_callee;

/* By call, in the arena; NULL when memory ran out. */
fh_callee *fh_callees_find(const fh_rule_run *run, fh_arena *arena);

/* Makes `callee` the method of a tensor that attribute `target` names; false when there is none. */
bool fh_callee_as_method(const fh_rule_run *run, const fh_value *target, fh_certainty certainty,
                         fh_callee *callee);

/* Argument number `position` behind the tensor itself, or the one named `name`; 0: not given. */
fh_value_index fh_callee_argument(const fh_unit *unit, const fh_call *call, const fh_callee *callee,
                                  int position, const char *name);

#endif
