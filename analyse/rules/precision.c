/* Mixed precision: what is there already, and steps that run in float32. */
#include "analyse/rules/device_branch.h"
#include "analyse/rules/steps.h"
#include "analyse/rules/text_match.h"
#include "facts/replacements.h"

/* A call of AMP, or functools.partial(function, ...), which stands for one. */
typedef struct {
    const fh_call *call;
    fh_text name;
    int first; /* position of the function's first argument */
    fh_certainty certainty;
} amp_call;

static bool is_named_for_files(fh_text name)
{
    static const char *const parts[] = {"save", "export", "convert", "checkpoint", NULL};
    for (const char *const *part = parts; *part; part++)
        if (fh_text_contains(name, *part))
            return true;
    return false;
}

/* By function: 1 where it is named for writing a file, or calls save. In the arena; NULL when
 * memory ran out. */
static const uint8_t *find_savers(const fh_unit *u, fh_arena *arena)
{
    uint8_t *saves = fh_arena_alloc(arena, u->functions.count);
    if (!saves)
        return NULL;
    for (uint32_t i = 0; i < u->functions.count; i++)
        saves[i] = is_named_for_files(fh_unit_text(u, u->functions.items[i].name));
    for (uint32_t i = 1; i < u->calls.count && !fh_rules_stop(i); i++) {
        const fh_value *callee = fh_unit_value(u, u->calls.items[i].callee);
        if ((callee->kind == FH_VALUE_ATTRIBUTE &&
             fh_text_is(fh_unit_text(u, callee->b), "save")) ||
            (callee->kind == FH_VALUE_IMPORT &&
             fh_text_is(fh_unit_text(u, callee->a), "torch.save")))
            saves[u->calls.items[i].function] = 1;
    }
    saves[0] = 0; /* what the module's own statements do says nothing of each */
    return saves;
}

/* The device type an AMP call names: its argument, or CUDA where that is the default. */
static bool names_cuda(fh_rule_run *run, const amp_call *amp, const char *keyword,
                       bool cuda_by_default, fh_certainty *certainty)
{
    fh_value_index value = fh_call_argument(run->unit, amp->call, amp->first, keyword);
    if (!value)
        return cuda_by_default;
    fh_meanings all;
    fh_resolve(run->resolver, run->unit_index, value, &all);
    bool found = false;
    for (uint32_t i = 0; i < all.count; i++) {
        if (all.items[i].kind != FH_MEANS_LITERAL)
            continue;
        const fh_unit *u = fh_resolver_look(run->resolver, all.items[i].unit);
        const fh_value *v = fh_unit_value(u, all.items[i].index);
        if (v->kind != FH_VALUE_STRING)
            continue;
        if (fh_text_means_npu(fh_unit_text(u, v->a)))
            return false; /* the program chooses: infer_device() */
        if (!fh_text_is_cuda_device(fh_unit_text(u, v->a)))
            continue;
        if (!found && *certainty > (fh_certainty)all.items[i].certainty)
            *certainty = (fh_certainty)all.items[i].certainty;
        found = true;
    }
    return found;
}

/* " by default": the device is a parameter, which callers may set. */
static const char *by_default(const fh_rule_run *run, const amp_call *amp, const char *keyword)
{
    fh_value_index value = fh_call_argument(run->unit, amp->call, amp->first, keyword);
    return fh_unit_value(run->unit, value)->kind == FH_VALUE_PARAMETER ? " by default" : "";
}

/* torch.float16, torch.half */
static bool is_half(fh_rule_run *run, fh_value_index value)
{
    fh_meaning meaning;
    if (!value || !fh_resolve_external(run->resolver, run->unit_index, value, &meaning))
        return false;
    fh_text path = fh_resolver_path(run->resolver, meaning.path);
    return fh_text_is(path, "torch.float16") || fh_text_is(path, "torch.half");
}

