#include "analyse/rules/device_string.h"
#include "analyse/rules/device_guard.h"
#include "analyse/rules/text_match.h"
#include "analyse/rules/unit_index.h"

#include <string.h>

/* What a string is used for, where that changes what to say about it. */
enum {
    USED_AS_DEVICE = 1, /* an argument that can only be a device */
    USED_FOR_AMP = 2,   /* precision.c speaks of it */
    COMPARED = 4,
    OTHER_USE = 8, /* a key, a message, ...: "cuda" is not a device there, or "npu" stands beside */
    IN_LIST = 16,  /* one of several names of devices */
    USED_AS_TYPE = 64,
    AMONG_OTHERS = 32, /* beside things that are no devices */
};

/* How a string is used, and by which call. */
typedef struct {
    uint8_t how;
    fh_text callee;
} string_use;

typedef struct {
    fh_rule_run *run;
    string_use *uses; /* by value */
    const fh_device_branches *branches;
    bool migrated;
} string_scan;

/* A name stands for the literal that was assigned to it, perhaps far away: what is said of the
 * name there is not said of the literal. True when the literal stands in the expression itself. */
static bool stands_at(const fh_unit *u, fh_value_index literal, uint32_t offset)
{
    enum { NEAR = 120 };
    uint32_t at = fh_unit_value(u, literal)->offset;
    return at + NEAR > offset && offset + NEAR > at;
}

static void mark(string_scan *scan, fh_value_index value, uint8_t use, fh_text callee);

static void mark_at(string_scan *scan, fh_value_index value, uint8_t use, uint32_t offset)
{
    if (stands_at(scan->run->unit, value, offset))
        mark(scan, value, use, (fh_text){0});
}

