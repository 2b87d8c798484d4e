/* Device code: what names CUDA, and what it is called on Ascend. */
#include "analyse/rules/run.h"
#include "analyse/rules/text_match.h"
#include "facts/replacements.h"

#include <string.h>

/* What a string is used for, where that changes what to say about it. */
enum {
    USED_AS_DEVICE = 1, /* an argument that can only be a device */
    USED_FOR_AMP = 2,   /* precision.c speaks of it */
    COMPARED = 4,
    USED_AS_TYPE = 8,
    OTHER_USE = 16, /* a key, a message, ...: "cuda" is not a device there */
};

/* How a string is used, and by which call. */
typedef struct {
    uint8_t how;
    fh_text callee;
} string_use;

typedef struct {
    fh_rule_run *run;
    string_use *uses; /* by value */
    bool migrated;    /* the unit, or one it imports, activates transfer_to_npu */
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

/* A name stands for the literal that was assigned to it, perhaps far away: what is said of the
 * name there is not said of the literal. True when the literal stands in the expression itself. */
static bool stands_at(const fh_unit *u, fh_value_index literal, uint32_t offset)
{
    enum { NEAR = 120 };
    uint32_t at = fh_unit_value(u, literal)->offset;
    return at + NEAR > offset && offset + NEAR > at;
}

static void mark(device_scan *scan, fh_value_index value, uint8_t use, fh_text callee);

static void mark_at(device_scan *scan, fh_value_index value, uint8_t use, uint32_t offset)
{
    if (stands_at(scan->run->unit, value, offset))
        mark(scan, value, use, (fh_text){0});
}

/* Marks a value, or every alternative of a PHI. */
static void mark(device_scan *scan, fh_value_index value, uint8_t use, fh_text callee)
{
    const fh_unit *u = scan->run->unit;
    const fh_value *v = fh_unit_value(u, value);
    if (v->kind == FH_VALUE_PHI) {
        for (uint32_t i = 0; i < v->b; i++)
            mark(scan, u->lists.items[v->a + i], use, callee);
    } else if (value) {
        scan->uses[value].how |= use;
        if (callee.length)
            scan->uses[value].callee = callee;
    }
}

static bool is_amp(fh_text name)
{
    static const char *const names[] = {
        "torch.autocast",           "torch.amp.autocast",       "torch.amp.GradScaler",
        "torch.amp.custom_fwd",     "torch.amp.custom_bwd",     "torch.is_autocast_enabled",
        "torch.get_autocast_dtype", "torch.set_autocast_dtype", NULL};
    return fh_text_is_any(name, names) || fh_text_starts(name, "torch.cuda.amp.");
}

/* Marks what the arguments of a call are used for. */
static void mark_arguments(device_scan *scan, const fh_call *call, fh_text callee)
{
    const fh_unit *u = scan->run->unit;
    bool amp = is_amp(callee);
    const fh_value *method = fh_unit_value(u, call->callee);
    bool compares = method->kind == FH_VALUE_ATTRIBUTE &&
                    (fh_text_is(fh_unit_text(u, method->b), "startswith") ||
                     fh_text_is(fh_unit_text(u, method->b), "endswith"));
    for (uint32_t i = 0; i < call->count; i++) {
        const fh_argument *argument = &u->arguments.items[call->arguments + i];
        fh_text name = fh_unit_text(u, argument->name);
        if (compares)
            mark_at(scan, argument->value, COMPARED, call->offset);
        else if (amp)
            mark(scan, argument->value, USED_FOR_AMP, callee);
        else if (fh_text_is(name, "device") || fh_text_is(name, "map_location") ||
                 fh_text_is(name, "device_type"))
            mark(scan, argument->value, USED_AS_DEVICE, callee);
        else if (i == 0 &&
                 (fh_text_is(callee, "torch.device") || fh_text_is(callee, "torch.Tensor.to") ||
                  fh_text_is(callee, "torch.nn.Module.to")))
            mark(scan, argument->value, USED_AS_DEVICE, callee);
        else if (i == 0 && (fh_text_ends(callee, ".type") ||
                            fh_text_ends(callee, ".set_default_tensor_type")))
            mark(scan, argument->value, USED_AS_TYPE, callee);
        else if (!stands_at(u, argument->value, call->offset))
            continue;
        else if (fh_text_is(callee, "builtins.print") || fh_text_is(callee, "builtins.getattr") ||
                 fh_text_is(callee, "builtins.hasattr"))
            mark(scan, argument->value, OTHER_USE, callee);
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

static void check_site(device_scan *scan, const fh_site *site)
{
    fh_rule_run *run = scan->run;
    fh_spot spot = {site->offset, site->end, site->function};
    if (fh_text_is(site->name, "torch.Tensor.cuda") ||
        fh_text_is(site->name, "torch.nn.Module.cuda"))
        fh_rule_report(
            run, FH_RULE_601, severity_of(scan, FH_SEVERITY_WARNING), site->certainty, spot,
            site->name,
            ".cuda() moves to a device that Ascend does not have: use .to(\"npu\") or .npu()");
    else if (fh_text_starts(site->name, "torch.cuda."))
        check_torch_cuda(scan, site);
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
    mark_arguments(scan, call, callee);

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
    else if (torch && !fh_text_starts(callee, "torch.cuda."))
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

/* "torch.cuda.FloatTensor" in a string. */
static bool names_cuda_type(fh_text text)
{
    if (!fh_text_starts(text, "torch.cuda.") || !fh_text_ends(text, "Tensor"))
        return false;
    fh_text name = fh_text_slice(text, strlen("torch.cuda."), text.length);
    for (size_t i = 0; i < name.length; i++)
        if (!((name.data[i] | 0x20) >= 'a' && (name.data[i] | 0x20) <= 'z'))
            return false;
    return true;
}

/* Such a string is certainly a type where it is handed to what takes types by name. */
static void check_type_name(device_scan *scan, fh_value_index index)
{
    fh_rule_run *run = scan->run;
    string_use use = scan->uses[index];
    static const char *const takers[] = {"torch.Tensor.type", "torch.nn.Module.type",
                                         "torch.set_default_tensor_type", NULL};
    if (use.how & OTHER_USE)
        return;
    fh_text text = fh_unit_text(run->unit, fh_unit_value(run->unit, index)->a);
    fh_rule_report(run, FH_RULE_605, severity_of(scan, FH_SEVERITY_WARNING),
                   fh_text_is_any(use.callee, takers) ? FH_CERTAIN : FH_LIKELY,
                   fh_spot_of_value(run->unit, index), use.callee, "%.*s exists only on CUDA",
                   FH_TEXT_ARGS(text));
}

/* The device name a string literal is, or that an f-string begins with. */
static bool names_cuda(const fh_unit *u, const fh_value *value)
{
    if (value->kind == FH_VALUE_STRING) {
        fh_text text = fh_unit_text(u, value->a);
        return fh_text_is_cuda_device(text) || fh_text_is(text, "cuda:{}") ||
               fh_text_is(text, "cuda:%d") || fh_text_is(text, "cuda:%s") ||
               fh_text_is(text, "cuda:");
    }
    if (value->kind != FH_VALUE_FORMAT || !value->b)
        return false;
    const fh_value *first = fh_unit_value(u, u->lists.items[value->a]);
    return first->kind == FH_VALUE_STRING && fh_text_is(fh_unit_text(u, first->a), "cuda:");
}

static void check_string(device_scan *scan, fh_value_index index)
{
    fh_rule_run *run = scan->run;
    uint8_t uses = scan->uses[index].how;
    fh_text callee = scan->uses[index].callee;
    if (uses & (USED_FOR_AMP | OTHER_USE))
        return;
    fh_spot spot = fh_spot_of_value(run->unit, index);
    if (uses & COMPARED)
        fh_rule_report(run, FH_RULE_604, FH_SEVERITY_NOTE, FH_CERTAIN, spot, callee,
                       "compared with \"cuda\": on an NPU the device type is \"npu\"");
    else
        fh_rule_report(run, FH_RULE_604, severity_of(scan, FH_SEVERITY_WARNING),
                       uses & USED_AS_DEVICE ? FH_CERTAIN : FH_LIKELY, spot, callee,
                       "device name \"cuda\": use \"npu\"");
}

/* One side of a comparison: the literal, or each of `in ("cuda", "mps")`. */
static void mark_compared(device_scan *scan, fh_value_index value, uint32_t offset)
{
    const fh_unit *u = scan->run->unit;
    const fh_value *v = fh_unit_value(u, value);
    if (v->kind == FH_VALUE_TUPLE || v->kind == FH_VALUE_LIST || v->kind == FH_VALUE_SET) {
        for (uint32_t i = 0; i < v->b; i++)
            mark_at(scan, u->lists.items[v->a + i], COMPARED, offset);
    } else {
        mark_at(scan, value, COMPARED, offset);
    }
}

/* x["cuda"] and Literal["cpu", "cuda"]: keys and words, not devices. */
static void mark_index(device_scan *scan, fh_value_index value, uint32_t offset)
{
    const fh_unit *u = scan->run->unit;
    const fh_value *v = fh_unit_value(u, value);
    if (v->kind != FH_VALUE_TUPLE)
        mark_at(scan, value, OTHER_USE, offset);
    for (uint32_t i = 0; v->kind == FH_VALUE_TUPLE && i < v->b; i++)
        mark_at(scan, u->lists.items[v->a + i], OTHER_USE, offset);
}

static void mark_values(device_scan *scan)
{
    const fh_unit *u = scan->run->unit;
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        if (v->kind == FH_VALUE_COMPARE) {
            mark_compared(scan, v->a, v->offset);
            mark_compared(scan, v->b, v->offset);
        } else if (v->kind == FH_VALUE_DICT) {
            for (uint32_t k = 0; k + 1 < v->b; k += 2)
                mark(scan, u->lists.items[v->a + k], OTHER_USE, (fh_text){0});
        } else if (v->kind == FH_VALUE_SUBSCRIPT) {
            mark_index(scan, v->b, v->offset);
        } else if (v->kind == FH_VALUE_FORMAT) {
            for (uint32_t k = 0; k < v->b; k++)
                mark(scan, u->lists.items[v->a + k], OTHER_USE, (fh_text){0});
        }
    }
}

void fh_rules_device(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    device_scan scan = {run, fh_arena_alloc(run->arena, u->values.count * sizeof(string_use)),
                        fh_unit_is_migrated(run)};
    if (!scan.uses)
        return;
    memset(scan.uses, 0, u->values.count * sizeof *scan.uses);
    check_migration(&scan);
    for (uint32_t i = 0; i < run->sites.items.count; i++)
        check_site(&scan, &run->sites.items.items[i]);
    for (uint32_t i = 1; i < u->calls.count; i++)
        check_call(&scan, &u->calls.items[i]);
    for (uint32_t i = 1; i < u->stores.count; i++)
        check_switch(&scan, &u->stores.items[i]);
    mark_values(&scan);
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        if (v->kind == FH_VALUE_ATTRIBUTE && fh_text_ends(fh_unit_text(u, v->b), "Tensor"))
            check_reference(&scan, i);
        else if (v->kind == FH_VALUE_STRING && names_cuda_type(fh_unit_text(u, v->a)))
            check_type_name(&scan, i);
        else if (names_cuda(u, v))
            check_string(&scan, i);
    }
}
