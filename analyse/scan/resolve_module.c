/* Modules: which names they bind, and what an import gives. */
#include "analyse/scan/resolve_build.h"

#include <string.h>

void fh_resolve_submodule(fh_resolver *resolver, uint32_t unit, fh_text name, fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    char path[512];
    size_t folder = fh_text_find_last(u->path, '/');
    if (!u->is_package || (folder < u->path.length ? folder + 1 : 0) + name.length > sizeof path)
        return;
    folder = folder < u->path.length ? folder + 1 : 0;
    memcpy(path, u->path.data, folder);
    memcpy(path + folder, name.data, name.length);
    fh_symbol symbol =
        fh_symbols_find(&resolver->program->module_paths, (fh_text){path, folder + name.length});
    if (symbol)
        fh_meanings_add(out, fh_meaning_of(FH_MEANS_MODULE, FH_CERTAIN, 0,
                                           resolver->program->module_units.items[symbol], 0));
}

/* Looks for `name` among the strings of a list that is written out, or joined from such; *known
 * becomes false when some part is not. */
static bool lists_name(fh_resolver *resolver, uint32_t unit, fh_value_index value, fh_text name,
                       bool *known)
{
    fh_meanings all;
    fh_resolve(resolver, unit, value, &all);
    if (all.count != 1 || all.items[0].kind != FH_MEANS_LITERAL || !fh_resolver_descend(resolver)) {
        *known = false;
        return false;
    }
    uint32_t owner = all.items[0].unit;
    const fh_unit *u = fh_resolver_unit(resolver, owner);
    const fh_value v = *fh_unit_value(u, all.items[0].index);
    bool found = false;
    if (v.kind == FH_VALUE_BINARY && v.op == FH_OP_ADD) {
        found = lists_name(resolver, owner, v.a, name, known) ||
                lists_name(resolver, owner, v.b, name, known);
    } else if (v.kind == FH_VALUE_LIST || v.kind == FH_VALUE_TUPLE || v.kind == FH_VALUE_SET) {
        for (uint32_t i = 0; i < v.b && !found; i++) {
            fh_value_index at = u->lists.items[v.a + i];
            const fh_value *element = fh_unit_value(u, at);
            fh_text text = {0};
            fh_certainty ignored;
            if (element->kind == FH_VALUE_STAR)
                found = lists_name(resolver, owner, element->a, name, known);
            else if (fh_resolve_string(resolver, owner, at, &text, &ignored, NULL))
                found = fh_text_equal(text, name);
            else
                *known = false;
        }
    } else {
        *known = false;
    }
    fh_resolver_ascend(resolver);
    return found;
}

enum { NOT_ASKED, NO_EXPORTS, EXPORTS, UNKNOWN_EXPORTS };

/* What is known of the module's __all__, worked out once: a method that may change it is called. */
static fh_exports exports_of(fh_resolver *resolver, uint32_t unit)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    fh_exports *exports = &resolver->exports[unit];
    fh_resolver_note(resolver, unit, FH_TEXT("__all__"));
    if (exports->state != NOT_ASKED)
        return *exports;
    fh_symbol symbol = fh_symbols_find(&u->symbols, FH_TEXT("__all__"));
    exports->list = symbol ? fh_unit_binding(u, u->members, u->member_count, symbol) : 0;
    exports->state = exports->list ? EXPORTS : NO_EXPORTS;
    for (uint32_t i = 1; exports->list && i < u->calls.count; i++) {
        const fh_value *callee = fh_unit_value(u, u->calls.items[i].callee);
        if (callee->kind == FH_VALUE_ATTRIBUTE && callee->a == exports->list)
            exports->state = UNKNOWN_EXPORTS; /* __all__.append(...) */
    }
    return *exports;
}

/* True when `from module import *` takes `name`: what __all__ lists, else what has no underscore.
 */
static bool is_exported(fh_resolver *resolver, uint32_t unit, fh_text name)
{
    bool known = true;
    fh_exports exports = exports_of(resolver, unit);
    switch (exports.state) {
    case NO_EXPORTS:
        return name.data[0] != '_';
    case EXPORTS:
        return lists_name(resolver, unit, exports.list, name, &known) || !known;
    default:
        return true;
    }
}

/* What `from module import *` binds `name` to; false when it does not. */
static bool star_import(fh_resolver *resolver, uint32_t module, fh_text name, fh_meanings *out)
{
    fh_meanings found = {0};
    bool bound = fh_resolve_module_name(resolver, module, name, &found);
    if (!bound && exports_of(resolver, module).state == EXPORTS) {
        fh_resolve_submodule(resolver, module, name, &found);
        bound = found.count > 0;
    }
    if (!bound || !is_exported(resolver, module, name))
        return false;
    fh_meanings_add_all(out, &found, FH_CERTAIN);
    return true;
}

bool fh_resolve_module_name(fh_resolver *resolver, uint32_t unit, fh_text name, fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    fh_resolver_note(resolver, unit, name);
    fh_symbol symbol = fh_symbols_find(&u->symbols, name);
    fh_value_index value = symbol ? fh_unit_binding(u, u->members, u->member_count, symbol) : 0;
    if (value) {
        fh_meanings found;
        fh_resolve(resolver, unit, value, &found);
        fh_meanings_add_all(out, &found, FH_CERTAIN);
        return true;
    }
    const fh_star_imports *stars = name.length ? fh_resolver_stars(resolver, unit) : NULL;
    uint32_t first = stars ? fh_resolver_first_star(resolver, unit, name) : 0;
    for (uint32_t i = first; stars && i < stars->count; i++) {
        uint32_t module = stars->items[i].unit;
        fh_symbol joined = 0;
        bool found = false;
        if (module == FH_NO_UNIT && name.data[0] != '_') {
            joined = fh_resolver_join(resolver, stars->items[i].outside, name);
            found = fh_resolver_api(resolver, joined) != NULL;
        } else if (module != FH_NO_UNIT && fh_resolver_descend(resolver)) {
            found = star_import(resolver, module, name, out);
            fh_resolver_ascend(resolver);
        }
        if (found && joined)
            fh_meanings_add(out, fh_meaning_of(FH_MEANS_EXTERNAL, FH_CERTAIN, joined, 0, 0));
        if (found)
            return true;
    }
    return false;
}

void fh_resolve_import(fh_resolver *resolver, uint32_t unit, fh_text path, fh_meanings *out)
{
    fh_text rest, part;
    uint32_t module = fh_program_module(resolver->program, unit, path, &rest);
    if (module == FH_NO_UNIT) {
        if (path.length && path.data[0] != '.')
            fh_meanings_add(out, fh_meaning_of(FH_MEANS_EXTERNAL, FH_CERTAIN,
                                               fh_resolver_intern(resolver, path), 0, 0));
        return;
    }
    fh_meanings now = {1, {fh_meaning_of(FH_MEANS_MODULE, FH_CERTAIN, 0, module, 0)}};
    if (module == unit && rest.length)
        return; /* a module that imports from itself binds nothing by that */
    while (rest.length && fh_text_next(&rest, '.', &part)) {
        fh_meanings next = {0};
        for (uint32_t i = 0; i < now.count; i++)
            fh_resolve_attribute(resolver, &now.items[i], part, &next);
        now = next;
    }
    fh_meanings_add_all(out, &now, FH_CERTAIN);
}
