/* Device code: what names CUDA, and what it is called on Ascend. */
#include "analyse/rules/device_guard.h"
#include "analyse/rules/device_string.h"
#include "analyse/rules/text_match.h"
#include "analyse/rules/unit_index.h"
#include "facts/replacements.h"

#include <string.h>

typedef struct {
    fh_rule_run *run;
    const fh_device_branches *branches;
    bool migrated; /* the unit, or one it imports, activates transfer_to_npu */
    bool has_npu;  /* the unit names npu somewhere */
} device_scan;

/* In a migrated unit device findings do not stop the program. */
static fh_severity severity_of(const device_scan *scan, fh_severity usual)
{
    return scan->migrated ? FH_SEVERITY_NOTE : usual;
}

static void check_migration(device_scan *scan)
{
    const fh_unit *u = scan->run->unit;
    for (uint32_t i = 1; i < u->imports.count; i++) {
        const fh_import *import = &u->imports.items[i];
        if (fh_text_starts(fh_unit_text(u, import->path), "torch_npu.contrib.transfer_to_npu"))
            fh_rule_report(
                scan->run, FH_RULE_609, FH_SEVERITY_NOTE, FH_CERTAIN,
                (fh_spot){import->offset, 0, 0}, FH_TEXT("torch_npu.contrib.transfer_to_npu"),
                "transfer_to_npu renames torch.cuda, \"cuda\" and nccl while the program runs");
    }
}

static void check_torch_cuda(device_scan *scan, const fh_site *site)
{
    fh_rule_run *run = scan->run;
    fh_spot spot = {site->offset, site->end, site->function};
    if (fh_text_starts(site->name, "torch.cuda.nvtx.")) {
        fh_rule_report(run, FH_RULE_608, FH_SEVERITY_NOTE, site->certainty, spot, site->name,
                       "%.*s is seen by NVIDIA's profilers only", FH_TEXT_ARGS(site->name));
        return;
    }
    if (fh_text_starts(site->name, "torch.cuda.amp."))
        return;
    if (site->api && (site->api->kind == FH_API_METHOD || site->api->kind == FH_API_PROPERTY))
        return; /* of an object whose making was reported */
    const fh_value *callee = fh_unit_value(run->unit, run->unit->calls.items[site->call].callee);
    if (fh_text_ends(site->name, "Tensor") && callee->kind == FH_VALUE_ATTRIBUTE)
        return; /* check_reference */
    if (fh_text_ends(site->name, "Tensor")) {
        fh_rule_report(run, FH_RULE_605, severity_of(scan, FH_SEVERITY_WARNING), site->certainty,
                       spot, site->name, "%.*s exists only on CUDA", FH_TEXT_ARGS(site->name));
        return;
    }
    fh_text name = fh_text_slice(site->name, strlen("torch.cuda."), site->name.length);
    fh_replacement replacement;
    if (!fh_replacement_find(site->name, &replacement)) {
        fh_rule_report(run, FH_RULE_602, severity_of(scan, FH_SEVERITY_WARNING), site->certainty,
                       spot, site->name, "%.*s has no counterpart that we know of",
                       FH_TEXT_ARGS(site->name));
    } else if (!replacement.replacement.length) {
        fh_rule_report(run, FH_RULE_602, severity_of(scan, FH_SEVERITY_WARNING), site->certainty,
                       spot, site->name, "torch.cuda.%.*s has no counterpart on Ascend: %.*s",
                       FH_TEXT_ARGS(name), FH_TEXT_ARGS(replacement.note));
    } else if (!replacement.mechanical && replacement.note.length) {
        fh_rule_report(run, FH_RULE_602, severity_of(scan, FH_SEVERITY_WARNING), site->certainty,
                       spot, site->name, "torch.cuda.%.*s: %.*s does not do the same: %.*s",
                       FH_TEXT_ARGS(name), FH_TEXT_ARGS(replacement.replacement),
                       FH_TEXT_ARGS(replacement.note));
    } else {
        fh_rule_report(run, FH_RULE_602, severity_of(scan, FH_SEVERITY_WARNING), site->certainty,
                       spot, site->name, "torch.cuda.%.*s: use %.*s", FH_TEXT_ARGS(name),
                       FH_TEXT_ARGS(replacement.replacement));
    }
}

