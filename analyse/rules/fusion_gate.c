/* FH307: silu(gate(x)) * up(x), and the same with the halves of one product. */
#include "analyse/rules/fusion_width.h"

#include <stdio.h>

static const uint32_t casts = FH_FLOW_SET(CAST) | FH_FLOW_SET(CHOICE);

typedef enum { NO_GATE, SILU, GELU, UNKNOWN_GATE, PERHAPS_GELU } gate;

/* What ACTIVATIONS[config.activation] is with the default configuration; UNKNOWN_GATE when the text
 * does not tell, NO_GATE where neither fused gate has it. */
static gate gate_by_setting(fh_fusion *fusion, fh_value_index module)
{
    fh_resolver *resolver = fusion->run->resolver;
    const fh_value *v = fh_unit_value(fusion->run->unit, module);
    const fh_value *self = fh_unit_value(fusion->run->unit, v->a);
    fh_reference member;
    fh_certainty ignored;
    fh_text name;
    uint32_t class = v->kind == FH_VALUE_ATTRIBUTE && self->kind == FH_VALUE_PARAMETER && !self->b
                         ? fusion->run->unit->functions.items[self->a].class
                         : 0;
    if (!class || !fh_resolve_member(resolver, fusion->run->unit_index, class,
                                     fh_unit_text(fusion->run->unit, v->b), &member))
        return UNKNOWN_GATE;
    const fh_value *made = fh_unit_value(fh_resolver_look(resolver, member.unit), member.value);
    if (made->kind != FH_VALUE_SUBSCRIPT ||
        !fh_resolve_string(resolver, member.unit, made->b, &name, &ignored, NULL))
        return UNKNOWN_GATE;
    if (fh_text_is(name, "silu") || fh_text_is(name, "swish"))
        return UNKNOWN_GATE;
    return fh_text_starts(name, "gelu") ? PERHAPS_GELU : NO_GATE;
}

static gate gate_of(fh_fusion *fusion, const fh_flow_op *op)
{
    if (op->class != FH_FLOW_ACTIVATION || !op->operand_count)
        return NO_GATE;
    fh_text name = fh_fusion_short(op);
    if (fh_text_is(name, "silu") || fh_text_is(name, "SiLU") || fh_text_is(name, "swish"))
        return SILU;
    if (fh_text_is(name, "gelu") || fh_text_is(name, "GELU"))
        return GELU;
    if (op->certainty != FH_POSSIBLE || !fh_text_starts(name, "act"))
        return NO_GATE;
    return op->call ? gate_by_setting(fusion, fusion->run->unit->calls.items[op->call].callee)
                    : UNKNOWN_GATE;
}

/* True when chunk or split gives two parts, or nothing is said against it. */
static bool in_two(fh_fusion *fusion, const fh_flow_op *split)
{
    fh_rule_run *run = fusion->run;
    int64_t parts;
    fh_value_index sizes = fh_flow_argument(run->unit, split, 1, "chunks");
    if (!sizes)
        return !fh_flow_is(split, "chunk");
    const fh_value *v = fh_unit_value(run->unit, sizes);
    if (v->kind == FH_VALUE_LIST || v->kind == FH_VALUE_TUPLE)
        return v->b == 2;
    return !fh_flow_is(split, "chunk") ||
           !fh_resolve_integer(run->resolver, run->unit_index, sizes, &parts) || parts == 2;
}

/* Position of `value` in what a chunk or split gives, of two: 0 or 1; -1 when it is no half. */
static int half_of(fh_fusion *fusion, fh_value_index value, fh_value_index *whole)
{
    const fh_unit *u = fusion->run->unit;
    const fh_value *v = fh_unit_value(u, value);
    int64_t position = -1;
    if (v->kind == FH_VALUE_ITEM)
        position = v->b;
    else if (v->kind == FH_VALUE_SUBSCRIPT &&
             !fh_resolve_integer(fusion->run->resolver, fusion->run->unit_index, v->b, &position))
        return -1;
    else if (v->kind != FH_VALUE_SUBSCRIPT)
        return -1;
    const fh_flow_op *split = fh_flow_at(&fusion->flow, v->a);
    if (split->class != FH_FLOW_SELECT ||
        (!fh_flow_is(split, "chunk") && !fh_flow_is(split, "split") &&
         !fh_flow_is(split, "tensor_split")))
        return -1;
    if (!in_two(fusion, split))
        return -1;
    *whole = v->a;
    return position == 0 || position == 1 ? (int)position : -1;
}