/* Marks a value, or every alternative of a PHI. */
static void mark(string_scan *scan, fh_value_index value, uint8_t use, fh_text callee)
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
static void mark_arguments(string_scan *scan, const fh_call *call)
{
    fh_rule_run *run = scan->run;
    const fh_unit *u = run->unit;
    fh_meaning meaning;
    fh_text callee = {0};
    if (fh_resolve_external(run->resolver, run->unit_index, call->callee, &meaning))
        callee = fh_resolver_path(run->resolver, meaning.path);
    bool amp = is_amp(callee);
    const fh_value *method = fh_unit_value(u, call->callee);
    static const char *const comparing[] = {"startswith", "endswith", NULL};
    /* Methods of dictionaries and strings, whose first argument is a key or a part of a text. */
    static const char *const keyed[] = {"get",    "pop",          "setdefault", "replace", "split",
                                        "rsplit", "removeprefix", "strip",      "lstrip",  "find",
                                        "count",  "partition",    NULL};
    fh_text name_of_method =
        method->kind == FH_VALUE_ATTRIBUTE ? fh_unit_text(u, method->b) : (fh_text){0};
    bool compares = fh_text_is_any(name_of_method, comparing);
    bool has_key = fh_text_is_any(name_of_method, keyed);
    for (uint32_t i = 0; i < call->count; i++) {
        const fh_argument *argument = &u->arguments.items[call->arguments + i];
        fh_text name = fh_unit_text(u, argument->name);
        if (compares)
            mark_at(scan, argument->value, COMPARED, call->offset);
        else if (has_key && i == 0)
            mark_at(scan, argument->value, OTHER_USE, call->offset);
        else if (fh_text_is(name, "pin_memory_device"))
            mark(scan, argument->value, OTHER_USE, callee); /* FH610 says it */
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
static void check_type_name(string_scan *scan, fh_value_index index)
{
    fh_rule_run *run = scan->run;
    string_use use = scan->uses[index];
    static const char *const takers[] = {"torch.Tensor.type", "torch.nn.Module.type",
                                         "torch.set_default_tensor_type", NULL};
    if (use.how & OTHER_USE)
        return;
    fh_text text = fh_unit_text(run->unit, fh_unit_value(run->unit, index)->a);
    fh_rule_report(run, FH_RULE_605, scan->migrated ? FH_SEVERITY_NOTE : FH_SEVERITY_WARNING,
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

/* device if device in {"npu", "xpu"} else "cuda": the test just before is for NPUs. */
static bool follows_test(const string_scan *scan, const fh_value *v)
{
    enum { NEAR = 80 };
    const fh_unit *u = scan->run->unit;
    if (!scan->branches)
        return false;
    fh_slice tests = fh_tests_near(scan->run, (int64_t)v->offset - NEAR + 1, v->offset);
    for (uint32_t i = tests.count; i-- > 0;)
        if (fh_unit_value(u, tests.items[i])->block == v->block)
            return fh_device_asks(u, tests.items[i]);
    return false;
}

static void check_string(string_scan *scan, fh_value_index index)
{
    fh_rule_run *run = scan->run;
    uint8_t uses = scan->uses[index].how;
    fh_text callee = scan->uses[index].callee;
    const fh_value *v = fh_unit_value(run->unit, index);
    if (uses & (USED_FOR_AMP | OTHER_USE) || follows_test(scan, v) ||
        fh_device_has_branch(scan->branches, v->block, v->offset))
        return;
    if (fh_device_is_for_package(run, v->block) ||
        (uses == AMONG_OTHERS && fh_device_is_behind_cuda(run, v->block)) ||
        fh_device_is_cuda_method(run->unit, fh_block_function(run->unit, v->block)) ||
        (uses & COMPARED && (fh_device_is_refused(run, v->block, v->offset) ||
                             fh_device_is_beside_backend(run, v->block, v->offset) ||
                             fh_device_chooses_format(run, v->block, v->offset) ||
                             fh_device_is_asked_by_name(run, v->block))))
        return;
    fh_spot spot = fh_spot_of_value(run->unit, index);
    /* In a migrated unit device findings do not stop the program. */
    fh_severity severity = scan->migrated ? FH_SEVERITY_NOTE : FH_SEVERITY_WARNING;
    if (uses & COMPARED)
        fh_rule_report(run, FH_RULE_604, FH_SEVERITY_NOTE, FH_CERTAIN, spot, callee,
                       "compared with \"cuda\": on an NPU the device type is \"npu\"");
    else if (uses & USED_AS_DEVICE)
        fh_rule_report(run, FH_RULE_604, severity, FH_CERTAIN, spot, callee,
                       "device name \"cuda\": use \"npu\"");
    else if (uses & AMONG_OTHERS)
        fh_rule_report(run, FH_RULE_604, severity, FH_POSSIBLE, spot, callee,
                       "if \"cuda\" is a device here: on an NPU it is \"npu\"");
    else if (uses & IN_LIST)
        fh_rule_report(run, FH_RULE_604, severity, FH_LIKELY, spot, callee,
                       "a list of devices has \"cuda\" but not \"npu\"");
    else
        fh_rule_report(run, FH_RULE_604, severity, FH_LIKELY, spot, callee,
                       "device name \"cuda\": use \"npu\"");
}

/* The name that a value goes by: that of an attribute, a parameter, or the function called; "". */
static fh_text name_of_value(const fh_unit *u, fh_value_index value)
{
    const fh_value *v = fh_unit_value(u, value);
    if (v->kind == FH_VALUE_CALL)
        v = fh_unit_value(u, u->calls.items[v->a].callee);
    if (v->kind == FH_VALUE_ATTRIBUTE)
        return fh_unit_text(u, v->b);
    if (v->kind == FH_VALUE_NAME)
        return fh_unit_text(u, v->a);
    if (v->kind == FH_VALUE_PARAMETER) {
        const fh_function *f = &u->functions.items[v->a];
        return fh_unit_text(u, u->parameters.items[f->parameters + v->b].name);
    }
    return (fh_text){0};
}

/* False when the name of what is compared with "cuda" says that it is no device: a build variant,
 * an execution provider. Calls and what has no name can be one. */
static bool may_be_device(const fh_unit *u, fh_value_index value)
{
    static const char *const words[] = {"dev",      "type",    "accel", "gpu",      "cuda",
                                        "platform", "backend", "name",  "location", NULL};
    fh_text name = name_of_value(u, value);
    if (!name.length || fh_unit_value(u, value)->kind == FH_VALUE_CALL)
        return true;
    for (const char *const *word = words; *word; word++)
        if (fh_text_contains(name, *word))
            return true;
    return false;
}

static bool is_sequence(const fh_value *v)
{
    return v->kind == FH_VALUE_TUPLE || v->kind == FH_VALUE_LIST || v->kind == FH_VALUE_SET;
}

/* What a literal among others is used for, by what the others are. */
static uint8_t use_in_list(const fh_unit *u, const fh_value *list)
{
    static const char *const devices[] = {"cpu",  "cuda", "xpu",  "mps",    "hpu", "xla",
                                          "meta", "hip",  "rocm", "tpu",    "mlu", "neuron",
                                          "ipu",  "musa", "mtia", "vulkan", NULL};
    uint32_t known = 0, strings = 0;
    for (uint32_t i = 0; i < list->b; i++) {
        const fh_value *v = fh_unit_value(u, u->lists.items[list->a + i]);
        strings += v->kind == FH_VALUE_STRING;
        fh_text text = v->kind == FH_VALUE_STRING ? fh_unit_text(u, v->a) : (fh_text){0};
        if (fh_text_means_npu(text))
            return OTHER_USE;
        known += fh_text_is_any(text, devices) || fh_text_is_cuda_device(text);
    }
    if (known == list->b || (known > 1 && known + 1 == list->b))
        return IN_LIST;
    return strings == list->b ? OTHER_USE : AMONG_OTHERS;
}

/* One side of a comparison: the literal, or each of `in ("cuda", "mps")`. */
static void mark_compared(string_scan *scan, fh_value_index value, fh_value_index other,
                          uint32_t offset)
{
    const fh_unit *u = scan->run->unit;
    const fh_value *v = fh_unit_value(u, value);
    uint8_t use = may_be_device(u, other) ? COMPARED : OTHER_USE;
    if (!is_sequence(v)) {
        if (scan->branches && names_cuda(u, v) &&
            fh_device_is_told_from_npu(scan->run, other, v->block, v->offset))
            use = OTHER_USE;
        mark_at(scan, value, use, offset);
        return;
    }
    if (use_in_list(u, v) == OTHER_USE)
        use = OTHER_USE;
    for (uint32_t i = 0; i < v->b; i++)
        mark_at(scan, u->lists.items[v->a + i], use, offset);
}

/* x["cuda"] and Literal["cpu", "cuda"]: keys and words, not devices. */
static void mark_index(string_scan *scan, fh_value_index value, uint32_t offset)
{
    const fh_unit *u = scan->run->unit;
    const fh_value *v = fh_unit_value(u, value);
    if (v->kind != FH_VALUE_TUPLE)
        mark_at(scan, value, OTHER_USE, offset);
    for (uint32_t i = 0; v->kind == FH_VALUE_TUPLE && i < v->b; i++)
        mark_at(scan, u->lists.items[v->a + i], OTHER_USE, offset);
}

/* "cuda" if ... else "npu": the program chooses already. */
static void mark_alternatives(string_scan *scan, const fh_value *v)
{
    const fh_unit *u = scan->run->unit;
    bool has_npu = false;
    for (uint32_t i = 0; i < v->b; i++) {
        const fh_value *one = fh_unit_value(u, u->lists.items[v->a + i]);
        has_npu |= one->kind == FH_VALUE_STRING && fh_text_means_npu(fh_unit_text(u, one->a));
    }
    for (uint32_t i = 0; has_npu && i < v->b; i++)
        mark(scan, u->lists.items[v->a + i], OTHER_USE, (fh_text){0});
}

static void mark_list(string_scan *scan, fh_value_index list)
{
    const fh_unit *u = scan->run->unit;
    const fh_value *v = fh_unit_value(u, list);
    uint8_t use = fh_device_gets_npu(u, list) ? OTHER_USE : use_in_list(u, v);
    for (uint32_t i = 0; i < v->b; i++) /* not what a name among them stands for */
        if (fh_unit_value(u, u->lists.items[v->a + i])->offset >= v->offset)
            mark_at(scan, u->lists.items[v->a + i], use, v->offset);
}

static void mark_values(string_scan *scan)
{
    const fh_unit *u = scan->run->unit;
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        if (v->kind == FH_VALUE_COMPARE) {
            mark_compared(scan, v->a, v->b, v->offset);
            mark_compared(scan, v->b, v->a, v->offset);
        } else if (v->kind == FH_VALUE_PHI) {
            mark_alternatives(scan, v);
        } else if (is_sequence(v)) {
            mark_list(scan, i);
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

void fh_device_check_strings(fh_rule_run *run, const fh_device_branches *branches, bool migrated)
{
    const fh_unit *u = run->unit;
    string_scan scan = {run, fh_arena_alloc(run->scratch, u->values.count * sizeof(string_use)),
                        branches, migrated};
    if (!scan.uses)
        return;
    memset(scan.uses, 0, u->values.count * sizeof *scan.uses);
    for (uint32_t i = 1; i < u->calls.count && !fh_rules_stop(i); i++)
        mark_arguments(&scan, &u->calls.items[i]);
    mark_values(&scan);
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        if (v->kind == FH_VALUE_STRING && names_cuda_type(fh_unit_text(u, v->a)))
            check_type_name(&scan, i);
        else if (names_cuda(u, v))
            check_string(&scan, i);
    }
}
