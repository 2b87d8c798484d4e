/* FH304, FH305: an addition before a norm; RMS norm from its parts. */
#include "analyse/rules/fusion.h"

/* self.pos_embed, self.bias: learned once, so that it is not of the other side's shape. Also where
 * only one path leads there. */
static bool is_learned(fh_fusion *fusion, fh_value_index value, unsigned depth)
{
    static const uint32_t views = FH_FLOW_SET(CAST) | FH_FLOW_SET(SHAPE);
    const fh_unit *u = fusion->run->unit;
    fh_certainty ignored = FH_CERTAIN;
    const fh_value *v = fh_unit_value(u, fh_flow_through(&fusion->flow, value, views, &ignored));
    while (v->kind == FH_VALUE_SUBSCRIPT)
        v = fh_unit_value(u, v->a);
    for (uint32_t i = 0; v->kind == FH_VALUE_PHI && depth && i < v->b && i < 4; i++)
        if (is_learned(fusion, u->lists.items[v->a + i], depth - 1))
            return true;
    return v->kind == FH_VALUE_ATTRIBUTE;
}

/* a + b, where both are activations. */
static bool is_residual(fh_fusion *fusion, const fh_flow_op *add, fh_certainty *certainty)
{
    if (add->class != FH_FLOW_ELEMENTWISE || add->operand_count != 2 || !fh_flow_is(add, "add"))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const fh_flow_op *side = fh_flow_at(&fusion->flow, add->operands[i]);
        fh_certainty tensor;
        if (side->class == FH_FLOW_EMBEDDING || is_learned(fusion, add->operands[i], 2) ||
            !fh_resolve_is_tensor(fusion->run->resolver, fusion->run->unit_index, add->operands[i],
                                  &tensor))
            return false;
        *certainty = fh_certainty_least(*certainty, tensor);
    }
    return true;
}

void fh_fusion_add_norm(fh_fusion *fusion, fh_value_index value)
{
    static const char *const rms[] = {"torch_npu.npu_add_rms_norm", NULL};
    static const char *const layer[] = {"torch_npu.npu_add_layer_norm", NULL};
    const fh_flow_op *norm = fh_flow_at(&fusion->flow, value);
    if ((norm->class != FH_FLOW_NORM && norm->class != FH_FLOW_RMS_NORM) || !norm->operand_count)
        return;
    /* A norm of the program's own with further arguments does more than normalise. */
    if (norm->is_module && norm->operand_count != 1)
        return;
    fh_certainty certainty = (fh_certainty)norm->certainty;
    const fh_flow_op *add = fh_flow_at(&fusion->flow, norm->operands[0]);
    if (!is_residual(fusion, add, &certainty))
        return;
    const char *name = fh_fusion_first(fusion, norm->class == FH_FLOW_RMS_NORM ? rms : layer, NULL);
    if (!name)
        return;
    fh_text title = fh_fusion_short(norm);
    fh_spot spot = fh_spot_of_value(fusion->run->unit, value);
    int64_t width = fh_flow_made_with(fusion->run->resolver, norm, 0, "normalized_shape");
    /* The norm need not read the sum: one pass. */
    if (width > 0)
        fh_rule_report(fusion->run, FH_RULE_304, FH_SEVERITY_NOTE, certainty, spot, norm->name,
                       "addition followed by %.*s: %s reads the sum once less, %lld bytes per "
                       "token in 16 bits",
                       FH_TEXT_ARGS(title), name, (long long)width * FH_FUSION_BYTES);
    else
        fh_rule_report(fusion->run, FH_RULE_304, FH_SEVERITY_NOTE, certainty, spot, norm->name,
                       "addition followed by %.*s: %s reads the sum once less", FH_TEXT_ARGS(title),
                       name);
}

static const uint32_t casts = FH_FLOW_SET(CAST) | FH_FLOW_SET(CHOICE);

static bool is_integer(fh_fusion *fusion, fh_value_index value, int64_t wanted)
{
    int64_t number;
    if (!value)
        return false;
    const fh_value *v = fh_unit_value(fusion->run->unit, value);
    if ((v->kind == FH_VALUE_TUPLE || v->kind == FH_VALUE_LIST) && v->b == 1)
        value = fusion->run->unit->lists.items[v->a];
    else if (v->kind == FH_VALUE_FLOAT)
        return fh_value_float(v) == (double)wanted;
    else if (v->kind == FH_VALUE_UNARY && v->op == FH_OP_SUBTRACT)
        return is_integer(fusion, v->a, -wanted);
    return fh_resolve_integer(fusion->run->resolver, fusion->run->unit_index, value, &number) &&
           number == wanted;
}

/* What is squared: x of x.pow(2), x ** 2, x.square(), x * x; 0 when `value` is none of them. */
static fh_value_index squared(fh_fusion *fusion, fh_value_index value)
{
    const fh_unit *u = fusion->run->unit;
    const fh_flow_op *op = fh_flow_at(&fusion->flow, value);
    if (op->class != FH_FLOW_ELEMENTWISE || !op->operand_count)
        return 0;
    if (fh_flow_is(op, "square"))
        return op->operands[0];
    if (fh_flow_is(op, "pow") && op->operand_count == 2 && is_integer(fusion, op->operands[1], 2))
        return op->operands[0];
    if (fh_fusion_is_product(op) && fh_flow_same(u, op->operands[0], op->operands[1]))
        return op->operands[0];
    return 0;
}