/* A setting, or a function, of cuDNN, cuBLAS or CUDA's attention kernels. */
static void check_backends(device_scan *scan, fh_text path, fh_certainty certainty, fh_spot spot)
{
    static const char *const modules[] = {"torch.backends.cudnn.", "torch.backends.cuda.", NULL};
    fh_rule_run *run = scan->run;
    for (const char *const *prefix = modules; *prefix; prefix++) {
        if (!fh_text_starts(path, *prefix))
            continue;
        fh_replacement replacement;
        if (fh_replacement_find(path, &replacement) && replacement.replacement.length)
            fh_rule_report(run, FH_RULE_607, FH_SEVERITY_NOTE, certainty, spot, path,
                           "%.*s has no effect on an NPU: use %.*s", FH_TEXT_ARGS(path),
                           FH_TEXT_ARGS(replacement.replacement));
        else
            fh_rule_report(run, FH_RULE_607, FH_SEVERITY_NOTE, certainty, spot, path,
                           "%.*s has no effect on an NPU", FH_TEXT_ARGS(path));
    }
}

/* torch.set_float32_matmul_precision("high"); "highest" is how it is without the call. */
static void check_matmul_precision(device_scan *scan, const fh_site *site, fh_spot spot)
{
    fh_rule_run *run = scan->run;
    fh_replacement row;
    fh_text text;
    fh_certainty certainty;
    fh_value_index value =
        fh_call_argument(run->unit, &run->unit->calls.items[site->call], 0, "precision");
    if (!fh_replacement_find(site->name, &row) ||
        (fh_resolve_string(run->resolver, run->unit_index, value, &text, &certainty, NULL) &&
         fh_text_is(text, "highest")))
        return;
    fh_rule_report(run, FH_RULE_607, FH_SEVERITY_NOTE, site->certainty, spot, site->name,
                   "%.*s has no effect on an NPU: %.*s", FH_TEXT_ARGS(site->name),
                   FH_TEXT_ARGS(row.note));
}

/* True when the program does the same on an NPU already: in another branch, or by a name that
 * stands for torch.npu there. */
static bool chooses_npu(device_scan *scan, const fh_site *site)
{
    fh_rule_run *run = scan->run;
    if (!site->call)
        return false;
    const fh_call *call = &run->unit->calls.items[site->call];
    fh_meanings all;
    fh_resolve(run->resolver, run->unit_index, call->callee, &all);
    /* table[device](): what is called is chosen by the device. */
    if (all.count > 1 && fh_unit_value(run->unit, call->callee)->kind == FH_VALUE_SUBSCRIPT)
        return true;
    for (uint32_t i = 0; i < all.count; i++)
        if (all.items[i].kind == FH_MEANS_EXTERNAL &&
            fh_text_means_npu(fh_resolver_path(run->resolver, all.items[i].path)))
            return true;
    return fh_device_has_branch(scan->branches, call->block, call->offset);
}

/* torch.version.hip, by itself or within bool(...): there is a PyTorch for AMD. */
static bool asks_for_hip(const fh_rule_run *run, fh_value_index value, unsigned depth)
{
    const fh_unit *u = run->unit;
    const fh_value *v = fh_unit_value(u, value);
    fh_meaning meaning;
    if (!depth)
        return false;
    switch ((fh_value_kind)v->kind) {
    case FH_VALUE_ATTRIBUTE:
    case FH_VALUE_IMPORT:
        return fh_resolve_external(run->resolver, run->unit_index, value, &meaning) &&
               fh_text_is(fh_resolver_path(run->resolver, meaning.path), "torch.version.hip");
    case FH_VALUE_CALL:
        return u->calls.items[v->a].count == 1 &&
               asks_for_hip(run, u->arguments.items[u->calls.items[v->a].arguments].value,
                            depth - 1);
    case FH_VALUE_COMPARE:
        return v->op == FH_OP_IS_NOT && fh_unit_value(u, v->b)->kind == FH_VALUE_NONE &&
               asks_for_hip(run, v->a, depth - 1);
    case FH_VALUE_BINARY:
        return v->op == FH_OP_AND &&
               (asks_for_hip(run, v->a, depth - 1) || asks_for_hip(run, v->b, depth - 1));
    default:
        return false;
    }
}

/* What asks which CUDA device it is, and has no other use. */
static bool is_query(fh_text name)
{
    static const char *const queries[] = {"torch.cuda.get_device_capability",
                                          "torch.cuda.get_device_name",
                                          "torch.cuda.get_device_properties",
                                          "torch.cuda.get_arch_list",
                                          "torch.cuda.is_tf32_supported",
                                          "torch.cuda.get_gencode_flags",
                                          NULL};
    return fh_text_is_any(name, queries);
}

