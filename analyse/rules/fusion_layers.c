/* FH301, FH302: what follows a linear layer or a convolution, in forward and in Sequential. */
#include "analyse/rules/class_use.h"
#include "analyse/rules/fusion_width.h"

#include <stdio.h>

/* Narrower layers move too little to matter: the head of a network, a toy. */
enum { LEAST_WIDTH = 64 };

/* The argument that a module was made with; 0 when it is not known. */
static fh_value_index made_with(fh_fusion *fusion, const fh_flow_op *op, int position,
                                const char *name)
{
    const fh_unit *u = fh_resolver_look(fusion->run->resolver, op->made.unit);
    const fh_value *v = fh_unit_value(u, op->made.value);
    return op->made.value && v->kind == FH_VALUE_CALL
               ? fh_call_argument(u, &u->calls.items[v->a], position, name)
               : 0;
}

/* Whether fc2 of fc2(act(fc1(x))) gives as many numbers as fc1 takes: FH_FUSION_COMES_BACK or
 * FH_FUSION_GOES_ELSEWHERE; 0 when the text does not tell. */
static uint8_t way_of(fh_fusion *fusion, const fh_flow_op *first, const fh_flow_op *second)
{
    fh_resolver *resolver = fusion->run->resolver;
    fh_value_index in = made_with(fusion, first, 0, "in_features");
    fh_value_index out = made_with(fusion, second, 1, "out_features");
    int64_t width, other;
    if (!in || !out)
        return 0;
    if (first->made.unit == second->made.unit &&
        fh_flow_same(fh_resolver_look(resolver, first->made.unit), in, out))
        return FH_FUSION_COMES_BACK;
    if (!fh_resolve_integer(resolver, first->made.unit, in, &width) ||
        !fh_resolve_integer(resolver, second->made.unit, out, &other))
        return 0;
    return width == other ? FH_FUSION_COMES_BACK : FH_FUSION_GOES_ELSEWHERE;
}

/* An activation that a linear layer reads and nothing else: act of fc2(act(fc1(x))). */
void fh_fusion_mark(fh_fusion *fusion, fh_value_index value)
{
    static const uint32_t between = FH_FLOW_SET(DROPOUT) | FH_FLOW_SET(CAST);
    const fh_flow_op *op = fh_flow_at(&fusion->flow, value);
    if (op->class != FH_FLOW_LINEAR || !op->operand_count)
        return;
    fh_certainty certainty = FH_CERTAIN;
    fh_value_index at = fh_flow_through(&fusion->flow, op->operands[0], between, &certainty);
    const fh_flow_op *act = fh_flow_at(&fusion->flow, at);
    if (act->class != FH_FLOW_ACTIVATION || !act->operand_count)
        return;
    const fh_flow_op *first = fh_flow_at(&fusion->flow, act->operands[0]);
    fusion->claimed[at] |= FH_FUSION_FEEDS_LINEAR | way_of(fusion, first, op);
}

/* What an expression of attributes begins with: config of config.encoder.width. */
static fh_value_index root_of(const fh_unit *u, fh_value_index value)
{
    while (fh_unit_value(u, value)->kind == FH_VALUE_ATTRIBUTE)
        value = fh_unit_value(u, value)->a;
    return value;
}

/* True when a width is an attribute of what __init__ takes, such as a configuration, and the file
 * makes the class of several: Encoder(config.atoms), Encoder(config.tokens). What is known of the
 * one need not hold for the other. */
static bool differs_by_use(fh_fusion *fusion, const fh_flow_op *linear)
{
    uint32_t unit = linear->made.unit;
    const fh_unit *u = fh_resolver_look(fusion->run->resolver, unit);
    fh_value_index width = made_with(fusion, linear, 1, "out_features");
    const fh_value *root = fh_unit_value(u, root_of(u, width));
    return width && fh_unit_value(u, width)->kind == FH_VALUE_ATTRIBUTE &&
           root->kind == FH_VALUE_PARAMETER && root->b && u->functions.items[root->a].class &&
           fh_class_use_differs(fusion->run, unit, root->a, root->b);
}

