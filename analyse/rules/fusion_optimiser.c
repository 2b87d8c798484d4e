/* FH309: optimisers that step one operator at a time. */
#include "analyse/rules/fusion.h"

#include <stdio.h>

// clang-format off
/* The fused counterparts of torch_npu.optim (facts/support/torch_npu.tsv). */
static const struct {
    const char *name, *fused;
} counterparts[] = {
    {"torch.optim.Adam",     "torch_npu.optim.NpuFusedAdam"},
    {"torch.optim.AdamW",    "torch_npu.optim.NpuFusedAdamW"},
    {"torch.optim.SGD",      "torch_npu.optim.NpuFusedSGD"},
    {"torch.optim.Adadelta", "torch_npu.optim.NpuFusedAdadelta"},
    {"torch.optim.RMSprop",  "torch_npu.optim.NpuFusedRMSprop"},
};
// clang-format on

/* True when some argument may turn the fused step on: fused=..., or **options. */
static bool may_be_fused(const fh_unit *u, const fh_call *call)
{
    for (uint32_t i = 0; i < call->count; i++) {
        const fh_argument *argument = &u->arguments.items[call->arguments + i];
        const fh_value *v = fh_unit_value(u, argument->value);
        if (v->kind == FH_VALUE_STAR && v->op == FH_OP_POWER)
            return true;
    }
    return fh_call_argument(u, call, -1, "fused") != 0;
}

/* fused=False is as good as nothing. */
static bool is_switched_off(fh_fusion *fusion, const fh_call *call)
{
    bool truth;
    fh_value_index fused = fh_call_argument(fusion->run->unit, call, -1, "fused");
    return fused &&
           fh_resolve_bool(fusion->run->resolver, fusion->run->unit_index, fused, &truth) && !truth;
}

static void check_site(fh_fusion *fusion, const fh_site *site)
{
    fh_rule_run *run = fusion->run;
    const fh_unit *u = run->unit;
    if (!site->call || !fh_text_starts(site->name, "torch.optim."))
        return;
    const fh_call *call = &u->calls.items[site->call];
    if (may_be_fused(u, call) && !is_switched_off(fusion, call))
        return;
    for (size_t i = 0; i < sizeof counterparts / sizeof *counterparts; i++) {
        if (!fh_text_is(site->name, counterparts[i].name))
            continue;
        char option[80];
        snprintf(option, sizeof option, "%s[fused]", counterparts[i].name);
        bool native = fh_fusion_has(fusion, option);
        bool other = fh_fusion_has(fusion, counterparts[i].fused);
        if (!native && !other)
            return;
        fh_rule_report(run, FH_RULE_309, FH_SEVERITY_NOTE, site->certainty,
                       (fh_spot){site->offset, site->end, site->function}, site->name,
                       "%.*s steps with several operators for each group of parameters: use "
                       "%s%s%s",
                       FH_TEXT_ARGS(fh_text_last_part(site->name)), native ? "fused=True" : "",
                       native && other ? " or " : "", other ? counterparts[i].fused : "");
    }
}

/* The variable of the innermost `for` around `block`, as the value that it iterates over; 0. */
static bool is_loop_variable(const fh_unit *u, fh_value_index value)
{
    const fh_value *v = fh_unit_value(u, value);
    while (v->kind == FH_VALUE_ITEM)
        v = fh_unit_value(u, v->a);
    return v->kind == FH_VALUE_ELEMENT;
}

/* p or p.data, where p is the variable of a loop. */
static bool is_parameter(const fh_unit *u, fh_value_index value)
{
    const fh_value *v = fh_unit_value(u, value);
    if (v->kind == FH_VALUE_ATTRIBUTE && fh_text_is(fh_unit_text(u, v->b), "data"))
        value = v->a;
    return is_loop_variable(u, value);
}

/* p.add_(...), p.data.addcdiv_(...), p.data = p.data - ...: a parameter that a loop updates. */
static bool is_update_call(const fh_unit *u, const fh_call *call)
{
    static const char *const names[] = {"add_", "sub_", "addcdiv_", "addcmul_", NULL};
    const fh_value *callee = fh_unit_value(u, call->callee);
    return callee->kind == FH_VALUE_ATTRIBUTE &&
           fh_text_is_any(fh_unit_text(u, callee->b), names) && is_parameter(u, callee->a) &&
           fh_block_inside(u, call->block, FH_BLOCK_FOR);
}

enum { READS_GRADIENT = 1, UPDATES = 2 };

static void report_loop(fh_fusion *fusion, fh_spot spot)
{
    const fh_unit *u = fusion->run->unit;
    uint32_t class = u->functions.items[spot.function].class;
    bool optimiser = class && fh_resolve_derives(fusion->run->resolver, fusion->run->unit_index,
                                                 class, "torch.optim.Optimizer");
    fh_rule_report(fusion->run, FH_RULE_309, FH_SEVERITY_NOTE, FH_LIKELY, spot, FH_TEXT(""),
                   "%s updates one parameter after the other, some operators for each: use a fused "
                   "optimiser, or torch._foreach_* over all of them",
                   optimiser ? "optimiser" : "loop");
}

/* Functions that read .grad and update parameters in a loop; each is told once. */
static void check_loops(fh_fusion *fusion)
{
    const fh_unit *u = fusion->run->unit;
    uint8_t *seen = fh_alloc_zero(u->functions.count + 1, 1);
    if (!seen)
        return;
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        if (v->kind == FH_VALUE_ATTRIBUTE && fh_text_is(fh_unit_text(u, v->b), "grad") &&
            is_loop_variable(u, v->a))
            seen[fh_fusion_function(fusion, i)] |= READS_GRADIENT;
    }
    for (uint32_t i = 1; i < u->calls.count; i++) {
        const fh_call *call = &u->calls.items[i];
        if (seen[call->function] == READS_GRADIENT && is_update_call(u, call)) {
            seen[call->function] |= UPDATES;
            report_loop(fusion, fh_spot_of_call(u, call));
        }
    }
    for (uint32_t i = 1; i < u->stores.count; i++) {
        const fh_store *store = &u->stores.items[i];
        uint32_t function = fh_block_function(u, store->block);
        const fh_value *value = fh_unit_value(u, store->value);
        if (seen[function] == READS_GRADIENT && store->name &&
            fh_text_is(fh_unit_text(u, store->name), "data") && is_loop_variable(u, store->base) &&
            value->kind == FH_VALUE_BINARY &&
            (value->op == FH_OP_SUBTRACT || value->op == FH_OP_ADD)) {
            seen[function] |= UPDATES;
            report_loop(fusion, (fh_spot){store->offset, 0, function});
        }
    }
    fh_free(seen);
}

void fh_fusion_optimisers(fh_fusion *fusion)
{
    for (uint32_t i = 0; i < fusion->run->sites.items.count; i++)
        check_site(fusion, &fusion->run->sites.items.items[i]);
    check_loops(fusion);
}
