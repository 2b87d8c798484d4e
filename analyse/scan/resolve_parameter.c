/* Parameters: what their defaults and annotations say, and what the calls of the program pass. */
#include "analyse/scan/resolve_build.h"
#include "base/search.h"

/* The first of program->passed that belongs to the parameter, or comes behind it. */
static uint32_t first_passed(const fh_program *program, uint64_t key)
{
    uint32_t at;
    FH_BISECT(at, 0, program->passed.count, program->passed.items[at].parameter < key);
    return at;
}

uint32_t fh_resolve_passed(const fh_resolver *resolver, uint32_t unit, uint32_t parameter,
                           const fh_binding_argument **first)
{
    const fh_program *program = resolver->program;
    uint64_t key = fh_parameter_key(unit, parameter);
    uint32_t begin = first_passed(program, key), end = begin;
    while (end < program->passed.count && program->passed.items[end].parameter == key)
        end++;
    *first = end > begin ? &program->passed.items[begin] : NULL;
    return end - begin;
}

/* Arguments that calls in the program pass to a parameter. What derived classes hand on counts
 * where no other call says anything, and `inherited`. */
static void resolve_passed(fh_resolver *resolver, uint64_t key, bool inherited, fh_meanings *out)
{
    const fh_program *program = resolver->program;
    uint32_t low = first_passed(program, key);
    for (uint32_t i = low; i < program->passed.count && program->passed.items[i].parameter == key;
         i++) {
        fh_meanings one;
        if (program->passed.items[i].inherited &&
            (!inherited || !program->passed.items[low].inherited))
            break;
        fh_reference argument = program->passed.items[i].argument;
        fh_resolve(resolver, argument.unit, argument.value, &one);
        fh_meanings_add_all(out, &one, FH_LIKELY);
    }
}

/* An int, str, ...: what an annotation promises beside the classes that matter here. */
static bool is_builtin(const fh_resolver *resolver, const fh_meaning *meaning)
{
    return meaning->kind == FH_MEANS_INSTANCE &&
           fh_text_starts(fh_resolver_path(resolver, meaning->path), "builtins.");
}

static bool is_used_as_tensor(const fh_resolver *resolver, uint64_t key)
{
    const uint64_t *keys = resolver->program->tensors.items;
    uint32_t count = resolver->program->tensors.count, at;
    FH_BISECT(at, 0, count, keys[at] < key);
    return at < count && keys[at] == key;
}

void fh_resolve_parameter_value(fh_resolver *resolver, uint32_t unit, const fh_value *value,
                                fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_function *function = &u->functions.items[value->a];
    uint32_t index = function->parameters + value->b;
    const fh_parameter *parameter = &u->parameters.items[index];
    if (function->class && value->b == 0 && !(function->flags & FH_FUNCTION_STATIC)) {
        fh_meaning_kind kind =
            function->flags & FH_FUNCTION_CLASS_METHOD ? FH_MEANS_CLASS : FH_MEANS_OBJECT;
        fh_meanings_add(out, fh_meaning_of(kind, FH_CERTAIN, 0, unit, function->class));
        return;
    }
    if (parameter->kind == 1 || parameter->kind == 2)
        return;
    fh_resolve_parameter(resolver, unit, index, out);
    if (!out->count && is_used_as_tensor(resolver, fh_parameter_key(unit, index)))
        fh_meanings_add(out,
                        fh_meaning_of(FH_MEANS_INSTANCE, FH_LIKELY, resolver->tensor, unit, 0));
    /* What a module's forward is called with is data, unless its default says otherwise. */
    fh_text name = fh_unit_text(u, function->name);
    bool no_default = !parameter->default_value ||
                      fh_unit_value(u, parameter->default_value)->kind == FH_VALUE_NONE;
    if (!out->count && function->class && no_default && fh_text_is(name, "forward") &&
        fh_resolve_derives(resolver, unit, function->class, "torch.nn.Module"))
        fh_meanings_add(out,
                        fh_meaning_of(FH_MEANS_INSTANCE, FH_LIKELY, resolver->tensor, unit, 0));
}

void fh_resolve_parameter(fh_resolver *resolver, uint32_t unit, uint32_t index, fh_meanings *out)
{
    const fh_parameter *parameter = &fh_resolver_unit(resolver, unit)->parameters.items[index];
    /* What stands in the definition comes first: it holds wherever the function is called from. */
    fh_meanings passed = {0}, by_default = {0}, annotated = {0};
    if (parameter->annotation)
        fh_resolve_annotation(resolver, unit, parameter->annotation, &annotated);
    resolve_passed(resolver, fh_parameter_key(unit, index),
                   !annotated.count || is_builtin(resolver, &annotated.items[0]), &passed);
    if (parameter->default_value)
        fh_resolve(resolver, unit, parameter->default_value, &by_default);
    fh_meanings_add_but_none(resolver, out, &by_default, passed.count ? FH_LIKELY : FH_CERTAIN);
    for (uint32_t i = 0; i < annotated.count; i++)
        if (!is_builtin(resolver, &annotated.items[i]) &&
            !(out->count && annotated.items[i].path == resolver->module))
            fh_meanings_add(out, annotated.items[i]);
    if (!annotated.count || annotated.items[0].path != resolver->tensor)
        fh_meanings_add_all(out, &passed, passed.count == 1 ? FH_LIKELY : FH_POSSIBLE);
}