/* model.half(), model.to(torch.float16), model.to(dtype=torch.half) */
static bool casts_module(fh_rule_run *run, const fh_call *call, fh_text name)
{
    return fh_text_is(name, "torch.nn.Module.half") ||
           (fh_text_is(name, "torch.nn.Module.to") &&
            is_half(run, fh_call_argument(run->unit, call, 0, "dtype")));
}

/* What asks for, or sets, CUDA's autocast without naming a device: torch.get_autocast_gpu_dtype(),
 * torch.is_autocast_enabled(). */
static void check_state(fh_rule_run *run, const amp_call *amp)
{
    fh_replacement row;
    uint32_t given = fh_text_is(amp->name, "torch.is_autocast_enabled")    ? 0
                     : fh_text_is(amp->name, "torch.set_autocast_enabled") ? 1
                                                                           : UINT32_MAX;
    bool named_for_gpu = fh_text_is(amp->name, "torch.get_autocast_gpu_dtype") ||
                         fh_text_is(amp->name, "torch.set_autocast_gpu_dtype");
    /* Within except stands what older releases of PyTorch need. */
    if ((!named_for_gpu && amp->call->count != given) ||
        fh_block_inside(run->unit, amp->call->block, FH_BLOCK_EXCEPT) ||
        !fh_replacement_find(amp->name, &row) || !fh_replacement_in(&row, run->options->release))
        return;
    fh_rule_report(run, FH_RULE_401, FH_SEVERITY_WARNING, amp->certainty,
                   fh_spot_of_call(run->unit, amp->call), amp->name,
                   "%.*s is about CUDA's autocast: %s%.*s", FH_TEXT_ARGS(amp->name),
                   named_for_gpu ? "use " : "", FH_TEXT_ARGS(row.note));
}

/* Other calls that make whole models float16: by PyTorch's default, as they are loaded, by type().
 */
static void check_half_by_option(fh_rule_run *run, const fh_call *call)
{
    const fh_unit *u = run->unit;
    fh_meaning meaning;
    const fh_value *callee = fh_unit_value(u, call->callee);
    fh_spot spot = fh_spot_of_call(u, call);
    if (callee->kind == FH_VALUE_ATTRIBUTE &&
        fh_text_is(fh_unit_text(u, callee->b), "from_pretrained") &&
        (is_half(run, fh_call_argument(u, call, -1, "torch_dtype")) ||
         is_half(run, fh_call_argument(u, call, -1, "dtype"))))
        fh_rule_report(run, FH_RULE_404, FH_SEVERITY_NOTE, FH_LIKELY, spot, (fh_text){0},
                       "the whole model is loaded as float16, norms and reductions too");
    if (!fh_resolve_external(run->resolver, run->unit_index, call->callee, &meaning))
        return;
    fh_text name = fh_resolver_path(run->resolver, meaning.path);
    fh_certainty certainty = (fh_certainty)meaning.certainty;
    if (fh_text_is(name, "torch.set_default_dtype") &&
        is_half(run, fh_call_argument(u, call, 0, "d")))
        fh_rule_report(run, FH_RULE_404, FH_SEVERITY_NOTE, certainty, spot, name,
                       "float16 becomes the type of every tensor and module that is made without "
                       "one, norms too");
    else if (fh_text_is(name, "torch.nn.Module.type") &&
             is_half(run, fh_call_argument(u, call, 0, "dst_type")))
        fh_rule_report(run, FH_RULE_404, FH_SEVERITY_NOTE, certainty, spot, name,
                       "the whole module is cast to float16, norms and reductions too");
}

