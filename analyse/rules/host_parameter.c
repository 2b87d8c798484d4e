/* Parameters: whether one is a tensor, by its annotation and by how it is used. */
#include "analyse/rules/host_passed.h"

/* How a parameter is used. */
enum {
    USED_LIKE_A_TENSOR = 1, /* x.shape, x.sum(): arrays and modules have that too */
    USED_AS_TENSOR = 2,     /* x.unsqueeze(0): nothing else has that */
    USED_AS_MASK = 4,       /* torch.masked_select(y, x) */
};

static const char *const like_a_tensor[] = {
    "shape",     "dtype",   "device", "size",   "dim",       "ndim",  "view", "reshape",
    "sum",       "mean",    "max",    "min",    "to",        "float", "long", "abs",
    "transpose", "flatten", "expand", "numel",  "new_zeros", "any",   "all",  "argmax",
    "squeeze",   "detach",  "clone",  "cpu",    "split",     "type",  "t",    "exp",
    "log",       "sqrt",    "pow",    "cumsum", NULL};
static const char *const only_a_tensor[] = {"unsqueeze",
                                            "masked_fill",
                                            "masked_fill_",
                                            "contiguous",
                                            "permute",
                                            "index_select",
                                            "masked_select",
                                            "scatter_",
                                            "softmax",
                                            "log_softmax",
                                            "bmm",
                                            "matmul",
                                            "repeat_interleave",
                                            "unbind",
                                            "chunk",
                                            "gather",
                                            "new_tensor",
                                            "new_ones",
                                            "new_full",
                                            "new_empty",
                                            "expand_as",
                                            "type_as",
                                            "requires_grad",
                                            "is_cuda",
                                            "zero_",
                                            "fill_",
                                            "add_",
                                            "mul_",
                                            "copy_",
                                            "clamp_",
                                            "sigmoid",
                                            "narrow",
                                            "movedim",
                                            "masked_scatter",
                                            "nonzero",
                                            "topk",
                                            NULL};

static fh_value_index parameter_slot(const fh_unit *u, const fh_value *v)
{
    return u->functions.items[v->a].parameters + v->b;
}

static void mark_use(fh_host_walk *w, fh_value_index value, uint8_t use)
{
    const fh_value *v = fh_unit_value(w->unit, value);
    if (v->kind == FH_VALUE_PARAMETER)
        w->used[parameter_slot(w->unit, v)] |= use;
}

void fh_host_find_uses(fh_host_walk *w)
{
    const fh_unit *u = w->unit;
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        if (v->kind != FH_VALUE_ATTRIBUTE || u->values.items[v->a].kind != FH_VALUE_PARAMETER)
            continue;
        fh_text name = fh_unit_text(u, v->b);
        if (fh_text_is_any(name, only_a_tensor))
            mark_use(w, v->a, USED_AS_TENSOR);
        else if (fh_text_is_any(name, like_a_tensor))
            mark_use(w, v->a, USED_LIKE_A_TENSOR);
    }
    for (uint32_t i = 1; i < u->calls.count; i++) {
        const fh_call *call = &u->calls.items[i];
        const fh_callee *callee = &w->host->callees[i];
        fh_text name = callee->name;
        if (!callee->is_torch)
            continue;
        if (fh_text_is(name, "masked_select") || fh_text_is(name, "masked_fill") ||
            fh_text_is(name, "masked_scatter"))
            mark_use(w, fh_callee_argument(u, call, callee, 0, "mask"), USED_AS_MASK);
    }
}

/* True for annotations such as Tensor | list[tuple]; None does not count. */
static bool is_mixed(const fh_host_walk *w, fh_value_index annotation, unsigned depth)
{
    const fh_value *v = fh_unit_value(w->unit, annotation);
    fh_meaning meaning;
    if (!depth || v->kind == FH_VALUE_NONE || v->kind == FH_VALUE_STRING)
        return false;
    if (v->kind == FH_VALUE_BINARY && v->op == FH_OP_BIT_OR)
        return is_mixed(w, v->a, depth - 1) || is_mixed(w, v->b, depth - 1);
    if (v->kind == FH_VALUE_TUPLE) {
        for (uint32_t i = 0; i < v->b && i < 8; i++)
            if (is_mixed(w, w->unit->lists.items[v->a + i], depth - 1))
                return true;
        return false;
    }
    fh_value_index name = v->kind == FH_VALUE_SUBSCRIPT ? v->a : annotation;
    if (!fh_resolve_external(w->run->resolver, w->run->unit_index, name, &meaning))
        return true;
    fh_text path = fh_resolver_path(w->run->resolver, meaning.path);
    if (v->kind == FH_VALUE_SUBSCRIPT &&
        (fh_text_ends(path, ".Optional") || fh_text_ends(path, ".Union") ||
         fh_text_ends(path, ".Annotated")))
        return is_mixed(w, v->b, depth - 1);
    return !fh_text_starts(path, "torch.") || !fh_text_ends(path, "Tensor");
}

fh_host_facts fh_host_parameter_facts(const fh_host_walk *w, fh_value_index index,
                                      const fh_value *v)
{
    fh_host_facts facts = {0};
    uint8_t used = w->used[parameter_slot(w->unit, v)];
    const fh_function *f = &w->unit->functions.items[v->a];
    const fh_parameter *p = &w->unit->parameters.items[f->parameters + v->b];
    if (p->kind == 1 || p->kind == 2 || (f->class && v->b == 0 && !(f->flags & FH_FUNCTION_STATIC)))
        return facts;
    facts.tensor = fh_host_resolved(w, index);
    if (facts.tensor && fh_host_gets_lists(w, index)) {
        facts.tensor = 0;
        return facts;
    }
    facts.is_host = facts.is_kept_there = fh_host_gets_host(w, index);
    if (facts.tensor && p->annotation && is_mixed(w, p->annotation, 6)) {
        facts.tensor = FH_POSSIBLE;
        return facts;
    }
    if (used & USED_AS_MASK) {
        facts.is_mask = true;
        if (facts.tensor < FH_LIKELY)
            facts.tensor = FH_LIKELY;
    } else if (facts.tensor == FH_LIKELY) {
        facts.tensor = used ? FH_LIKELY : FH_POSSIBLE;
    } else if (!facts.tensor && used & USED_AS_TENSOR) {
        fh_meanings all;
        fh_resolve(w->run->resolver, w->run->unit_index, index, &all);
        if (!all.count)
            facts.tensor = FH_LIKELY;
    }
    return facts;
}
