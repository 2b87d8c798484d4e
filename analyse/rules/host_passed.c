/* Parameters: what the callers that the program has pass to them. Where all of it lies on the host,
 * so does the parameter.
 *
 * Values of other files are judged by their text alone: what made them, and what was put into them.
 */
#include "analyse/rules/host_passed.h"
#include "analyse/scan/bind.h"

enum { DEEP = 8, MOST_PARTS = 16, MOST_STEPS = 2000 };

typedef struct {
    const fh_host_walk *w;
    fh_resolver *resolver;
    uint32_t unit;
    const fh_unit *u;
    uint32_t function; /* all that it was given lies on the host; 0: not known of any */
    unsigned *steps;   /* how many values may be looked at yet */
} place;

static bool lies(const place *p, fh_value_index value, unsigned depth);

static place place_of(const fh_host_walk *w, uint32_t unit, uint32_t function, unsigned *steps)
{
    fh_resolver *resolver = w->run->resolver;
    return (place){w, resolver, unit, fh_resolver_look(resolver, unit), function, steps};
}

static bool is_literal(const fh_value *v)
{
    return v->kind == FH_VALUE_NONE || v->kind == FH_VALUE_BOOL || v->kind == FH_VALUE_INTEGER ||
           v->kind == FH_VALUE_FLOAT || v->kind == FH_VALUE_STRING || v->kind == FH_VALUE_SLICE;
}

/* [None] * n, and what is taken out of it: what a function of another library has put in. */
static bool is_empty_place(const place *p, const fh_value *v, unsigned depth)
{
    switch ((fh_value_kind)v->kind) {
    case FH_VALUE_COMPREHENSION:
    case FH_VALUE_ELEMENT:
    case FH_VALUE_ITEM:
    case FH_VALUE_SUBSCRIPT:
    case FH_VALUE_BINARY:
        return depth && is_empty_place(p, fh_unit_value(p->u, v->a), depth - 1);
    case FH_VALUE_LIST:
        return v->b == 1 && fh_unit_value(p->u, p->u->lists.items[v->a])->kind == FH_VALUE_NONE;
    default:
        return false;
    }
}

/* Each of them lies on the host or is a literal, and one does. */
static bool all_lie(const place *p, uint32_t first, uint32_t count, unsigned depth)
{
    bool any = false;
    if (count > MOST_PARTS)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        fh_value_index one = p->u->lists.items[first + i];
        if (is_literal(fh_unit_value(p->u, one)))
            continue;
        if (!lies(p, one, depth))
            return false;
        any = true;
    }
    return any;
}

/* The same of the arguments of a call. */
static bool gets_host(const place *p, const fh_call *call, bool any, unsigned depth)
{
    if (call->count > MOST_PARTS)
        return false;
    for (uint32_t i = 0; i < call->count; i++) {
        fh_value_index one = p->u->arguments.items[call->arguments + i].value;
        fh_text name = fh_unit_text(p->u, p->u->arguments.items[call->arguments + i].name);
        if (is_literal(fh_unit_value(p->u, one)) || fh_text_is(name, "dtype"))
            continue;
        if (!lies(p, one, depth))
            return false;
        any = true;
    }
    return any;
}

/* An empty list, and what is put into it: where it stands, or as self.x in other methods. */
static bool is_filled(const place *p, fh_value_index list, fh_symbol attribute, unsigned depth)
{
    static const char *const methods[] = {"append", "insert", "extend", "appendleft", NULL};
    bool any = false;
    uint32_t seen = 0;
    for (uint32_t i = fh_unit_fills(p->u, list);
         i < p->u->fills.count && p->u->fills.items[i].base == list && seen < MOST_PARTS;
         i++, seen++) {
        if (!lies(p, p->u->fills.items[i].value, depth))
            return false;
        any = true;
    }
    if (attribute)
        fh_resolver_look_whole(p->resolver, p->unit);
    for (uint32_t i = 1; attribute && i < p->u->calls.count; i++) {
        const fh_call *call = &p->u->calls.items[i];
        const fh_value *target = fh_unit_value(p->u, call->callee);
        if (target->kind != FH_VALUE_ATTRIBUTE || !call->count ||
            !fh_text_is_any(fh_unit_text(p->u, target->b), methods))
            continue;
        const fh_value *base = fh_unit_value(p->u, target->a);
        if (base->kind != FH_VALUE_ATTRIBUTE || base->b != attribute)
            continue;
        if (!lies(p, p->u->arguments.items[call->arguments + call->count - 1].value, depth))
            return false;
        any = true;
    }
    return any;
}

