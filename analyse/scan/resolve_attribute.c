/* Attributes: of modules, classes and objects, inside the program and outside. */
#include "analyse/scan/resolve_build.h"

#include <string.h>

/* Attributes of a tensor that are tensors. */
static const char *const tensor_attributes[] = {"data", "grad", "T",    "mT", "H",
                                                "mH",   "real", "imag", NULL};

/* Methods that, of all objects PyTorch code handles, only tensors (or modules) have. */
static const char *const tensor_methods[] = {"cuda",         "npu",           "backward",
                                             "unsqueeze",    "masked_fill",   "masked_fill_",
                                             "bmm",          "softmax",       "log_softmax",
                                             "contiguous",   "permute",       "requires_grad_",
                                             "index_select", "masked_select", "scatter_",
                                             "scatter_add_", "bfloat16",      "is_contiguous",
                                             "matmul",       "addmm",         "baddbmm",
                                             "index_add_",   "index_copy_",   "repeat_interleave",
                                             "unfold",       "data_ptr",      "stride",
                                             "sigmoid",      "clamp_min",     "zero_",
                                             "normal_",      "uniform_",      "fill_",
                                             "detach_",      "expand_as",     "view_as",
                                             "is_cuda",      "record_stream", "pin_memory",
                                             "type_as",      "new_zeros",     "new_tensor",
                                             "new_empty",    "new_ones",      "new_full",
                                             "rsqrt",        "erf",           "nan_to_num",
                                             "logsumexp",    "movedim",       "narrow",
                                             "chunk",        "mul_",          "add_",
                                             "div_",         "sub_",          "clamp_",
                                             "copy_",        "squeeze_",      "unsqueeze_",
                                             "topk",         "addcmul_",      "addcdiv_",
                                             "lerp_",        "half",          NULL};

/* Methods that modules and tensors have, and objects of other libraries do not. */
static const char *const module_methods[] = {"cuda", "half", "bfloat16", NULL};

/* Methods that numbers of other libraries have as well, but that in a file which uses PyTorch are
 * a tensor's more often than not. */
static const char *const likely_methods[] = {"item", "cpu", "tolist", "numpy", "detach", NULL};

void fh_resolve_unknown_attribute(fh_resolver *resolver, uint32_t unit, fh_text name,
                                  fh_meanings *out)
{
    bool uses_torch =
        fh_symbols_find(&fh_resolver_unit(resolver, unit)->symbols, FH_TEXT("torch")) != 0;
    if (uses_torch && fh_text_is_any(name, likely_methods)) {
        fh_meanings_add(out,
                        fh_meaning_of(FH_MEANS_EXTERNAL, FH_POSSIBLE,
                                      fh_resolver_join(resolver, resolver->tensor, name), 0, 0));
        return;
    }
    if (fh_text_is_any(name, tensor_methods))
        fh_meanings_add(out,
                        fh_meaning_of(FH_MEANS_EXTERNAL, FH_POSSIBLE,
                                      fh_resolver_join(resolver, resolver->tensor, name), 0, 0));
}

static void instance_attribute(fh_resolver *resolver, const fh_meaning *base, fh_text name,
                               fh_meanings *out)
{
    fh_certainty certainty = base->certainty;
    if (base->path == resolver->tensor && fh_text_is_any(name, tensor_attributes)) {
        fh_meanings_add(out, fh_meaning_of(FH_MEANS_INSTANCE, certainty, resolver->tensor,
                                           base->unit, base->index));
        return;
    }
    if (fh_known_attribute(resolver, base, name, out))
        return;
    bool is_module = fh_resolver_is_module(resolver, base->path);
    if (!is_module && fh_text_ends(fh_resolver_path(resolver, base->path), "()") &&
        fh_text_is_any(name, tensor_methods)) {
        /* Whatever some function gave: what only tensors have makes it one. */
        fh_resolve_unknown_attribute(resolver, base->unit, name, out);
        return;
    }
    fh_symbol path = fh_resolver_join(resolver, base->path, name);
    if (fh_resolver_api(resolver, path)) {
        fh_meanings_add(out,
                        fh_meaning_of(FH_MEANS_EXTERNAL, certainty, path, base->unit, base->index));
        return;
    }
    if (is_module) {
        fh_symbol inherited = fh_resolver_join(resolver, resolver->module, name);
        if (fh_resolver_api(resolver, inherited)) {
            fh_meanings_add(out, fh_meaning_of(FH_MEANS_EXTERNAL, certainty, inherited, base->unit,
                                               base->index));
            return;
        }
        if (fh_text_is(name, "weight") || fh_text_is(name, "bias")) {
            fh_meanings_add(
                out, fh_meaning_of(FH_MEANS_INSTANCE, certainty, resolver->tensor, base->unit, 0));
            return;
        }
    } else if (fh_text_is_any(name, module_methods)) {
        /* A class of a package that nothing is known of: most often a model. */
        path = fh_resolver_join(resolver, resolver->module, name);
        certainty = FH_POSSIBLE;
    }
    fh_meanings_add(out,
                    fh_meaning_of(FH_MEANS_EXTERNAL, certainty, path, base->unit, base->index));
}

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
    fh_reference member;
    fh_reference field; /* a parameter, where a record has a field of that name */
    fh_symbol external; /* the member's path, when PyTorch's class has it that comes first */
} member_search;

