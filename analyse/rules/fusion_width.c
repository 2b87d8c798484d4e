#include "analyse/rules/fusion_width.h"

enum { MOST_DEPTH = 6 };

typedef struct {
    fh_fusion *fusion;
    bool is_configured;     /* a default of a configuration takes part */
    const fh_unit *unit;    /* of the default of a module that takes part */
    uint32_t parameter;     /* the number of that parameter in the unit; 0: none */
    uint32_t count, folded; /* of such parameters; of sums and products on the way */
} origin;

/* The parameter of a function, or the field of a class, that has `value` for its default. */
static uint32_t parameter_with_default(const fh_unit *u, fh_value_index value)
{
    for (uint32_t i = 1; i < u->parameters.count; i++)
        if (u->parameters.items[i].default_value == value)
            return i;
    return 0;
}

/* True for a parameter of a method of a module. */
static bool is_of_module(fh_fusion *fusion, uint32_t unit, const fh_unit *u, uint32_t parameter)
{
    for (uint32_t i = 1; i < u->functions.count; i++) {
        const fh_function *f = &u->functions.items[i];
        if (parameter >= f->parameters && parameter < f->parameters + f->parameter_count)
            return f->class &&
                   fh_resolve_derives(fusion->run->resolver, unit, f->class, "torch.nn.Module");
    }
    return false;
}

/* Where the number that `value` is comes from. */
static void find_origin(origin *from, uint32_t unit, fh_value_index value, unsigned depth)
{
    fh_resolver *resolver = from->fusion->run->resolver;
    fh_meanings all;
    fh_resolve(resolver, unit, value, &all);
    if (all.count != 1 || all.items[0].kind != FH_MEANS_LITERAL || !depth)
        return;
    unit = all.items[0].unit;
    const fh_unit *u = fh_resolver_look(resolver, unit);
    const fh_value *v = fh_unit_value(u, all.items[0].index);
    if (v->kind == FH_VALUE_BINARY) {
        from->folded++;
        find_origin(from, unit, v->a, depth - 1);
        find_origin(from, unit, v->b, depth - 1);
        return;
    }
    u = fh_resolver_look_whole(resolver, unit);
    uint32_t parameter = parameter_with_default(u, all.items[0].index);
    if (!parameter)
        return;
    if (!is_of_module(from->fusion, unit, u, parameter)) {
        from->is_configured = true;
        return;
    }
    from->unit = u;
    from->parameter = parameter;
    from->count++;
}

/* What the file passes by that name, to whatever it calls: dict(width=384), Net(width=384). */
static uint32_t find_passed(const origin *from, fh_width *width)
{
    const fh_unit *u = from->unit;
    fh_symbol name = u->parameters.items[from->parameter].name;
    uint32_t count = 0;
    for (uint32_t i = 1; i < u->arguments.count; i++) {
        const fh_argument *argument = &u->arguments.items[i];
        const fh_value *v = fh_unit_value(u, argument->value);
        if (argument->name != name || v->kind != FH_VALUE_INTEGER || fh_value_integer(v) <= 0)
            continue;
        int64_t number = fh_value_integer(v);
        width->least = !count || number < width->least ? number : width->least;
        width->most = !count || number > width->most ? number : width->most;
        count++;
    }
    return count;
}

fh_width fh_fusion_width(fh_fusion *fusion, const fh_flow_op *op, int position, const char *name)
{
    fh_width width = {.said = ""};
    int64_t number = fh_flow_made_with(fusion->run->resolver, op, position, name);
    if (number <= 0)
        return width;
    width.least = width.most = number;
    const fh_unit *u = fh_resolver_look(fusion->run->resolver, op->made.unit);
    const fh_value *made = fh_unit_value(u, op->made.value);
    origin from = {.fusion = fusion};
    find_origin(&from, op->made.unit, fh_call_argument(u, &u->calls.items[made->a], position, name),
                MOST_DEPTH);
    if (from.is_configured)
        width.said = " with the default configuration";
    if (!from.count)
        return width;
    if (!find_passed(&from, &width))
        width.said = " at the default width";
    else if (from.folded || from.count > 1)
        width.least = width.most = 0;
    return width;
}
