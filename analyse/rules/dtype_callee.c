#include "analyse/rules/dtype_callee.h"

#include <string.h>

static fh_text name_of(fh_text path)
{
    fh_text name = fh_text_last_part(path);
    if (fh_text_ends(name, "_") && !fh_text_ends(name, "__"))
        name = fh_text_slice(name, 0, name.length - 1);
    return name;
}

/* The callee of a method of what torch.from_numpy gave, which the tables have no type for. */
static bool follow_tensor(const fh_rule_run *run, const fh_call *call, const fh_callee *callees,
                          fh_callee *callee)
{
    const fh_value *target = fh_unit_value(run->unit, call->callee);
    if (target->kind != FH_VALUE_ATTRIBUTE)
        return false;
    const fh_value *receiver = fh_unit_value(run->unit, target->a);
    return receiver->kind == FH_VALUE_CALL && callees[receiver->a].gives_tensor &&
           fh_callee_as_method(run, target, FH_CERTAIN, callee);
}

bool fh_callee_as_method(const fh_rule_run *run, const fh_value *target, fh_certainty certainty,
                         fh_callee *callee)
{
    fh_symbol tensor = fh_resolver_intern(run->resolver, FH_TEXT("torch.Tensor"));
    fh_symbol path = fh_resolver_join(run->resolver, tensor, fh_unit_text(run->unit, target->b));
    const fh_api *api = fh_resolver_api(run->resolver, path);
    if (!api)
        return false;
    *callee = (fh_callee){.path = fh_resolver_path(run->resolver, path),
                          .api = api,
                          .self = target->a,
                          .certainty = (uint8_t)certainty,
                          .is_torch = true,
                          .is_method = true};
    callee->name = name_of(callee->path);
    callee->gives_tensor = api->returns == FH_RETURNS_TENSOR;
    return true;
}

static fh_callee callee_of(const fh_rule_run *run, const fh_call *call, const fh_callee *callees)
{
    fh_callee callee = {0};
    fh_meaning meaning;
    if (follow_tensor(run, call, callees, &callee) ||
        !fh_resolve_external(run->resolver, run->unit_index, call->callee, &meaning))
        return callee;
    callee.path = fh_resolver_path(run->resolver, meaning.path);
    callee.api = fh_resolver_api(run->resolver, meaning.path);
    callee.certainty = meaning.certainty;
    callee.name = name_of(callee.path);
    callee.gives_tensor = fh_text_is(callee.path, "torch.from_numpy");
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
    memset(callees, 0, u->calls.count * sizeof *callees);
    for (uint32_t i = 1; i < u->calls.count && !fh_rules_stop(i); i++)
        callees[i] = callee_of(run, &u->calls.items[i], callees);
    return callees;
}

fh_value_index fh_callee_argument(const fh_unit *unit, const fh_call *call, const fh_callee *callee,
                                  int position, const char *name)
{
    return fh_call_argument(unit, call, callee->is_method ? position : position + 1, name);
}