static fh_width width_of(fh_fusion *fusion, const fh_flow_op *linear)
{
    if (differs_by_use(fusion, linear))
        return (fh_width){.said = ""};
    return fh_fusion_width(fusion, linear, 1, "out_features");
}

/* Bytes of the numbers that a linear layer gives: of the type that it is made with, or of the one
 * that its input is cast to, as both must agree; 16 bits where nothing is said. */
static unsigned bytes_of(fh_fusion *fusion, const fh_flow_op *linear)
{
    static const char *const four[] = {"torch.float32", "torch.float", "torch.Tensor.float", NULL};
    static const char *const eight[] = {"torch.float64", "torch.double", "torch.Tensor.double",
                                        NULL};
    uint32_t unit = fusion->run->unit_index;
    fh_value_index type = made_with(fusion, linear, 4, "dtype");
    fh_text name = {0};
    fh_meaning meaning;
    if (type) {
        unit = linear->made.unit;
    } else if (linear->operand_count) {
        const fh_flow_op *input = fh_flow_at(&fusion->flow, linear->operands[0]);
        name = input->name;
        if (input->class == FH_FLOW_CAST && fh_flow_is(input, "to"))
            type = fh_flow_argument(fusion->run->unit, input, 1, "dtype");
    }
    if (type && fh_resolve_external(fusion->run->resolver, unit, type, &meaning))
        name = fh_resolver_path(fusion->run->resolver, meaning.path);
    return fh_text_is_any(name, eight)  ? 4 * FH_FUSION_BYTES
           : fh_text_is_any(name, four) ? 2 * FH_FUSION_BYTES
                                        : FH_FUSION_BYTES;
}

/* torch_npu.npu_ffn takes these, in 16 bits, and gives as many numbers as it takes (its
 * documentation, release 7.2, read 2026-11-30); of the chips its row in
 * facts/support/torch_npu.tsv tells. */
static bool ffn_takes(const fh_flow_op *act)
{
    static const char *const names[] = {"gelu", "GELU", "relu", "ReLU", "silu", "SiLU", NULL};
    return fh_text_is_any(fh_fusion_short(act), names);
}

/* What can do it. */
static const char *ways_of(fh_fusion *fusion, fh_value_index value, const fh_flow_op *linear,
                           const fh_flow_op *act)
{
    uint8_t flags = fusion->claimed[value];
    bool ffn = flags & FH_FUSION_FEEDS_LINEAR && !(flags & FH_FUSION_GOES_ELSEWHERE) &&
               fh_flow_uses(&fusion->flow, value) == 1 && ffn_takes(act) &&
               bytes_of(fusion, linear) == FH_FUSION_BYTES &&
               fh_fusion_has(fusion, "torch_npu.npu_ffn");
    if (!ffn)
        return "torch.compile";
    return flags & FH_FUSION_COMES_BACK
               ? "torch.compile; for inference torch_npu.npu_ffn, which takes in the next linear "
                 "layer too"
               : "torch.compile; for inference torch_npu.npu_ffn, which takes in the next linear "
                 "layer too, where that gives as many numbers as this one takes";
}

static fh_certainty least_of(const fh_flow_op *a, const fh_flow_op *b, fh_certainty at_most)
{
    at_most = fh_certainty_least(at_most, (fh_certainty)a->certainty);
    return fh_certainty_least(at_most, (fh_certainty)b->certainty);
}

