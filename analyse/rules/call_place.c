#include "analyse/rules/call_place.h"

void fh_call_places_close(fh_call_places *places)
{
    if (places->is_open || places->has_failed)
        fh_host_close(&places->host);
}

/* A tensor that the text puts on the CPU, or makes of what lies there: a.cpu(), as_tensor(list). */
static bool lies_on_host(const fh_host_unit *host, fh_value_index value)
{
    static const char *const copies[] = {"torch.tensor", "torch.as_tensor", "torch.from_numpy",
                                         NULL};
    const fh_host_facts *facts = fh_host_at(host, value);
    const fh_value *v = fh_unit_value(host->unit, value);
    return facts->is_kept_there || (facts->is_host && v->kind == FH_VALUE_CALL &&
                                    fh_text_is_any(host->callees[v->a].path, copies));
}

/* A tensor that nothing moves from where it is made, without device=: zeros(n). This counts for
 * what the operator works on, not for what it takes besides, which some move to the rest. */
static bool is_made_on_host(const fh_host_unit *host, fh_value_index value)
{
    const fh_host_facts *facts = fh_host_at(host, value);
    return facts->is_host && facts->tensor >= FH_LIKELY;
}

bool fh_call_runs_on_host(const fh_host_unit *host, uint32_t index)
{
    enum { MOST_ARGUMENTS = 8 };
    const fh_unit *u = host->unit;
    const fh_call *call = &u->calls.items[index];
    const fh_value *callee = fh_unit_value(u, call->callee);
    fh_value_index first = callee->kind == FH_VALUE_ATTRIBUTE ? callee->a : 0;
    bool found = first && lies_on_host(host, first);
    if (call->count && !(first && fh_host_at(host, first)->tensor))
        first = u->arguments.items[call->arguments].value;
    found |= first && is_made_on_host(host, first);
    for (uint32_t i = 0; i < call->count && i < MOST_ARGUMENTS; i++)
        found |= lies_on_host(host, u->arguments.items[call->arguments + i].value);
    return found;
}

bool fh_call_is_on_host(fh_call_places *places, uint32_t index)
{
    if (!index || places->has_failed)
        return false;
    if (!places->is_open)
        places->has_failed = !(places->is_open = fh_host_open(&places->host, places->run));
    return places->is_open && fh_call_runs_on_host(&places->host, index);
}
