/* Mixed precision: what is there already, and steps that run in float32. */
#include "analyse/rules/run.h"
#include "analyse/rules/steps.h"
#include "analyse/rules/text_match.h"

/* The device type an AMP call names: its argument, or CUDA where that is the default. */
static bool names_cuda(fh_rule_run *run, const fh_call *call, const char *keyword,
                       bool cuda_by_default)
{
    fh_value_index value = fh_call_argument(run->unit, call, 0, keyword);
    fh_text text;
    fh_certainty certainty;
    if (!value)
        return cuda_by_default;
    return fh_resolve_string(run->resolver, run->unit_index, value, &text, &certainty, NULL) &&
           fh_text_is_cuda_device(text);
}

static void check_call(fh_rule_run *run, const fh_site *site)
{
    const fh_call *call = &run->unit->calls.items[site->call];
    fh_spot spot = {site->offset, site->end, site->function};
    fh_text name = site->name;
    if (fh_text_is(name, "torch.cuda.amp.autocast") ||
        fh_text_is(name, "torch.cuda.amp.autocast_mode.autocast"))
        fh_rule_report(run, FH_RULE_401, FH_SEVERITY_WARNING, site->certainty, spot, name,
                       "torch.cuda.amp.autocast does nothing on an NPU: use "
                       "torch.autocast(\"npu\") or torch.npu.amp.autocast");
    else if ((fh_text_is(name, "torch.autocast") || fh_text_is(name, "torch.amp.autocast")) &&
             names_cuda(run, call, "device_type", false))
        fh_rule_report(run, FH_RULE_401, FH_SEVERITY_WARNING, site->certainty, spot, name,
                       "autocast for \"cuda\" does nothing on an NPU: use \"npu\"");
    else if (fh_text_is(name, "torch.cuda.amp.GradScaler"))
        fh_rule_report(run, FH_RULE_402, FH_SEVERITY_WARNING, site->certainty, spot, name,
                       "torch.cuda.amp.GradScaler: use torch.npu.amp.GradScaler, or bfloat16 "
                       "without a scaler");
    else if (fh_text_is(name, "torch.amp.GradScaler") && names_cuda(run, call, "device", true))
        fh_rule_report(run, FH_RULE_402, FH_SEVERITY_WARNING, site->certainty, spot, name,
                       "GradScaler is for \"cuda\" here: use torch.amp.GradScaler(\"npu\")");
    else if ((fh_text_is(name, "torch.amp.custom_fwd") ||
              fh_text_is(name, "torch.amp.custom_bwd")) &&
             names_cuda(run, call, "device_type", false))
        fh_rule_report(run, FH_RULE_403, FH_SEVERITY_WARNING, site->certainty, spot, name,
                       "%.*s for \"cuda\": write device_type=\"npu\"",
                       FH_TEXT_ARGS(fh_text_last_part(name)));
    else if (fh_text_is(name, "torch.nn.Module.half"))
        fh_rule_report(run, FH_RULE_404, FH_SEVERITY_NOTE, site->certainty, spot, name,
                       "the whole module runs in float16, norms and reductions too");
}

/* `@custom_fwd` without a call. */
static void check_decorators(fh_rule_run *run, const fh_function *function)
{
    for (uint32_t i = 0; i < function->decorator_count; i++) {
        fh_value_index value = run->unit->lists.items[function->decorators + i];
        fh_meaning meaning;
        if (fh_unit_value(run->unit, value)->kind == FH_VALUE_CALL ||
            !fh_resolve_external(run->resolver, run->unit_index, value, &meaning))
            continue;
        fh_text path = fh_resolver_path(run->resolver, meaning.path);
        if (fh_text_starts(path, "torch.cuda.amp.custom_"))
            fh_rule_report(run, FH_RULE_403, FH_SEVERITY_WARNING, FH_CERTAIN,
                           (fh_spot){fh_unit_value(run->unit, value)->offset, 0, 0}, path,
                           "%.*s casts for CUDA only: use torch.npu.amp.%.*s", FH_TEXT_ARGS(path),
                           FH_TEXT_ARGS(fh_text_last_part(path)));
    }
}

