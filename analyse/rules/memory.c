/* Memory: how batches reach the device, and what is done to the allocator. */
#include "analyse/rules/host_place.h"

#include <string.h>

/* True when the call takes ** or *, so that what it is given cannot be read off. */
static bool has_star(const fh_unit *u, const fh_call *call)
{
    for (uint32_t i = 0; i < call->count; i++)
        if (fh_unit_value(u, u->arguments.items[call->arguments + i].value)->kind == FH_VALUE_STAR)
            return true;
    return false;
}

static void check_loader(fh_rule_run *run, const fh_site *site, const fh_call *call)
{
    fh_spot spot = {site->offset, site->end, site->function};
    fh_value_index workers = fh_call_argument(run->unit, call, 5, "num_workers");
    fh_value_index pinned = fh_call_argument(run->unit, call, 7, "pin_memory");
    int64_t count;
    bool truth;
    if (has_star(run->unit, call))
        return;
    if (!workers)
        fh_rule_report(run, FH_RULE_801, FH_SEVERITY_NOTE, site->certainty, spot, site->name,
                       "num_workers is not given: the training process itself loads every batch");
    else if (fh_resolve_integer(run->resolver, run->unit_index, workers, &count) && count == 0)
        fh_rule_report(run, FH_RULE_801, FH_SEVERITY_NOTE, site->certainty, spot, site->name,
                       "num_workers is 0: the training process itself loads every batch");
    if (!pinned)
        fh_rule_report(run, FH_RULE_802, FH_SEVERITY_NOTE, site->certainty, spot, site->name,
                       "pin_memory is not given: batches lie in pageable memory, and copies of "
                       "them block the host");
    else if (fh_resolve_bool(run->resolver, run->unit_index, pinned, &truth) && !truth)
        fh_rule_report(run, FH_RULE_802, FH_SEVERITY_NOTE, site->certainty, spot, site->name,
                       "pin_memory is off: batches lie in pageable memory, and copies of them "
                       "block the host");
}

static void check_checkpoint(fh_rule_run *run, const fh_site *site, const fh_call *call)
{
    fh_spot spot = {site->offset, site->end, site->function};
    fh_value_index reentrant = fh_call_argument(run->unit, call, -1, "use_reentrant");
    bool truth;
    if (!reentrant && has_star(run->unit, call) &&
        !fh_text_ends(site->name, "checkpoint_sequential")) {
        /* **kwargs may hold it; *args does not. */
        for (uint32_t i = 0; i < call->count; i++) {
            const fh_value *v =
                fh_unit_value(run->unit, run->unit->arguments.items[call->arguments + i].value);
            if (v->kind == FH_VALUE_STAR && v->op == FH_OP_POWER)
                return;
        }
    }
    if (!reentrant)
        fh_rule_report(run, FH_RULE_804, FH_SEVERITY_NOTE, site->certainty, spot, site->name,
                       "checkpointing without use_reentrant: pass use_reentrant=False");
    else if (!fh_resolve_bool(run->resolver, run->unit_index, reentrant, &truth))
        fh_rule_report(run, FH_RULE_804, FH_SEVERITY_NOTE, FH_POSSIBLE, spot, site->name,
                       "use_reentrant is decided elsewhere: False also works with torch.compile "
                       "and DDP");
    else if (truth)
        fh_rule_report(run, FH_RULE_804, FH_SEVERITY_NOTE, site->certainty, spot, site->name,
                       "reentrant checkpointing: use_reentrant=False also works with "
                       "torch.compile and DDP");
}

static bool in_loop(const fh_unit *u, uint32_t block)
{
    return fh_block_inside(u, block, FH_BLOCK_FOR) || fh_block_inside(u, block, FH_BLOCK_WHILE);
}

static void check_allocator(fh_rule_run *run, const fh_site *site, const fh_call *call)
{
    fh_spot spot = {site->offset, site->end, site->function};
    fh_text name = fh_text_last_part(site->name);
    if (fh_text_is(name, "empty_cache")) {
        if (in_loop(run->unit, call->block) && !fh_host_is_occasional(run->unit, call->block))
            fh_rule_report(run, FH_RULE_805, FH_SEVERITY_NOTE, site->certainty, spot, site->name,
                           "empty_cache in a loop: the device is synchronised, and the next "
                           "allocations go to the driver again");
    } else if (fh_text_is(name, "set_per_process_memory_fraction")) {
        fh_rule_report(run, FH_RULE_805, FH_SEVERITY_NOTE, site->certainty, spot, site->name,
                       "a limit for the allocator: torch.npu.set_per_process_memory_fraction "
                       "takes the same fraction, of another amount of memory");
    } else if (fh_text_is(name, "_set_allocator_settings")) {
        fh_rule_report(run, FH_RULE_805, FH_SEVERITY_NOTE, site->certainty, spot, site->name,
                       "settings of CUDA's allocator: torch.npu.memory._set_allocator_settings "
                       "knows most keys, but not backend");
    }
}

/* What a loop walks over, behind enumerate and progress bars. */
static fh_value_index iterated(const fh_rule_run *run, fh_value_index value)
{
    static const char *const wrappers[] = {"builtins.enumerate", "tqdm.tqdm",     "tqdm.auto.tqdm",
                                           "tqdm.std.tqdm",      "builtins.iter", NULL};
    for (unsigned depth = 0; depth < 3; depth++) {
        const fh_value *v = fh_unit_value(run->unit, value);
        fh_meaning callee;
        if (v->kind != FH_VALUE_CALL ||
            !fh_resolve_external(run->resolver, run->unit_index,
                                 run->unit->calls.items[v->a].callee, &callee) ||
            !fh_text_is_any(fh_resolver_path(run->resolver, callee.path), wrappers))
            break;
        value = fh_call_argument(run->unit, &run->unit->calls.items[v->a], 0, "iterable");
    }
    return value;
}

