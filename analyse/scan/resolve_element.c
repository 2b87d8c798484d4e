/* Elements: what a container holds, what iterating over something yields, what unpacking gives. */
#include "analyse/scan/resolve_build.h"

#include <string.h>

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

enum { MOST_FILLS = 64 };

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
    for (uint32_t i = fh_unit_fills(u, base); i < u->fills.count && count < MOST_FILLS; i++) {
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

/* x.values(), x.keys() and the like: the container x, and which half of it. */
static fh_value_index view_of(fh_resolver *resolver, uint32_t unit, fh_value_index value,
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

/* What x.values() or x.keys() yields. */
static void view_elements(fh_resolver *resolver, uint32_t unit, fh_value_index viewed,
                          fh_text method, fh_meanings *out)
{
    fh_meanings bases;
    fh_resolve(resolver, unit, viewed, &bases);
    for (uint32_t i = 0; i < bases.count; i++)
        known_elements(resolver, &bases.items[i],
                       fh_text_is(method, "values") ? FH_ELEMENT_VALUE : FH_ELEMENT_KEY, out);
}

void fh_resolve_new_elements(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                             fh_element_kind kind, fh_meanings *out)
{
    fh_text method;
    fh_value_index viewed = view_of(resolver, unit, value, &method);
    fh_meanings bases;
    fh_resolve(resolver, unit, value, &bases);
    if (viewed && !fh_text_is(method, "items"))
        view_elements(resolver, unit, viewed, method, out);
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

/* True when a key of a dict and an index are the same string or number. */
static bool same_key(fh_resolver *resolver, const fh_meaning *index, uint32_t unit,
                     fh_value_index key, bool *known)
{
    const fh_unit *u = fh_resolver_unit(resolver, index->unit);
    int64_t a, b;
    fh_text left, right;
    fh_certainty ignored;
    *known = true;
    if (fh_unit_value(u, index->index)->kind == FH_VALUE_INTEGER) {
        if (fh_resolve_integer(resolver, unit, key, &b)) {
            a = fh_value_integer(fh_unit_value(u, index->index));
            return a == b;
        }
        *known = fh_resolve_string(resolver, unit, key, &right, &ignored, NULL);
        return false;
    }
    if (fh_resolve_string(resolver, unit, key, &right, &ignored, NULL))
        return fh_resolve_string(resolver, index->unit, index->index, &left, &ignored, NULL) &&
               fh_text_equal(left, right);
    *known = fh_resolve_integer(resolver, unit, key, &b);
    return false;
}

enum { ABSENT, FOUND, UNSURE };

/* The element of a DICT under one key, into *out: of several with that key the last. UNSURE when
 * something that stands behind it may have the key as well, or when nothing is known. */
static int dict_item(fh_resolver *resolver, uint32_t unit, const fh_value *dict,
                     const fh_meaning *index, fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    bool unsure = false, known;
    for (uint32_t i = dict->b & ~1u; i >= 2; i -= 2) {
        const fh_value_index *at = &u->lists.items[dict->a + i - 2];
        const fh_value *value = fh_unit_value(u, at[1]);
        if (at[0] && same_key(resolver, index, unit, at[0], &known)) {
            fh_meanings one;
            fh_resolve(resolver, unit, at[1], &one);
            fh_meanings_add_all(out, &one, unsure ? FH_LIKELY : FH_CERTAIN);
            return FOUND;
        }
        if (at[0]) {
            unsure |= !known;
            continue;
        }
        fh_meanings inner;
        fh_resolve(resolver, unit, value->kind == FH_VALUE_STAR ? value->a : at[1], &inner);
        const fh_meaning *m = &inner.items[0];
        const fh_value *spread = inner.count == 1 && m->kind == FH_MEANS_LITERAL
                                     ? fh_unit_value(fh_resolver_unit(resolver, m->unit), m->index)
                                     : NULL;
        if (!spread || spread->kind != FH_VALUE_DICT || !fh_resolver_descend(resolver)) {
            unsure = true;
            continue;
        }
        fh_meanings found = {0};
        int state = dict_item(resolver, m->unit, spread, index, &found);
        fh_resolver_ascend(resolver);
        fh_meanings_add_all(out, &found, unsure ? FH_LIKELY : FH_CERTAIN);
        if (state == FOUND)
            return FOUND;
        unsure |= state == UNSURE;
    }
    return unsure ? UNSURE : ABSENT;
}

/* A fill of a dict that spreads another one: whether that has the key. */
static int spread_item(fh_resolver *resolver, uint32_t unit, fh_value_index spread,
                       const fh_meaning *index, fh_meanings *out)
{
    fh_meanings all;
    fh_resolve(resolver, unit, spread, &all);
    if (all.count != 1 || all.items[0].kind != FH_MEANS_LITERAL)
        return UNSURE;
    const fh_meaning *m = &all.items[0];
    const fh_value *v = fh_unit_value(fh_resolver_unit(resolver, m->unit), m->index);
    return v->kind == FH_VALUE_DICT ? dict_item(resolver, m->unit, v, index, out) : UNSURE;
}

/* x["key"], where x["key"] = value stands somewhere. Of several such lines any of them. */
static int filled_item(fh_resolver *resolver, uint32_t unit, fh_value_index dict,
                       const fh_meaning *index, fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    uint32_t found = 0, seen = 0;
    bool unsure = false;
    fh_meanings all = {0}, one;
    for (uint32_t i = fh_unit_fills(u, dict); i < u->fills.count && seen < MOST_FILLS;
         i++, seen++) {
        const fh_fill *fill = &u->fills.items[i];
        const fh_value *value = fh_unit_value(u, fill->value);
        bool known = true;
        if (fill->base != dict)
            break;
        if (value->kind == FH_VALUE_STAR) {
            int state = spread_item(resolver, unit, value->a, index, &all);
            found += state == FOUND;
            known = state != UNSURE;
        } else if (!fill->index) {
            known = false;
        } else if (same_key(resolver, index, unit, fill->index, &known)) {
            fh_resolve(resolver, unit, fill->value, &one);
            fh_meanings_add_all(&all, &one, FH_CERTAIN);
            found++;
        }
        unsure |= !known;
    }
    fh_meanings_add_all(out, &all, found > 1 || unsure ? FH_LIKELY : FH_CERTAIN);
    return found ? FOUND : unsure ? UNSURE : ABSENT;
}

/* One key of a DICT, of {...} | {...}, or of what was put into one later. */
static bool any_dict_item(fh_resolver *resolver, uint32_t unit, fh_value_index dict,
                          const fh_meaning *index, fh_meanings *out)
{
    const fh_value *v = fh_unit_value(fh_resolver_unit(resolver, unit), dict);
    if (v->kind == FH_VALUE_BINARY && v->op == FH_OP_BIT_OR && fh_resolver_descend(resolver)) {
        bool found = false;
        for (int side = 0; side < 2 && !found; side++) {
            fh_meanings bases;
            fh_resolve(resolver, unit, side ? v->a : v->b, &bases);
            if (bases.count != 1 || bases.items[0].kind != FH_MEANS_LITERAL)
                break;
            found = any_dict_item(resolver, bases.items[0].unit, bases.items[0].index, index, out);
        }
        fh_resolver_ascend(resolver);
        return found;
    }
    if (v->kind != FH_VALUE_DICT)
        return false;
    fh_meanings written = {0}, later = {0};
    int state = dict_item(resolver, unit, v, index, &written);
    int filled = filled_item(resolver, unit, dict, index, &later);
    bool both = state != ABSENT && filled != ABSENT;
    fh_meanings_add_all(out, &later, both ? FH_LIKELY : FH_CERTAIN);
    fh_meanings_add_all(out, &written, both ? FH_LIKELY : FH_CERTAIN);
    return state == FOUND || filled == FOUND;
}

/* x[i] of one list or tuple; false when it is not known which element that is. */
static bool list_item(fh_resolver *resolver, uint32_t unit, fh_value_index index, int64_t position,
                      fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value *list = fh_unit_value(u, index);
    bool from_end = position < 0;
    uint32_t fills = fh_unit_fills(u, index);
    if (from_end && fills < u->fills.count && u->fills.items[fills].base == index)
        return false;
    if (from_end)
        position += list->b;
    if (position < 0 || position >= (int64_t)list->b)
        return false;
    /* No *more of unknown length may stand between the element and the end that is counted from. */
    uint32_t first = from_end ? (uint32_t)position : 0;
    uint32_t end = from_end ? list->b : (uint32_t)position + 1;
    for (uint32_t i = first; i < end; i++)
        if (fh_unit_value(u, u->lists.items[list->a + i])->kind == FH_VALUE_STAR)
            return false;
    fh_meanings one;
    fh_resolve(resolver, unit, u->lists.items[list->a + (uint32_t)position], &one);
    fh_meanings_add_all(out, &one, FH_CERTAIN);
    return true;
}

/* How many elements the literal that `value` is has; -1 when that is not known. */
static int64_t length_of(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                         fh_meaning *literal)
{
    fh_meanings all;
    fh_resolve(resolver, unit, value, &all);
    if (all.count != 1 || all.items[0].kind != FH_MEANS_LITERAL)
        return -1;
    *literal = all.items[0];
    const fh_unit *u = fh_resolver_unit(resolver, literal->unit);
    const fh_value *v = fh_unit_value(u, literal->index);
    if (v->kind != FH_VALUE_TUPLE && v->kind != FH_VALUE_LIST)
        return -1;
    for (uint32_t i = 0; i < v->b; i++)
        if (fh_unit_value(u, u->lists.items[v->a + i])->kind == FH_VALUE_STAR)
            return -1;
    return v->b;
}

/* (a, b) + more at a position that is counted from the front. */
static bool joined_item(fh_resolver *resolver, uint32_t unit, const fh_value *sum, int64_t position,
                        fh_meanings *out)
{
    fh_meaning part;
    int64_t length = length_of(resolver, unit, sum->a, &part);
    if (length >= 0 && position < length)
        return position >= 0 && list_item(resolver, part.unit, part.index, position, out);
    if (length < 0 || length_of(resolver, unit, sum->b, &part) < 0)
        return false;
    return list_item(resolver, part.unit, part.index, position - length, out);
}

/* x[index] of one literal x; index 0: the element at `position`. */
static bool item_of(fh_resolver *resolver, const fh_meaning *base, uint32_t unit,
                    fh_value_index index, int64_t position, fh_meanings *out)
{
    const fh_value *v = fh_unit_value(fh_resolver_unit(resolver, base->unit), base->index);
    if (v->kind == FH_VALUE_LIST || v->kind == FH_VALUE_TUPLE)
        return (!index || fh_resolve_integer(resolver, unit, index, &position)) &&
               list_item(resolver, base->unit, base->index, position, out);
    if (v->kind == FH_VALUE_BINARY && v->op == FH_OP_ADD)
        return (!index || fh_resolve_integer(resolver, unit, index, &position)) &&
               joined_item(resolver, base->unit, v, position, out);
    if ((v->kind != FH_VALUE_DICT && v->kind != FH_VALUE_BINARY) || !index)
        return false;
    fh_meanings keys, all = {0};
    fh_resolve(resolver, unit, index, &keys);
    bool found = false;
    for (uint32_t i = 0; i < keys.count; i++) {
        fh_meanings one = {0};
        if (keys.items[i].kind != FH_MEANS_LITERAL)
            return false;
        found |= any_dict_item(resolver, base->unit, base->index, &keys.items[i], &one);
        fh_meanings_add_all(&all, &one, (fh_certainty)keys.items[i].certainty);
    }
    if (found)
        fh_meanings_add_all(out, &all, keys.count > 1 ? FH_LIKELY : FH_CERTAIN);
    return found;
}

bool fh_resolve_item(fh_resolver *resolver, uint32_t unit, fh_value_index base,
                     fh_value_index index, int64_t position, fh_meanings *out)
{
    fh_meanings bases, all = {0};
    fh_resolve(resolver, unit, base, &bases);
    for (uint32_t i = 0; i < bases.count; i++) {
        fh_meanings one = {0};
        if (bases.items[i].kind != FH_MEANS_LITERAL ||
            !item_of(resolver, &bases.items[i], unit, index, position, &one))
            return false;
        fh_meanings_add_all(&all, &one, (fh_certainty)bases.items[i].certainty);
    }
    fh_meanings_add_all(out, &all, bases.count > 1 ? FH_LIKELY : FH_CERTAIN);
    return bases.count > 0;
}

static bool iterated_item(fh_resolver *resolver, uint32_t unit, fh_value_index source,
                          uint32_t position, fh_meanings *out, fh_value_index *iterable);

/* The expression that `value` is an element of, where that stands in the program; else 0. */
static fh_value_index source_of(fh_resolver *resolver, uint32_t unit, fh_value_index value)
{
    const fh_value *v = fh_unit_value(fh_resolver_unit(resolver, unit), value);
    if (v->kind == FH_VALUE_ELEMENT)
        return v->a;
    if (v->kind != FH_VALUE_ITEM || !fh_resolver_descend(resolver))
        return 0;
    fh_value_index source = source_of(resolver, unit, v->a), inner = 0;
    if (source)
        iterated_item(resolver, unit, source, v->b, NULL, &inner);
    fh_resolver_ascend(resolver);
    return inner;
}

/* Position `position` of what enumerate, zip or items yields; false when `source` is none of them.
 * Either what that is, into *out, or what it is an element of, into *iterable. */
static bool iterated_item(fh_resolver *resolver, uint32_t unit, fh_value_index source,
                          uint32_t position, fh_meanings *out, fh_value_index *iterable)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    fh_text method;
    fh_value_index viewed = view_of(resolver, unit, source, &method);
    if (viewed && fh_text_is(method, "items")) {
        if (out && position < 2)
            view_elements(resolver, unit, viewed, position ? FH_TEXT("values") : FH_TEXT("keys"),
                          out);
        return !out || out->count;
    }
    const fh_value *v = fh_unit_value(u, source);
    fh_meaning callee;
    if (v->kind != FH_VALUE_CALL ||
        !fh_resolve_external(resolver, unit, u->calls.items[v->a].callee, &callee))
        return false;
    const fh_call *call = &u->calls.items[v->a];
    fh_text path = fh_resolver_path(resolver, callee.path);
    fh_value_index from = 0;
    fh_symbol of;
    char called[64];
    if (out && position == 1 && fh_text_starts(path, "torch.nn.Module.named_") &&
        path.length + 3 < sizeof called) {
        memcpy(called, path.data, path.length);
        memcpy(called + path.length, "()", 3);
        if (fh_known_elements(resolver, fh_text_from(called), 1, FH_ELEMENT_KEY, &of))
            fh_meanings_add(
                out, fh_meaning_of(FH_MEANS_INSTANCE, (fh_certainty)callee.certainty, of, unit, 0));
        return true;
    }
    if (fh_text_is(path, "builtins.enumerate"))
        from = position == 1 ? fh_call_argument(u, call, 0, "iterable") : 0;
    else if (fh_text_is(path, "builtins.zip"))
        from = fh_call_argument(u, call, (int)position, NULL);
    else if (fh_text_is(path, "tqdm.tqdm") || fh_text_is(path, "tqdm.auto.tqdm"))
        return iterated_item(resolver, unit, fh_call_argument(u, call, 0, "iterable"), position,
                             out, iterable);
    else
        return false;
    if (out)
        fh_resolve_elements(resolver, unit, from, FH_ELEMENT_KEY, out);
    else
        *iterable = from;
    return true;
}

/* One of the names that an assignment unpacks a value to. */
static void unpacked(fh_resolver *resolver, uint32_t unit, const fh_value *item, fh_meanings *out)
{
    fh_value_index source = source_of(resolver, unit, item->a);
    if (source && iterated_item(resolver, unit, source, item->b, out, NULL))
        return;
    bool known = item->b != FH_ITEM_REST && item->b != FH_ITEM_AFTER;
    if (known && fh_resolve_item(resolver, unit, item->a, 0, item->b, out))
        return;
    fh_resolve_elements(resolver, unit, item->a, FH_ELEMENT_KEY, out);
    for (uint32_t i = 0; item->b == FH_ITEM_REST && i < out->count; i++)
        if (out->items[i].path == resolver->tensor)
            out->items[i].path = resolver->tensors; /* a list of them */
}

/* object[index] is what __getitem__ returns; Enumeration["NAME"] is a member. */
static void object_item(fh_resolver *resolver, const fh_meaning *m, uint32_t unit,
                        fh_value_index index, fh_meanings *out)
{
    static const char *const enumerations[] = {"enum.Enum", "enum.IntEnum", "enum.StrEnum",
                                               "enum.Flag", "enum.IntFlag", NULL};
    fh_reference member;
    fh_text name;
    fh_certainty certainty;
    if (m->kind == FH_MEANS_OBJECT) {
        fh_meanings methods = {0};
        if (fh_resolve_member(resolver, m->unit, m->index, FH_TEXT("__getitem__"), &member))
            fh_resolve(resolver, member.unit, member.value, &methods);
        for (uint32_t i = 0; i < methods.count; i++)
            if (methods.items[i].kind == FH_MEANS_FUNCTION)
                fh_resolve_returned(resolver, &methods.items[i], out);
    } else if (fh_resolve_base_among(resolver, m->unit, m->index, enumerations) &&
               fh_resolve_string(resolver, unit, index, &name, &certainty, NULL)) {
        fh_meanings found = {0};
        fh_resolve_attribute(resolver, m, name, &found);
        fh_meanings_add_all(out, &found, certainty);
    }
}

/* sys.modules["name"], sys.modules[__name__]: a module. */
static bool loaded_module(fh_resolver *resolver, uint32_t unit, const fh_value *value,
                          fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value *v = fh_unit_value(u, value->a), *key = fh_unit_value(u, value->b);
    fh_meaning modules;
    fh_text name;
    fh_certainty certainty;
    if (v->kind != FH_VALUE_ATTRIBUTE || !fh_text_is(fh_unit_text(u, v->b), "modules") ||
        !fh_resolve_external(resolver, unit, value->a, &modules) ||
        !fh_text_is(fh_resolver_path(resolver, modules.path), "sys.modules"))
        return false;
    if (key->kind == FH_VALUE_NAME && fh_text_is(fh_unit_text(u, key->a), "__name__"))
        fh_meanings_add(out, fh_meaning_of(FH_MEANS_MODULE, FH_CERTAIN, 0, unit, 0));
    else if (fh_resolve_string(resolver, unit, value->b, &name, &certainty, NULL))
        fh_resolve_import(resolver, unit, name, out);
    return true;
}

/* x.__dict__["name"], vars(x)["name"]: attribute of x; globals()["name"]: a name of the module. */
static bool named_item(fh_resolver *resolver, uint32_t unit, const fh_value *value,
                       fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value *v = fh_unit_value(u, value->a);
    fh_value_index owner = 0;
    fh_text path = {0}, name;
    fh_certainty certainty;
    fh_meaning callee;
    if (v->kind == FH_VALUE_ATTRIBUTE && fh_text_is(fh_unit_text(u, v->b), "__dict__"))
        owner = v->a;
    else if (v->kind == FH_VALUE_CALL &&
             fh_resolve_external(resolver, unit, u->calls.items[v->a].callee, &callee))
        path = fh_resolver_path(resolver, callee.path);
    if (fh_text_is(path, "builtins.vars"))
        owner = fh_call_argument(u, &u->calls.items[v->a], 0, NULL);
    if ((!owner && !fh_text_is(path, "builtins.globals")) ||
        !fh_resolve_string(resolver, unit, value->b, &name, &certainty, NULL))
        return false;
    fh_meanings bases = {1, {fh_meaning_of(FH_MEANS_MODULE, FH_CERTAIN, 0, unit, 0)}}, found = {0};
    if (owner)
        fh_resolve(resolver, unit, owner, &bases);
    for (uint32_t i = 0; i < bases.count; i++)
        fh_resolve_attribute(resolver, &bases.items[i], name, &found);
    fh_meanings_add_all(out, &found, certainty);
    return found.count > 0;
}

void fh_resolve_element(fh_resolver *resolver, uint32_t unit, fh_value_index index,
                        fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value value = *fh_unit_value(u, index);
    if (value.kind == FH_VALUE_ELEMENT) {
        fh_resolve_elements(resolver, unit, value.a, FH_ELEMENT_KEY, out);
        return;
    }
    if (value.kind == FH_VALUE_ITEM) {
        unpacked(resolver, unit, &value, out);
        return;
    }
    if (fh_resolve_item(resolver, unit, value.a, value.b, 0, out))
        return;
    if (loaded_module(resolver, unit, &value, out) || named_item(resolver, unit, &value, out))
        return;
    fh_meanings bases;
    fh_resolve(resolver, unit, value.a, &bases);
    for (uint32_t i = 0; i < bases.count; i++) {
        const fh_meaning *m = &bases.items[i];
        if (m->kind == FH_MEANS_INSTANCE && m->path == resolver->tensor)
            fh_meanings_add(
                out, fh_meaning_of(FH_MEANS_INSTANCE, m->certainty, resolver->tensor, unit, index));
        else if (m->kind == FH_MEANS_FUNCTION)
            fh_meanings_add(out, *m); /* a Triton kernel with its grid */
        else if (m->kind == FH_MEANS_OBJECT || m->kind == FH_MEANS_CLASS)
            object_item(resolver, m, unit, value.b, out);
    }
    if (!out->count)
        fh_resolve_elements(resolver, unit, value.a, FH_ELEMENT_VALUE, out);
}
