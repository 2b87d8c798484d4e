/* FH308: softmax(Q K^T) V in single operators.
 *
 * Found from its end: a product of two tensors, one of which comes from a softmax, which comes
 * from another such product. Between them may stand what attention has there: a scale, a mask, a
 * bias, dropout, casts, views, an `if`. */
#include "analyse/rules/fusion.h"

enum { MOST_VISITS = 40 };

/* Steps from the second product back to the softmax, and from there to the first. */
static const uint32_t behind_softmax =
    FH_FLOW_SET(DROPOUT) | FH_FLOW_SET(CAST) | FH_FLOW_SET(SHAPE) | FH_FLOW_SET(SELECT) |
    FH_FLOW_SET(MASK) | FH_FLOW_SET(CHOICE) | FH_FLOW_SET(ELEMENTWISE);
static const uint32_t before_softmax =
    FH_FLOW_SET(DROPOUT) | FH_FLOW_SET(CAST) | FH_FLOW_SET(SHAPE) | FH_FLOW_SET(SELECT) |
    FH_FLOW_SET(MASK) | FH_FLOW_SET(CHOICE) | FH_FLOW_SET(ELEMENTWISE) | FH_FLOW_SET(JOIN) |
    FH_FLOW_SET(FUNCTION) | FH_FLOW_SET(ACTIVATION);

static const uint32_t views = FH_FLOW_SET(SHAPE) | FH_FLOW_SET(CAST);

/* A search through operands; it gives up after MOST_VISITS values. */
typedef struct {
    fh_fusion *fusion;
    uint32_t set;
    fh_flow_class wanted;
    unsigned left;
    fh_certainty certainty;
    fh_value_index values; /* V: scores do not come from it */
    fh_text changed;       /* an operator on the way that no fused attention has; else empty */
} search;

static fh_value_index find(search *s, fh_value_index value, fh_certainty so_far);

static fh_value_index find_in_list(search *s, uint32_t first, uint32_t count, fh_certainty so_far)
{
    const fh_unit *u = s->fusion->run->unit;
    for (uint32_t i = 0; i < count && i < 6; i++) {
        fh_value_index found = find(s, u->lists.items[first + i], so_far);
        if (found)
            return found;
    }
    return 0;
}

/* Fused attentions scale the scores, add to them and mask them; nothing else. */
static bool changes_scores(const fh_flow_op *op)
{
    static const char *const names[] = {"clamp",   "clip",     "tanh", "relu",
                                        "sigmoid", "softplus", NULL};
    return (op->class == FH_FLOW_ELEMENTWISE || op->class == FH_FLOW_ACTIVATION) &&
           fh_text_is_any(fh_fusion_short(op), names);
}

static fh_value_index find(search *s, fh_value_index value, fh_certainty so_far)
{
    const fh_unit *u = s->fusion->run->unit;
    const fh_flow_op *op = fh_flow_at(&s->fusion->flow, value);
    if (!value || !s->left || value == s->values)
        return 0;
    s->left--;
    if (op->class == FH_FLOW_OTHER)
        return 0;
    so_far = fh_certainty_least(so_far, (fh_certainty)op->certainty);
    if (op->class == s->wanted) {
        s->certainty = so_far;
        return value;
    }
    if (!(s->set >> op->class & 1))
        return 0;
    const fh_value *v = fh_unit_value(u, value);
    if (op->class == FH_FLOW_CHOICE)
        return find_in_list(s, v->a, v->b, so_far);
    if (op->class == FH_FLOW_JOIN && op->operand_count) {
        const fh_value *list = fh_unit_value(u, op->operands[0]);
        if (list->kind == FH_VALUE_LIST || list->kind == FH_VALUE_TUPLE)
            return find_in_list(s, list->a, list->b, fh_certainty_least(so_far, FH_LIKELY));
    }
    if (changes_scores(op))
        s->changed = fh_fusion_short(op);
    /* Arithmetic has its tensor on either side; of other operators the first operand counts. */
    bool both = op->class == FH_FLOW_ELEMENTWISE || op->class == FH_FLOW_MASK;
    if (op->class == FH_FLOW_FUNCTION)
        so_far = fh_certainty_least(so_far, FH_LIKELY);
    for (uint32_t i = 0; i < op->operand_count && (both || i == 0); i++) {
        fh_value_index found = find(s, op->operands[i], so_far);
        if (found)
            return found;
    }
    return 0;
}