static bool visit_member(fh_resolver *resolver, const fh_meaning *class, void *context)
{
    member_search *search = context;
    if (class->kind == FH_MEANS_EXTERNAL && fh_resolver_api(resolver, class->path)) {
        fh_symbol path = fh_resolver_join(resolver, class->path, search->name);
        if (fh_resolver_api(resolver, path))
            search->external = path;
        return search->external != 0;
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
            search->field = (fh_reference){class->unit, own->fields + i};
            return true;
        }
    if (value)
        search->member = (fh_reference){class->unit, value};
    return value != 0;
}

/* The default of a field: what the class itself has under that name. */
static fh_reference default_of(const fh_resolver *resolver, fh_reference field)
{
    const fh_unit *u = fh_resolver_unit(resolver, field.unit);
    return (fh_reference){field.unit, u->parameters.items[field.value].default_value};
}

bool fh_resolve_member(fh_resolver *resolver, uint32_t unit, uint32_t class, fh_text name,
                       fh_reference *member)
{
    member_search search = {.name = name};
    if (!visit_bases(resolver, unit, class, visit_member, &search))
        return false;
    if (search.field.value)
        search.member = default_of(resolver, search.field);
    if (!search.member.value)
        return false;
    *member = search.member;
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

/* A function of a class, taken from an object or from the class: bound to it, or called at once
 * when it is a property. */
static void bound_function(fh_resolver *resolver, const fh_meaning *base, fh_meaning function,
                           fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, function.unit);
    uint32_t flags = u->functions.items[function.index].flags;
    bool object = base->kind == FH_MEANS_OBJECT;
    if (flags & FH_FUNCTION_PROPERTY) {
        if (object)
            fh_resolve_returned(resolver, &function, out);
        return;
    }
    bool is_new = fh_text_is(fh_unit_text(u, u->functions.items[function.index].name), "__new__");
    if (flags & FH_FUNCTION_CLASS_METHOD || (object && !is_new && !(flags & FH_FUNCTION_STATIC)))
        function.kind = FH_MEANS_METHOD;
    if (function.kind == FH_MEANS_METHOD)
        function.path = base->path;
    fh_meanings_add(out, function);
}

static void member_attribute(fh_resolver *resolver, const fh_meaning *base, fh_reference member,
                             fh_meanings *out)
{
    fh_meanings found;
    fh_resolve(resolver, member.unit, member.value, &found);
    const fh_unit *u = fh_resolver_unit(resolver, member.unit);
    for (uint32_t i = 0; i < found.count; i++) {
        fh_meaning m = found.items[i];
        if (m.certainty > base->certainty)
            m.certainty = base->certainty;
        if (m.kind == FH_MEANS_FUNCTION && m.unit == member.unit &&
            u->functions.items[m.index].class)
            bound_function(resolver, base, m, out);
        else
            fh_meanings_add(out, m);
    }
}

static void object_attribute(fh_resolver *resolver, const fh_meaning *base, fh_text name,
                             fh_meanings *out)
{
    bool is_super = base->path == resolver->super;
    member_search search = {.name = name, .behind = is_super ? base : NULL};
    visit_bases(resolver, base->unit, base->index, visit_member, &search);
    if (search.field.value && base->kind == FH_MEANS_OBJECT) {
        fh_meanings found = {0};
        fh_resolve_parameter(resolver, search.field.unit, search.field.value, &found);
        fh_meanings_add_all(out, &found, (fh_certainty)base->certainty);
        return;
    }
    if (search.field.value)
        search.member = default_of(resolver, search.field);
    if (search.member.value) {
        member_attribute(resolver, base, search.member, out);
        return;
    }
    fh_symbol path = search.external;
    if (!path && fh_resolve_derives(resolver, base->unit, base->index, "torch.nn.Module")) {
        path = fh_resolver_join(resolver, resolver->module, name);
        if (!fh_resolver_api(resolver, path))
            path = 0;
    }
    if (!path && is_super)
        path = fh_resolver_join(resolver, resolver->super, name);
    if (path)
        fh_meanings_add(out,
                        fh_meaning_of(FH_MEANS_EXTERNAL, base->certainty, path, base->unit, 0));
}

