/* Dotted paths, and what the tables say of them. */
#include "analyse/scan/resolve_build.h"

#include <string.h>

static const fh_package *find_package(fh_resolver *resolver, fh_text path)
{
    fh_package found, *package = NULL;
    if (fh_package_of(path, &found) && (package = fh_arena_alloc(&resolver->arena, sizeof found)))
        *package = found;
    return package;
}

/* Reads the facts of a path the first time it is met; 0 when memory ran out. */
static fh_symbol add_path(fh_resolver *resolver, fh_text path)
{
    fh_symbol symbol = fh_symbols_add(&resolver->paths, path);
    if (symbol < resolver->facts.count)
        return symbol;
    /* Symbols without facts follow the first that found no memory for its own. */
    fh_path_facts *facts =
        resolver->facts.failed ? NULL : fh_arena_alloc(&resolver->arena, sizeof *facts);
    fh_text text = facts ? fh_arena_copy(&resolver->arena, path) : (fh_text){0};
    if (!text.data || !fh_vector_push(&resolver->facts, facts)) {
        resolver->facts.failed = true;
        return 0;
    }
    *facts = (fh_path_facts){.text = text};
    facts->known = fh_text_starts(path, "torch") && fh_api_find(path, &facts->api);
    facts->package = facts->known ? NULL : find_package(resolver, path);
    facts->is_module = !facts->known && fh_known_module(path);
    return symbol;
}

fh_symbol fh_resolver_intern(fh_resolver *resolver, fh_text path)
{
    fh_symbol symbol = add_path(resolver, path);
    const fh_path_facts *facts = symbol ? resolver->facts.items[symbol] : NULL;
    if (facts && facts->known && !fh_text_equal(facts->api.name, path))
        symbol = add_path(resolver, facts->api.name);
    return symbol;
}

fh_symbol fh_resolver_join(fh_resolver *resolver, fh_symbol path, fh_text name)
{
    char joined[512];
    fh_text base = fh_resolver_path(resolver, path);
    if (!base.length || base.length + name.length + 1 > sizeof joined)
        return 0;
    memcpy(joined, base.data, base.length);
    joined[base.length] = '.';
    if (name.length)
        memcpy(joined + base.length + 1, name.data, name.length);
    return fh_resolver_intern(resolver, (fh_text){joined, base.length + 1 + name.length});
}

fh_text fh_resolver_keep(fh_resolver *resolver, fh_text text)
{
    return fh_resolver_path(resolver, add_path(resolver, text));
}

fh_text fh_resolver_path(const fh_resolver *resolver, fh_symbol path)
{
    return path && path < resolver->facts.count ? resolver->facts.items[path]->text : FH_TEXT("");
}

const fh_api *fh_resolver_api(const fh_resolver *resolver, fh_symbol path)
{
    const fh_path_facts *facts =
        path && path < resolver->facts.count ? resolver->facts.items[path] : NULL;
    return facts && facts->known ? &facts->api : NULL;
}

bool fh_resolver_is_module(const fh_resolver *resolver, fh_symbol path)
{
    const fh_path_facts *facts =
        path && path < resolver->facts.count ? resolver->facts.items[path] : NULL;
    return facts && (path == resolver->module || facts->is_module ||
                     (facts->known && facts->api.kind == FH_API_CLASS &&
                      facts->api.returns == FH_RETURNS_MODULE));
}

const fh_package *fh_resolver_package(const fh_resolver *resolver, fh_symbol path)
{
    return path && path < resolver->facts.count ? resolver->facts.items[path]->package : NULL;
}