/* `if device.type != "cuda" or ...: return` among the statements before the call. */
static bool follows_refusal(const fh_rule_run *run, const fh_call *call)
{
    const fh_unit *u = run->unit;
    for (uint32_t i = 1; i < u->blocks.count; i++) {
        const fh_block *b = &u->blocks.items[i];
        if (b->kind != FH_BLOCK_IF || !b->leaves || b->function != call->function ||
            b->end > call->offset || u->blocks.items[b->parent].kind != FH_BLOCK_FUNCTION)
            continue;
        const fh_value *v = fh_unit_value(u, b->value);
        while (v->kind == FH_VALUE_BINARY && v->op == FH_OP_OR)
            v = fh_unit_value(u, v->a);
        if (v->kind == FH_VALUE_COMPARE && v->op == FH_OP_NOT_EQUAL &&
            fh_device_names_cuda(run, v->b))
            return true;
    }
    return false;
}

/* x.is_cuda and torch.cuda.get_device_capability(): in one condition. */
static bool is_behind_test(const fh_rule_run *run, const fh_call *call)
{
    enum { BESIDE = 200 };
    const fh_unit *u = run->unit;
    fh_slice near =
        fh_values_near(run, (int64_t)call->offset - BESIDE, (int64_t)call->offset + BESIDE + 1);
    for (uint32_t i = 0; i < near.count; i++) {
        const fh_value *v = fh_unit_value(u, near.items[i]);
        if (v->kind == FH_VALUE_BINARY && v->op == FH_OP_AND && v->block == call->block &&
            fh_unit_value(u, v->a)->offset < call->offset && fh_device_asks_for_cuda(run, v->a))
            return true;
    }
    return false;
}

/* True when an NPU never comes to the call: behind a test for AMD's PyTorch, or where a query
 * stands behind a test for CUDA, which is reported itself. */
static bool is_out_of_reach(const fh_rule_run *run, const fh_site *site)
{
    enum { NEAR = 4 };
    const fh_unit *u = run->unit;
    if (!site->call || !fh_text_starts(site->name, "torch.cuda."))
        return false;
    const fh_call *call = &u->calls.items[site->call];
    for (uint32_t block = call->block; block; block = u->blocks.items[block].parent) {
        const fh_block *b = &u->blocks.items[block];
        if (b->kind == FH_BLOCK_FUNCTION)
            break;
        if (b->kind == FH_BLOCK_IF &&
            (asks_for_hip(run, b->value, 6) ||
             (is_query(site->name) && fh_device_asks_for_cuda(run, b->value))))
            return true;
    }
    if (is_query(site->name) && (follows_refusal(run, call) || is_behind_test(run, call)))
        return true;
    /* bool(torch.version.hip) and torch.cuda.is_available(): the next value is made of it. */
    for (uint32_t i = call->value + 1; i < u->values.count && i <= call->value + NEAR; i++) {
        const fh_value *v = &u->values.items[i];
        if (v->kind == FH_VALUE_BINARY && v->op == FH_OP_AND && v->b == call->value &&
            asks_for_hip(run, v->a, 6))
            return true;
    }
    return false;
}

static bool is_available(fh_text name)
{
    return fh_text_is(name, "torch.cuda.is_available");
}

/* True when CUDA is what is meant, or the device is chosen elsewhere. */
static bool is_meant(const device_scan *scan, const fh_site *site)
{
    const fh_rule_run *run = scan->run;
    const fh_call *call = &run->unit->calls.items[site->call];
    return fh_device_is_refused(run, call->block, call->offset) ||
           fh_device_is_cuda_method(run->unit, call->function) ||
           fh_device_is_looked_up(run, call->callee) ||
           (scan->has_npu && fh_device_has_npu_call(run, call->function, site->name)) ||
           (is_available(site->name) && fh_device_is_beside_query(run, site->call)) ||
           ((is_query(site->name) || is_available(site->name) ||
             fh_text_is(site->name, "torch.cuda.device_count")) &&
            fh_device_answers_for_cuda(run, site->call));
}

static void check_site(device_scan *scan, const fh_site *site)
{
    fh_rule_run *run = scan->run;
    fh_spot spot = {site->offset, site->end, site->function};
    bool moves = fh_text_is(site->name, "torch.Tensor.cuda") ||
                 fh_text_is(site->name, "torch.nn.Module.cuda");
    bool tf32 = fh_text_is(site->name, "torch.set_float32_matmul_precision");
    if (!moves && !tf32 && !fh_text_starts(site->name, "torch.cuda.") &&
        !fh_text_starts(site->name, "torch.backends."))
        return;
    if (chooses_npu(scan, site) || is_out_of_reach(run, site))
        return;
    if (site->call && is_meant(scan, site))
        return;
    if (moves)
        fh_rule_report(
            run, FH_RULE_601, severity_of(scan, FH_SEVERITY_WARNING), site->certainty, spot,
            site->name,
            ".cuda() moves to a device that Ascend does not have: use .to(\"npu\") or .npu()");
    else if (fh_text_starts(site->name, "torch.cuda."))
        check_torch_cuda(scan, site);
    else if (tf32 && site->call)
        check_matmul_precision(scan, site, spot);
    else if (site->call)
        check_backends(scan, site->name, site->certainty, spot);
}

