/* Calls and elements: what a call returns, what a container holds. */
#include "analyse/scan/resolve_build.h"

#include <string.h>

static bool is_one_of(fh_text name, const char *const *names)
{
    for (; *names; names++)
        if (fh_text_is(name, *names))
            return true;
    return false;
}

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

static fh_text last_part(fh_text path)
{
    size_t dot = fh_text_find_last(path, '.');
    return dot == path.length ? path : fh_text_slice(path, dot + 1, path.length);
}

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

static void call_partial(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                         fh_certainty certainty, fh_meanings *out)
{
    /* functools.partial(f, ...) stands for f wherever only the callee matters. */
    fh_meanings inner;
    fh_resolve(resolver, unit, fh_call_argument(fh_resolver_unit(resolver, unit), call, 0, NULL),
               &inner);
    fh_meanings_add_all(out, &inner, certainty);
}

static void call_getattr(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                         fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    fh_text name;
    fh_certainty certainty;
    if (!fh_resolve_string(resolver, unit, fh_call_argument(u, call, 1, NULL), &name, &certainty,
                           NULL))
        return;
    fh_meanings bases, found = {0};
    fh_resolve(resolver, unit, fh_call_argument(u, call, 0, NULL), &bases);
    for (uint32_t i = 0; i < bases.count; i++)
        fh_resolve_attribute(resolver, &bases.items[i], name, &found);
    fh_meanings_add_all(out, &found, certainty);
}

/* eval("nn.Linear"): a dotted name that the module binds. */
static void call_eval(fh_resolver *resolver, uint32_t unit, const fh_call *call, fh_meanings *out)
{
    fh_text text, part;
    fh_certainty certainty;
    if (!fh_resolve_string(resolver, unit,
                           fh_call_argument(fh_resolver_unit(resolver, unit), call, 0, NULL), &text,
                           &certainty, NULL))
        return;
    for (size_t i = 0; i < text.length; i++)
        if (strchr("()[]{} +-*/\"',:=", text.data[i]))
            return;
    fh_meanings now = {0};
    if (!fh_text_next(&text, '.', &part) || !fh_resolve_module_name(resolver, unit, part, &now))
        return;
    while (fh_text_next(&text, '.', &part)) {
        fh_meanings next = {0};
        for (uint32_t i = 0; i < now.count; i++)
            fh_resolve_attribute(resolver, &now.items[i], part, &next);
        now = next;
    }
    fh_meanings_add_all(out, &now, certainty < FH_LIKELY ? certainty : FH_LIKELY);
}