/* x of mean(x * x, -1); 0 when `value` is no such mean. */
static fh_value_index mean_of_squares(fh_fusion *fusion, fh_value_index value,
                                      fh_certainty *certainty)
{
    const fh_flow_op *mean = fh_flow_at(&fusion->flow, value);
    if (mean->class != FH_FLOW_REDUCTION || !mean->operand_count || !fh_flow_is(mean, "mean") ||
        !is_integer(fusion, fh_flow_argument(fusion->run->unit, mean, 1, "dim"), -1))
        return 0;
    *certainty = fh_certainty_least(*certainty, (fh_certainty)mean->certainty);
    return squared(fusion, fh_flow_through(&fusion->flow, mean->operands[0], casts, certainty));
}

/* x of rsqrt(mean(x * x, -1) + epsilon), also as (...) ** -0.5 and 1 / sqrt(...). */
static fh_value_index inverse_root(fh_fusion *fusion, fh_value_index value, bool divides,
                                   fh_certainty *certainty)
{
    const fh_unit *u = fusion->run->unit;
    const fh_flow_op *root = fh_flow_at(&fusion->flow, value);
    if (root->class != FH_FLOW_ELEMENTWISE || !root->operand_count)
        return 0;
    if (!divides && fh_flow_is(root, "div") && root->operand_count == 2 &&
        is_integer(fusion, root->operands[0], 1))
        return inverse_root(fusion, root->operands[1], true, certainty);
    bool found = divides ? fh_flow_is(root, "sqrt") : fh_flow_is(root, "rsqrt");
    if (!found && fh_flow_is(root, "pow") && root->operand_count == 2) {
        const fh_value *power = fh_unit_value(u, root->operands[1]);
        double sign = divides ? 1 : -1;
        if (power->kind == FH_VALUE_UNARY && power->op == FH_OP_SUBTRACT) {
            sign = -sign;
            power = fh_unit_value(u, power->a);
        }
        found = power->kind == FH_VALUE_FLOAT && fh_value_float(power) == 0.5 * sign;
    }
    if (!found)
        return 0;
    *certainty = fh_certainty_least(*certainty, (fh_certainty)root->certainty);
    fh_value_index inside = fh_flow_through(&fusion->flow, root->operands[0], casts, certainty);
    const fh_flow_op *add = fh_flow_at(&fusion->flow, inside);
    if (add->class == FH_FLOW_ELEMENTWISE && fh_flow_is(add, "add") && add->operand_count)
        for (uint32_t i = 0; i < add->operand_count; i++) {
            fh_value_index x = mean_of_squares(
                fusion, fh_flow_through(&fusion->flow, add->operands[i], casts, certainty),
                certainty);
            if (x)
                return x;
        }
    return mean_of_squares(fusion, inside, certainty);
}

/* x - x.mean(...): then it is layer norm, not RMS norm. */
static bool is_centred(fh_fusion *fusion, fh_value_index value)
{
    const fh_flow_op *op = fh_flow_at(&fusion->flow, value);
    return op->class == FH_FLOW_ELEMENTWISE && fh_flow_is(op, "sub");
}

void fh_fusion_rms_norm(fh_fusion *fusion, fh_value_index value)
{
    static const char *const names[] = {"torch_npu.npu_rms_norm", NULL};
    const fh_flow_op *op = fh_flow_at(&fusion->flow, value);
    bool divides =
        op->class == FH_FLOW_ELEMENTWISE && op->operand_count == 2 && fh_flow_is(op, "div");
    if (!divides && !fh_fusion_is_product(op))
        return;
    uint32_t function = fh_fusion_function(fusion, value);
    for (unsigned i = divides; i < 2; i++) {
        fh_certainty certainty = (fh_certainty)op->certainty;
        fh_value_index root = fh_flow_through(&fusion->flow, op->operands[i], casts, &certainty);
        fh_value_index x = inverse_root(fusion, root, divides, &certainty);
        if (!x)
            continue;
        fh_value_index other =
            fh_flow_through(&fusion->flow, op->operands[1 - i], casts, &certainty);
        x = fh_flow_through(&fusion->flow, x, casts, &certainty);
        if (!fh_flow_same(fusion->run->unit, x, other) || is_centred(fusion, x))
            continue;
        fusion->claimed[value] |= FH_FUSION_CLAIMED;
        fusion->claimed[root] |= FH_FUSION_CLAIMED;
        if (fusion->function[function] & FH_FUSED_RMS)
            return;
        fusion->function[function] |= FH_FUSED_RMS;
        /* Passes over the tensor of x: square 2, mean 1, product 2, weight 2; fused 2. */
        fh_rule_report(fusion->run, FH_RULE_305, FH_SEVERITY_NOTE, certainty,
                       fh_spot_of_value(fusion->run->unit, root), FH_TEXT(""),
                       "RMS norm by hand: about 7 passes over the tensor where %s makes 2",
                       fh_fusion_first(fusion, names, "a compiled function"));
        return;
    }
}
