/* What each kind of value means. */
#include "analyse/scan/resolve_build.h"

#include <string.h>

/* A path outside that nothing is known of. */
static bool is_unknown(const fh_resolver *resolver, const fh_meaning *meaning)
{
    return meaning->kind == FH_MEANS_EXTERNAL && !fh_resolver_api(resolver, meaning->path) &&
           !fh_resolver_package(resolver, meaning->path);
}

/* Of several meanings the first is the one that is followed: where one is more than a guess, and
 * something is known of it, those that nothing is known of go behind. */
static void put_known_first(const fh_resolver *resolver, fh_meanings *meanings)
{
    fh_meanings unknown = {0};
    uint32_t known = 0;
    bool sure = false;
    for (uint32_t i = 0; i < meanings->count; i++)
        sure |=
            meanings->items[i].certainty >= FH_LIKELY && !is_unknown(resolver, &meanings->items[i]);
    for (uint32_t i = 0; sure && i < meanings->count; i++) {
        if (is_unknown(resolver, &meanings->items[i]))
            unknown.items[unknown.count++] = meanings->items[i];
        else
            meanings->items[known++] = meanings->items[i];
    }
    memcpy(&meanings->items[known], unknown.items, unknown.count * sizeof *unknown.items);
}

static void resolve_each(fh_resolver *resolver, uint32_t unit, const fh_value *list,
                         fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    uint32_t useful = 0;
    fh_meanings all = {0};
    for (uint32_t i = 0; i < list->b; i++) {
        fh_value_index value = u->lists.items[list->a + i];
        /* None beside something else only says that it may be missing. */
        if (fh_unit_value(u, value)->kind == FH_VALUE_NONE && list->b > 1)
            continue;
        fh_meanings one;
        fh_resolve(resolver, unit, value, &one);
        fh_meanings_add_all(&all, &one, FH_CERTAIN);
        useful++;
    }
    if (all.count > 1)
        put_known_first(resolver, &all);
    fh_meanings_add_all(out, &all, useful > 1 && all.count > 1 ? FH_LIKELY : FH_CERTAIN);
}

static void resolve_name(fh_resolver *resolver, uint32_t unit, const fh_value *value,
                         fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    fh_text name = fh_unit_text(u, value->a);
    if (fh_resolve_module_name(resolver, unit, name, out))
        return;
    fh_symbol path =
        fh_resolver_join(resolver, fh_resolver_intern(resolver, FH_TEXT("builtins")), name);
    fh_meanings_add(out, fh_meaning_of(FH_MEANS_EXTERNAL, FH_CERTAIN, path, 0, 0));
}

static bool is_literal(fh_resolver *resolver, uint32_t unit, fh_value_index value)
{
    fh_meanings all;
    fh_resolve(resolver, unit, value, &all);
    return all.count == 1 && all.items[0].kind == FH_MEANS_LITERAL;
}

/* Arithmetic of tensors gives a tensor; `and` and `or` give one of their sides. */
static void resolve_operation(fh_resolver *resolver, uint32_t unit, fh_value_index index,
                              const fh_value *value, fh_meanings *out)
{
    bool truth;
    if ((value->op == FH_OP_AND || value->op == FH_OP_OR) &&
        fh_resolve_bool(resolver, unit, value->a, &truth)) {
        fh_meanings one;
        fh_resolve(resolver, unit, truth == (value->op == FH_OP_OR) ? value->a : value->b, &one);
        fh_meanings_add_all(out, &one, FH_CERTAIN);
        return;
    }
    if (value->op == FH_OP_AND || value->op == FH_OP_OR) {
        fh_meanings left, right;
        fh_resolve(resolver, unit, value->a, &left);
        fh_resolve(resolver, unit, value->b, &right);
        fh_meanings_add_all(out, &left, FH_LIKELY);
        fh_meanings_add_all(out, &right, FH_LIKELY);
        return;
    }
    if (value->op == FH_OP_NOT || value->op == FH_OP_IS || value->op == FH_OP_IS_NOT ||
        value->op == FH_OP_IN || value->op == FH_OP_NOT_IN)
        return;
    fh_certainty left = 0, right = 0;
    bool tensor = fh_resolve_is_tensor(resolver, unit, value->a, &left);
    if (value->kind != FH_VALUE_UNARY && fh_resolve_is_tensor(resolver, unit, value->b, &right)) {
        tensor = true;
        left = left > right ? left : right;
    }
    if (tensor)
        fh_meanings_add(out, fh_meaning_of(FH_MEANS_INSTANCE, left, resolver->tensor, unit, index));
    else if (is_literal(resolver, unit, value->a) &&
             (value->kind == FH_VALUE_UNARY || is_literal(resolver, unit, value->b)))
        fh_meanings_add(out, fh_meaning_of(FH_MEANS_LITERAL, FH_CERTAIN, 0, unit, index));
}

