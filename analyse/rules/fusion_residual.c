/* FH304: an addition before a norm. */
#include "analyse/rules/fusion_width.h"

#include <stdio.h>

/* position, pos_embed, query_pos; but neither composed nor post. */
static bool is_named_for_positions(fh_text name)
{
    size_t at = fh_text_find(name, '_');
    if (fh_text_starts(name, "pos") && !fh_text_starts(name, "post"))
        return true;
    while (at < name.length) {
        name = fh_text_slice(name, at + 1, name.length);
        if (fh_text_starts(name, "pos") && !fh_text_starts(name, "post"))
            return true;
        at = fh_text_find(name, '_');
    }
    return false;
}

/* embed_positions(x), self.token_type_embeddings(ids), sincos(x): calls named for a table. */
static bool gives_table(fh_fusion *fusion, const fh_value *v)
{
    const fh_unit *u = fusion->run->unit;
    if (v->kind != FH_VALUE_CALL)
        return false;
    const fh_value *callee = fh_unit_value(u, u->calls.items[v->a].callee);
    fh_text name = {0};
    if (callee->kind == FH_VALUE_ATTRIBUTE)
        name = fh_unit_text(u, callee->b);
    else if (callee->kind == FH_VALUE_FUNCTION)
        name = fh_unit_text(u, u->functions.items[callee->a].name);
    else if (callee->kind == FH_VALUE_IMPORT)
        name = fh_text_last_part(fh_unit_text(u, callee->a));
    /* pos_conv_embed is a convolution of the other side. */
    return !fh_text_contains(name, "conv") &&
           (is_named_for_positions(name) || fh_text_contains(name, "embed") ||
            fh_text_contains(name, "sincos"));
}

/* x.unsqueeze(1), x[:, None]: not of the other side's shape. */
static bool puts_in_axis(fh_fusion *fusion, fh_value_index value)
{
    const fh_unit *u = fusion->run->unit;
    const fh_value *v = fh_unit_value(u, value);
    if (v->kind != FH_VALUE_SUBSCRIPT)
        return fh_flow_is(fh_flow_at(&fusion->flow, value), "unsqueeze");
    const fh_value *index = fh_unit_value(u, v->b);
    for (uint32_t i = 0; index->kind == FH_VALUE_TUPLE && i < index->b; i++)
        if (fh_unit_value(u, u->lists.items[index->a + i])->kind == FH_VALUE_NONE)
            return true;
    return index->kind == FH_VALUE_NONE;
}

/* A table of positions, a bias: learned once or computed, so that it is not of the other side's
 * shape. Also where only one path leads there. */
static bool is_table(fh_fusion *fusion, fh_value_index value, unsigned depth)
{
    static const uint32_t views =
        FH_FLOW_SET(CAST) | FH_FLOW_SET(SHAPE) | FH_FLOW_SET(SELECT) | FH_FLOW_SET(DROPOUT);
    const fh_unit *u = fusion->run->unit;
    fh_certainty ignored = FH_CERTAIN;
    if (puts_in_axis(fusion, fh_flow_through(&fusion->flow, value, FH_FLOW_SET(CAST), &ignored)))
        return true;
    value = fh_flow_through(&fusion->flow, value, views, &ignored);
    const fh_value *v = fh_unit_value(u, value);
    while (v->kind == FH_VALUE_SUBSCRIPT || v->kind == FH_VALUE_ITEM)
        v = fh_unit_value(u, value = v->a);
    for (uint32_t i = 0; v->kind == FH_VALUE_PHI && depth && i < v->b && i < 4; i++)
        if (is_table(fusion, u->lists.items[v->a + i], depth - 1))
            return true;
    if (v->kind == FH_VALUE_PARAMETER) {
        uint32_t first = u->functions.items[v->a].parameters;
        return is_named_for_positions(fh_unit_text(u, u->parameters.items[first + v->b].name));
    }
    return v->kind == FH_VALUE_ATTRIBUTE || gives_table(fusion, v) ||
           fh_flow_at(&fusion->flow, value)->class == FH_FLOW_EMBEDDING;
}