/* .to(3), device=0: the value, or a constant that it is bound to, is a number. */
static void check_number(device_scan *scan, const fh_call *call, fh_value_index value,
                         fh_text callee)
{
    int64_t number;
    if (!value || !fh_resolve_integer(scan->run->resolver, scan->run->unit_index, value, &number))
        return;
    fh_rule_report(scan->run, FH_RULE_603, severity_of(scan, FH_SEVERITY_WARNING), FH_CERTAIN,
                   fh_spot_of_call(scan->run->unit, call), callee,
                   "device %lld given as a number: write torch.device(\"npu\", %lld)",
                   (long long)number, (long long)number);
}

static void check_call(device_scan *scan, const fh_call *call)
{
    fh_rule_run *run = scan->run;
    fh_meaning meaning;
    fh_text callee = {0};
    if (fh_resolve_external(run->resolver, run->unit_index, call->callee, &meaning))
        callee = fh_resolver_path(run->resolver, meaning.path);
    bool torch = fh_text_starts(callee, "torch.");
    fh_value_index pinned = fh_call_argument(run->unit, call, -1, "pin_memory_device");
    fh_text device;
    fh_certainty certainty;
    if (pinned &&
        fh_resolve_string(run->resolver, run->unit_index, pinned, &device, &certainty, NULL) &&
        fh_text_is_cuda_device(device))
        fh_rule_report(run, FH_RULE_610, FH_SEVERITY_NOTE, FH_CERTAIN,
                       fh_spot_of_value(run->unit, pinned), callee,
                       "pin_memory_device names a device: leave it out or write \"npu\"");
    if (fh_text_is(callee, "torch.Tensor.to") || fh_text_is(callee, "torch.nn.Module.to"))
        check_number(scan, call, fh_call_argument(run->unit, call, 0, "device"), callee);
    else if (torch && !fh_text_starts(callee, "torch.cuda.") && !fh_text_ends(callee, ".cuda"))
        check_number(scan, call, fh_call_argument(run->unit, call, -1, "device"), callee);
}

/* `torch.cuda.HalfTensor`, `torch.backends.cudnn.benchmark = True`: names that are not called. */
static void check_reference(device_scan *scan, fh_value_index value)
{
    fh_rule_run *run = scan->run;
    fh_meaning meaning;
    if (!fh_resolve_external(run->resolver, run->unit_index, value, &meaning))
        return;
    fh_text path = fh_resolver_path(run->resolver, meaning.path);
    if (fh_text_starts(path, "torch.cuda.") && fh_text_ends(path, "Tensor"))
        fh_rule_report(run, FH_RULE_605, severity_of(scan, FH_SEVERITY_WARNING),
                       (fh_certainty)meaning.certainty, fh_spot_of_value(run->unit, value), path,
                       "%.*s exists only on CUDA", FH_TEXT_ARGS(path));
}

static void check_switch(device_scan *scan, const fh_store *store)
{
    fh_rule_run *run = scan->run;
    fh_meaning meaning;
    if (!store->name || !fh_resolve_external(run->resolver, run->unit_index, store->base, &meaning))
        return;
    fh_symbol joined =
        fh_resolver_join(run->resolver, meaning.path, fh_unit_text(run->unit, store->name));
    check_backends(scan, fh_resolver_path(run->resolver, joined), FH_CERTAIN,
                   (fh_spot){store->offset, 0, run->unit->blocks.items[store->block].function});
}

void fh_rules_device(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    device_scan scan = {run, fh_device_branches_find(run), fh_unit_is_migrated(run),
                        fh_unit_mentions(u, "npu")};
    check_migration(&scan);
    for (uint32_t i = 0; i < run->sites.items.count; i++)
        check_site(&scan, &run->sites.items.items[i]);
    for (uint32_t i = 1; i < u->calls.count && !fh_rules_stop(i); i++)
        check_call(&scan, &u->calls.items[i]);
    for (uint32_t i = 1; i < u->stores.count && !fh_rules_stop(i); i++)
        check_switch(&scan, &u->stores.items[i]);
    for (uint32_t i = 1; i < u->values.count; i++)
        if (u->values.items[i].kind == FH_VALUE_ATTRIBUTE &&
            fh_text_ends(fh_unit_text(u, u->values.items[i].b), "Tensor"))
            check_reference(&scan, i);
    fh_device_check_strings(run, scan.branches, scan.migrated);
}