static void report(fh_fusion *fusion, fh_value_index value, fh_certainty certainty, gate kind,
                   const char *where, fh_width width)
{
    static const char *const swiglu[] = {"torch_npu.npu_swiglu", NULL};
    static const char *const geglu[] = {"torch_npu.npu_geglu", NULL};
    bool is_gelu = kind == GELU || kind == PERHAPS_GELU;
    const char *name = fh_fusion_first(fusion, is_gelu ? geglu : swiglu, NULL);
    fh_spot spot = fh_spot_of_value(fusion->run->unit, value);
    char saved[120] = "";
    /* The activation's result is neither written nor read again: two passes. */
    long long least = (long long)width.least * FH_FUSION_BYTES * FH_FUSION_PASSES;
    long long most = (long long)width.most * FH_FUSION_BYTES * FH_FUSION_PASSES;
    if (least > 0 && least == most)
        snprintf(saved, sizeof saved, " saves %lld bytes per token in 16 bits%s", most, width.said);
    else if (least > 0)
        snprintf(saved, sizeof saved, " saves %lld to %lld bytes per token in 16 bits", least,
                 most);
    fusion->claimed[value] |= FH_FUSION_CLAIMED;
    if (!name)
        name = "a function under torch.compile";
    fh_rule_report(
        fusion->run, FH_RULE_307, FH_SEVERITY_NOTE, certainty, spot, FH_TEXT(""), "%s: %s %s%s",
        kind == SILU   ? "SwiGLU by hand"
        : kind == GELU ? "GeGLU by hand"
        : is_gelu      ? "gated activation by hand, where it is GELU"
                       : "gated activation by hand, where it is SiLU",
        name, where, *saved ? saved : " does not write the activation and read it again");
}

/* npu_swiglu activates the first half, npu_geglu the second unless activate_left is set. */
static const char *placement(gate kind, int half)
{
    if (kind == GELU || kind == PERHAPS_GELU)
        return half ? "on the tensor before the split"
                    : "with activate_left=True on the tensor before the split";
    return half ? "on the tensor before the split, its halves exchanged,"
                : "on the tensor before the split";
}

void fh_fusion_gate(fh_fusion *fusion, fh_value_index value)
{
    const fh_unit *u = fusion->run->unit;
    const fh_flow_op *product = fh_flow_at(&fusion->flow, value);
    if (!fh_fusion_is_product(product))
        return;
    for (unsigned i = 0; i < 2; i++) {
        fh_certainty certainty = (fh_certainty)product->certainty;
        fh_value_index at = fh_flow_through(&fusion->flow, product->operands[i], casts, &certainty);
        const fh_flow_op *act = fh_flow_at(&fusion->flow, at);
        gate kind = gate_of(fusion, act);
        if (!kind || fh_flow_uses(&fusion->flow, at) != 1)
            continue;
        certainty = fh_certainty_least(certainty, (fh_certainty)act->certainty);
        fh_value_index left = fh_flow_through(&fusion->flow, act->operands[0], casts, &certainty);
        fh_value_index right =
            fh_flow_through(&fusion->flow, product->operands[1 - i], casts, &certainty);
        const fh_flow_op *first = fh_flow_at(&fusion->flow, left);
        const fh_flow_op *second = fh_flow_at(&fusion->flow, right);
        fh_value_index whole, other;
        if (first->class == FH_FLOW_LINEAR && second->class == FH_FLOW_LINEAR &&
            first->operand_count && second->operand_count &&
            fh_flow_same(u, first->operands[0], second->operands[0])) {
            certainty = fh_certainty_least(certainty, (fh_certainty)first->certainty);
            certainty = fh_certainty_least(certainty, (fh_certainty)second->certainty);
            fusion->claimed[at] |= FH_FUSION_CLAIMED;
            report(fusion, value, certainty, kind,
                   kind == GELU || kind == PERHAPS_GELU ? "on one joined product of up and gate"
                                                        : "on one joined product of gate and up",
                   fh_fusion_width(fusion, first, 1, "out_features"));
            return;
        }
        int half = half_of(fusion, left, &whole);
        if (half >= 0 && half_of(fusion, right, &other) == 1 - half && whole == other) {
            fusion->claimed[at] |= FH_FUSION_CLAIMED;
            report(fusion, value, certainty, kind, placement(kind, half), (fh_width){.said = ""});
            return;
        }
    }
}