static uint32_t function_of(const fh_unit *u, fh_value_index value)
{
    return u->blocks.items[fh_unit_value(u, value)->block].function;
}

/* x.cpu(), x.to("cpu") */
static bool is_copy(const place *p, fh_value_index value)
{
    const fh_value *v = fh_unit_value(p->u, value);
    fh_text device;
    fh_certainty certainty;
    if (v->kind != FH_VALUE_CALL)
        return false;
    const fh_call *call = &p->u->calls.items[v->a];
    const fh_value *target = fh_unit_value(p->u, call->callee);
    fh_text name =
        target->kind == FH_VALUE_ATTRIBUTE ? fh_unit_text(p->u, target->b) : (fh_text){0};
    fh_value_index to = fh_call_argument(p->u, call, 0, "device");
    return fh_text_is(name, "cpu") ||
           (fh_text_is(name, "to") && to &&
            fh_resolve_string(p->resolver, p->unit, to, &device, &certainty, NULL) &&
            fh_text_is(device, "cpu"));
}

/* Another of the values of an attribute, of the same method, is such a copy: self.x = self.x.cpu()
 * ends what the method makes of it. */
static bool ends_as_copy(const place *p, const fh_value *phi, fh_value_index value)
{
    for (uint32_t i = 0; i < phi->b; i++) {
        fh_value_index one = p->u->lists.items[phi->a + i];
        if (function_of(p->u, one) == function_of(p->u, value) && is_copy(p, one))
            return true;
    }
    return false;
}

/* One value that a class gives its attribute `name`. */
static bool value_lies(const place *p, fh_value_index value, fh_text name, unsigned depth)
{
    const fh_value *v = fh_unit_value(p->u, value);
    if (v->kind == FH_VALUE_LIST && !v->b)
        return is_filled(p, value, fh_symbols_find(&p->u->symbols, name), depth);
    return lies(p, value, depth);
}

/* object.x, by what the object's class makes of it. What a module keeps moves with it. */
static bool member_lies(const place *p, const fh_value *v, unsigned depth)
{
    fh_meanings all;
    fh_reference member;
    fh_text name = fh_unit_text(p->u, v->b);
    bool any = false;
    fh_resolve(p->resolver, p->unit, v->a, &all);
    if (all.count != 1 || all.items[0].kind != FH_MEANS_OBJECT ||
        fh_resolve_derives(p->resolver, all.items[0].unit, all.items[0].index, "torch.nn.Module") ||
        !fh_resolve_member(p->resolver, all.items[0].unit, all.items[0].index, name, &member))
        return false;
    place there = place_of(p->w, member.unit, 0, p->steps);
    const fh_value *made = fh_unit_value(there.u, member.value);
    if (made->kind != FH_VALUE_PHI)
        return value_lies(&there, member.value, name, depth);
    for (uint32_t i = 0; i < made->b; i++) {
        fh_value_index one = there.u->lists.items[made->a + i];
        const fh_value *o = fh_unit_value(there.u, one);
        if (o->kind == FH_VALUE_NONE || is_empty_place(&there, o, 6))
            continue;
        any = true;
        if (!ends_as_copy(&there, made, one) && !value_lies(&there, one, name, depth))
            return false;
    }
    return any;
}

static bool attribute_lies(const place *p, const fh_value *v, unsigned depth)
{
    static const char *const same[] = {"data", "T",    "mT",   "H",      "mH",
                                       "grad", "real", "imag", "values", NULL};
    return (fh_text_is_any(fh_unit_text(p->u, v->b), same) && lies(p, v->a, depth)) ||
           member_lies(p, v, depth);
}

enum { WHOLE = UINT32_MAX };

