/* Attributes: where what an object keeps lies. */
#include "analyse/rules/host_passed.h"

static uint32_t function_of(const fh_unit *u, fh_value_index value)
{
    return u->blocks.items[fh_unit_value(u, value)->block].function;
}

/* x.cpu() or x.to("cpu"), where x is an attribute of the object or another of the values of `phi`.
 */
static bool moves_attribute(const fh_host_walk *w, const fh_value *phi, fh_value_index value)
{
    const fh_value *v = fh_unit_value(w->unit, value);
    if (v->kind != FH_VALUE_CALL || !fh_host_walked(w, value)->is_host)
        return false;
    const fh_callee *callee = &w->host->callees[v->a];
    const fh_value *receiver = fh_unit_value(w->unit, callee->self);
    if (!callee->is_method || (!fh_text_is(callee->name, "cpu") && !fh_text_is(callee->name, "to")))
        return false;
    if (receiver->kind == FH_VALUE_ATTRIBUTE &&
        fh_unit_value(w->unit, receiver->a)->kind == FH_VALUE_PARAMETER)
        return true;
    for (uint32_t k = 0; k < phi->b; k++)
        if (w->unit->lists.items[phi->a + k] == callee->self)
            return true;
    return false;
}

/* self.x = self.x.cpu() among the values of an attribute: whatever the same method made it before,
 * it ends there. A method that puts it on the device and leaves it there counts. */
static bool ends_on_host(const fh_host_walk *w, const fh_value *phi)
{
    const uint32_t *values = w->unit->lists.items + phi->a;
    bool any = false;
    for (uint32_t i = 0; i < phi->b; i++) {
        bool moves = false, placed = fh_host_walked(w, values[i])->is_placed;
        uint32_t function = function_of(w->unit, values[i]);
        for (uint32_t k = 0; k < phi->b && !moves; k++)
            moves =
                function_of(w->unit, values[k]) == function && moves_attribute(w, phi, values[k]);
        any |= moves;
        if (placed && !moves)
            return false;
    }
    return any;
}

bool fh_host_gathers(const fh_host_walk *w, fh_value_index value)
{
    const fh_value *v = fh_unit_value(w->unit, value);
    if (v->kind != FH_VALUE_PHI)
        return v->kind == FH_VALUE_LIST && w->appended[value] == FH_HOST_APPENDED &&
               (!v->b || fh_host_walked(w, value)->is_host);
    bool any = false;
    for (uint32_t i = 0; i < v->b; i++) {
        fh_value_index one = w->unit->lists.items[v->a + i];
        const fh_value *list = fh_unit_value(w->unit, one);
        if (list->kind == FH_VALUE_NONE)
            continue;
        /* An empty list beside: what is appended to the attribute is marked at each. */
        if (list->kind == FH_VALUE_PHI || !fh_host_gathers(w, one))
            return false;
        any = true;
    }
    return any;
}

bool fh_host_is_kept(const fh_host_walk *w, fh_value_index value)
{
    const fh_value *v = fh_unit_value(w->unit, value);
    if (w->appended[value] & FH_DEVICE_APPENDED)
        return false;
    if (fh_host_gathers(w, value))
        return true;
    if (v->kind == FH_VALUE_PHI && ends_on_host(w, v))
        return true;
    if (v->kind == FH_VALUE_PHI) {
        bool any = false;
        for (uint32_t i = 0; i < v->b; i++) {
            fh_value_index one = w->unit->lists.items[v->a + i];
            if (fh_unit_value(w->unit, one)->kind == FH_VALUE_NONE)
                continue;
            any = true;
            if (one >= value || !fh_host_is_kept(w, one)) /* made of earlier values only */
                return false;
        }
        return any;
    }
    if (value >= w->at)
        *w->looked_ahead = true;
    return fh_host_walked(w, value)->is_host;
}

