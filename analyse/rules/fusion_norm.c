/* FH305: RMS norm from its parts. */
#include "analyse/rules/fusion.h"

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

/* 1 + self.weight, (1.0 + self.weight.float()) */
static bool adds_one_to_weight(fh_fusion *fusion, uint32_t unit, const fh_unit *u,
                               const fh_value *v)
{
    if (v->kind != FH_VALUE_BINARY || v->op != FH_OP_ADD)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const fh_value *one = fh_unit_value(u, i ? v->b : v->a);
        const fh_value *weight = fh_unit_value(u, i ? v->a : v->b);
        int64_t number;
        bool is_one = one->kind == FH_VALUE_FLOAT ? fh_value_float(one) == 1
                                                  : fh_resolve_integer(fusion->run->resolver, unit,
                                                                       i ? v->b : v->a, &number) &&
                                                        number == 1;
        for (unsigned step = 0; step < 3 && weight->kind == FH_VALUE_CALL; step++) {
            const fh_value *callee = fh_unit_value(u, u->calls.items[weight->a].callee);
            if (callee->kind != FH_VALUE_ATTRIBUTE)
                break;
            weight = fh_unit_value(u, callee->a);
        }
        if (is_one && weight->kind == FH_VALUE_ATTRIBUTE &&
            fh_text_is(fh_unit_text(u, weight->b), "weight"))
            return true;
    }
    return false;
}

bool fh_fusion_class_adds_one(fh_fusion *fusion, uint32_t unit, uint32_t class)
{
    const fh_unit *u = fh_resolver_look_whole(fusion->run->resolver, unit);
    for (uint32_t i = 1; i < u->functions.count; i++) {
        const fh_function *f = &u->functions.items[i];
        for (fh_value_index k = f->first; f->class == class && k < f->last; k++)
            if (adds_one_to_weight(fusion, unit, u, fh_unit_value(u, k)))
                return true;
    }
    return false;
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
        uint32_t class = fusion->run->unit->functions.items[function].class;
        /* Passes over the tensor of x: square 2, mean 1, product 2, weight 2; fused 2. */
        fh_rule_report(fusion->run, FH_RULE_305, FH_SEVERITY_NOTE, certainty,
                       fh_spot_of_value(fusion->run->unit, root), FH_TEXT(""),
                       "RMS norm by hand: about 7 passes over the tensor where %s makes 2%s",
                       fh_fusion_first(fusion, names, "a compiled function"),
                       class && fh_fusion_class_adds_one(fusion, fusion->run->unit_index, class)
                           ? "; pass it 1 + weight"
                           : "");
        return;
    }
}
