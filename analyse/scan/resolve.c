#include "analyse/scan/resolve_build.h"

#include <string.h>

const char *fh_certainty_name(fh_certainty certainty)
{
    return certainty == FH_CERTAIN ? "certain" : certainty == FH_LIKELY ? "likely" : "possible";
}

fh_resolver *fh_resolver_create(const fh_program *program)
{
    fh_resolver *resolver = fh_alloc_zero(1, sizeof *resolver);
    if (!resolver)
        return NULL;
    resolver->program = program;
    fh_symbols_init(&resolver->paths);
    fh_vector_push(&resolver->facts, NULL);
    fh_vector_push(&resolver->meanings, (fh_meaning){0});
    resolver->tensor = fh_resolver_intern(resolver, FH_TEXT("torch.Tensor"));
    resolver->tensors = fh_resolver_intern(resolver, FH_TEXT("torch.Tensor[]"));
    resolver->number = fh_resolver_intern(resolver, FH_TEXT("builtins.number"));
    resolver->module = fh_resolver_intern(resolver, FH_TEXT("torch.nn.Module"));
    resolver->super = fh_resolver_intern(resolver, FH_TEXT("builtins.super()"));
    resolver->exports = fh_alloc_zero(program->units.count + 1, sizeof *resolver->exports);
    resolver->looked_at = fh_alloc_zero(program->units.count + 1, 1);
    resolver->stars = fh_alloc_zero(program->units.count + 1, sizeof *resolver->stars);
    if (!resolver->exports || !resolver->looked_at || !resolver->stars || resolver->paths.failed ||
        resolver->facts.failed || resolver->meanings.failed) {
        fh_resolver_destroy(resolver);
        return NULL;
    }
    return resolver;
}

void fh_resolver_destroy(fh_resolver *resolver)
{
    if (!resolver)
        return;
    fh_symbols_free(&resolver->paths);
    fh_vector_free(&resolver->facts);
    fh_vector_free(&resolver->meanings);
    fh_free(resolver->own);
    fh_free(resolver->answers);
    fh_free(resolver->exports);
    fh_free(resolver->looked_at);
    fh_free(resolver->stars);
    fh_looks_free(&resolver->looks);
    fh_vector_free(&resolver->ahead);
    fh_vector_free(&resolver->incomplete);
    fh_arena_free(&resolver->arena);
    fh_free(resolver);
}

void fh_meanings_add(fh_meanings *meanings, fh_meaning meaning)
{
    for (uint32_t i = 0; i < meanings->count; i++) {
        fh_meaning *known = &meanings->items[i];
        bool same = known->kind == meaning.kind && known->path == meaning.path;
        /* Which call made an object does not make it another thing. */
        if (meaning.kind != FH_MEANS_INSTANCE)
            same = same && known->unit == meaning.unit && known->index == meaning.index;
        if (same) {
            if (known->certainty < meaning.certainty)
                *known = meaning;
            return;
        }
    }
    if (meanings->count < FH_MOST_MEANINGS)
        meanings->items[meanings->count++] = meaning;
}

void fh_meanings_add_all(fh_meanings *meanings, const fh_meanings *more, fh_certainty at_most)
{
    for (uint32_t i = 0; i < more->count; i++) {
        fh_meaning meaning = more->items[i];
        if (meaning.certainty > at_most)
            meaning.certainty = (uint8_t)at_most;
        fh_meanings_add(meanings, meaning);
    }
}

void fh_meanings_add_but_none(const fh_resolver *resolver, fh_meanings *meanings,
                              const fh_meanings *more, fh_certainty at_most)
{
    for (uint32_t i = 0; i < more->count; i++) {
        const fh_meaning *m = &more->items[i];
        bool literal = m->kind == FH_MEANS_LITERAL;
        const fh_unit *u = literal ? fh_resolver_unit(resolver, m->unit) : NULL;
        if (!literal || fh_unit_value(u, m->index)->kind != FH_VALUE_NONE)
            fh_meanings_add_all(meanings, &(fh_meanings){1, {*m}}, at_most);
    }
}

const fh_unit *fh_resolver_look(fh_resolver *resolver, uint32_t unit)
{
    return fh_resolver_unit(resolver, unit);
}

bool fh_resolver_has_looked(const fh_resolver *resolver, uint32_t unit)
{
    return resolver->looked_at[unit];
}

bool fh_resolve_external(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                         fh_meaning *meaning)
{
    fh_meanings all;
    fh_resolve(resolver, unit, value, &all);
    for (uint32_t i = 0; i < all.count; i++)
        if (all.items[i].kind == FH_MEANS_EXTERNAL) {
            *meaning = all.items[i];
            return true;
        }
    return false;
}

bool fh_resolve_is_tensor(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                          fh_certainty *certainty)
{
    fh_meanings all;
    fh_resolve(resolver, unit, value, &all);
    for (uint32_t i = 0; i < all.count; i++)
        if (all.items[i].kind == FH_MEANS_INSTANCE && all.items[i].path == resolver->tensor) {
            *certainty = all.items[i].certainty;
            return true;
        }
    return false;
}

bool fh_resolve_is_instance(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                            const char *path)
{
    fh_meanings all;
    fh_resolve(resolver, unit, value, &all);
    for (uint32_t i = 0; i < all.count; i++) {
        const fh_meaning *m = &all.items[i];
        if (m->kind == FH_MEANS_INSTANCE && strcmp(path, "torch.nn.Module") == 0 &&
            fh_resolver_is_module(resolver, m->path))
            return true;
        if (m->kind == FH_MEANS_INSTANCE && fh_text_is(fh_resolver_path(resolver, m->path), path))
            return true;
        if (m->kind == FH_MEANS_OBJECT && fh_resolve_derives(resolver, m->unit, m->index, path))
            return true;
    }
    return false;
}
