#include "analyse/rules/host_flow_build.h"

#include <string.h>

/* What is handed on as dtype=, and whether tensors are made on the device by default. */
static void mark_types_and_places(fh_host_walk *w)
{
    const fh_unit *u = w->unit;
    for (uint32_t i = 1; i < u->calls.count; i++) {
        const fh_call *call = &u->calls.items[i];
        const fh_callee *callee = &w->host->callees[i];
        w->is_dtype[fh_call_argument(u, call, -1, "dtype")] = 1;
        w->device_by_default |=
            callee->is_torch && (fh_text_is(callee->name, "set_default_device") ||
                                 (fh_text_is(callee->name, "device") &&
                                  u->blocks.items[call->block].kind == FH_BLOCK_WITH));
    }
    for (uint32_t i = 1; i < u->blocks.count; i++)
        if (u->blocks.items[i].kind == FH_BLOCK_WITH &&
            fh_resolve_is_instance(w->run->resolver, w->run->unit_index, u->blocks.items[i].value,
                                   "torch.device"))
            w->device_by_default = true;
}

uint8_t fh_host_resolved(const fh_host_walk *w, fh_value_index value)
{
    fh_certainty certainty;
    if (!fh_resolve_is_tensor(w->run->resolver, w->run->unit_index, value, &certainty))
        return 0;
    fh_meanings all;
    fh_resolve(w->run->resolver, w->run->unit_index, value, &all);
    return all.count > 1 ? FH_POSSIBLE : (uint8_t)certainty;
}

