/* Calls: what they return. */
#include "analyse/scan/resolve_build.h"

#include <string.h>

/* nn.Module methods that return the module itself. */
static const char *const module_self_methods[] = {
    "cuda",     "to",           "cpu",      "npu",     "half", "float", "double",
    "bfloat16", "eval",         "train",    "type",    "xpu",  "ipu",   "requires_grad_",
    "apply",    "share_memory", "to_empty", "compile", NULL};

/* Tensor methods that the tables give no return type for, though it is a tensor. */
static const char *const tensor_self_methods[] = {
    "cuda",       "to",      "cpu",   "npu",        "type",
    "xpu",        "half",    "float", "double",     "bfloat16",
    "long",       "int",     "bool",  "byte",       "short",
    "char",       "detach",  "clone", "contiguous", "requires_grad_",
    "pin_memory", "type_as", NULL};

/* Packages whose functions take and return tensors. */
static const char *const tensor_packages[] = {"einops.",
                                              "flash_attn.",
                                              "xformers.ops.",
                                              "torchvision.ops.",
                                              "torch_npu.npu_",
                                              "torchvision.transforms.functional.",
                                              NULL};

static void add_instance(fh_resolver *resolver, fh_symbol path, fh_certainty certainty,
                         uint32_t unit, fh_value_index value, fh_meanings *out)
{
    (void)resolver;
    fh_meanings_add(out, fh_meaning_of(FH_MEANS_INSTANCE, certainty, path, unit, value));
}

/* The object a method was taken from: what `x` is in x.name(...). */
static void receiver_of(fh_resolver *resolver, uint32_t unit, const fh_call *call, fh_meanings *out)
{
    const fh_value *callee = fh_unit_value(fh_resolver_unit(resolver, unit), call->callee);
    if (callee->kind == FH_VALUE_ATTRIBUTE) {
        fh_meanings base;
        fh_resolve(resolver, unit, callee->a, &base);
        fh_meanings_add_all(out, &base, FH_CERTAIN);
    }
}

static void call_external(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                          const fh_meaning *callee, fh_meanings *out)
{
    fh_text path = fh_resolver_path(resolver, callee->path);
    const fh_api *api = fh_resolver_api(resolver, callee->path);
    fh_certainty certainty = callee->certainty;
    fh_text name = fh_text_last_part(path);
    if (fh_resolve_builtin_call(resolver, unit, call, callee, out))
        return;
    if (fh_text_starts(path, "torch.nn.Module.") && fh_text_is_any(name, module_self_methods)) {
        receiver_of(resolver, unit, call, out);
        return;
    }
    if (fh_text_is(path, "torch.compile") || fh_text_is(path, "torch.jit.script") ||
        fh_text_is(path, "copy.deepcopy") ||
        fh_text_is(path, "torch.nn.parallel.DistributedDataParallel") ||
        fh_text_is(path, "torch.nn.DataParallel")) {
        /* They wrap what they are given, and calling the result calls it. */
        fh_meanings wrapped;
        fh_resolve(resolver, unit,
                   fh_call_argument(fh_resolver_unit(resolver, unit), call, 0, NULL), &wrapped);
        fh_meanings_add_all(out, &wrapped, FH_LIKELY);
    }
    if (fh_text_is(path, "torch.nn.Parameter") || fh_text_is(path, "torch.nn.Buffer")) {
        add_instance(resolver, resolver->tensor, certainty, unit, call->value, out);
        return;
    }
    fh_symbol known;
    if (fh_known_result(resolver, path, &known)) {
        add_instance(resolver, known, certainty, unit, call->value, out);
        return;
    }
    if (api && api->kind == FH_API_CLASS) {
        bool tensor = fh_text_starts(path, "torch.") && fh_text_ends(path, "Tensor");
        add_instance(resolver, tensor ? resolver->tensor : callee->path, certainty, unit,
                     call->value, out);
        return;
    }
    if (api && fh_text_starts(path, "torch.Tensor.") && fh_text_is_any(name, tensor_self_methods)) {
        add_instance(resolver, resolver->tensor, certainty, unit, call->value, out);
        return;
    }
    if (api) {
        switch (api->returns) {
        case FH_RETURNS_TENSOR:
            add_instance(resolver, resolver->tensor, certainty, unit, call->value, out);
            return;
        case FH_RETURNS_TENSORS:
            add_instance(resolver, resolver->tensors, certainty, unit, call->value, out);
            return;
        case FH_RETURNS_NUMBER:
            add_instance(resolver, resolver->number, certainty, unit, call->value, out);
            return;
        default:
            break;
        }
    }
    for (const char *const *package = tensor_packages; *package; package++)
        if (fh_text_starts(path, *package) &&
            !(name.length && name.data[0] >= 'A' && name.data[0] <= 'Z')) {
            add_instance(resolver, resolver->tensor, FH_LIKELY, unit, call->value, out);
            return;
        }
    /* An object of a class, or whatever a function outside gives: "numpy.zeros()". */
    if (name.length && name.data[0] >= 'A' && name.data[0] <= 'Z') {
        add_instance(resolver, callee->path, certainty, unit, call->value, out);
    } else if (!fh_text_ends(path, ")") && path.length < 200) {
        char called[256];
        memcpy(called, path.data, path.length);
        memcpy(called + path.length, "()", 2);
        add_instance(resolver, fh_resolver_intern(resolver, (fh_text){called, path.length + 2}),
                     certainty, unit, call->value, out);
    }
}

