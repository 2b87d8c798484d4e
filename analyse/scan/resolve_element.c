/* The values that are one of many: what a loop goes over (ELEMENT), what an assignment unpacks
 * (ITEM), what stands under an index (SUBSCRIPT). */
#include "analyse/scan/resolve_build.h"

#include <string.h>

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
    fh_value_index viewed = fh_resolve_view(resolver, unit, source, &method);
    if (viewed && fh_text_is(method, "items")) {
        if (out && position < 2)
            fh_resolve_view_elements(resolver, unit, viewed,
                                     position ? FH_ELEMENT_VALUE : FH_ELEMENT_KEY, out);
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
