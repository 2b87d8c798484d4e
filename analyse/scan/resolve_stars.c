/* Star imports: where they lead, and which of them may bind a name.
 *
 * A package may import everything of hundreds of modules, and nearly all names that are asked for
 * there stand in one of them or in none. So a unit with more than a few star imports gets a table
 * of all names that are bound anywhere below it, with the first star import that leads there. */
#include "analyse/scan/resolve_build.h"
#include "base/hash.h"

#include <string.h>

const fh_star_imports *fh_resolver_stars(fh_resolver *resolver, uint32_t unit)
{
    if (resolver->stars[unit])
        return resolver->stars[unit];
    const fh_unit *u = &resolver->program->units.items[unit];
    uint32_t count = 0;
    for (uint32_t i = 1; i < u->imports.count; i++)
        count += !u->imports.items[i].name;
    fh_star_imports *stars =
        fh_arena_alloc(&resolver->arena, sizeof *stars + count * sizeof *stars->items);
    if (!stars)
        return NULL;
    *stars = (fh_star_imports){.count = 0};
    for (uint32_t i = u->imports.count; i-- > 1;) {
        if (u->imports.items[i].name)
            continue;
        fh_text rest = {0}, path = fh_unit_text(u, u->imports.items[i].path);
        uint32_t module = fh_program_module(resolver->program, unit, path, &rest);
        fh_symbol outside = module == FH_NO_UNIT && fh_text_starts(path, "torch")
                                ? fh_resolver_intern(resolver, path)
                                : 0;
        if (outside || (module != FH_NO_UNIT && module != unit && !rest.length))
            stars->items[stars->count++] = (fh_star){module, outside};
    }
    return resolver->stars[unit] = stars;
}

/* A unit, and the number of the first star import that leads to it. */
typedef struct {
    uint32_t unit, star;
} reached;

typedef struct {
    FH_VECTOR(reached) units;
    uint8_t *seen; /* by unit */
} below;

static void reach(below *all, fh_star_imports *stars, const fh_star *to, uint32_t number)
{
    if (to->unit == FH_NO_UNIT) {
        if (stars->outside > number)
            stars->outside = number;
    } else if (!all->seen[to->unit]) {
        all->seen[to->unit] = 1;
        fh_vector_push(&all->units, (reached){to->unit, number});
    }
}

static bool find_below(fh_resolver *resolver, fh_star_imports *stars, below *all)
{
    for (uint32_t number = 0; number < stars->count; number++) {
        uint32_t next = all->units.count;
        reach(all, stars, &stars->items[number], number);
        for (; next < all->units.count; next++) {
            const fh_star_imports *further =
                fh_resolver_stars(resolver, all->units.items[next].unit);
            for (uint32_t i = 0; further && i < further->count; i++)
                reach(all, stars, &further->items[i], number);
            if (!further)
                return false;
        }
    }
    return !all->units.failed;
}

static fh_star_name *find_name(const fh_star_imports *stars, uint32_t hash)
{
    for (uint32_t i = hash;; i++) {
        fh_star_name *name = &stars->names[i & stars->name_mask];
        if (name->star == FH_NO_STAR || name->hash == hash)
            return name;
    }
}

static void add_names(fh_resolver *resolver, fh_star_imports *stars, uint32_t unit, uint32_t number)
{
    const fh_unit *u = &resolver->program->units.items[unit];
    for (uint32_t i = 0; i < u->member_count; i++) {
        fh_text text = fh_unit_text(u, u->bindings.items[u->members + i].name);
        uint32_t hash = (uint32_t)fh_hash(text.data, text.length);
        fh_star_name *name = find_name(stars, hash);
        if (name->star == FH_NO_STAR)
            *name = (fh_star_name){hash, number};
    }
    /* `from package import *` takes the modules that its __all__ lists. */
    if (u->is_package && stars->package > number &&
        fh_symbols_find(&u->symbols, FH_TEXT("__all__")))
        stars->package = number;
}

/* Makes the table of names; there is none when memory ran out. */
static void make_names(fh_resolver *resolver, fh_star_imports *stars)
{
    enum { MOST_NAMES = 1 << 19 }; /* in all tables of a resolver: 32 bytes each at most */
    below all = {.seen = fh_alloc_zero(resolver->program->units.count + 1, 1)};
    stars->outside = stars->package = stars->count;
    bool good = all.seen && find_below(resolver, stars, &all);
    uint32_t count = 0, slots = 64;
    for (uint32_t i = 0; good && i < all.units.count; i++)
        count += resolver->program->units.items[all.units.items[i].unit].member_count;
    while (slots / 2 < count && slots < MOST_NAMES * 2)
        slots *= 2;
    good = good && count < MOST_NAMES - resolver->star_names;
    if (good && (stars->names = fh_arena_alloc(&resolver->arena, slots * sizeof *stars->names))) {
        memset(stars->names, 0xff, slots * sizeof *stars->names);
        stars->name_mask = slots - 1;
        resolver->star_names += count;
        for (uint32_t i = 0; i < all.units.count; i++)
            add_names(resolver, stars, all.units.items[i].unit, all.units.items[i].star);
    }
    fh_vector_free(&all.units);
    fh_free(all.seen);
}

/* Everything that star imports of a unit lead to counts as looked at, over any number of steps. */
static void look_below(fh_resolver *resolver, uint32_t unit)
{
    resolver->ahead.count = 0;
    fh_vector_push(&resolver->ahead, unit);
    while (resolver->ahead.count && !resolver->ahead.failed) {
        uint32_t at = fh_vector_pop(&resolver->ahead);
        if (resolver->looked_at[at] & FH_LOOKED_BELOW)
            continue;
        resolver->looked_at[at] = FH_LOOKED | FH_LOOKED_BELOW;
        const fh_star_imports *stars = fh_resolver_stars(resolver, at);
        for (uint32_t i = 0; stars && i < stars->count; i++)
            if (stars->items[i].unit != FH_NO_UNIT)
                fh_vector_push(&resolver->ahead, stars->items[i].unit);
    }
    if (resolver->ahead.failed)
        memset(resolver->looked_at, FH_LOOKED, resolver->program->units.count);
}

uint32_t fh_resolver_first_star(fh_resolver *resolver, uint32_t unit, fh_text name)
{
    fh_star_imports *stars = resolver->stars[unit];
    if (stars->count < 2)
        return 0;
    if (!stars->is_asked)
        make_names(resolver, stars);
    stars->is_asked = true;
    if (!stars->names)
        return 0;
    uint32_t first = find_name(stars, (uint32_t)fh_hash(name.data, name.length))->star;
    if (first > stars->outside)
        first = stars->outside;
    if (first > stars->package && fh_symbols_find(&resolver->program->module_names, name))
        first = stars->package;
    /* What is passed over binds neither the name nor an __all__. */
    if (first) {
        fh_resolver_note(resolver, FH_NO_UNIT, name);
        fh_resolver_note(resolver, FH_NO_UNIT, FH_TEXT("__all__"));
    }
    if (first >= stars->count) {
        look_below(resolver, unit);
        return stars->count;
    }
    for (uint32_t i = 0; i < first; i++)
        look_below(resolver, stars->items[i].unit);
    return first;
}