/* A DataLoader, by what it is or is called. */
static bool is_loader(const fh_rule_run *run, fh_value_index value, fh_certainty *certainty)
{
    const fh_unit *u = run->unit;
    const fh_value *v = fh_unit_value(u, value);
    *certainty = FH_LIKELY;
    if (fh_resolve_is_instance(run->resolver, run->unit_index, value,
                               "torch.utils.data.DataLoader"))
        return true;
    fh_text name = {0};
    if (v->kind == FH_VALUE_ATTRIBUTE)
        name = fh_unit_text(u, v->b);
    if (v->kind == FH_VALUE_PARAMETER)
        name =
            fh_unit_text(u, u->parameters.items[u->functions.items[v->a].parameters + v->b].name);
    return fh_text_ends(name, "loader");
}

/* The loop over a loader whose batch `value` is, or is a part of; 0: none. */
static fh_value_index batch_of(const fh_rule_run *run, fh_value_index value)
{
    const fh_unit *u = run->unit;
    for (unsigned depth = 0; depth < 8; depth++) {
        const fh_value *v = fh_unit_value(u, value);
        fh_certainty certainty;
        switch ((fh_value_kind)v->kind) {
        case FH_VALUE_ELEMENT: {
            fh_value_index over = iterated(run, v->a);
            if (is_loader(run, over, &certainty))
                return over;
            /* for k, v in batch.items() */
            const fh_value *source = fh_unit_value(u, v->a);
            if (source->kind != FH_VALUE_CALL)
                return 0;
            const fh_value *callee = fh_unit_value(u, u->calls.items[source->a].callee);
            if (callee->kind != FH_VALUE_ATTRIBUTE ||
                (!fh_text_is(fh_unit_text(u, callee->b), "items") &&
                 !fh_text_is(fh_unit_text(u, callee->b), "values")))
                return 0;
            value = callee->a;
            break;
        }
        case FH_VALUE_ITEM:
        case FH_VALUE_SUBSCRIPT:
            value = v->a;
            break;
        default:
            return 0;
        }
    }
    return 0;
}

/* True for .cuda() and for .to() with a device. */
static bool moves_to_device(const fh_rule_run *run, const fh_call *call, fh_text method)
{
    fh_text text;
    fh_certainty certainty;
    if (fh_text_is(method, "cuda") || fh_text_is(method, "npu"))
        return true;
    fh_value_index target = fh_call_argument(run->unit, call, 0, "device");
    if (!fh_text_is(method, "to") || !target)
        return false;
    if (fh_resolve_string(run->resolver, run->unit_index, target, &text, &certainty, NULL))
        return !fh_text_is(text, "cpu");
    if (fh_resolve_is_instance(run->resolver, run->unit_index, target, "torch.device"))
        return true;
    const fh_value *v = fh_unit_value(run->unit, target);
    if (v->kind == FH_VALUE_ATTRIBUTE)
        return fh_text_ends(fh_unit_text(run->unit, v->b), "device");
    if (v->kind == FH_VALUE_PARAMETER) {
        const fh_function *f = &run->unit->functions.items[v->a];
        return fh_text_ends(
            fh_unit_text(run->unit, run->unit->parameters.items[f->parameters + v->b].name),
            "device");
    }
    return false;
}

static void check_copy(fh_rule_run *run, const fh_call *call)
{
    const fh_value *callee = fh_unit_value(run->unit, call->callee);
    bool truth;
    if (callee->kind != FH_VALUE_ATTRIBUTE)
        return;
    fh_text method = fh_unit_text(run->unit, callee->b);
    if (!fh_text_is(method, "to") && !fh_text_is(method, "cuda") && !fh_text_is(method, "npu"))
        return;
    fh_value_index given = fh_call_argument(run->unit, call, -1, "non_blocking");
    if ((given && !(fh_resolve_bool(run->resolver, run->unit_index, given, &truth) && !truth)) ||
        !in_loop(run->unit, call->block) || has_star(run->unit, call) ||
        !moves_to_device(run, call, method) || !batch_of(run, callee->a))
        return;
    fh_rule_report(run, FH_RULE_803, FH_SEVERITY_NOTE, FH_LIKELY, fh_spot_of_call(run->unit, call),
                   fh_text_is(method, "to") ? FH_TEXT("torch.Tensor.to")
                                            : FH_TEXT("torch.Tensor.cuda"),
                   "the batch is copied without non_blocking=True: the host waits for the copy");
}

void fh_rules_memory(fh_rule_run *run)
{
    for (uint32_t i = 0; i < run->sites.items.count; i++) {
        const fh_site *site = &run->sites.items.items[i];
        if (!site->call)
            continue;
        const fh_call *call = &run->unit->calls.items[site->call];
        if (fh_text_is(site->name, "torch.utils.data.DataLoader"))
            check_loader(run, site, call);
        else if (fh_text_is(site->name, "torch.utils.checkpoint.checkpoint") ||
                 fh_text_is(site->name, "torch.utils.checkpoint.checkpoint_sequential"))
            check_checkpoint(run, site, call);
        else if (fh_text_starts(site->name, "torch.cuda.") ||
                 fh_text_starts(site->name, "torch.npu."))
            check_allocator(run, site, call);
    }
    if (fh_unit_uses(run, "torch"))
        for (uint32_t i = 1; i < run->unit->calls.count && !fh_rules_stop(i); i++)
            check_copy(run, &run->unit->calls.items[i]);
}
