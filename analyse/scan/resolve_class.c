/* Classes of the program: what they and the classes that they derive from have, and what they
 * derive from outside of it. */
#include "analyse/scan/resolve_build.h"

#include <string.h>

/* Finds `name` in what `class` binds itself. */
static fh_value_index own_member(const fh_unit *unit, const fh_class *class, fh_text name)
{
    fh_symbol symbol = fh_symbols_find(&unit->symbols, name);
    if (!symbol)
        return 0;
    fh_value_index value = fh_unit_binding(unit, class->attributes, class->attribute_count, symbol);
    return value ? value : fh_unit_binding(unit, class->members, class->member_count, symbol);
}

enum { MOST_LEVELS = 32, MOST_BASES = 256 };

typedef bool visit_base(fh_resolver *resolver, const fh_meaning *class, void *context);

static bool visit_from(fh_resolver *resolver, uint32_t unit, uint32_t class, unsigned depth,
                       unsigned *left, visit_base *visit, void *context)
{
    fh_meaning self = fh_meaning_of(FH_MEANS_CLASS, FH_CERTAIN, 0, unit, class);
    if (visit(resolver, &self, context))
        return true;
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_class *c = &u->classes.items[class];
    for (uint32_t i = 0; depth && *left && i < c->base_count; i++) {
        const fh_argument *base = &u->arguments.items[c->bases + i];
        if (base->name)
            continue; /* metaclass=... */
        fh_meanings bases;
        fh_resolve(resolver, unit, base->value, &bases);
        for (uint32_t k = 0; k < bases.count; k++) {
            const fh_meaning *m = &bases.items[k];
            bool found = false;
            if (m->kind == FH_MEANS_CLASS && !(m->unit == unit && m->index == class))
                found = --*left &&
                        visit_from(resolver, m->unit, m->index, depth - 1, left, visit, context);
            else if (m->kind == FH_MEANS_EXTERNAL)
                found = visit(resolver, m, context);
            if (found)
                return true;
        }
    }
    return false;
}

/* Walks class and bases depth first, left to right. `visit` returns true to stop. */
static bool visit_bases(fh_resolver *resolver, uint32_t unit, uint32_t class, visit_base *visit,
                        void *context)
{
    unsigned left = MOST_BASES;
    return visit_from(resolver, unit, class, MOST_LEVELS, &left, visit, context);
}

typedef struct {
    fh_text name;
    const fh_meaning *behind; /* not this class, only what it derives from; may be NULL */
    fh_class_member found;
} member_search;

static bool visit_member(fh_resolver *resolver, const fh_meaning *class, void *context)
{
    member_search *search = context;
    if (class->kind == FH_MEANS_EXTERNAL && fh_resolver_api(resolver, class->path)) {
        fh_symbol path = fh_resolver_join(resolver, class->path, search->name);
        if (fh_resolver_api(resolver, path))
            search->found.external = path;
        return search->found.external != 0;
    }
    if (class->kind != FH_MEANS_CLASS || (search->behind && class->unit == search->behind->unit &&
                                          class->index == search->behind->index))
        return false;
    const fh_unit *u = fh_resolver_unit(resolver, class->unit);
    const fh_class *own = &u->classes.items[class->index];
    fh_value_index value = own_member(u, own, search->name);
    fh_symbol symbol = own->field_count && (own->is_record || !value)
                           ? fh_symbols_find(&u->symbols, search->name)
                           : 0;
    for (uint32_t i = 0; symbol && i < own->field_count; i++)
        if (u->parameters.items[own->fields + i].name == symbol) {
            search->found.field = (fh_reference){class->unit, own->fields + i};
            search->found.member =
                (fh_reference){class->unit, u->parameters.items[own->fields + i].default_value};
            return true;
        }
    if (value)
        search->found.member = (fh_reference){class->unit, value};
    return value != 0;
}

fh_class_member fh_resolve_class_member(fh_resolver *resolver, uint32_t unit, uint32_t class,
                                        fh_text name, bool inherited)
{
    fh_meaning self = fh_meaning_of(FH_MEANS_CLASS, FH_CERTAIN, 0, unit, class);
    member_search search = {.name = name, .behind = inherited ? &self : NULL};
    visit_bases(resolver, unit, class, visit_member, &search);
    return search.found;
}

bool fh_resolve_member(fh_resolver *resolver, uint32_t unit, uint32_t class, fh_text name,
                       fh_reference *member)
{
    fh_class_member found = fh_resolve_class_member(resolver, unit, class, name, false);
    if (!found.member.value)
        return false;
    *member = found.member;
    return true;
}

typedef struct {
    const char *const *paths;
    bool is_module; /* looked for is nn.Module: any of PyTorch's own modules will do */
    const char *found;
} base_search;

static bool visit_external(fh_resolver *resolver, const fh_meaning *class, void *context)
{
    base_search *search = context;
    if (class->kind != FH_MEANS_EXTERNAL)
        return false;
    fh_text path = fh_resolver_path(resolver, class->path);
    for (const char *const *wanted = search->paths; *wanted; wanted++)
        if (fh_text_is(path, *wanted)) {
            search->found = *wanted;
            return true;
        }
    const fh_api *api = fh_resolver_api(resolver, class->path);
    if (search->is_module && api && api->returns == FH_RETURNS_MODULE)
        return true;
    /* Base classes of well-known packages that are modules themselves. */
    return search->is_module &&
           (fh_resolver_is_module(resolver, class->path) ||
            fh_text_ends(path, ".PreTrainedModel") || fh_text_ends(path, ".ModelMixin"));
}

bool fh_resolve_derives(fh_resolver *resolver, uint32_t unit, uint32_t class, const char *path)
{
    const char *const paths[] = {path, NULL};
    base_search search = {paths, strcmp(path, "torch.nn.Module") == 0, NULL};
    return visit_bases(resolver, unit, class, visit_external, &search);
}

const char *fh_resolve_base_among(fh_resolver *resolver, uint32_t unit, uint32_t class,
                                  const char *const *paths)
{
    base_search search = {paths, false, NULL};
    visit_bases(resolver, unit, class, visit_external, &search);
    return search.found;
}
