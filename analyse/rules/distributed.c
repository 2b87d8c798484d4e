/* Distributed training: backends, wrappers, and communication that could cost less. */
#include "analyse/rules/device_branch.h"

#include <string.h>

/* "nccl", or a list by device such as "cpu:gloo,cuda:nccl"; PyTorch reads both in any case. */
static bool names_nccl(fh_text text)
{
    char small[64];
    fh_text lower = {small, text.length < sizeof small ? text.length : 0};
    for (size_t i = 0; i < lower.length; i++)
        small[i] = text.data[i] >= 'A' && text.data[i] <= 'Z' ? (char)(text.data[i] - 'A' + 'a')
                                                              : text.data[i];
    return fh_text_is(lower, "nccl") || fh_text_ends(lower, ":nccl") ||
           fh_text_contains(lower, "cuda:nccl");
}

static bool is_nccl_constant(fh_rule_run *run, const fh_meaning *m)
{
    return m->kind == FH_MEANS_EXTERNAL &&
           fh_text_is(fh_resolver_path(run->resolver, m->path), "torch.distributed.Backend.NCCL");
}

/* All that `value` can be: the first that names NCCL, a string or a constant. None when it can be
 * HCCL as well: the program chooses already. */
static bool find_nccl(fh_rule_run *run, fh_value_index value, fh_reference *where,
                      fh_certainty *certainty)
{
    fh_meanings all;
    bool found = false;
    fh_resolve(run->resolver, run->unit_index, value, &all);
    for (uint32_t i = 0; i < all.count; i++) {
        const fh_meaning *m = &all.items[i];
        if (!found && is_nccl_constant(run, m)) {
            *where = (fh_reference){run->unit_index, value};
            *certainty = (fh_certainty)m->certainty;
            found = true;
        }
        if (m->kind != FH_MEANS_LITERAL)
            continue;
        const fh_unit *u = fh_resolver_look(run->resolver, m->unit);
        const fh_value *v = fh_unit_value(u, m->index);
        fh_text text = v->kind == FH_VALUE_STRING ? fh_unit_text(u, v->a) : (fh_text){0};
        if (fh_text_means_npu(text))
            return false;
        if (found || !names_nccl(text))
            continue;
        *where = (fh_reference){m->unit, m->index};
        *certainty = (fh_certainty)m->certainty;
        found = true;
    }
    return found;
}

/* The call is where the backend is chosen, the literal is what has to be changed: where they are
 * apart, each gets a finding. */
static void check_backend(fh_rule_run *run, const fh_site *site, fh_value_index backend)
{
    fh_reference where;
    fh_certainty certainty;
    if (!backend || !find_nccl(run, backend, &where, &certainty))
        return;
    fh_severity severity = fh_unit_is_migrated(run) ? FH_SEVERITY_NOTE : FH_SEVERITY_ERROR;
    fh_spot spot = {site->offset, site->end, site->function};
    const fh_unit *u = fh_resolver_look_whole(run->resolver, where.unit);
    fh_place at = fh_unit_place(u, fh_unit_value(u, where.value)->offset);
    fh_place here = fh_unit_place(run->unit, site->offset);
    if (where.unit != run->unit_index) {
        fh_rule_report(run, FH_RULE_501, severity, certainty, spot, site->name,
                       "backend \"nccl\" (from %.*s:%u): use \"hccl\"", FH_TEXT_ARGS(u->path),
                       at.line);
    } else if (at.line == here.line) {
        fh_rule_report(run, FH_RULE_501, severity, certainty, spot, site->name,
                       "backend \"nccl\": use \"hccl\"");
    } else {
        fh_rule_report(run, FH_RULE_501, severity, certainty, spot, site->name,
                       "backend \"nccl\" (from line %u): use \"hccl\"", at.line);
        fh_rule_report(run, FH_RULE_501, severity, certainty, fh_spot_of_value(u, where.value),
                       site->name, "\"nccl\" reaches %.*s in line %u: use \"hccl\"",
                       FH_TEXT_ARGS(fh_text_last_part(site->name)), here.line);
    }
}

static bool is_true(fh_rule_run *run, const fh_call *call, const char *keyword)
{
    bool truth;
    fh_value_index value = fh_call_argument(run->unit, call, -1, keyword);
    return value && fh_resolve_bool(run->resolver, run->unit_index, value, &truth) && truth;
}