/* a + b, where both are activations. */
static bool is_residual(fh_fusion *fusion, const fh_flow_op *add, fh_certainty *certainty)
{
    if (add->class != FH_FLOW_ELEMENTWISE || add->operand_count != 2 || !fh_flow_is(add, "add"))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        fh_certainty tensor;
        if (is_table(fusion, add->operands[i], 2) ||
            !fh_resolve_is_tensor(fusion->run->resolver, fusion->run->unit_index, add->operands[i],
                                  &tensor))
            return false;
        *certainty = fh_certainty_least(*certainty, tensor);
    }
    return true;
}

/* True when a table of norms is indexed by a setting, NORMS[config.norm]. */
static bool is_picked(fh_fusion *fusion, const fh_flow_op *norm)
{
    const fh_unit *u = fh_resolver_look(fusion->run->resolver, norm->made.unit);
    const fh_value *made = fh_unit_value(u, norm->made.value);
    if (!norm->made.value || made->kind != FH_VALUE_CALL)
        return false;
    return fh_unit_value(u, u->calls.items[made->a].callee)->kind == FH_VALUE_SUBSCRIPT;
}

/* True for `norm(dim) if extra_norm else nn.Identity()`: an Identity among what is called. */
static bool is_left_out(fh_fusion *fusion, fh_value_index value)
{
    const fh_unit *u = fusion->run->unit;
    const fh_value *v = fh_unit_value(u, value);
    fh_meanings all;
    if (v->kind != FH_VALUE_CALL)
        return false;
    fh_resolve(fusion->run->resolver, fusion->run->unit_index, u->calls.items[v->a].callee, &all);
    for (uint32_t i = 0; i < all.count; i++)
        if (all.items[i].kind == FH_MEANS_INSTANCE &&
            fh_text_ends(fh_resolver_path(fusion->run->resolver, all.items[i].path), ".Identity"))
            return true;
    return false;
}

/* True when the class of the norm that is called at `value`, or its base, does. */
static bool norm_adds_one(fh_fusion *fusion, fh_value_index value)
{
    const fh_unit *u = fusion->run->unit;
    fh_meanings all;
    if (fh_unit_value(u, value)->kind != FH_VALUE_CALL)
        return false;
    fh_resolve(fusion->run->resolver, fusion->run->unit_index,
               u->calls.items[fh_unit_value(u, value)->a].callee, &all);
    fh_reference member;
    for (uint32_t i = 0; i < all.count; i++) {
        const fh_meaning *m = &all.items[i];
        if (m->kind != FH_MEANS_OBJECT)
            continue;
        uint32_t unit = m->unit, class = m->index;
        if (fh_resolve_member(fusion->run->resolver, unit, class, FH_TEXT("forward"), &member)) {
            const fh_unit *owner = fh_resolver_look(fusion->run->resolver, member.unit);
            const fh_value *forward = fh_unit_value(owner, member.value);
            if (forward->kind == FH_VALUE_FUNCTION) {
                unit = member.unit;
                class = owner->functions.items[forward->a].class;
            }
        }
        if (class && fh_fusion_class_adds_one(fusion, unit, class))
            return true;
    }
    return false;
}

/* "1536 bytes", "768 to 1280 bytes"; *text is empty when the width is not known. */
static void say_bytes(const fh_width *width, char text[120])
{
    long long least = (long long)width->least * FH_FUSION_BYTES;
    long long most = (long long)width->most * FH_FUSION_BYTES;
    *text = '\0';
    if (least > 0 && least == most)
        snprintf(text, 120, ", %lld bytes per token in 16 bits%s", most, width->said);
    else if (least > 0)
        snprintf(text, 120, ", %lld to %lld bytes per token in 16 bits", least, most);
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
    bool picked = is_picked(fusion, norm);
    if (picked)
        certainty = fh_certainty_least(certainty, FH_LIKELY);
    fh_text title = fh_fusion_short(norm);
    fh_width width = fh_fusion_width(fusion, norm, 0, "normalized_shape");
    char bytes[120];
    say_bytes(&width, bytes);
    /* The norm need not read the sum: one pass. */
    fh_rule_report(fusion->run, FH_RULE_304, FH_SEVERITY_NOTE, certainty,
                   fh_spot_of_value(fusion->run->unit, value), norm->name,
                   "addition followed by %s%.*s%s: %s reads the sum once less%s%s",
                   picked ? "a norm that a setting picks, where it is " : "", FH_TEXT_ARGS(title),
                   is_left_out(fusion, value) ? ", where a setting does not leave it out" : "",
                   name, bytes, norm_adds_one(fusion, value) ? "; pass it 1 + weight" : "");
}