/* All that a function of the program gives, where what it was given lies on the host; of tuples
 * what stands at `item`. */
static bool results_lie(const place *p, const fh_call *call, const fh_meaning *m, uint32_t item,
                        unsigned depth)
{
    bool method = m->kind == FH_MEANS_METHOD;
    place there =
        place_of(p->w, m->unit, gets_host(p, call, false, depth) ? m->index : 0, p->steps);
    const fh_function *f = &there.u->functions.items[m->index];
    if (!f->return_count || f->return_count > MOST_PARTS || f->flags & FH_FUNCTION_GENERATOR ||
        (method && !there.function && depth < 2))
        return false;
    for (uint32_t i = 0; i < f->return_count; i++) {
        fh_value_index given = there.u->lists.items[f->returns + i];
        const fh_value *v = fh_unit_value(there.u, given);
        if (v->kind == FH_VALUE_TUPLE && item < v->b)
            given = there.u->lists.items[v->a + item];
        if (!lies(&there, given, depth))
            return false;
    }
    return true;
}

/* x.float(), x.to(torch.float32), x.cpu(): a method of something. */
static bool method_lies(const place *p, const fh_call *call, const fh_value *target, unsigned depth)
{
    static const char *const copies[] = {"cpu", "numpy", "tolist", "item", NULL};
    static const char *const moves[] = {"cuda", "npu", "xpu", "mps", "to_device", NULL};
    fh_text name = fh_unit_text(p->u, target->b), device;
    fh_certainty certainty;
    fh_value_index to = fh_call_argument(p->u, call, 0, "device");
    fh_meaning meaning;
    if (fh_text_is_any(name, copies))
        return true;
    if (fh_text_is_any(name, moves))
        return false;
    if (fh_text_is(name, "to") && to) {
        if (fh_resolve_string(p->resolver, p->unit, to, &device, &certainty, NULL))
            return fh_text_is(device, "cpu");
        if (!fh_resolve_external(p->resolver, p->unit, to, &meaning) ||
            !fh_text_starts(fh_resolver_path(p->resolver, meaning.path), "torch."))
            return false;
        return lies(p, target->a, depth); /* a type */
    }
    return lies(p, target->a, depth) && gets_host(p, call, true, depth);
}

/* A function of PyTorch: what it makes by itself, or of what it gets. */
static bool made_there(const place *p, const fh_call *call, fh_text path, unsigned depth)
{
    static const char *const always[] = {"torch.from_numpy", "torch.Tensor", "torch.FloatTensor",
                                         "torch.LongTensor", NULL};
    fh_callee callee = {.path = path};
    fh_value_index device = fh_call_argument(p->u, call, -1, "device");
    if (device && fh_unit_value(p->u, device)->kind != FH_VALUE_NONE)
        return false;
    return fh_text_is_any(path, always) || fh_callee_creates(&callee) ||
           gets_host(p, call, false, depth);
}

static bool call_lies(const place *p, const fh_call *call, uint32_t item, unsigned depth)
{
    static const char *const walks[] = {"builtins.enumerate", "builtins.reversed", "builtins.list",
                                        "builtins.tuple",     "builtins.sorted",   "builtins.iter",
                                        "builtins.next",      "builtins.zip",      NULL};
    const fh_value *target = fh_unit_value(p->u, call->callee);
    fh_meanings all;
    fh_resolve(p->resolver, p->unit, call->callee, &all);
    for (uint32_t i = 0; i < all.count; i++) {
        const fh_meaning *m = &all.items[i];
        fh_text path =
            m->kind == FH_MEANS_EXTERNAL ? fh_resolver_path(p->resolver, m->path) : (fh_text){0};
        bool good = false;
        if (fh_text_starts(path, "torch.Tensor.") && target->kind == FH_VALUE_ATTRIBUTE)
            good = method_lies(p, call, target, depth);
        else if (fh_text_starts(path, "torch."))
            good = made_there(p, call, path, depth);
        else if (fh_text_is_any(path, walks))
            good = gets_host(p, call, false, depth);
        else if (fh_text_starts(path, "numpy."))
            good = true;
        else if (m->kind == FH_MEANS_FUNCTION || m->kind == FH_MEANS_METHOD)
            good = results_lie(p, call, m, item, depth);
        if (!good)
            return false;
    }
    return all.count ? true
                     : target->kind == FH_VALUE_ATTRIBUTE && method_lies(p, call, target, depth);
}