/* A model that is cast to be written to a file does not run as it is. */
static void check_call(fh_rule_run *run, const amp_call *amp, bool saves)
{
    fh_spot spot = fh_spot_of_call(run->unit, amp->call);
    fh_text name = amp->name;
    fh_certainty certainty = amp->certainty;
    if (fh_text_is(name, "torch.cuda.amp.autocast") ||
        fh_text_is(name, "torch.cuda.amp.autocast_mode.autocast"))
        fh_rule_report(run, FH_RULE_401, FH_SEVERITY_WARNING, certainty, spot, name,
                       "torch.cuda.amp.autocast does nothing on an NPU: use "
                       "torch.autocast(\"npu\") or torch.npu.amp.autocast");
    else if ((fh_text_is(name, "torch.autocast") || fh_text_is(name, "torch.amp.autocast")) &&
             names_cuda(run, amp, "device_type", false, &certainty))
        fh_rule_report(run, FH_RULE_401, FH_SEVERITY_WARNING, certainty, spot, name,
                       "autocast for \"cuda\"%s does nothing on an NPU: use \"npu\"",
                       by_default(run, amp, "device_type"));
    else if (fh_text_is(name, "torch.cuda.amp.GradScaler"))
        fh_rule_report(run, FH_RULE_402, FH_SEVERITY_WARNING, certainty, spot, name,
                       "torch.cuda.amp.GradScaler: use torch.npu.amp.GradScaler, or bfloat16 "
                       "without a scaler");
    else if (fh_text_is(name, "torch.amp.GradScaler") &&
             names_cuda(run, amp, "device", true, &certainty))
        fh_rule_report(run, FH_RULE_402, FH_SEVERITY_WARNING, certainty, spot, name,
                       "GradScaler is for \"cuda\"%s here: use torch.amp.GradScaler(\"npu\")",
                       by_default(run, amp, "device"));
    else if ((fh_text_is(name, "torch.amp.custom_fwd") ||
              fh_text_is(name, "torch.amp.custom_bwd")) &&
             names_cuda(run, amp, "device_type", false, &certainty))
        fh_rule_report(run, FH_RULE_403, FH_SEVERITY_WARNING, certainty, spot, name,
                       "%.*s for \"cuda\"%s: write device_type=\"npu\"",
                       FH_TEXT_ARGS(fh_text_last_part(name)), by_default(run, amp, "device_type"));
    else if (casts_module(run, amp->call, name)) {
        if (!saves)
            fh_rule_report(run, FH_RULE_404, FH_SEVERITY_NOTE, certainty, spot, name,
                           "the whole module is cast to float16, norms and reductions too");
    } else {
        check_state(run, amp);
    }
}

/* torch.cuda.amp's custom_fwd and custom_bwd, as a decorator or called to make one. */
static void check_cuda_decorator(fh_rule_run *run, fh_text path, fh_spot spot)
{
    if (fh_text_starts(path, "torch.cuda.amp.custom_"))
        fh_rule_report(run, FH_RULE_403, FH_SEVERITY_WARNING, FH_CERTAIN, spot, path,
                       "%.*s casts for CUDA only: use torch.npu.amp.%.*s", FH_TEXT_ARGS(path),
                       FH_TEXT_ARGS(fh_text_last_part(path)));
}

/* True when the function enters a context that comes from elsewhere: it may be autocast. */
static bool has_unknown_context(const fh_unit *u, uint32_t function)
{
    for (uint32_t i = 1; i < u->blocks.count; i++) {
        if (u->blocks.items[i].kind != FH_BLOCK_WITH || u->blocks.items[i].function != function)
            continue;
        fh_value_kind kind = (fh_value_kind)fh_unit_value(u, u->blocks.items[i].value)->kind;
        if (kind != FH_VALUE_CALL && kind != FH_VALUE_TUPLE)
            return true;
    }
    return false;
}

/* A function (or the module) that calls backward and step, and no autocast. */
static void check_steps(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    const fh_step_facts *facts =
        fh_unit_mentions(u, "torch") ? fh_steps_find(u, run->scratch) : NULL;
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
            unit_autocast || has_unknown_context(u, i) ? FH_POSSIBLE : FH_LIKELY;
        fh_rule_report(
            run, FH_RULE_410, FH_SEVERITY_NOTE, certainty, fh_spot_of_call(u, backward),
            (fh_text){0},
            "%.*s trains in float32 unless its caller casts: nothing in it enables autocast or "
            "casts to 16 bits",
            FH_TEXT_ARGS(name));
    }
}