void fh_fusion_report_activation(fh_fusion *fusion, fh_value_index value, const fh_flow_op *linear,
                                 const fh_flow_op *act, fh_certainty at_most)
{
    fh_certainty certainty = least_of(linear, act, at_most);
    fh_spot spot = fh_spot_of_value(fusion->run->unit, value);
    fh_text name = fh_fusion_short(act);
    fh_width width = width_of(fusion, linear);
    if (width.most > 0 && width.most < LEAST_WIDTH)
        return;
    unsigned bytes = bytes_of(fusion, linear);
    char saved[160];
    if (width.most > 0 && width.least == width.most)
        snprintf(saved, sizeof saved,
                 "fused, its %lld numbers stay on the chip: %lld bytes per token less in %u bits%s",
                 (long long)width.most, (long long)width.most * bytes * FH_FUSION_PASSES, 8 * bytes,
                 width.said);
    else if (width.most > 0)
        snprintf(saved, sizeof saved,
                 "fused, its %lld to %lld numbers stay on the chip: %lld to %lld bytes per token "
                 "less in %u bits",
                 (long long)width.least, (long long)width.most,
                 (long long)width.least * bytes * FH_FUSION_PASSES,
                 (long long)width.most * bytes * FH_FUSION_PASSES, 8 * bytes);
    else
        snprintf(saved, sizeof saved, "fused, a write and a read of its result less");
    fh_rule_report(fusion->run, FH_RULE_301, FH_SEVERITY_NOTE, certainty, spot, act->name,
                   "%.*s follows a linear layer: %s (%s)", FH_TEXT_ARGS(name), saved,
                   ways_of(fusion, value, linear, act));
}

void fh_fusion_report_conv(fh_fusion *fusion, fh_value_index value, const fh_flow_op *conv,
                           const fh_flow_op *norm, const fh_flow_op *act, fh_certainty at_most)
{
    if (fh_fusion_class_fuses(fusion, fh_spot_of_value(fusion->run->unit, value).function))
        return;
    /* What may be no activation at all is left out. */
    if (act && act->certainty == FH_POSSIBLE)
        act = NULL;
    fh_certainty certainty = least_of(conv, norm, act ? least_of(act, act, at_most) : at_most);
    fh_spot spot = fh_spot_of_value(fusion->run->unit, value);
    fh_text name = act ? fh_fusion_short(act) : FH_TEXT("");
    fh_rule_report(fusion->run, FH_RULE_302, FH_SEVERITY_NOTE, certainty, spot, norm->name,
                   "convolution, batch norm%s%.*s: for inference the norm folds into the "
                   "convolution, %d passes over the feature map less%s",
                   act ? " and " : "", FH_TEXT_ARGS(name), FH_FUSION_PASSES,
                   act ? "; compiled, the activation saves as many again" : "");
}

/* The operand of `op` that only `op` reads; NULL when there is another reader. */
static const fh_flow_op *only_source(fh_fusion *fusion, const fh_flow_op *op)
{
    if (!op->operand_count || fh_flow_uses(&fusion->flow, op->operands[0]) != 1)
        return NULL;
    return fh_flow_at(&fusion->flow, op->operands[0]);
}

/* The convolution that a batch norm alone reads; NULL when there is none. */
static const fh_flow_op *convolution_before(fh_fusion *fusion, const fh_flow_op *norm)
{
    const fh_flow_op *conv = norm->class == FH_FLOW_BATCH_NORM ? only_source(fusion, norm) : NULL;
    return conv && conv->class == FH_FLOW_CONVOLUTION ? conv : NULL;
}

void fh_fusion_layers(fh_fusion *fusion, fh_value_index value)
{
    const fh_flow_op *act = fh_flow_at(&fusion->flow, value);
    if (act->class != FH_FLOW_ACTIVATION || fh_fusion_is_claimed(fusion, value))
        return;
    const fh_flow_op *source = only_source(fusion, act);
    if (!source)
        return;
    const fh_flow_op *conv = convolution_before(fusion, source);
    if (source->class == FH_FLOW_LINEAR) {
        fh_fusion_report_activation(fusion, value, source, act, FH_CERTAIN);
    } else if (conv) {
        fusion->claimed[act->operands[0]] |= FH_FUSION_CLAIMED;
        fh_fusion_report_conv(fusion, act->operands[0], conv, source, act, FH_CERTAIN);
    }
}

void fh_fusion_norms(fh_fusion *fusion, fh_value_index value)
{
    const fh_flow_op *norm = fh_flow_at(&fusion->flow, value);
    const fh_flow_op *conv = convolution_before(fusion, norm);
    if (conv && !fh_fusion_is_claimed(fusion, value))
        fh_fusion_report_conv(fusion, value, conv, norm, NULL, FH_CERTAIN);
}