static uint8_t least(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

static uint8_t most(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

/* A method of a value that the resolver does not know, but whose uses show it to be a tensor. */
static void sharpen_callee(const fh_host_walk *w, const fh_call *call, fh_callee *callee)
{
    const fh_value *target = fh_unit_value(w->unit, call->callee);
    if (!callee->path.length && target->kind == FH_VALUE_ATTRIBUTE &&
        fh_host_walked(w, target->a)->tensor >= FH_LIKELY)
        fh_callee_as_method(w->run, target, FH_LIKELY, callee);
}

static fh_host_facts of_call(const fh_host_walk *w, fh_value_index index, uint32_t number)
{
    const fh_call *call = &w->unit->calls.items[number];
    fh_callee *callee = &w->host->callees[number];
    fh_host_facts facts = {0};
    if (fh_text_is(callee->path, "copy.deepcopy") || fh_text_is(callee->path, "copy.copy"))
        return *fh_host_walked(w, callee->self);
    facts.tensor = fh_host_resolved(w, index);
    if (!callee->path.length) {
        sharpen_callee(w, call, callee);
        if (callee->api && callee->api->returns == FH_RETURNS_TENSOR)
            facts.tensor = most(facts.tensor, FH_LIKELY);
    }
    if (callee->gives_tensor)
        facts.tensor = FH_CERTAIN;
    if (facts.tensor && callee->is_method && callee->certainty == FH_POSSIBLE)
        facts.tensor =
            most(FH_POSSIBLE, least(facts.tensor, fh_host_walked(w, callee->self)->tensor));
    fh_host_call_facts(w, call, callee, &facts);
    return facts;
}

static bool is_text(const fh_unit *u, fh_value_index value)
{
    fh_value_kind kind = (fh_value_kind)fh_unit_value(u, value)->kind;
    return kind == FH_VALUE_STRING || kind == FH_VALUE_FORMAT;
}

/* What cannot stand beside a tensor in an operation. */
static bool is_no_operand(const fh_unit *u, fh_value_index value)
{
    fh_value_kind kind = (fh_value_kind)fh_unit_value(u, value)->kind;
    return is_text(u, value) || kind == FH_VALUE_NONE || kind == FH_VALUE_DICT ||
           kind == FH_VALUE_TUPLE || kind == FH_VALUE_LIST || kind == FH_VALUE_SET;
}

static fh_host_facts of_operation(const fh_host_walk *w, const fh_value *v)
{
    fh_host_facts a = *fh_host_walked(w, v->a), b = {0}, facts = {0};
    if (v->kind == FH_VALUE_UNARY) {
        if (v->op != FH_OP_NOT)
            facts = a;
        return facts;
    }
    b = *fh_host_walked(w, v->b);
    facts.is_read_back = (a.is_read_back || b.is_read_back) && !a.tensor && !b.tensor;
    if (v->op == FH_OP_AND || v->op == FH_OP_OR || v->op == FH_OP_IS || v->op == FH_OP_IS_NOT ||
        v->op == FH_OP_IN || v->op == FH_OP_NOT_IN || is_no_operand(w->unit, v->a) ||
        is_no_operand(w->unit, v->b))
        return facts;
    facts.tensor = most(a.tensor, b.tensor);
    facts.is_placed = a.is_placed || b.is_placed;
    /* Beside something that is not known to be a tensor: a number, most likely. */
    facts.is_host = (a.is_host && (b.is_host || !b.tensor || (a.is_many && !b.is_placed))) ||
                    (b.is_host && (!a.tensor || (b.is_many && !a.is_placed)));
    facts.is_many = facts.is_host && (a.is_many || b.is_many);
    facts.is_kept_there = facts.is_host && (a.is_kept_there || b.is_kept_there);
    return facts;
}

/* x[..., 0], x[:, None]: what only tensors and arrays are indexed with. */
static bool is_tensor_index(const fh_unit *u, fh_value_index index)
{
    const fh_value *v = fh_unit_value(u, index);
    if (v->kind == FH_VALUE_NONE)
        return true;
    if (v->kind != FH_VALUE_TUPLE)
        return false;
    for (uint32_t i = 0; i < v->b; i++) {
        fh_value_kind kind = (fh_value_kind)fh_unit_value(u, u->lists.items[v->a + i])->kind;
        if (kind == FH_VALUE_SLICE || kind == FH_VALUE_NONE)
            return true;
    }
    return false;
}

static fh_host_facts of_attribute(const fh_host_walk *w, fh_value_index index, const fh_value *v)
{
    static const char *const same[] = {"data", "T", "mT", "H", "mH", "grad", "real", "imag", NULL};
    const fh_host_facts *base = fh_host_walked(w, v->a);
    if (base->tensor && fh_text_is_any(fh_unit_text(w->unit, v->b), same))
        return *base;
    fh_host_facts facts = {.tensor = fh_host_resolved(w, index)};
    fh_host_attribute_facts(w, v, &facts);
    return facts;
}

/* What position `position` of enumerate(x) or zip(x, y) walks over; 0: neither. */
static fh_value_index walked_over(const fh_host_walk *w, fh_value_index element, uint32_t position)
{
    const fh_value *v = fh_unit_value(w->unit, element);
    const fh_value *source = fh_unit_value(w->unit, v->a);
    if (v->kind != FH_VALUE_ELEMENT || source->kind != FH_VALUE_CALL)
        return 0;
    const fh_call *call = &w->unit->calls.items[source->a];
    fh_text path = w->host->callees[source->a].path;
    if (fh_text_is(path, "builtins.enumerate"))
        return position == 1 ? fh_call_argument(w->unit, call, 0, "iterable") : 0;
    if (fh_text_is(path, "builtins.zip"))
        return fh_call_argument(w->unit, call, (int)position, NULL);
    return 0;
}

static fh_host_facts of_part(const fh_host_walk *w, fh_value_index index, const fh_value *v)
{
    fh_host_facts base = *fh_host_walked(w, v->a), facts = {0};
    fh_value_index source = v->kind == FH_VALUE_ITEM ? walked_over(w, v->a, v->b) : 0;
    if (source) {
        base.is_host = fh_host_walked(w, source)->is_host;
        base.is_placed = fh_host_walked(w, source)->is_placed;
    }
    facts.is_host = base.is_host;
    facts.is_kept_there = base.is_kept_there;
    facts.is_read_back = base.is_read_back;
    facts.is_placed =
        base.is_placed || (v->kind == FH_VALUE_SUBSCRIPT && fh_host_walked(w, v->b)->is_placed);
    if (base.tensor) {
        facts.tensor = base.tensor;
        if (v->kind == FH_VALUE_SUBSCRIPT && base.tensor == FH_POSSIBLE &&
            is_tensor_index(w->unit, v->b))
            facts.tensor = FH_LIKELY;
        if (v->kind == FH_VALUE_SUBSCRIPT && is_text(w->unit, v->b))
            facts.tensor = 0;
        return facts;
    }
    /* A slice of a list of tensors is a list. */
    if (v->kind != FH_VALUE_SUBSCRIPT || fh_unit_value(w->unit, v->b)->kind != FH_VALUE_SLICE)
        facts.tensor = fh_host_resolved(w, index);
    return facts;
}

static fh_host_facts of_phi(const fh_host_walk *w, const fh_value *v)
{
    fh_host_facts facts = {.tensor = FH_CERTAIN, .is_host = true};
    bool any = false, doubtful = false;
    uint8_t best = 0;
    for (uint32_t i = 0; i < v->b; i++) {
        fh_value_index value = w->unit->lists.items[v->a + i];
        if (fh_unit_value(w->unit, value)->kind == FH_VALUE_NONE)
            continue;
        const fh_host_facts *one = fh_host_walked(w, value);
        any = true;
        doubtful |= !one->tensor;
        best = most(best, one->tensor);
        facts.tensor = least(facts.tensor, one->tensor);
        facts.is_host &= one->is_host;
        facts.is_kept_there |= one->is_kept_there;
        facts.is_read_back |= one->is_read_back;
        facts.is_placed |= one->is_placed;
    }
    facts.is_kept_there &= facts.is_host;
    if (doubtful)
        facts.tensor = best ? FH_POSSIBLE : 0;
    facts.tensor = least(facts.tensor, FH_LIKELY);
    return any ? facts : (fh_host_facts){0};
}

static fh_host_facts of_value(const fh_host_walk *w, fh_value_index index)
{
    const fh_value *v = fh_unit_value(w->unit, index);
    fh_host_facts facts = {0};
    switch ((fh_value_kind)v->kind) {
    case FH_VALUE_PARAMETER:
        return fh_host_parameter_facts(w, index, v);
    case FH_VALUE_CALL:
        return of_call(w, index, v->a);
    case FH_VALUE_BINARY:
    case FH_VALUE_COMPARE:
    case FH_VALUE_UNARY:
        return of_operation(w, v);
    case FH_VALUE_SUBSCRIPT:
    case FH_VALUE_ELEMENT:
    case FH_VALUE_ITEM:
        return of_part(w, index, v);
    case FH_VALUE_PHI:
        return of_phi(w, v);
    case FH_VALUE_ATTRIBUTE:
        return of_attribute(w, index, v);
    case FH_VALUE_LIST:
    case FH_VALUE_TUPLE:
        if (w->appended[index] == FH_HOST_APPENDED && !v->b)
            return (fh_host_facts){.is_host = true, .is_kept_there = true};
        facts.is_host = v->b > 0 && !(w->appended[index] & FH_DEVICE_APPENDED);
        for (uint32_t i = 0; i < v->b; i++)
            facts.is_host &= fh_host_walked(w, w->unit->lists.items[v->a + i])->is_host;
        for (uint32_t i = 0; i < v->b; i++)
            facts.is_placed |= fh_host_walked(w, w->unit->lists.items[v->a + i])->is_placed;
        return facts;
    case FH_VALUE_STAR: /* f(*[...]) gets what the list holds */
        if (v->op == FH_OP_POWER)
            return facts;
        facts.is_host = fh_host_walked(w, v->a)->is_host;
        facts.is_placed = fh_host_walked(w, v->a)->is_placed;
        return facts;
    case FH_VALUE_COMPREHENSION:
        facts.is_host = fh_host_walked(w, v->a)->is_host;
        facts.is_placed = fh_host_walked(w, v->a)->is_placed;
        return facts;
    default:
        return facts;
    }
}

static void walk(fh_host_walk *w)
{
    fh_host_unit *host = w->host;
    for (w->at = 1; w->at < w->unit->values.count && !fh_rules_stop(w->at); w->at++) {
        fh_host_facts facts = of_value(w, w->at);
        const fh_number_type *type = &host->dtypes.types[w->at];
        if (type->numbers == FH_NUMBERS_BOOL && !type->is_scalar && !type->is_numpy)
            facts.is_mask = true;
        host->facts[w->at] = facts;
    }
}

bool fh_host_open(fh_host_unit *host, fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    *host = (fh_host_unit){.run = run, .unit = u};
    bool looked_ahead = false;
    fh_host_walk w = {.host = host, .run = run, .unit = u, .looked_ahead = &looked_ahead};
    host->callees = fh_callees_find(run, &host->arena);
    host->facts = fh_arena_alloc(&host->arena, u->values.count * sizeof *host->facts);
    w.used = fh_arena_alloc(&host->arena, u->parameters.count);
    w.is_dtype = fh_arena_alloc(&host->arena, u->values.count);
    w.appended = fh_arena_alloc(&host->arena, u->values.count);
    if (!host->callees || !host->facts || !w.used || !w.is_dtype || !w.appended)
        return false;
    host->dtypes = fh_dtype_flow_find(run, host->callees, &host->arena);
    host->places = fh_host_places_find(run, &host->arena);
    host->graphs = fh_graphs_find(run, host->callees, &host->arena);
    if (!host->dtypes.types || !host->places.functions)
        return false;
    memset(host->facts, 0, u->values.count * sizeof *host->facts);
    memset(w.used, 0, u->parameters.count);
    memset(w.is_dtype, 0, u->values.count);
    memset(w.appended, 0, u->values.count);
    fh_host_find_uses(&w);
    mark_types_and_places(&w);
    /* Methods use what later ones set, and functions what later ones give: once more, with that
     * known. */
    walk(&w);
    looked_ahead |= fh_host_find_appended(&w);
    if (looked_ahead)
        walk(&w);
    return true;
}

void fh_host_close(fh_host_unit *host)
{
    host->run->arena->failed |= host->arena.failed;
    fh_arena_free(&host->arena);
}
