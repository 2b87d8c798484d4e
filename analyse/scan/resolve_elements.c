/* What a container holds, all of it: the elements that are written out, those that are put in
 * later, what iterating over an object or a copy of a container yields. Which of them one index
 * means is a matter of resolve_item.c. */
#include "analyse/scan/resolve_build.h"

static bool is_list(const fh_value *value)
{
    return value->kind == FH_VALUE_LIST || value->kind == FH_VALUE_TUPLE ||
           value->kind == FH_VALUE_SET;
}

/* The value of a STAR among the elements of a literal: all that its operand holds. */
static bool add_starred(fh_resolver *resolver, uint32_t unit, fh_value_index element,
                        fh_element_kind kind, fh_meanings *out)
{
    const fh_value *v = fh_unit_value(fh_resolver_unit(resolver, unit), element);
    if (v->kind != FH_VALUE_STAR)
        return false;
    fh_resolve_elements(resolver, unit, v->a, kind, out);
    return true;
}

/* What the functions that a call runs yield. */
static void yielded(fh_resolver *resolver, uint32_t unit, const fh_call *call, fh_meanings *out)
{
    fh_meanings callees;
    fh_resolve(resolver, unit, call->callee, &callees);
    for (uint32_t i = 0; i < callees.count; i++) {
        const fh_meaning *m = &callees.items[i];
        if (m->kind != FH_MEANS_FUNCTION && m->kind != FH_MEANS_METHOD)
            continue;
        const fh_unit *u = fh_resolver_unit(resolver, m->unit);
        const fh_function *function = &u->functions.items[m->index];
        if (!(function->flags & FH_FUNCTION_GENERATOR))
            continue;
        for (uint32_t k = 0; k < function->return_count; k++) {
            fh_meanings one;
            fh_resolve(resolver, m->unit, u->lists.items[function->returns + k], &one);
            fh_meanings_add_all(out, &one, function->return_count > 1 ? FH_LIKELY : FH_CERTAIN);
        }
    }
}

/* All elements of a list, tuple, set or comprehension; the keys or values of a dict. */
static void literal_elements(fh_resolver *resolver, uint32_t unit, fh_value_index index,
                             fh_element_kind kind, fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value value = *fh_unit_value(u, index);
    fh_meanings all = {0}, one;
    if (value.kind == FH_VALUE_COMPREHENSION) {
        fh_resolve(resolver, unit, value.a, &one);
        fh_meanings_add_all(out, &one, FH_CERTAIN);
        return;
    }
    if (value.kind == FH_VALUE_BINARY &&
        (value.op == FH_OP_MULTIPLY || value.op == FH_OP_ADD || value.op == FH_OP_BIT_OR)) {
        /* [x] * n, a + b, {...} | {...} */
        fh_resolve_elements(resolver, unit, value.a, kind, out);
        if (value.op != FH_OP_MULTIPLY)
            fh_resolve_elements(resolver, unit, value.b, kind, out);
        return;
    }
    if (value.kind == FH_VALUE_CALL) {
        yielded(resolver, unit, &u->calls.items[value.a], out);
        return;
    }
    bool dict = value.kind == FH_VALUE_DICT;
    if (!dict && !is_list(&value))
        return;
    uint32_t step = dict ? 2 : 1, used = 0;
    for (uint32_t i = 0; i + step <= value.b; i += step, used++) {
        const fh_value_index *at = &u->lists.items[value.a + i];
        if (add_starred(resolver, unit, at[step - 1], kind, &all))
            continue;
        fh_resolve(resolver, unit, at[dict && kind == FH_ELEMENT_VALUE], &one);
        fh_meanings_add_all(&all, &one, FH_CERTAIN);
    }
    used += fh_resolve_fills(resolver, unit, index, kind, &all);
    fh_meanings_add_all(out, &all, used > 1 ? FH_LIKELY : FH_CERTAIN);
}