void fh_resolve_returned(fh_resolver *resolver, const fh_meaning *callee, fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, callee->unit);
    const fh_function *function = &u->functions.items[callee->index];
    if (function->flags & FH_FUNCTION_GENERATOR)
        return;
    for (uint32_t i = 0; i < function->return_count; i++) {
        fh_meanings one;
        fh_resolve(resolver, callee->unit, u->lists.items[function->returns + i], &one);
        fh_meanings_add_all(out, &one, function->return_count > 1 ? FH_LIKELY : callee->certainty);
    }
}

/* Calling an object: forward of a module, else __call__. */
static void call_object(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                        const fh_meaning *callee, fh_meanings *out)
{
    bool is_module = fh_resolve_derives(resolver, callee->unit, callee->index, "torch.nn.Module");
    fh_reference member;
    if (fh_resolve_member(resolver, callee->unit, callee->index,
                          is_module ? FH_TEXT("forward") : FH_TEXT("__call__"), &member)) {
        fh_meanings methods;
        fh_resolve(resolver, member.unit, member.value, &methods);
        for (uint32_t i = 0; i < methods.count; i++)
            if (methods.items[i].kind == FH_MEANS_FUNCTION)
                fh_resolve_returned(resolver, &methods.items[i], out);
    }
    if (is_module && !out->count)
        add_instance(resolver, resolver->tensor, FH_LIKELY, unit, call->value, out);
}

/* Methods of Python's own containers and strings that are written out in the program. */
static void call_method(fh_resolver *resolver, uint32_t unit, const fh_call *call, fh_meanings *out)
{
    static const char *const text_methods[] = {"format", "lower", "upper", "strip", "join", NULL};
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value *callee = fh_unit_value(u, call->callee);
    if (callee->kind != FH_VALUE_ATTRIBUTE)
        return;
    fh_text name = fh_unit_text(u, callee->b);
    if (fh_text_is(name, "get") || fh_text_is(name, "pop") || fh_text_is(name, "setdefault")) {
        /* The element, or any of them when the key is not known. */
        if (!fh_resolve_item(resolver, unit, callee->a, fh_call_argument(u, call, 0, NULL), 0, out))
            fh_resolve_elements(resolver, unit, callee->a, FH_ELEMENT_VALUE, out);
        /* The default, when nothing is known of the container. */
        fh_meanings otherwise = {0};
        if (!out->count)
            fh_resolve(resolver, unit, fh_call_argument(u, call, 1, "default"), &otherwise);
        fh_meanings_add_all(out, &otherwise, FH_LIKELY);
    } else if (fh_text_is(name, "copy")) {
        fh_meanings base;
        fh_resolve(resolver, unit, callee->a, &base);
        for (uint32_t i = 0; i < base.count; i++)
            if (base.items[i].kind == FH_MEANS_LITERAL)
                fh_meanings_add(out, base.items[i]);
    } else if (fh_text_is_any(name, text_methods)) {
        fh_text text;
        fh_certainty certainty;
        if (fh_resolve_string(resolver, unit, callee->a, &text, &certainty, NULL))
            fh_meanings_add(out, fh_meaning_of(FH_MEANS_LITERAL, certainty, 0, unit, call->value));
    }
}

void fh_resolve_call(fh_resolver *resolver, uint32_t unit, uint32_t index, fh_meanings *out)
{
    const fh_call *call = &fh_resolver_unit(resolver, unit)->calls.items[index];
    fh_meanings callees;
    fh_resolve(resolver, unit, call->callee, &callees);
    if (!callees.count)
        call_method(resolver, unit, call, out);
    fh_resolve_callees(resolver, unit, call, &callees, out);
}

/* A function with yield gives something to iterate over: the call itself stands for it. */
static bool is_generator(const fh_resolver *resolver, const fh_meaning *function)
{
    const fh_unit *u = fh_resolver_unit(resolver, function->unit);
    return u->functions.items[function->index].flags & FH_FUNCTION_GENERATOR;
}

void fh_resolve_callees(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                        const fh_meanings *callees, fh_meanings *out)
{
    for (uint32_t i = 0; i < callees->count; i++) {
        const fh_meaning *callee = &callees->items[i];
        switch ((fh_meaning_kind)callee->kind) {
        case FH_MEANS_EXTERNAL:
            call_external(resolver, unit, call, callee, out);
            break;
        case FH_MEANS_CLASS:
            fh_meanings_add(out, fh_meaning_of(FH_MEANS_OBJECT, callee->certainty, 0, callee->unit,
                                               callee->index));
            break;
        case FH_MEANS_FUNCTION:
        case FH_MEANS_METHOD:
            if (is_generator(resolver, callee))
                fh_meanings_add(out,
                                fh_meaning_of(FH_MEANS_LITERAL, (fh_certainty)callee->certainty, 0,
                                              unit, call->value));
            else
                fh_resolve_returned(resolver, callee, out);
            break;
        case FH_MEANS_OBJECT:
            call_object(resolver, unit, call, callee, out);
            break;
        case FH_MEANS_INSTANCE: {
            const fh_api *api = fh_resolver_api(resolver, callee->path);
            if (api && api->returns == FH_RETURNS_MODULE)
                add_instance(resolver, resolver->tensor, FH_LIKELY, unit, call->value, out);
            break;
        }
        case FH_MEANS_MODULE:
        case FH_MEANS_LITERAL:
            break;
        }
    }
}