/* True when the call is of a module, so that there is work for the matrix units. */
static bool calls_a_module(fh_rule_run *run, const fh_call *call)
{
    return fh_resolve_is_instance(run->resolver, run->unit_index, call->callee, "torch.nn.Module");
}

/* A module's own method: who made the module chose its type. */
static bool is_in_module(fh_rule_run *run, uint32_t function)
{
    uint32_t class = run->unit->functions.items[function].class;
    return class && fh_resolve_derives(run->resolver, run->unit_index, class, "torch.nn.Module");
}

/* A loop that runs a module under no_grad or inference_mode, without autocast or a cast of it. */
static void check_inference(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    const fh_step_facts *facts = fh_steps_find(u, run->scratch);
    bool unit_casts = false;
    for (uint32_t i = 0; facts && i < u->functions.count; i++)
        unit_casts |= facts[i].autocast || facts[i].low_precision;
    if (!facts || unit_casts || fh_unit_mentions(u, "float16") || fh_unit_mentions(u, "bfloat16"))
        return;
    for (uint32_t i = 1; i < u->calls.count && !fh_rules_stop(i); i++) {
        const fh_call *call = &u->calls.items[i];
        const fh_step_facts *f = &facts[call->function];
        if (!f->forward || fh_step_trains(f) || !(f->no_grad || fh_step_no_grad(u, call->block)) ||
            !fh_block_inside(u, call->block, FH_BLOCK_FOR) || is_in_module(run, call->function) ||
            !calls_a_module(run, call))
            continue;
        fh_text name = call->function
                           ? fh_unit_text(u, u->functions.items[call->function].qualified)
                           : FH_TEXT("the module");
        fh_rule_report(run, FH_RULE_411, FH_SEVERITY_NOTE, FH_LIKELY, fh_spot_of_call(u, call),
                       (fh_text){0},
                       "%.*s runs the model in float32 unless it was loaded in 16 bits: nothing in "
                       "the file enables autocast or casts",
                       FH_TEXT_ARGS(name));
        return; /* once for each file */
    }
}

/* custom_fwd = functools.partial(torch.amp.custom_fwd, device_type="cuda") */
static void check_partials(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    for (uint32_t i = 1; i < u->calls.count && !fh_rules_stop(i); i++) {
        const fh_call *call = &u->calls.items[i];
        fh_meaning callee, bound;
        if (!fh_resolve_external(run->resolver, run->unit_index, call->callee, &callee) ||
            !fh_text_is(fh_resolver_path(run->resolver, callee.path), "functools.partial") ||
            !fh_resolve_external(run->resolver, run->unit_index, fh_call_argument(u, call, 0, NULL),
                                 &bound))
            continue;
        check_call(
            run,
            &(amp_call){call, fh_resolver_path(run->resolver, bound.path), 1,
                        (fh_certainty)(bound.certainty < callee.certainty ? bound.certainty
                                                                          : callee.certainty)},
            false);
    }
}

void fh_rules_precision(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    const fh_device_branches *branches = fh_device_branches_find(run);
    const uint8_t *saves = NULL;
    for (uint32_t i = 0; i < run->sites.items.count; i++) {
        const fh_site *site = &run->sites.items.items[i];
        if (!saves && !(saves = find_savers(u, run->scratch)))
            break;
        const fh_call *call = &u->calls.items[site->call];
        if (site->call && fh_device_has_branch(branches, call->block, site->offset))
            continue;
        check_cuda_decorator(run, site->name, (fh_spot){site->offset, site->end, site->function});
        if (site->call)
            check_call(run, &(amp_call){call, site->name, 0, site->certainty},
                       saves[site->function]);
    }
    for (uint32_t i = 1; saves && i < u->calls.count; i++)
        if (!saves[u->calls.items[i].function])
            check_half_by_option(run, &u->calls.items[i]);
    if (fh_unit_mentions(u, "partial"))
        check_partials(run);
    check_steps(run);
    check_inference(run);
}
