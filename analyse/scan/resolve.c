#include "analyse/scan/resolve_build.h"

#include <string.h>

enum { MOST_DEPTH = 120, MOST_ANSWERS = 1 << 20 };

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
    resolver->exports = fh_alloc_zero(program->units.count + 1, 1);
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
    fh_vector_free(&resolver->incomplete);
    fh_arena_free(&resolver->arena);
    fh_free(resolver);
}

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
    fh_path_facts *facts = fh_arena_alloc(&resolver->arena, sizeof *facts);
    if (!facts || !fh_vector_push(&resolver->facts, facts))
        return 0;
    *facts = (fh_path_facts){.text = fh_arena_copy(&resolver->arena, path)};
    facts->known = fh_text_starts(path, "torch") && fh_api_find(path, &facts->api);
    facts->package = facts->known ? NULL : find_package(resolver, path);
    facts->is_module = !facts->known && fh_known_module(path);
    return symbol;
}

fh_symbol fh_resolver_intern(fh_resolver *resolver, fh_text path)
{
    fh_symbol symbol = add_path(resolver, path);
    const fh_path_facts *facts = resolver->facts.items[symbol];
    if (symbol && facts->known && !fh_text_equal(facts->api.name, path))
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
    return path && path < resolver->facts.count ? resolver->facts.items[path]->text : (fh_text){0};
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

static uint64_t key_of(uint32_t unit, fh_value_index value)
{
    return (uint64_t)(unit + 1) << 32 | value;
}

static fh_answer *find_slot(fh_answer *answers, uint32_t slots, uint64_t key)
{
    uint32_t i = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32);
    for (;; i++) {
        fh_answer *answer = &answers[i & (slots - 1)];
        if (answer->key == key || !answer->key)
            return answer;
    }
}

static bool is_own(const fh_resolver *resolver, uint64_t key)
{
    return key >> 32 == resolver->own_unit + (uint64_t)1 && (uint32_t)key < resolver->own_count;
}

static fh_answer *find_answer(const fh_resolver *resolver, uint64_t key)
{
    if (is_own(resolver, key))
        return &resolver->own[(uint32_t)key];
    return find_slot(resolver->answers, resolver->answer_slots, key);
}

static void forget(fh_resolver *resolver)
{
    enum { FEW_SLOTS = 1 << 15 }; /* as many as most files need: not worth making anew */
    if (resolver->answer_slots > FEW_SLOTS) {
        fh_free(resolver->answers);
        resolver->answers = NULL;
        resolver->answer_slots = 0;
    } else if (resolver->answer_count) {
        memset(resolver->answers, 0, resolver->answer_slots * sizeof *resolver->answers);
    }
    resolver->answer_count = 0;
    resolver->meanings.count = 1;
    if (resolver->own_count)
        memset(resolver->own, 0, resolver->own_count * sizeof *resolver->own);
}

const fh_unit *fh_resolver_look(fh_resolver *resolver, uint32_t unit)
{
    return fh_resolver_unit(resolver, unit);
}

bool fh_resolver_has_looked(const fh_resolver *resolver, uint32_t unit)
{
    return resolver->looked_at[unit];
}

void fh_resolver_enter(fh_resolver *resolver, uint32_t unit)
{
    enum { MOST_OWN = 1 << 18 }; /* a larger unit's answers are found by key as those of others */
    memset(resolver->looked_at, 0, resolver->program->units.count);
    uint32_t count = fh_resolver_unit(resolver, unit)->values.count;
    if (count > MOST_OWN)
        count = 0;
    if (count > resolver->own_capacity) {
        fh_free(resolver->own);
        resolver->own = fh_alloc(count * sizeof *resolver->own);
        resolver->own_capacity = resolver->own ? count : 0;
    }
    resolver->own_unit = unit;
    resolver->own_count = count < resolver->own_capacity ? count : resolver->own_capacity;
    forget(resolver);
}

/* Room for one more answer; forgets all when there are too many. False when memory ran out. */
static bool make_room(fh_resolver *resolver)
{
    if (resolver->answer_count >= MOST_ANSWERS && !resolver->depth)
        forget(resolver);
    if (resolver->answer_count * 2 < resolver->answer_slots)
        return true;
    uint32_t slots = resolver->answer_slots ? resolver->answer_slots * 2 : 1024;
    fh_answer *answers = fh_alloc_zero(slots, sizeof *answers);
    if (!answers)
        return false;
    for (uint32_t i = 0; i < resolver->answer_slots; i++)
        if (resolver->answers[i].key)
            *find_slot(answers, slots, resolver->answers[i].key) = resolver->answers[i];
    fh_free(resolver->answers);
    resolver->answers = answers;
    resolver->answer_slots = slots;
    return true;
}

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