/* Collectives that wait, in a loop of the step. */
static void check_collective(fh_rule_run *run, const fh_site *site, const fh_call *call)
{
    static const char *const blocking[] = {"all_reduce",
                                           "all_gather",
                                           "all_gather_into_tensor",
                                           "reduce_scatter",
                                           "reduce_scatter_tensor",
                                           "all_to_all",
                                           "all_to_all_single",
                                           "reduce",
                                           NULL};
    fh_text name = fh_text_last_part(site->name);
    if (!fh_text_is_any(name, blocking) || is_true(run, call, "async_op") ||
        !(fh_block_inside(run->unit, call->block, FH_BLOCK_FOR) ||
          fh_block_inside(run->unit, call->block, FH_BLOCK_WHILE)))
        return;
    fh_rule_report(run, FH_RULE_507, FH_SEVERITY_NOTE, FH_LIKELY,
                   (fh_spot){site->offset, site->end, site->function}, site->name,
                   "%.*s in a loop without async_op=True: nothing overlaps with it",
                   FH_TEXT_ARGS(name));
}

/* Options of PyTorch's wrappers that leave communication beside no computation, or in small pieces.
 * DistributedDataParallel's default is 25 MiB; FSDP's is BackwardPrefetch.BACKWARD_PRE (torch
 * 2.13.0, distributed.py and fully_sharded_data_parallel.py, read 2026-11-30). */
static void check_bucket(fh_rule_run *run, const fh_call *call, fh_spot spot, fh_text name)
{
    int64_t size;
    fh_value_index value = fh_call_argument(run->unit, call, -1, "bucket_cap_mb");
    if (value && fh_resolve_integer(run->resolver, run->unit_index, value, &size) && size > 0 &&
        size < 25)
        fh_rule_report(run, FH_RULE_509, FH_SEVERITY_NOTE, FH_LIKELY, spot, name,
                       "bucket_cap_mb=%lld is below the default of 25: gradients go in more and "
                       "smaller all-reduces",
                       (long long)size);
}

static void check_prefetch(fh_rule_run *run, const fh_call *call, fh_spot spot, fh_text name)
{
    fh_value_index value = fh_call_argument(run->unit, call, -1, "backward_prefetch");
    if (fh_unit_value(run->unit, value)->kind == FH_VALUE_NONE)
        fh_rule_report(run, FH_RULE_509, FH_SEVERITY_NOTE, FH_LIKELY, spot, name,
                       "backward_prefetch=None: parameters are gathered when they are needed, and "
                       "nothing is computed meanwhile");
}

static void check_data_parallel(fh_rule_run *run, const fh_site *site, const fh_call *call)
{
    fh_spot spot = {site->offset, site->end, site->function};
    if (is_true(run, call, "find_unused_parameters"))
        fh_rule_report(
            run, FH_RULE_503, FH_SEVERITY_NOTE, site->certainty, spot, site->name,
            "find_unused_parameters=True walks the graph in every step and delays the all-reduce");
    check_bucket(run, call, spot, site->name);
    if (!fh_unit_mentions(run->unit, "register_comm_hook"))
        fh_rule_report(run, FH_RULE_505, FH_SEVERITY_NOTE, FH_LIKELY, spot, site->name,
                       "gradients are reduced in the parameters' own type: a bf16 compression hook "
                       "halves the traffic of float32 ones");
}

/* {"npu": "hccl"}.get(kind, "nccl" if is_nccl_available() else "gloo"): HCCL is chosen on the same
 * line, so that NCCL decides for other devices only. */
static bool chooses_hccl(const fh_unit *u, uint32_t offset)
{
    uint32_t line = fh_unit_place(u, offset).line;
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        if (v->kind == FH_VALUE_STRING && fh_text_contains(fh_unit_text(u, v->a), "hccl") &&
            fh_unit_place(u, v->offset).line == line)
            return true;
    }
    return false;
}

static void check_nccl_test(fh_rule_run *run, const fh_site *site, fh_spot spot)
{
    if (!chooses_hccl(run->unit, site->offset))
        fh_rule_report(
            run, FH_RULE_508, FH_SEVERITY_WARNING, site->certainty, spot, site->name,
            "false on an NPU machine: test torch_npu.distributed.is_hccl_available() too");
}

static void check_site(fh_rule_run *run, const fh_site *site)
{
    if (!site->call)
        return;
    const fh_call *call = &run->unit->calls.items[site->call];
    fh_spot spot = {site->offset, site->end, site->function};
    if (fh_text_is(site->name, "torch.distributed.init_process_group"))
        check_backend(run, site, fh_call_argument(run->unit, call, 0, "backend"));
    else if (fh_text_is(site->name, "torch.distributed.new_group"))
        check_backend(run, site, fh_call_argument(run->unit, call, 2, "backend"));
    else if (fh_text_is(site->name, "torch.distributed.is_nccl_available"))
        check_nccl_test(run, site, spot);
    else if (fh_text_is(site->name, "torch.nn.DataParallel"))
        fh_rule_report(run, FH_RULE_502, FH_SEVERITY_WARNING, site->certainty, spot, site->name,
                       "DataParallel is not supported on NPUs: use DistributedDataParallel, one "
                       "process for each NPU");
    else if (fh_text_is(site->name, "torch.nn.parallel.DistributedDataParallel"))
        check_data_parallel(run, site, call);
    else if (fh_text_is(site->name, "torch.distributed.fsdp.FullyShardedDataParallel"))
        check_prefetch(run, call, spot, site->name);
    else if (fh_text_starts(site->name, "torch.distributed."))
        check_collective(run, site, call);
}

