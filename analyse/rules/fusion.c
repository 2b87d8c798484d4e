/* Fusion: operators that follow one another and could be one. */
#include "analyse/rules/fusion.h"

#include <string.h>

bool fh_fusion_has(fh_fusion *fusion, const char *name)
{
    fh_support_query query = fh_rule_query(fusion->run->options);
    const fh_verdict *verdict = fh_verdicts_of(fusion->run->verdicts, &query, fh_text_from(name));
    return verdict &&
           (verdict->support == FH_SUPPORT_NATIVE || verdict->support == FH_SUPPORT_LIMITED ||
            verdict->support == FH_SUPPORT_DECOMPOSED);
}

const char *fh_fusion_first(fh_fusion *fusion, const char *const *names, const char *otherwise)
{
    for (; *names; names++)
        if (fh_fusion_has(fusion, *names))
            return *names;
    return otherwise;
}

fh_text fh_fusion_short(const fh_flow_op *op)
{
    fh_text last = fh_text_last_part(op->name);
    if (last.length > 1 && last.data[last.length - 1] == '_')
        last.length--;
    return last;
}

uint32_t fh_fusion_function(const fh_fusion *fusion, fh_value_index value)
{
    const fh_unit *u = fusion->run->unit;
    return fh_block_function(u, fh_unit_value(u, value)->block);
}

bool fh_fusion_is_test(const fh_unit *u)
{
    return fh_text_starts(u->path, "test") || fh_text_contains(u->path, "/test") ||
           fh_text_contains(u->path, "test_") || fh_text_contains(u->path, "/conftest");
}

bool fh_fusion_class_fuses(const fh_fusion *fusion, uint32_t function)
{
    static const char *const names[] = {
        "fuse",    "forward_fuse",   "fuse_convs",       "fuse_conv_bn",
        "fuse_bn", "reparameterize", "switch_to_deploy", "get_equivalent_kernel_bias",
        NULL};
    fh_reference member;
    uint32_t class = fusion->run->unit->functions.items[function].class;
    for (const char *const *name = names; class && *name; name++)
        if (fh_resolve_member(fusion->run->resolver, fusion->run->unit_index, class,
                              fh_text_from(*name), &member))
            return true;
    return false;
}

/* What a function calls by a name that ends so: a fused attention beside what it writes by hand,
 * or torch_npu's own operator of any kind. */
static void note_fused(fh_fusion *fusion)
{
    static const char *const names[] = {"scaled_dot_product_attention",
                                        "npu_fusion_attention",
                                        "flash_attn_func",
                                        "flash_attn_varlen_func",
                                        "flash_attn_qkvpacked_func",
                                        "memory_efficient_attention",
                                        "flex_attention",
                                        NULL};
    const fh_unit *u = fusion->run->unit;
    for (uint32_t i = 1; i < u->calls.count; i++) {
        const fh_value *callee = fh_unit_value(u, u->calls.items[i].callee);
        fh_text name = {0};
        if (callee->kind == FH_VALUE_ATTRIBUTE)
            name = fh_unit_text(u, callee->b);
        else if (callee->kind == FH_VALUE_IMPORT)
            name = fh_text_last_part(fh_unit_text(u, callee->a));
        uint8_t *flags = &fusion->function[u->calls.items[i].function];
        if (name.length && fh_text_is_any(name, names))
            *flags |= FH_FUSED_ATTENTION;
        if (fh_text_starts(name, "npu_"))
            *flags |= FH_FUSED_NPU;
    }
}

static void check_values(fh_fusion *fusion)
{
    const fh_unit *u = fusion->run->unit;
    for (uint32_t i = 1; i < u->values.count && !fh_rules_stop(i); i++) {
        const fh_value *v = &u->values.items[i];
        if (v->kind != FH_VALUE_CALL && v->kind != FH_VALUE_BINARY)
            continue;
        fh_fusion_attention(fusion, i);
        fh_fusion_mark(fusion, i);
        if (fusion->function[fh_fusion_function(fusion, i)] & FH_FUSED_NPU)
            continue;
        fh_fusion_rms_norm(fusion, i);
        fh_fusion_rotary(fusion, i);
        fh_fusion_gate(fusion, i);
        fh_fusion_add_norm(fusion, i);
    }
    for (uint32_t i = 1; i < u->values.count; i++)
        if (u->values.items[i].kind == FH_VALUE_CALL)
            fh_fusion_layers(fusion, i);
    for (uint32_t i = 1; i < u->values.count; i++)
        if (u->values.items[i].kind == FH_VALUE_CALL)
            fh_fusion_norms(fusion, i);
}

/* A unit that has nothing to do with PyTorch is done at once. */
static bool mentions_torch(const fh_rule_run *run)
{
    return fh_unit_uses(run, "torch") || fh_unit_uses(run, "torch_npu") ||
           fh_unit_uses(run, "einops") || run->sites.items.count;
}

void fh_rules_fusion(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    if ((u->kind != FH_UNIT_PYTHON && u->kind != FH_UNIT_NOTEBOOK) || !mentions_torch(run))
        return;
    fh_fusion fusion = {.run = run};
    fusion.claimed = fh_alloc_zero(u->values.count + 1, 1);
    fusion.function = fh_alloc_zero(u->functions.count + 1, 1);
    if (fh_flow_open(&fusion.flow, run->resolver, run->program, run->unit_index) &&
        fusion.claimed && fusion.function) {
        note_fused(&fusion);
        check_values(&fusion);
        fh_fusion_sequences(&fusion);
        fh_fusion_chains(&fusion);
        fh_fusion_optimisers(&fusion);
    }
    fh_flow_close(&fusion.flow);
    fh_free(fusion.claimed);
    fh_free(fusion.function);
}