/* What the methods of its class in this file make of self.table; 0: not known. */
static fh_value_index member_of(const fh_host_walk *w, const fh_value *v)
{
    const fh_value *object = fh_unit_value(w->unit, v->a);
    if (object->kind != FH_VALUE_PARAMETER || object->b)
        return 0;
    const fh_function *f = &w->unit->functions.items[object->a];
    fh_reference member;
    bool found = f->class && !(f->flags & FH_FUNCTION_STATIC) &&
                 fh_resolve_member(w->run->resolver, w->run->unit_index, f->class,
                                   fh_unit_text(w->unit, v->b), &member) &&
                 member.unit == w->run->unit_index;
    if (found && member.value >= w->at)
        *w->looked_ahead = true;
    return found ? member.value : 0;
}

static void mark_appended(fh_host_walk *w, fh_value_index list, uint8_t mark, unsigned depth)
{
    const fh_value *v = fh_unit_value(w->unit, list);
    w->appended[list] |= mark;
    if (v->kind == FH_VALUE_PHI)
        for (uint32_t i = 0; depth && i < v->b; i++)
            mark_appended(w, w->unit->lists.items[v->a + i], mark, depth - 1);
}

bool fh_host_find_appended(fh_host_walk *w)
{
    static const char *const methods[] = {"append", "insert", "extend", "appendleft", NULL};
    const fh_unit *u = w->unit;
    bool any = false;
    for (uint32_t i = 1; i < u->calls.count; i++) {
        const fh_call *call = &u->calls.items[i];
        const fh_value *target = fh_unit_value(u, call->callee);
        if (target->kind != FH_VALUE_ATTRIBUTE || !call->count ||
            !fh_text_is_any(fh_unit_text(u, target->b), methods))
            continue;
        const fh_value *list = fh_unit_value(u, target->a);
        fh_value_index root = list->kind == FH_VALUE_ATTRIBUTE ? member_of(w, list) : target->a;
        fh_value_index given = u->arguments.items[call->arguments + call->count - 1].value;
        bool is_host = fh_host_walked(w, given)->is_host;
        any |= is_host;
        if (root)
            mark_appended(w, root, is_host ? FH_HOST_APPENDED : FH_DEVICE_APPENDED, 3);
    }
    return any;
}

/* Parameters and buffers lie where the model does: layer.weight, self.scale. */
static bool is_learnt(const fh_host_walk *w, const fh_value *v)
{
    fh_text name = fh_unit_text(w->unit, v->b);
    const fh_value *object = fh_unit_value(w->unit, v->a);
    if (fh_text_is(name, "weight") || fh_text_is(name, "bias"))
        return true;
    if (object->kind != FH_VALUE_PARAMETER || object->b)
        return false;
    const fh_function *f = &w->unit->functions.items[object->a];
    fh_reference member;
    if (!f->class ||
        !fh_resolve_derives(w->run->resolver, w->run->unit_index, f->class, "torch.nn.Module"))
        return false;
    if (!fh_resolve_member(w->run->resolver, w->run->unit_index, f->class, name, &member))
        return true; /* a buffer, by register_buffer */
    const fh_value *made = fh_unit_value(w->unit, member.value);
    if (member.unit != w->run->unit_index || made->kind != FH_VALUE_CALL)
        return false;
    fh_text maker = w->host->callees[made->a].path;
    return fh_text_ends(maker, ".Parameter") || fh_text_ends(maker, ".Buffer");
}

void fh_host_attribute_facts(const fh_host_walk *w, const fh_value *v, fh_host_facts *facts)
{
    const fh_host_facts *base = fh_host_walked(w, v->a);
    fh_value_index member = member_of(w, v);
    facts->is_host = (base->is_host && !base->tensor) ||
                     (member ? fh_host_is_kept(w, member) : fh_host_keeps_there(w, v));
    facts->is_kept_there =
        facts->is_host && (base->is_kept_there || fh_host_walked(w, member)->is_kept_there ||
                           (member && fh_host_gathers(w, member)));
    facts->is_placed = !facts->is_host &&
                       (base->is_placed || is_learnt(w, v) || fh_host_walked(w, member)->is_placed);
}