/* dist.get_backend(group): its answer is "hccl" on an NPU machine. */
static bool asks_for_backend(fh_rule_run *run, fh_value_index value)
{
    fh_meaning meaning;
    const fh_value *v = fh_unit_value(run->unit, value);
    return v->kind == FH_VALUE_CALL &&
           fh_resolve_external(run->resolver, run->unit_index, run->unit->calls.items[v->a].callee,
                               &meaning) &&
           fh_text_is(fh_resolver_path(run->resolver, meaning.path),
                      "torch.distributed.get_backend");
}

/* dist.get_backend() == "nccl", without a branch for HCCL beside it. */
static void check_comparisons(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    if (!fh_unit_mentions(u, "get_backend"))
        return;
    const fh_device_branches *branches = fh_device_branches_find(run);
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        fh_reference where;
        fh_certainty certainty;
        if (v->kind != FH_VALUE_COMPARE || (v->op != FH_OP_EQUAL && v->op != FH_OP_NOT_EQUAL) ||
            !((asks_for_backend(run, v->a) && find_nccl(run, v->b, &where, &certainty)) ||
              (asks_for_backend(run, v->b) && find_nccl(run, v->a, &where, &certainty))) ||
            chooses_hccl(u, v->offset) || fh_device_has_branch(branches, v->block, v->offset))
            continue;
        fh_rule_report(run, FH_RULE_508, FH_SEVERITY_WARNING, FH_LIKELY, fh_spot_of_value(u, i),
                       FH_TEXT("torch.distributed.get_backend"),
                       "%s where the backend is \"hccl\": compare with it too",
                       v->op == FH_OP_EQUAL ? "false" : "true");
    }
}

/* find_unused_parameters=True handed on to DistributedDataParallel: by Accelerate's handler, by
 * arguments of Transformers, by strategies of Lightning. */
static void check_unused_parameters(fh_rule_run *run, const fh_call *call)
{
    static const char *const keywords[] = {"find_unused_parameters", "ddp_find_unused_parameters",
                                           NULL};
    for (const char *const *keyword = keywords; *keyword; keyword++)
        if (is_true(run, call, *keyword))
            fh_rule_report(run, FH_RULE_503, FH_SEVERITY_NOTE, FH_LIKELY,
                           fh_spot_of_call(run->unit, call), (fh_text){0},
                           "%s=True walks the graph in every step and delays the all-reduce",
                           *keyword);
}

/* backend="nccl" handed to something that is not PyTorch's: deepspeed.init_distributed, a Trainer.
 */
static void check_other_call(fh_rule_run *run, const fh_call *call, uint32_t index)
{
    static const char *const keywords[] = {"backend", "dist_backend", "ddp_backend",
                                           "process_group_backend", NULL};
    if (fh_sites_of_call(&run->sites, index))
        return;
    check_unused_parameters(run, call);
    for (const char *const *keyword = keywords; *keyword; keyword++) {
        fh_value_index value = fh_call_argument(run->unit, call, -1, *keyword);
        fh_reference where;
        fh_certainty certainty;
        if (value && find_nccl(run, value, &where, &certainty))
            fh_rule_report(run, FH_RULE_501, FH_SEVERITY_ERROR,
                           certainty > FH_LIKELY ? FH_LIKELY : certainty,
                           fh_spot_of_call(run->unit, call), (fh_text){0},
                           "%s=\"nccl\": use \"hccl\"", *keyword);
    }
}

/* Something that steps besides optimisers: a learning-rate scheduler. */
static bool is_scheduler(fh_rule_run *run, fh_value_index object)
{
    const fh_unit *u = run->unit;
    const fh_value *v = fh_unit_value(u, object);
    fh_meanings all;
    fh_resolve(run->resolver, run->unit_index, object, &all);
    for (uint32_t i = 0; i < all.count; i++)
        if (all.items[i].kind == FH_MEANS_INSTANCE &&
            fh_text_contains(fh_resolver_path(run->resolver, all.items[i].path), "lr_scheduler"))
            return true;
    fh_symbol name = v->kind == FH_VALUE_ATTRIBUTE ? v->b : v->kind == FH_VALUE_NAME ? v->a : 0;
    if (v->kind == FH_VALUE_PARAMETER)
        name = u->parameters.items[u->functions.items[v->a].parameters + v->b].name;
    return name && fh_text_contains(fh_unit_text(u, name), "sched");
}