void fh_resolve_attribute(fh_resolver *resolver, const fh_meaning *base, fh_text name,
                          fh_meanings *out)
{
    switch ((fh_meaning_kind)base->kind) {
    case FH_MEANS_EXTERNAL:
        fh_meanings_add(out, fh_meaning_of(FH_MEANS_EXTERNAL, base->certainty,
                                           fh_resolver_join(resolver, base->path, name), base->unit,
                                           base->index));
        return;
    case FH_MEANS_INSTANCE:
        instance_attribute(resolver, base, name, out);
        return;
    case FH_MEANS_MODULE:
        if (!fh_resolve_module_name(resolver, base->unit, name, out))
            fh_resolve_submodule(resolver, base->unit, name, out);
        return;
    case FH_MEANS_CLASS:
    case FH_MEANS_OBJECT:
        object_attribute(resolver, base, name, out);
        return;
    case FH_MEANS_LITERAL:
        /* The value of a member of an enumeration; strings and numbers have no such attribute. */
        if (fh_text_is(name, "value"))
            fh_meanings_add(out, *base);
        return;
    case FH_MEANS_FUNCTION:
    case FH_MEANS_METHOD:
        return;
    }
}

/* Annotations that wrap the class they are about: Optional[Tensor], Tensor | None, "Tensor". */
void fh_resolve_annotation(fh_resolver *resolver, uint32_t unit, fh_value_index annotation,
                           fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value *value = fh_unit_value(u, annotation);
    if (value->kind == FH_VALUE_BINARY && value->op == FH_OP_BIT_OR) {
        if (!fh_resolver_descend(resolver))
            return;
        fh_resolve_annotation(resolver, unit, value->a, out);
        fh_resolve_annotation(resolver, unit, value->b, out);
        fh_resolver_ascend(resolver);
        return;
    }
    if (value->kind == FH_VALUE_SUBSCRIPT) {
        fh_meaning wrapper;
        if (!fh_resolve_external(resolver, unit, value->a, &wrapper))
            return;
        fh_text path = fh_resolver_path(resolver, wrapper.path);
        static const char *const sequences[] = {"typing.List",
                                                "typing.Tuple",
                                                "typing.Sequence",
                                                "typing.Iterable",
                                                "builtins.list",
                                                "builtins.tuple",
                                                NULL};
        if (fh_text_is_any(path, sequences)) {
            fh_meanings element = {0};
            const fh_value *of = fh_unit_value(u, value->b);
            fh_resolve_annotation(
                resolver, unit,
                of->kind == FH_VALUE_TUPLE && of->b ? u->lists.items[of->a] : value->b, &element);
            if (element.count && element.items[0].path == resolver->tensor)
                fh_meanings_add(
                    out, fh_meaning_of(FH_MEANS_INSTANCE, FH_CERTAIN, resolver->tensors, unit, 0));
            return;
        }
        if (fh_text_ends(path, ".Optional") || fh_text_ends(path, ".Union") ||
            fh_text_ends(path, ".Annotated")) {
            const fh_value *index = fh_unit_value(u, value->b);
            if (index->kind == FH_VALUE_TUPLE) {
                for (uint32_t i = 0; i < index->b; i++)
                    fh_resolve_annotation(resolver, unit, u->lists.items[index->a + i], out);
            } else {
                fh_resolve_annotation(resolver, unit, value->b, out);
            }
        }
        return;
    }
    if (value->kind == FH_VALUE_STRING) {
        fh_text text = fh_unit_text(u, value->a);
        static const char *const tensors[] = {"Tensor",
                                              "torch.Tensor",
                                              "Optional[Tensor]",
                                              "Optional[torch.Tensor]",
                                              "Tensor | None",
                                              "torch.Tensor | None",
                                              NULL};
        if (fh_text_is_any(text, tensors))
            fh_meanings_add(
                out, fh_meaning_of(FH_MEANS_INSTANCE, FH_CERTAIN, resolver->tensor, unit, 0));
        return;
    }
    fh_meanings classes;
    fh_resolve(resolver, unit, annotation, &classes);
    for (uint32_t i = 0; i < classes.count; i++) {
        fh_meaning m = classes.items[i];
        if (m.kind == FH_MEANS_CLASS) {
            fh_meanings_add(out, fh_meaning_of(FH_MEANS_OBJECT, m.certainty, 0, m.unit, m.index));
        } else if (m.kind == FH_MEANS_EXTERNAL) {
            fh_text path = fh_resolver_path(resolver, m.path);
            fh_symbol of = m.path;
            if (fh_text_is(path, "builtins.int") || fh_text_is(path, "builtins.float") ||
                fh_text_is(path, "builtins.bool"))
                of = resolver->number;
            fh_meanings_add(out, fh_meaning_of(FH_MEANS_INSTANCE, m.certainty, of, unit, 0));
        }
    }
}