uint32_t fh_resolve_fills(fh_resolver *resolver, uint32_t unit, fh_value_index base,
                          fh_element_kind kind, fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    uint32_t count = 0;
    bool keys = kind == FH_ELEMENT_KEY && fh_unit_value(u, base)->kind == FH_VALUE_DICT;
    for (uint32_t i = fh_unit_fills(u, base); i < u->fills.count && count < FH_MOST_FILLS; i++) {
        const fh_fill *fill = &u->fills.items[i];
        if (fill->base != base)
            break;
        count++;
        fh_meanings one;
        if (add_starred(resolver, unit, fill->value, kind, out))
            continue;
        fh_resolve(resolver, unit, keys ? fill->index : fill->value, &one);
        fh_meanings_add_all(out, &one, FH_CERTAIN);
    }
    return count;
}

/* What nn.ModuleList and the like were made of. */
static void module_elements(fh_resolver *resolver, const fh_meaning *container, fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, container->unit);
    const fh_call *made = &u->calls.items[fh_unit_value(u, container->index)->a];
    bool in_list = !fh_text_is(fh_resolver_path(resolver, container->path), "torch.nn.Sequential");
    for (uint32_t k = 0; k < made->count; k++) {
        fh_value_index argument = u->arguments.items[made->arguments + k].value;
        fh_meanings one = {0};
        if (add_starred(resolver, container->unit, argument, FH_ELEMENT_VALUE, &one))
            ;
        else if (in_list)
            fh_resolve_elements(resolver, container->unit, argument, FH_ELEMENT_VALUE, &one);
        else
            fh_resolve(resolver, container->unit, argument, &one);
        fh_meanings_add_all(out, &one, made->count > 1 ? FH_LIKELY : FH_CERTAIN);
    }
    fh_meanings later = {0};
    uint32_t fills =
        fh_resolve_fills(resolver, container->unit, container->index, FH_ELEMENT_VALUE, &later);
    fh_meanings_add_all(out, &later, fills + made->count > 1 ? FH_LIKELY : FH_CERTAIN);
}

/* list(x), reversed(x): what x yields; dict(x) has been read as a DICT where x is known. */
static bool copied_elements(fh_resolver *resolver, const fh_meaning *copy, fh_element_kind kind,
                            fh_meanings *out)
{
    static const char *const copies[] = {"builtins.list()",
                                         "builtins.tuple()",
                                         "builtins.set()",
                                         "builtins.frozenset()",
                                         "builtins.reversed()",
                                         "builtins.sorted()",
                                         "builtins.iter()",
                                         "tqdm.tqdm()",
                                         "tqdm.auto.tqdm()",
                                         "copy.copy()",
                                         "itertools.cycle()",
                                         "collections.deque()",
                                         NULL};
    fh_text path = fh_resolver_path(resolver, copy->path);
    bool filter = fh_text_is(path, "builtins.filter()");
    if (!copy->index || !fh_text_ends(path, "()") || (!filter && !fh_text_is_any(path, copies)))
        return false;
    const fh_unit *u = fh_resolver_unit(resolver, copy->unit);
    const fh_call *made = &u->calls.items[fh_unit_value(u, copy->index)->a];
    fh_resolve_elements(resolver, copy->unit, fh_call_argument(u, made, filter, NULL), kind, out);
    return true;
}

/* map(f, xs), itertools.starmap(f, xs): what calling f gives, again and again. */
static bool mapped_elements(fh_resolver *resolver, const fh_meaning *m, fh_meanings *out)
{
    fh_text path = fh_resolver_path(resolver, m->path);
    if (!fh_text_is(path, "builtins.map()") && !fh_text_is(path, "itertools.starmap()"))
        return false;
    const fh_unit *u = fh_resolver_unit(resolver, m->unit);
    const fh_call *call = &u->calls.items[fh_unit_value(u, m->index)->a];
    fh_meanings functions;
    fh_resolve(resolver, m->unit, fh_call_argument(u, call, 0, NULL), &functions);
    fh_resolve_callees(resolver, m->unit, call, &functions, out);
    return true;
}