/* step % n == 0, and the like: what runs every n-th time. */
static bool is_every_nth(const fh_unit *u, fh_value_index condition)
{
    const fh_value *v = fh_unit_value(u, condition);
    const fh_value *left = v->kind == FH_VALUE_COMPARE ? fh_unit_value(u, v->a) : v;
    if (v->kind == FH_VALUE_UNARY && v->op == FH_OP_NOT)
        left = fh_unit_value(u, v->a);
    return left->kind == FH_VALUE_BINARY && left->op == FH_OP_MODULO;
}

/* True when the call runs every n-th turn of a loop only: under such a condition, or behind an
 * `if` in the same loop that goes on with the next turn instead. */
static bool runs_every_nth(const fh_unit *u, const fh_call *call)
{
    for (uint32_t i = call->block; i; i = u->blocks.items[i].parent) {
        const fh_block *block = &u->blocks.items[i];
        if ((block->kind == FH_BLOCK_IF || block->kind == FH_BLOCK_ELSE) &&
            is_every_nth(u, block->value) && fh_block_inside(u, i, FH_BLOCK_FOR))
            return true;
        /* Blocks stand in the order of the text: earlier ones of the same parent lie before. */
        for (uint32_t k = i + 1; k < u->blocks.count && u->blocks.items[k].offset < call->offset;
             k++)
            if (u->blocks.items[k].parent == i && u->blocks.items[k].kind == FH_BLOCK_IF &&
                u->blocks.items[k].leaves && u->blocks.items[k].end <= call->offset &&
                is_every_nth(u, u->blocks.items[k].value) && fh_block_inside(u, k, FH_BLOCK_FOR))
                return true;
        if (block->kind == FH_BLOCK_FUNCTION)
            return false;
    }
    return false;
}

/* backward() in a loop whose optimiser steps only every n-th time, with DDP and no no_sync. */
static void check_accumulation(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    if (!fh_unit_mentions(u, "DistributedDataParallel") || fh_unit_mentions(u, "no_sync") ||
        fh_unit_mentions(u, "require_backward_grad_sync"))
        return;
    for (uint32_t i = 1; i < u->calls.count && !fh_rules_stop(i); i++) {
        const fh_call *call = &u->calls.items[i];
        const fh_value *callee = fh_unit_value(u, call->callee);
        if (callee->kind != FH_VALUE_ATTRIBUTE || !fh_text_is(fh_unit_text(u, callee->b), "step") ||
            is_scheduler(run, callee->a) || !runs_every_nth(u, call))
            continue;
        fh_rule_report(run, FH_RULE_504, FH_SEVERITY_NOTE, FH_LIKELY, fh_spot_of_call(u, call),
                       (fh_text){0},
                       "the optimiser steps every n-th time, but every backward pass reduces all "
                       "gradients: wrap the others in no_sync()");
        return;
    }
}

/* A name and a value in Python: an entry of a configuration, or an argument. */
static void check_option(fh_rule_run *run, fh_symbol name, fh_value_index value, fh_spot spot)
{
    const fh_value *v = fh_unit_value(run->unit, value);
    double number = v->kind == FH_VALUE_FLOAT     ? fh_value_float(v)
                    : v->kind == FH_VALUE_INTEGER ? (double)fh_value_integer(v)
                                                  : 0;
    fh_report_deepspeed(run, fh_unit_text(run->unit, name), v->kind == FH_VALUE_BOOL && !v->a,
                        number, spot);
}

/* DeepSpeed's configuration, written in Python: {"zero_optimization": {"overlap_comm": False}}, and
 * arguments of the same names (Lightning's DeepSpeedStrategy). */
static void check_deepspeed(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    for (uint32_t i = 1; i < u->arguments.count; i++)
        if (u->arguments.items[i].name)
            check_option(run, u->arguments.items[i].name, u->arguments.items[i].value,
                         fh_spot_of_value(u, u->arguments.items[i].value));
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *dictionary = &u->values.items[i];
        for (uint32_t k = 0; dictionary->kind == FH_VALUE_DICT && k + 1 < dictionary->b; k += 2) {
            fh_value_index name = u->lists.items[dictionary->a + k];
            const fh_value *key = fh_unit_value(u, name);
            if (key->kind == FH_VALUE_STRING)
                check_option(run, key->a, u->lists.items[dictionary->a + k + 1],
                             fh_spot_of_value(u, name));
        }
    }
}

void fh_rules_distributed(fh_rule_run *run)
{
    for (uint32_t i = 0; i < run->sites.items.count; i++)
        check_site(run, &run->sites.items.items[i]);
    for (uint32_t i = 1; i < run->unit->calls.count && !fh_rules_stop(i); i++)
        check_other_call(run, &run->unit->calls.items[i], i);
    check_comparisons(run);
    check_deepspeed(run);
    check_accumulation(run);
}
