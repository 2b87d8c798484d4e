/* Attributes: of modules, classes and objects, inside the program and outside. */
#include "analyse/scan/resolve_build.h"

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
    fh_class_member member =
        fh_resolve_class_member(resolver, base->unit, base->index, name, is_super);
    if (member.field.value && base->kind == FH_MEANS_OBJECT) {
        fh_meanings found = {0};
        fh_resolve_parameter(resolver, member.field.unit, member.field.value, &found);
        fh_meanings_add_all(out, &found, (fh_certainty)base->certainty);
        return;
    }
    if (member.member.value) {
        member_attribute(resolver, base, member.member, out);
        return;
    }
    fh_symbol path = member.external;
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