/* args.backend, where some parser of the program has the option --backend: its default. */
static void resolve_option(fh_resolver *resolver, fh_text name, fh_meanings *out)
{
    const fh_program *program = resolver->program;
    fh_symbol symbol = fh_symbols_find(&program->option_names, name);
    if (!symbol)
        return;
    fh_reference value = program->option_defaults.items[symbol];
    fh_meanings one;
    fh_resolve(resolver, value.unit, value.value, &one);
    fh_meanings_add_but_none(resolver, out, &one, FH_LIKELY);
}

static void resolve_attribute_value(fh_resolver *resolver, uint32_t unit, const fh_value *value,
                                    fh_meanings *out)
{
    fh_text name = fh_unit_text(fh_resolver_unit(resolver, unit), value->b);
    fh_meanings bases;
    fh_resolve(resolver, unit, value->a, &bases);
    for (uint32_t i = 0; i < bases.count; i++)
        fh_resolve_attribute(resolver, &bases.items[i], name, out);
    /* What some call outside gave has attributes nothing is known of: perhaps it was a parser. */
    if (out->count == 1 && out->items[0].kind == FH_MEANS_EXTERNAL &&
        fh_text_contains(fh_resolver_path(resolver, out->items[0].path), "().")) {
        fh_meanings option = {0};
        resolve_option(resolver, name, &option);
        if (option.count)
            *out = option;
    }
    if (!out->count && (!bases.count || bases.items[0].kind != FH_MEANS_LITERAL)) {
        fh_resolve_unknown_attribute(resolver, unit, name, out);
        if (!out->count)
            resolve_option(resolver, name, out);
    }
}

/* dict(...), unless a star import gave that name to something else. */
static void resolve_dict(fh_resolver *resolver, uint32_t unit, const fh_value *value,
                         fh_meanings *out)
{
    fh_meaning callee;
    if (fh_resolve_external(resolver, unit,
                            fh_resolver_unit(resolver, unit)->calls.items[value->a].callee,
                            &callee) &&
        fh_text_is(fh_resolver_path(resolver, callee.path), "builtins.dict"))
        fh_meanings_add(out, fh_meaning_of(FH_MEANS_LITERAL, FH_CERTAIN, 0, unit, value->b));
    else
        fh_resolve_call(resolver, unit, value->a, out);
}

/* A function of the program that, as a decorator, gives something else than a function: its name
 * then stands for that. */
static bool replaced_by_decorator(fh_resolver *resolver, uint32_t unit, const fh_function *function,
                                  fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    for (uint32_t i = function->decorator_count; i-- > 0;) {
        fh_meanings decorator, given = {0};
        fh_resolve(resolver, unit, u->lists.items[function->decorators + i], &decorator);
        if (decorator.count != 1 || decorator.items[0].kind != FH_MEANS_FUNCTION)
            continue;
        fh_resolve_returned(resolver, &decorator.items[0], &given);
        bool other = given.count > 0;
        for (uint32_t k = 0; k < given.count; k++)
            other &=
                given.items[k].kind == FH_MEANS_EXTERNAL || given.items[k].kind == FH_MEANS_CLASS;
        if (other) {
            fh_meanings_add_all(out, &given, FH_CERTAIN);
            return true;
        }
    }
    return false;
}