/* The arguments that are known for a parameter, and how many; 0 where there may be more. */
static uint32_t passed_to(const place *p, const fh_value *v, const fh_binding_argument **first)
{
    uint32_t parameter = p->u->functions.items[v->a].parameters + v->b;
    uint32_t count = fh_resolve_passed(p->resolver, p->unit, parameter, first);
    return count < FH_BIND_MOST ? count : 0;
}

/* forward is called by whoever uses the model, and so are the other methods of a module. */
static bool is_of_module(const place *p, const fh_function *f)
{
    return f->class && fh_resolve_derives(p->resolver, p->unit, f->class, "torch.nn.Module");
}

static bool parameter_lies(const place *p, const fh_value *v, unsigned depth)
{
    const fh_function *f = &p->u->functions.items[v->a];
    const fh_binding_argument *passed;
    if (p->function && v->a == p->function)
        return true;
    if (is_of_module(p, f))
        return false;
    uint32_t count = passed_to(p, v, &passed);
    for (uint32_t i = 0; i < count; i++) {
        place there = place_of(p->w, passed[i].argument.unit, 0, p->steps);
        if (!lies(&there, passed[i].argument.value, depth))
            return false;
    }
    return count > 0;
}

static bool lies(const place *p, fh_value_index value, unsigned depth)
{
    const fh_value *v = fh_unit_value(p->u, value);
    if (!depth-- || !*p->steps)
        return false;
    --*p->steps;
    if (p->unit == p->w->run->unit_index) {
        if (value >= p->w->at)
            *p->w->looked_ahead = true;
        if (fh_host_walked(p->w, value)->is_placed)
            return false;
        if (fh_host_walked(p->w, value)->is_host)
            return true;
    }
    switch ((fh_value_kind)v->kind) {
    case FH_VALUE_PHI:
    case FH_VALUE_TUPLE:
        return all_lie(p, v->a, v->b, depth);
    case FH_VALUE_LIST:
        return v->b ? all_lie(p, v->a, v->b, depth) : is_filled(p, value, 0, depth);
    case FH_VALUE_COMPREHENSION:
    case FH_VALUE_STAR:
    case FH_VALUE_SUBSCRIPT:
    case FH_VALUE_ELEMENT:
    case FH_VALUE_UNARY:
        return lies(p, v->a, depth);
    case FH_VALUE_ITEM: {
        const fh_value *whole = fh_unit_value(p->u, v->a);
        return whole->kind == FH_VALUE_CALL
                   ? call_lies(p, &p->u->calls.items[whole->a], v->b, depth)
                   : lies(p, v->a, depth);
    }
    case FH_VALUE_BINARY:
    case FH_VALUE_COMPARE:
        return (is_literal(fh_unit_value(p->u, v->a)) || lies(p, v->a, depth)) &&
               (is_literal(fh_unit_value(p->u, v->b)) || lies(p, v->b, depth));
    case FH_VALUE_ATTRIBUTE:
        return attribute_lies(p, v, depth);
    case FH_VALUE_PARAMETER:
        return parameter_lies(p, v, depth);
    case FH_VALUE_CALL:
        return call_lies(p, &p->u->calls.items[v->a], WHOLE, depth);
    default:
        return false;
    }
}

bool fh_host_gets_host(const fh_host_walk *w, fh_value_index parameter)
{
    unsigned steps = MOST_STEPS;
    place p = place_of(w, w->run->unit_index, 0, &steps);
    return parameter_lies(&p, fh_unit_value(p.u, parameter), DEEP);
}

bool fh_host_keeps_there(const fh_host_walk *w, const fh_value *attribute)
{
    unsigned steps = MOST_STEPS;
    place p = place_of(w, w->run->unit_index, 0, &steps);
    return member_lies(&p, attribute, DEEP);
}