/* transformers' models say by a class attribute whether scaled_dot_product_attention can do their
 * attention (not with sinks, soft caps, learned biases): true where one of the file's classes says
 * so, or where the file has no such model. */
static bool has_sdpa(fh_fusion *fusion)
{
    const fh_unit *u = fusion->run->unit;
    fh_reference member;
    bool truth;
    if (!fh_symbols_find(&u->symbols, FH_TEXT("PreTrainedModel")) &&
        !fh_symbols_find(&u->symbols, FH_TEXT("_supports_sdpa")))
        return true;
    for (uint32_t i = 1; i < u->classes.count; i++)
        if (fh_resolve_member(fusion->run->resolver, fusion->run->unit_index, i,
                              FH_TEXT("_supports_sdpa"), &member) &&
            fh_resolve_bool(fusion->run->resolver, member.unit, member.value, &truth) && truth)
            return true;
    return false;
}

/* The sizes that x.split([a, b, c]) gives to the part at `value` (behind views); 0 for others. */
static fh_value_index split_size(fh_fusion *fusion, fh_value_index value, fh_value_index *of)
{
    static const uint32_t unchanged = FH_FLOW_SET(SHAPE) | FH_FLOW_SET(CAST) |
                                      FH_FLOW_SET(ELEMENTWISE) | FH_FLOW_SET(OTHER_NORM) |
                                      FH_FLOW_SET(NORM) | FH_FLOW_SET(RMS_NORM);
    const fh_unit *u = fusion->run->unit;
    fh_certainty ignored = FH_CERTAIN;
    const fh_value *v =
        fh_unit_value(u, fh_flow_through(&fusion->flow, value, unchanged, &ignored));
    if (v->kind != FH_VALUE_ITEM)
        return 0;
    *of = v->a;
    const fh_flow_op *split = fh_flow_at(&fusion->flow, v->a);
    if (!split->call || !fh_flow_is(split, "split"))
        return 0;
    fh_value_index sizes = fh_flow_argument(u, split, 1, "split_size");
    sizes = sizes ? sizes : fh_flow_argument(u, split, 1, "split_size_or_sections");
    const fh_value *list = fh_unit_value(u, sizes);
    bool is_list = list->kind == FH_VALUE_LIST || list->kind == FH_VALUE_TUPLE;
    return is_list && v->b < list->b ? u->lists.items[list->a + v->b] : 0;
}

/* True when values and keys are parts of one tensor whose sizes are not said to be the same. The
 * key is one of the two that the scores are a product of. */
static bool differs_in_width(fh_fusion *fusion, fh_value_index values, const fh_flow_op *scores)
{
    const fh_unit *u = fusion->run->unit;
    fh_value_index of = 0, other = 0, width = split_size(fusion, values, &of);
    int64_t a, b;
    for (uint32_t i = 0; width && i < scores->operand_count && i < 2; i++) {
        fh_value_index key = split_size(fusion, scores->operands[i], &other);
        if (!key || other != of || fh_flow_same(u, key, width))
            continue;
        bool known = fh_resolve_integer(fusion->run->resolver, fusion->run->unit_index, key, &a) &&
                     fh_resolve_integer(fusion->run->resolver, fusion->run->unit_index, width, &b);
        return !known || a != b;
    }
    return false;
}