/* What the __enter__ of a class of the program gives; false when it has none. */
static bool enter_object(fh_resolver *resolver, const fh_meaning *manager, fh_meanings *given)
{
    fh_reference enter;
    fh_meanings method;
    if (!fh_resolve_member(resolver, manager->unit, manager->index, FH_TEXT("__enter__"), &enter) &&
        !fh_resolve_member(resolver, manager->unit, manager->index, FH_TEXT("__aenter__"), &enter))
        return false;
    fh_resolve(resolver, enter.unit, enter.value, &method);
    if (method.count == 1 && method.items[0].kind == FH_MEANS_FUNCTION)
        fh_resolve_returned(resolver, &method.items[0], given);
    /* return self: also of a class that inherits it */
    if (given->count == 1 && given->items[0].kind == FH_MEANS_OBJECT)
        given->items[0] = *manager;
    return true;
}

/* What `with manager as x` binds: what __enter__ returns, or the manager yields. */
static void entered_by(fh_resolver *resolver, const fh_meaning *manager, fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, manager->unit);
    fh_meanings given = {0};
    fh_text path = manager->kind == FH_MEANS_INSTANCE && manager->index
                       ? fh_resolver_path(resolver, manager->path)
                       : (fh_text){0};
    if (manager->kind == FH_MEANS_LITERAL)
        fh_resolve_elements(resolver, manager->unit, manager->index, FH_ELEMENT_KEY, &given);
    else if (fh_text_starts(path, "contextlib.nullcontext") ||
             fh_text_starts(path, "contextlib.closing"))
        fh_resolve(
            resolver, manager->unit,
            fh_call_argument(u, &u->calls.items[fh_unit_value(u, manager->index)->a], 0, NULL),
            &given);
    else if (manager->kind != FH_MEANS_OBJECT || !enter_object(resolver, manager, &given))
        given = (fh_meanings){1, {*manager}};
    fh_meanings_add_all(out, &given, (fh_certainty)manager->certainty);
}

static void resolve_entered(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                            fh_meanings *out)
{
    fh_meanings managers;
    fh_resolve(resolver, unit, value, &managers);
    for (uint32_t i = 0; i < managers.count; i++)
        entered_by(resolver, &managers.items[i], out);
}

void fh_resolve_new(fh_resolver *resolver, uint32_t unit, fh_value_index index, fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value value = *fh_unit_value(u, index);
    if (fh_value_is_literal(&value)) {
        fh_meanings_add(out, fh_meaning_of(FH_MEANS_LITERAL, FH_CERTAIN, 0, unit, index));
        return;
    }
    switch ((fh_value_kind)value.kind) {
    case FH_VALUE_NAME:
        resolve_name(resolver, unit, &value, out);
        return;
    case FH_VALUE_IMPORT:
        fh_resolve_import(resolver, unit, fh_unit_text(u, value.a), out);
        return;
    case FH_VALUE_ATTRIBUTE:
        resolve_attribute_value(resolver, unit, &value, out);
        return;
    case FH_VALUE_CALL:
        if (value.b)
            resolve_dict(resolver, unit, &value, out);
        else
            fh_resolve_call(resolver, unit, value.a, out);
        return;
    case FH_VALUE_PARAMETER:
        fh_resolve_parameter_value(resolver, unit, &value, out);
        return;
    case FH_VALUE_FUNCTION:
        if (!replaced_by_decorator(resolver, unit, &u->functions.items[value.a], out))
            fh_meanings_add(out, fh_meaning_of(FH_MEANS_FUNCTION, FH_CERTAIN, 0, unit, value.a));
        return;
    case FH_VALUE_CLASS:
        fh_meanings_add(out, fh_meaning_of(FH_MEANS_CLASS, FH_CERTAIN, 0, unit, value.a));
        return;
    case FH_VALUE_BINARY:
    case FH_VALUE_COMPARE:
    case FH_VALUE_UNARY:
        resolve_operation(resolver, unit, index, &value, out);
        return;
    case FH_VALUE_PHI:
        resolve_each(resolver, unit, &value, out);
        return;
    case FH_VALUE_SUBSCRIPT:
    case FH_VALUE_ELEMENT:
    case FH_VALUE_ITEM:
        fh_resolve_element(resolver, unit, index, out);
        return;
    case FH_VALUE_ENTERED:
        resolve_entered(resolver, unit, value.a, out);
        return;
    case FH_VALUE_STAR: {
        fh_meanings inner;
        fh_resolve(resolver, unit, value.a, &inner);
        fh_meanings_add_all(out, &inner, FH_CERTAIN);
        return;
    }
    default:
        return;
    }
}
