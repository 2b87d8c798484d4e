#include "analyse/rules/dtype_callee.h"
#include "analyse/rules/text_match.h"

#include <string.h>

static fh_callee callee_of(const fh_rule_run *run, const fh_call *call)
{
    fh_callee callee = {0};
    fh_meaning meaning;
    if (!fh_resolve_external(run->resolver, run->unit_index, call->callee, &meaning))
        return callee;
    callee.path = fh_resolver_path(run->resolver, meaning.path);
    callee.api = fh_resolver_api(run->resolver, meaning.path);
    callee.certainty = meaning.certainty;
    callee.name = fh_text_last_part(callee.path);
    if (fh_text_ends(callee.name, "_") && !fh_text_ends(callee.name, "__"))
        callee.name = fh_text_slice(callee.name, 0, callee.name.length - 1);
    callee.is_torch = callee.api && fh_text_starts(callee.path, "torch.");
    callee.is_method = fh_text_starts(callee.path, "torch.Tensor.");
    callee.is_numpy = fh_text_starts(callee.path, "numpy.");
    const fh_value *target = fh_unit_value(run->unit, call->callee);
    if (callee.is_method ||
        (callee.is_numpy && fh_text_find(callee.path, '(') < callee.path.length))
        callee.self = target->kind == FH_VALUE_ATTRIBUTE ? target->a : 0;
    else
        callee.self = fh_call_argument(run->unit, call, 0, "input");
    return callee;
}

fh_callee *fh_callees_find(const fh_rule_run *run, fh_arena *arena)
{
    const fh_unit *u = run->unit;
    fh_callee *callees = fh_arena_alloc(arena, u->calls.count * sizeof *callees);
    if (!callees)
        return NULL;
    callees[0] = (fh_callee){0};
    for (uint32_t i = 1; i < u->calls.count; i++)
        callees[i] = callee_of(run, &u->calls.items[i]);
    return callees;
}

fh_value_index fh_callee_argument(const fh_unit *unit, const fh_call *call, const fh_callee *callee,
                                  int position, const char *name)
{
    return fh_call_argument(unit, call, callee->is_method ? position : position + 1, name);
}