/* What to say where the program already has a fused attention: choose it. */
static void report(fh_fusion *fusion, fh_value_index softmax, bool differs, fh_text changed,
                   fh_certainty certainty)
{
    const fh_unit *u = fusion->run->unit;
    uint32_t function = fh_fusion_function(fusion, softmax);
    fh_text name = fh_unit_text(u, u->functions.items[function].name);
    fh_spot spot = fh_spot_of_value(u, softmax);
    fh_text path = fh_flow_at(&fusion->flow, softmax)->name;
    if (fusion->function[function] & FH_FUSED_ATTENTION)
        fh_rule_report(fusion->run, FH_RULE_308, FH_SEVERITY_NOTE, certainty, spot, path,
                       "attention by hand in a function that also calls a fused one: see that the "
                       "fused branch is taken on an NPU");
    else if (fh_text_contains(name, "eager") && !has_sdpa(fusion))
        fh_rule_report(fusion->run, FH_RULE_308, FH_SEVERITY_NOTE, certainty, spot, path,
                       "attention by hand, and the model names none by "
                       "scaled_dot_product_attention: see whether npu_fusion_attention or "
                       "flex_attention can do all of it");
    else if (fh_text_contains(name, "eager"))
        fh_rule_report(fusion->run, FH_RULE_308, FH_SEVERITY_NOTE, certainty, spot, path,
                       "attention by hand, the eager way of several: choose the one that calls "
                       "scaled_dot_product_attention (attn_implementation=\"sdpa\")");
    else if (differs)
        fh_rule_report(fusion->run, FH_RULE_308, FH_SEVERITY_NOTE, certainty, spot, path,
                       "attention by hand, with values of another width than keys: "
                       "torch_npu.npu_fusion_attention takes them where they are no wider; "
                       "elsewhere torch.compile, or values in parts no wider than keys");
    else if (changed.length)
        fh_rule_report(fusion->run, FH_RULE_308, FH_SEVERITY_NOTE, certainty, spot, path,
                       "attention by hand, with %.*s on the scores, which fused attentions have "
                       "not: see whether torch.compile joins it with the softmax",
                       FH_TEXT_ARGS(changed));
    else
        fh_rule_report(
            fusion->run, FH_RULE_308, fh_fusion_is_test(u) ? FH_SEVERITY_NOTE : FH_SEVERITY_WARNING,
            certainty, spot, path,
            "attention by hand: the matrix of all scores goes through memory between the "
            "products; use scaled_dot_product_attention%s",
            fh_fusion_has(fusion, "torch_npu.npu_fusion_attention")
                ? ", or torch_npu.npu_fusion_attention within its limits"
                : "");
}

void fh_fusion_attention(fh_fusion *fusion, fh_value_index value)
{
    const fh_flow_op *product = fh_flow_at(&fusion->flow, value);
    if (product->class != FH_FLOW_MATMUL || product->operand_count < 2)
        return;
    for (uint32_t i = 0; i < 2; i++) {
        search s = {fusion, behind_softmax, FH_FLOW_SOFTMAX, MOST_VISITS, FH_CERTAIN, 0, {0}};
        fh_value_index softmax = find(&s, product->operands[i], (fh_certainty)product->certainty);
        if (!softmax || fh_fusion_is_claimed(fusion, softmax))
            continue;
        const fh_flow_op *op = fh_flow_at(&fusion->flow, softmax);
        fh_certainty ignored = FH_CERTAIN;
        fh_value_index values =
            fh_flow_through(&fusion->flow, product->operands[1 - i], views, &ignored);
        search scores = {fusion, before_softmax, FH_FLOW_MATMUL, MOST_VISITS, FH_CERTAIN, values,
                         {0}};
        fh_value_index first = op->operand_count ? find(&scores, op->operands[0], s.certainty) : 0;
        if (!first)
            continue;
        fusion->claimed[softmax] |= FH_FUSION_CLAIMED;
        bool differs = differs_in_width(fusion, values, fh_flow_at(&fusion->flow, first));
        report(fusion, softmax, differs, scores.changed, scores.certainty);
        return;
    }
}