/* True when some block around `block` enters a context that comes from elsewhere: it may be
 * autocast. */
static bool under_unknown_context(fh_rule_run *run, uint32_t block)
{
    const fh_unit *u = run->unit;
    for (; block; block = u->blocks.items[block].parent) {
        if (u->blocks.items[block].kind != FH_BLOCK_WITH)
            continue;
        const fh_value *manager = fh_unit_value(u, u->blocks.items[block].value);
        if (manager->kind != FH_VALUE_CALL && manager->kind != FH_VALUE_TUPLE)
            return true;
    }
    return false;
}

/* A function (or the module) that calls backward and step, and no autocast. */
static void check_steps(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    const fh_step_facts *facts = fh_steps_find(u, run->arena);
    if (!facts)
        return;
    bool unit_autocast = false;
    for (uint32_t i = 0; i < u->functions.count; i++)
        unit_autocast |= facts[i].autocast;
    for (uint32_t i = 0; i < u->functions.count; i++) {
        const fh_step_facts *f = &facts[i];
        if (!fh_step_trains(f) || f->autocast || f->low_precision || f->framework_decides ||
            (i == 0 && unit_autocast))
            continue;
        const fh_call *backward = &u->calls.items[f->backward];
        fh_text name = i ? fh_unit_text(u, u->functions.items[i].qualified) : FH_TEXT("the module");
        /* An autocast elsewhere in the file may be around the model's forward. */
        fh_certainty certainty =
            unit_autocast || under_unknown_context(run, backward->block) ? FH_POSSIBLE : FH_LIKELY;
        fh_rule_report(run, FH_RULE_410, FH_SEVERITY_NOTE, certainty, fh_spot_of_call(u, backward),
                       (fh_text){0},
                       "%.*s trains in float32: nothing in it enables autocast or casts to 16 bits",
                       FH_TEXT_ARGS(name));
    }
}

/* True when a call under no_grad calls a module, so that there is work for the matrix units. */
static bool calls_a_module(fh_rule_run *run, const fh_call *call)
{
    return fh_resolve_is_instance(run->resolver, run->unit_index, call->callee, "torch.nn.Module");
}

/* A loop that runs a module under no_grad or inference_mode, without autocast or a cast of it. */
static void check_inference(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    const fh_step_facts *facts = fh_steps_find(u, run->arena);
    bool unit_casts = false;
    for (uint32_t i = 0; facts && i < u->functions.count; i++)
        unit_casts |= facts[i].autocast || facts[i].low_precision;
    if (!facts || unit_casts || fh_unit_mentions(u, "float16") || fh_unit_mentions(u, "bfloat16"))
        return;
    for (uint32_t i = 1; i < u->calls.count; i++) {
        const fh_call *call = &u->calls.items[i];
        const fh_step_facts *f = &facts[call->function];
        if (!f->forward || fh_step_trains(f) || i < f->forward ||
            !fh_block_inside(u, call->block, FH_BLOCK_FOR) || !calls_a_module(run, call))
            continue;
        fh_text name = call->function
                           ? fh_unit_text(u, u->functions.items[call->function].qualified)
                           : FH_TEXT("the module");
        fh_rule_report(run, FH_RULE_411, FH_SEVERITY_NOTE, FH_LIKELY, fh_spot_of_call(u, call),
                       (fh_text){0},
                       "%.*s runs the model in float32: nothing in the file enables autocast or "
                       "casts to 16 bits",
                       FH_TEXT_ARGS(name));
        return; /* once for each file */
    }
}

void fh_rules_precision(fh_rule_run *run)
{
    for (uint32_t i = 0; i < run->sites.items.count; i++)
        if (run->sites.items.items[i].call)
            check_call(run, &run->sites.items.items[i]);
    for (uint32_t i = 1; i < run->unit->functions.count; i++)
        check_decorators(run, &run->unit->functions.items[i]);
    check_steps(run);
    check_inference(run);
}