/* The first of program->passed that belongs to the parameter, or comes behind it. */
static uint32_t first_passed(const fh_program *program, uint64_t key)
{
    uint32_t low = 0, high = program->passed.count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (program->passed.items[middle].parameter < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t fh_resolve_passed(const fh_resolver *resolver, uint32_t unit, uint32_t parameter,
                           const fh_binding_argument **first)
{
    const fh_program *program = resolver->program;
    uint64_t key = fh_parameter_key(unit, parameter);
    uint32_t begin = first_passed(program, key), end = begin;
    while (end < program->passed.count && program->passed.items[end].parameter == key)
        end++;
    *first = program->passed.items + begin;
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

static bool is_none(const fh_resolver *resolver, const fh_meaning *meaning)
{
    return meaning->kind == FH_MEANS_LITERAL &&
           fh_unit_value(fh_resolver_unit(resolver, meaning->unit), meaning->index)->kind ==
               FH_VALUE_NONE;
}

/* An int, str, ...: what an annotation promises beside the classes that matter here. */
static bool is_builtin(const fh_resolver *resolver, const fh_meaning *meaning)
{
    return meaning->kind == FH_MEANS_INSTANCE &&
           fh_text_starts(fh_resolver_path(resolver, meaning->path), "builtins.");
}

static void add_one(fh_meanings *out, fh_meaning meaning, fh_certainty at_most)
{
    fh_meanings_add_all(out, &(fh_meanings){1, {meaning}}, at_most);
}

static bool is_used_as_tensor(const fh_resolver *resolver, uint64_t key)
{
    const uint64_t *keys = resolver->program->tensors.items;
    uint32_t low = 0, high = resolver->program->tensors.count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < resolver->program->tensors.count && keys[low] == key;
}

static void resolve_parameter(fh_resolver *resolver, uint32_t unit, const fh_value *value,
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
    for (uint32_t i = 0; i < by_default.count; i++)
        if (!is_none(resolver, &by_default.items[i]))
            add_one(out, by_default.items[i], passed.count ? FH_LIKELY : FH_CERTAIN);
    for (uint32_t i = 0; i < annotated.count; i++)
        if (!is_builtin(resolver, &annotated.items[i]) &&
            !(out->count && annotated.items[i].path == resolver->module))
            add_one(out, annotated.items[i], FH_CERTAIN);
    if (!annotated.count || annotated.items[0].path != resolver->tensor)
        fh_meanings_add_all(out, &passed, passed.count == 1 ? FH_LIKELY : FH_POSSIBLE);
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
    for (uint32_t i = 0; i < one.count; i++)
        if (!is_none(resolver, &one.items[i]))
            add_one(out, one.items[i], FH_LIKELY);
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

static void resolve_new(fh_resolver *resolver, uint32_t unit, fh_value_index index,
                        fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value value = *fh_unit_value(u, index);
    switch ((fh_value_kind)value.kind) {
    case FH_VALUE_UNKNOWN:
        return;
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
        resolve_parameter(resolver, unit, &value, out);
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
    case FH_VALUE_NONE:
    case FH_VALUE_BOOL:
    case FH_VALUE_INTEGER:
    case FH_VALUE_FLOAT:
    case FH_VALUE_STRING:
    case FH_VALUE_FORMAT:
    case FH_VALUE_TUPLE:
    case FH_VALUE_LIST:
    case FH_VALUE_SET:
    case FH_VALUE_DICT:
    case FH_VALUE_SLICE:
    case FH_VALUE_COMPREHENSION:
        fh_meanings_add(out, fh_meaning_of(FH_MEANS_LITERAL, FH_CERTAIN, 0, unit, index));
        return;
    }
}

/* What is asked of a value: what it is, or what it holds. */
typedef enum { THE_VALUE, ITS_KEYS, ITS_VALUES } question;

/* Keeps what was found; notes when it is not what was found the last time. */
static void keep_answer(fh_resolver *resolver, uint64_t key, const fh_meanings *meanings)
{
    fh_answer *answer = find_answer(resolver, key);
    const fh_meaning *last = &resolver->meanings.items[answer->first];
    bool same = answer->count == meanings->count;
    for (uint32_t i = 0; same && i < meanings->count; i++) {
        const fh_meaning *now = &meanings->items[i];
        same = last[i].kind == now->kind && last[i].certainty == now->certainty &&
               last[i].path == now->path && last[i].unit == now->unit &&
               last[i].index == now->index;
    }
    if (same)
        return;
    resolver->changed = true;
    answer->first = resolver->meanings.count;
    answer->count = (uint8_t)meanings->count;
    for (uint32_t i = 0; i < meanings->count; i++)
        if (!fh_vector_push(&resolver->meanings, meanings->items[i]))
            answer->count = 0;
}

/* The answers incomplete[mark..] get a new state; those that stay incomplete, what they now depend
 * on. */
static void set_state(fh_resolver *resolver, uint32_t mark, fh_answer_state state, uint32_t low)
{
    for (uint32_t i = mark; i < resolver->incomplete.count; i++) {
        fh_answer *answer = find_answer(resolver, resolver->incomplete.items[i]);
        answer->state = (uint8_t)state;
        if (low == FH_LOW_NONE || answer->low > low)
            answer->low = (uint16_t)low;
    }
    if (low == FH_LOW_NONE)
        resolver->incomplete.count = mark;
}

/* One time of working an answer out. */
static void work_out(fh_resolver *resolver, uint32_t unit, fh_value_index value, question what,
                     uint64_t key, fh_meanings *meanings)
{
    fh_answer *answer = find_answer(resolver, key);
    answer->state = FH_ANSWER_IN_PROGRESS;
    answer->low = (uint16_t)resolver->depth;
    meanings->count = 0;
    resolver->low = FH_LOW_NONE;
    resolver->depth++;
    if (what == THE_VALUE)
        resolve_new(resolver, unit, value, meanings);
    else
        fh_resolve_new_elements(resolver, unit, value,
                                what == ITS_KEYS ? FH_ELEMENT_KEY : FH_ELEMENT_VALUE, meanings);
    resolver->depth--;
    keep_answer(resolver, key, meanings);
}

static void ask_anew(fh_resolver *resolver, uint32_t unit, fh_value_index value, question what,
                     uint64_t key, fh_meanings *meanings)
{
    enum { MOST_ROUNDS = 8 };
    uint32_t outer = resolver->low, mark = resolver->incomplete.count;
    bool outer_changed = resolver->changed;
    for (unsigned round = 0; round < MOST_ROUNDS; round++) {
        resolver->changed = false;
        work_out(resolver, unit, value, what, key, meanings);
        /* Only the head of a cycle goes round: it asked for itself, and for nothing outside. */
        if (resolver->low != resolver->depth || !resolver->changed || round + 1 == MOST_ROUNDS)
            break;
        set_state(resolver, mark, FH_ANSWER_OUTDATED, FH_LOW_NONE);
    }
    fh_answer *answer = find_answer(resolver, key);
    answer->state = FH_ANSWER_DONE;
    if (resolver->low >= resolver->depth) {
        answer->low = FH_LOW_NONE;
        set_state(resolver, mark, FH_ANSWER_DONE, FH_LOW_NONE);
        resolver->low = outer;
        resolver->changed = outer_changed;
        return;
    }
    answer->low = (uint16_t)resolver->low;
    set_state(resolver, mark, FH_ANSWER_DONE, resolver->low);
    fh_vector_push(&resolver->incomplete, key);
    if (outer < resolver->low)
        resolver->low = outer;
    resolver->changed |= outer_changed;
}

static void ask(fh_resolver *resolver, uint32_t unit, fh_value_index value, question what,
                fh_meanings *meanings)
{
    meanings->count = 0;
    if (!value || fh_resolver_is_deep(resolver, MOST_DEPTH) || !make_room(resolver))
        return;
    uint64_t key = (uint64_t)what << 62 | key_of(unit, value);
    fh_answer *answer = find_answer(resolver, key);
    if (!answer->key) {
        *answer = (fh_answer){.key = key};
        resolver->answer_count += !is_own(resolver, key);
    } else if (answer->state != FH_ANSWER_OUTDATED) {
        if (answer->low < resolver->low)
            resolver->low = answer->low;
        meanings->count = answer->count;
        memcpy(meanings->items, &resolver->meanings.items[answer->first],
               answer->count * sizeof *meanings->items);
        return;
    }
    ask_anew(resolver, unit, value, what, key, meanings);
}

void fh_resolve(fh_resolver *resolver, uint32_t unit, fh_value_index value, fh_meanings *meanings)
{
    ask(resolver, unit, value, THE_VALUE, meanings);
}

void fh_resolve_elements(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                         fh_element_kind kind, fh_meanings *out)
{
    fh_meanings elements;
    ask(resolver, unit, value, kind == FH_ELEMENT_KEY ? ITS_KEYS : ITS_VALUES, &elements);
    fh_meanings_add_all(out, &elements, FH_CERTAIN);
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
