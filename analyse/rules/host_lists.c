/* Parameters to which all callers of the program pass lists: no tensors, whatever their annotation
 * says. */
#include "analyse/rules/host_passed.h"
#include "analyse/scan/bind.h"

enum { DEEP = 8 };

typedef struct {
    fh_resolver *resolver;
    uint32_t unit;
    const fh_unit *u;
} unit_place;

static unit_place place_of(fh_resolver *resolver, uint32_t unit)
{
    return (unit_place){resolver, unit, fh_resolver_look(resolver, unit)};
}

/* A list or tuple of Python, as far as the text says. */
static bool is_list(const unit_place *p, fh_value_index value, unsigned depth)
{
    static const char *const makers[] = {"builtins.list",   "builtins.tuple", "builtins.zip",
                                         "builtins.sorted", "builtins.range", NULL};
    const fh_value *v = fh_unit_value(p->u, value);
    fh_meaning meaning;
    if (!depth--)
        return false;
    switch ((fh_value_kind)v->kind) {
    case FH_VALUE_LIST:
    case FH_VALUE_TUPLE:
    case FH_VALUE_COMPREHENSION:
        return true;
    case FH_VALUE_PHI:
        for (uint32_t i = 0; i < v->b; i++)
            if (!is_list(p, p->u->lists.items[v->a + i], depth))
                return false;
        return v->b > 0;
    case FH_VALUE_CALL: {
        fh_value_index callee = p->u->calls.items[v->a].callee;
        const fh_value *target = fh_unit_value(p->u, callee);
        return (target->kind == FH_VALUE_ATTRIBUTE &&
                fh_text_is(fh_unit_text(p->u, target->b), "tolist")) ||
               (fh_resolve_external(p->resolver, p->unit, callee, &meaning) &&
                fh_text_is_any(fh_resolver_path(p->resolver, meaning.path), makers));
    }
    case FH_VALUE_PARAMETER: {
        const fh_function *f = &p->u->functions.items[v->a];
        const fh_parameter *parameter = &p->u->parameters.items[f->parameters + v->b];
        const fh_binding_argument *passed;
        uint32_t count = fh_resolve_passed(p->resolver, p->unit, f->parameters + v->b, &passed);
        if (count == FH_BIND_MOST)
            return false; /* perhaps more */
        for (uint32_t i = 0; i < count; i++) {
            unit_place there = place_of(p->resolver, passed[i].argument.unit);
            if (!is_list(&there, passed[i].argument.value, depth))
                return false;
        }
        return count > 0 || (!parameter->annotation &&
                             fh_text_ends(fh_unit_text(p->u, parameter->name), "_list"));
    }
    default:
        return false;
    }
}

bool fh_host_gets_lists(const fh_host_walk *w, fh_value_index parameter)
{
    unit_place p = place_of(w->run->resolver, w->run->unit_index);
    return is_list(&p, parameter, DEEP);
}