static void call_external(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                          const fh_meaning *callee, fh_meanings *out)
{
    fh_text path = fh_resolver_path(resolver, callee->path);
    const fh_api *api = fh_resolver_api(resolver, callee->path);
    fh_certainty certainty = callee->certainty;
    fh_text name = last_part(path);
    if (fh_text_is(path, "functools.partial")) {
        call_partial(resolver, unit, call, certainty, out);
        return;
    }
    if (fh_text_is(path, "builtins.getattr")) {
        call_getattr(resolver, unit, call, out);
        return;
    }
    if (fh_text_is(path, "builtins.eval")) {
        call_eval(resolver, unit, call, out);
        return;
    }
    if (fh_text_starts(path, "torch.nn.Module.") && is_one_of(name, module_self_methods)) {
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
    if (api && api->kind == FH_API_CLASS) {
        bool tensor = fh_text_starts(path, "torch.") && fh_text_ends(path, "Tensor");
        add_instance(resolver, tensor ? resolver->tensor : callee->path, certainty, unit,
                     call->value, out);
        return;
    }
    if (api && fh_text_starts(path, "torch.Tensor.") && is_one_of(name, tensor_self_methods)) {
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

/* What a function of the program returns, whatever it is called with. */
static void call_function(fh_resolver *resolver, const fh_meaning *callee, fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, callee->unit);
    const fh_function *function = &u->functions.items[callee->index];
    if (function->flags & (FH_FUNCTION_GENERATOR | FH_FUNCTION_ASYNC))
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
                call_function(resolver, &methods.items[i], out);
    }
    if (is_module && !out->count)
        add_instance(resolver, resolver->tensor, FH_LIKELY, unit, call->value, out);
}

static bool literal_item(fh_resolver *resolver, uint32_t unit, fh_value_index base,
                         fh_value_index index, int64_t position, fh_meanings *out);

/* {...}.get(key): the element, or any of them when the key is not known. */
static void call_get(fh_resolver *resolver, uint32_t unit, const fh_call *call, fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value *callee = fh_unit_value(u, call->callee);
    if (callee->kind != FH_VALUE_ATTRIBUTE || !fh_text_is(fh_unit_text(u, callee->b), "get"))
        return;
    if (!literal_item(resolver, unit, callee->a, fh_call_argument(u, call, 0, NULL), 0, out))
        fh_resolve_container(resolver, unit, callee->a, out);
}

void fh_resolve_call(fh_resolver *resolver, uint32_t unit, uint32_t index, fh_meanings *out)
{
    const fh_call *call = &fh_resolver_unit(resolver, unit)->calls.items[index];
    fh_meanings callees;
    fh_resolve(resolver, unit, call->callee, &callees);
    if (!callees.count)
        call_get(resolver, unit, call, out);
    for (uint32_t i = 0; i < callees.count; i++) {
        const fh_meaning *callee = &callees.items[i];
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
            call_function(resolver, callee, out);
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

/* All elements of a list, tuple, set or comprehension; the values of a dict. */
static void literal_elements(fh_resolver *resolver, uint32_t unit, fh_value_index index,
                             fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value value = *fh_unit_value(u, index);
    if (value.kind == FH_VALUE_COMPREHENSION) {
        fh_meanings one;
        fh_resolve(resolver, unit, value.a, &one);
        fh_meanings_add_all(out, &one, FH_CERTAIN);
        return;
    }
    if (value.kind == FH_VALUE_BINARY && (value.op == FH_OP_MULTIPLY || value.op == FH_OP_ADD)) {
        /* [x] * n, a + b */
        fh_resolve_container(resolver, unit, value.a, out);
        if (value.op == FH_OP_ADD)
            fh_resolve_container(resolver, unit, value.b, out);
        return;
    }
    if (value.kind != FH_VALUE_LIST && value.kind != FH_VALUE_TUPLE && value.kind != FH_VALUE_SET &&
        value.kind != FH_VALUE_DICT)
        return;
    uint32_t step = value.kind == FH_VALUE_DICT ? 2 : 1, used = 0;
    fh_meanings all = {0};
    for (uint32_t i = step - 1; i < value.b; i += step) {
        fh_value_index element = u->lists.items[value.a + i];
        if (fh_unit_value(u, element)->kind == FH_VALUE_STAR) {
            fh_resolve_container(resolver, unit, fh_unit_value(u, element)->a, &all);
        } else {
            fh_meanings one;
            fh_resolve(resolver, unit, element, &one);
            fh_meanings_add_all(&all, &one, FH_CERTAIN);
        }
        used++;
    }
    fh_meanings_add_all(out, &all, used > 1 ? FH_LIKELY : FH_CERTAIN);
}

static const char *const module_containers[] = {"torch.nn.ModuleList", "torch.nn.Sequential",
                                                "torch.nn.ModuleDict", "torch.nn.ParameterList",
                                                NULL};

/* The elements of whatever `value` can be. */
void fh_resolve_container(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                          fh_meanings *out)
{
    if (resolver->depth > 100)
        return;
    resolver->depth++;
    fh_meanings bases;
    fh_resolve(resolver, unit, value, &bases);
    for (uint32_t i = 0; i < bases.count; i++) {
        const fh_meaning *m = &bases.items[i];
        if (m->kind == FH_MEANS_LITERAL) {
            literal_elements(resolver, m->unit, m->index, out);
        } else if (m->kind == FH_MEANS_INSTANCE &&
                   (m->path == resolver->tensor || m->path == resolver->tensors)) {
            fh_meanings_add(
                out, fh_meaning_of(FH_MEANS_INSTANCE, m->certainty, resolver->tensor, unit, 0));
        } else if (m->kind == FH_MEANS_INSTANCE && m->index &&
                   is_one_of(fh_resolver_path(resolver, m->path), module_containers)) {
            const fh_unit *u = fh_resolver_unit(resolver, m->unit);
            const fh_call *made = &u->calls.items[fh_unit_value(u, m->index)->a];
            for (uint32_t k = 0; k < made->count; k++) {
                fh_value_index argument = u->arguments.items[made->arguments + k].value;
                const fh_value *v = fh_unit_value(u, argument);
                fh_meanings one = {0};
                bool list =
                    fh_text_is(fh_resolver_path(resolver, m->path), "torch.nn.Sequential") == false;
                if (v->kind == FH_VALUE_STAR)
                    fh_resolve_container(resolver, m->unit, v->a, &one);
                else if (list)
                    fh_resolve_container(resolver, m->unit, argument, &one);
                else
                    fh_resolve(resolver, m->unit, argument, &one);
                fh_meanings_add_all(out, &one, made->count > 1 ? FH_LIKELY : FH_CERTAIN);
            }
        }
    }
    resolver->depth--;
}

/* x[i], where i is known: the element itself. False when x is no literal or i is not known. */
static bool literal_item(fh_resolver *resolver, uint32_t unit, fh_value_index base,
                         fh_value_index index, int64_t position, fh_meanings *out)
{
    fh_meanings bases;
    fh_resolve(resolver, unit, base, &bases);
    if (bases.count != 1 || bases.items[0].kind != FH_MEANS_LITERAL)
        return false;
    uint32_t owner = bases.items[0].unit;
    const fh_unit *u = fh_resolver_unit(resolver, owner);
    const fh_value *v = fh_unit_value(u, bases.items[0].index);
    fh_meanings one;
    if (v->kind == FH_VALUE_LIST || v->kind == FH_VALUE_TUPLE) {
        if (index && !fh_resolve_integer(resolver, unit, index, &position))
            return false;
        if (position < 0)
            position += v->b;
        if (position < 0 || position >= (int64_t)v->b)
            return false;
        fh_resolve(resolver, owner, u->lists.items[v->a + (uint32_t)position], &one);
        fh_meanings_add_all(out, &one, FH_CERTAIN);
        return true;
    }
    fh_text wanted, key;
    fh_certainty certainty;
    if (v->kind != FH_VALUE_DICT || !index ||
        !fh_resolve_string(resolver, unit, index, &wanted, &certainty, NULL))
        return false;
    for (uint32_t i = 0; i + 1 < v->b; i += 2) {
        fh_certainty ignored;
        if (!fh_resolve_string(resolver, owner, u->lists.items[v->a + i], &key, &ignored, NULL) ||
            !fh_text_equal(key, wanted))
            continue;
        fh_resolve(resolver, owner, u->lists.items[v->a + i + 1], &one);
        fh_meanings_add_all(out, &one, certainty);
        return true;
    }
    return false;
}

/* Position `position` of what enumerate, zip or items yields; false when `source` is none of them.
 */
static bool iterated_item(fh_resolver *resolver, uint32_t unit, fh_value_index source,
                          uint32_t position, fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value *v = fh_unit_value(u, source);
    if (v->kind != FH_VALUE_CALL)
        return false;
    const fh_call *call = &u->calls.items[v->a];
    fh_meaning callee;
    if (!fh_resolve_external(resolver, unit, call->callee, &callee))
        return false;
    fh_text path = fh_resolver_path(resolver, callee.path);
    if (fh_text_is(path, "builtins.enumerate")) {
        if (position == 1)
            fh_resolve_container(resolver, unit, fh_call_argument(u, call, 0, "iterable"), out);
        return true;
    }
    if (fh_text_is(path, "builtins.zip")) {
        fh_resolve_container(resolver, unit, fh_call_argument(u, call, (int)position, NULL), out);
        return true;
    }
    return false;
}

void fh_resolve_element(fh_resolver *resolver, uint32_t unit, fh_value_index index,
                        fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value value = *fh_unit_value(u, index);
    if (value.kind == FH_VALUE_ELEMENT) {
        fh_resolve_container(resolver, unit, value.a, out);
        return;
    }
    if (value.kind == FH_VALUE_ITEM) {
        const fh_value *source = fh_unit_value(u, value.a);
        if (source->kind == FH_VALUE_ELEMENT &&
            iterated_item(resolver, unit, source->a, value.b, out))
            return;
        if (value.b != FH_ITEM_REST && literal_item(resolver, unit, value.a, 0, value.b, out))
            return;
        fh_resolve_container(resolver, unit, value.a, out);
        return;
    }
    if (literal_item(resolver, unit, value.a, value.b, 0, out))
        return;
    fh_meanings bases;
    fh_resolve(resolver, unit, value.a, &bases);
    for (uint32_t i = 0; i < bases.count; i++) {
        const fh_meaning *m = &bases.items[i];
        if (m->kind == FH_MEANS_INSTANCE && m->path == resolver->tensor)
            fh_meanings_add(
                out, fh_meaning_of(FH_MEANS_INSTANCE, m->certainty, resolver->tensor, unit, index));
        else if (m->kind == FH_MEANS_FUNCTION)
            fh_meanings_add(out, *m); /* a Triton kernel with its grid */
    }
    if (!out->count)
        fh_resolve_container(resolver, unit, value.a, out);
}