fh_value_index fh_resolve_view(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                               fh_text *method)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value *v = fh_unit_value(u, value);
    static const char *const views[] = {"values", "keys", "items", NULL};
    if (v->kind != FH_VALUE_CALL)
        return 0;
    const fh_value *callee = fh_unit_value(u, u->calls.items[v->a].callee);
    if (callee->kind != FH_VALUE_ATTRIBUTE || !fh_text_is_any(fh_unit_text(u, callee->b), views))
        return 0;
    *method = fh_unit_text(u, callee->b);
    return callee->a;
}

/* An object that is iterated over: what its __iter__ yields, or what that gives yields. */
static void object_elements(fh_resolver *resolver, const fh_meaning *object, fh_meanings *out)
{
    fh_reference member;
    if (!fh_resolve_member(resolver, object->unit, object->index, FH_TEXT("__iter__"), &member))
        return;
    const fh_unit *u = fh_resolver_unit(resolver, member.unit);
    const fh_value *v = fh_unit_value(u, member.value);
    if (v->kind != FH_VALUE_FUNCTION)
        return;
    const fh_function *function = &u->functions.items[v->a];
    for (uint32_t i = 0; i < function->return_count; i++) {
        fh_value_index value = u->lists.items[function->returns + i];
        fh_meanings one = {0};
        if (function->flags & FH_FUNCTION_GENERATOR)
            fh_resolve(resolver, member.unit, value, &one);
        else
            fh_resolve_elements(resolver, member.unit, value, FH_ELEMENT_KEY, &one);
        fh_meanings_add_all(out, &one, function->return_count > 1 ? FH_LIKELY : FH_CERTAIN);
    }
}

/* The elements of a container that is written out in the program, or made there. */
static void known_elements(fh_resolver *resolver, const fh_meaning *m, fh_element_kind kind,
                           fh_meanings *out)
{
    static const char *const containers[] = {"torch.nn.ModuleList", "torch.nn.Sequential",
                                             "torch.nn.ModuleDict", "torch.nn.ParameterList", NULL};
    if (m->kind == FH_MEANS_LITERAL) {
        literal_elements(resolver, m->unit, m->index, kind, out);
    } else if (m->kind == FH_MEANS_OBJECT) {
        object_elements(resolver, m, out);
    } else if (m->kind == FH_MEANS_INSTANCE && m->index) {
        fh_text path = fh_resolver_path(resolver, m->path);
        fh_symbol of;
        if (fh_known_elements(resolver, path, 0, kind, &of))
            fh_meanings_add(out, fh_meaning_of(FH_MEANS_INSTANCE, m->certainty, of, m->unit, 0));
        else if (!copied_elements(resolver, m, kind, out) && !mapped_elements(resolver, m, out) &&
                 fh_text_is_any(path, containers) &&
                 !(kind == FH_ELEMENT_KEY && fh_text_is(path, "torch.nn.ModuleDict")))
            module_elements(resolver, m, out);
    }
}

void fh_resolve_view_elements(fh_resolver *resolver, uint32_t unit, fh_value_index viewed,
                              fh_element_kind kind, fh_meanings *out)
{
    fh_meanings bases;
    fh_resolve(resolver, unit, viewed, &bases);
    for (uint32_t i = 0; i < bases.count; i++)
        known_elements(resolver, &bases.items[i], kind, out);
}

void fh_resolve_new_elements(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                             fh_element_kind kind, fh_meanings *out)
{
    fh_text method;
    fh_value_index viewed = fh_resolve_view(resolver, unit, value, &method);
    fh_meanings bases;
    fh_resolve(resolver, unit, value, &bases);
    if (viewed && !fh_text_is(method, "items"))
        fh_resolve_view_elements(resolver, unit, viewed,
                                 fh_text_is(method, "values") ? FH_ELEMENT_VALUE : FH_ELEMENT_KEY,
                                 out);
    for (uint32_t i = 0; i < bases.count; i++) {
        const fh_meaning *m = &bases.items[i];
        if (m->kind == FH_MEANS_INSTANCE &&
            (m->path == resolver->tensor || m->path == resolver->tensors))
            fh_meanings_add(
                out, fh_meaning_of(FH_MEANS_INSTANCE, m->certainty, resolver->tensor, unit, 0));
        else
            known_elements(resolver, m, kind, out);
    }
}
