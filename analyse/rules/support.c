/* Support: operators without a kernel, packages without an Ascend version, kernels written by hand.
 */
#include "analyse/rules/run.h"
#include "analyse/rules/text_match.h"
#include "facts/packages.h"

#include <string.h>

static void check_operator(fh_rule_run *run, const fh_site *site)
{
    if (site->category != FH_CATEGORY_COMPUTE || site->certainty < FH_LIKELY)
        return;
    fh_support_query query = fh_rule_query(run->options);
    const fh_verdict *verdict = fh_verdicts_of(run->verdicts, &query, site->name);
    fh_spot spot = {site->offset, site->end, site->function};
    if (!verdict)
        return;
    if (verdict->support == FH_SUPPORT_REFUSED)
        fh_rule_report(run, FH_RULE_203, FH_SEVERITY_ERROR, site->certainty, spot, site->name,
                       "%.*s: %.*s", FH_TEXT_ARGS(site->name), FH_TEXT_ARGS(verdict->reason));
    else if (verdict->support == FH_SUPPORT_LIMITED && verdict->heavy && verdict->limits.length)
        fh_rule_report(run, FH_RULE_202, FH_SEVERITY_NOTE, site->certainty, spot, site->name,
                       "%.*s: %.*s", FH_TEXT_ARGS(site->name), FH_TEXT_ARGS(verdict->limits));
    else if (verdict->support == FH_SUPPORT_FALLBACK)
        fh_rule_report(run, FH_RULE_201, FH_SEVERITY_WARNING,
                       verdict->is_certain ? site->certainty : FH_LIKELY, spot, site->name,
                       "%.*s runs on the CPU: %.*s%s%.*s", FH_TEXT_ARGS(site->name),
                       FH_TEXT_ARGS(verdict->reason), verdict->workaround.length ? " " : "",
                       FH_TEXT_ARGS(verdict->workaround));
}

/* What a package's verdict means for a finding: the rule, or false when there is none. */
static bool rule_of_package(const fh_package *package, fh_rule_index *rule)
{
    switch (package->verdict) {
    case FH_PACKAGE_BLOCKS:
        *rule = FH_RULE_204;
        return true;
    case FH_PACKAGE_COUNTERPART:
        *rule = FH_RULE_205;
        return true;
    case FH_PACKAGE_PARTIAL:
        *rule = FH_RULE_206;
        return true;
    case FH_PACKAGE_UNKNOWN:
        *rule = FH_RULE_207;
        return true;
    default:
        return false;
    }
}

/* One step less, for code that does not run where the package is missing. */
static fh_severity lowered(fh_severity severity)
{
    return severity > FH_SEVERITY_NOTE ? (fh_severity)(severity - 1) : severity;
}

static fh_text root_of(fh_text path)
{
    return fh_text_slice(path, 0, fh_text_find(path, '.'));
}

/* An import of a package that is not simply there on Ascend. Several names of one import
 * statement give one finding, about the package as a whole; uses are told one by one. */
/* `if TYPE_CHECKING:` is never run. */
static bool is_for_types_only(const fh_rule_run *run, uint32_t block)
{
    const fh_unit *u = run->unit;
    for (; block; block = u->blocks.items[block].parent) {
        if (u->blocks.items[block].kind != FH_BLOCK_IF)
            continue;
        const fh_value *v = fh_unit_value(u, u->blocks.items[block].value);
        fh_symbol name = v->kind == FH_VALUE_ATTRIBUTE ? v->b
                         : v->kind == FH_VALUE_IMPORT  ? v->a
                                                       : 0;
        if (name && fh_text_is(fh_text_last_part(fh_unit_text(u, name)), "TYPE_CHECKING"))
            return true;
    }
    return false;
}

static void check_import(fh_rule_run *run, uint32_t index)
{
    const fh_unit *u = run->unit;
    const fh_import *import = &u->imports.items[index];
    fh_text path = fh_unit_text(u, import->path), rest, root = root_of(path);
    fh_package package;
    fh_rule_index rule;
    if (!path.length || path.data[0] == '.' || fh_text_is(root, "torch") ||
        is_for_types_only(run, import->block))
        return;
    if (index > 1 && fh_text_equal(root_of(fh_unit_text(u, import[-1].path)), root) &&
        fh_unit_place(u, import[-1].offset).line == fh_unit_place(u, import->offset).line)
        return;
    if (fh_package_find(path, &package) && package.verdict == FH_PACKAGE_RUNS)
        return; /* a part of the package that is fine by itself */
    if (fh_program_module(run->program, run->unit_index, path, &rest) != FH_NO_UNIT ||
        !fh_package_find(root, &package) || !rule_of_package(&package, &rule))
        return;
    fh_severity severity = fh_rules(&(uint32_t){0})[rule].severity;
    fh_rule_report(run, rule, import->guarded ? lowered(severity) : severity, FH_CERTAIN,
                   (fh_spot){import->offset, 0, u->blocks.items[import->block].function},
                   package.name, "%.*s%s: %.*s %.*s", FH_TEXT_ARGS(root),
                   import->guarded ? " (the import is guarded)" : "", FH_TEXT_ARGS(package.what),
                   FH_TEXT_ARGS(package.advice));
}

/* A use of a function or class that has a row of its own. Triton's are told by their kernels. */
static void check_package_use(fh_rule_run *run, fh_text path, fh_certainty certainty, fh_spot spot,
                              uint32_t block)
{
    fh_package package;
    fh_rule_index rule;
    if (fh_text_find(path, '.') == path.length || fh_text_is(root_of(path), "triton") ||
        fh_text_is(root_of(path), "torch"))
        return;
    /* transformers' and diffusers' way to bitsandbytes */
    fh_text row = fh_text_ends(path, ".BitsAndBytesConfig") ? FH_TEXT("bitsandbytes") : path;
    if (!fh_package_find(row, &package) || !fh_text_equal(package.name, row) ||
        !rule_of_package(&package, &rule) || rule == FH_RULE_207)
        return;
    if (fh_text_starts(path, "torchvision.ops."))
        rule = FH_RULE_214;
    fh_severity severity = fh_rules(&(uint32_t){0})[rule].severity;
    if (fh_block_inside(run->unit, block, FH_BLOCK_IF))
        severity = lowered(severity);
    fh_rule_report(run, rule, severity, certainty, spot, path, "%.*s: %.*s %.*s",
                   FH_TEXT_ARGS(path), FH_TEXT_ARGS(package.what), FH_TEXT_ARGS(package.advice));
}

/* Calls, and names of such functions that are handed on without a call. */
static void check_package_uses(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    uint8_t *used = fh_arena_alloc(run->arena, u->values.count);
    if (!used)
        return;
    memset(used, 0, u->values.count);
    fh_meaning meaning;
    for (uint32_t i = 1; i < u->calls.count; i++) {
        const fh_call *call = &u->calls.items[i];
        used[call->callee] = 1;
        if (fh_resolve_external(run->resolver, run->unit_index, call->callee, &meaning))
            check_package_use(run, fh_resolver_path(run->resolver, meaning.path),
                              (fh_certainty)meaning.certainty, fh_spot_of_call(u, call),
                              call->block);
    }
    for (uint32_t i = 1; i < u->values.count; i++)
        if (u->values.items[i].kind == FH_VALUE_ATTRIBUTE)
            used[u->values.items[i].a] = 1;
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        if (v->kind == FH_VALUE_ATTRIBUTE && !used[i] &&
            fh_resolve_external(run->resolver, run->unit_index, i, &meaning))
            check_package_use(run, fh_resolver_path(run->resolver, meaning.path),
                              (fh_certainty)meaning.certainty, fh_spot_of_value(u, i), v->block);
    }
}

/* True when some argument of the call holds CUDA sources: a file that ends in .cu, cuda_sources=.
 */
static bool builds_cuda(fh_rule_run *run, const fh_call *call)
{
    if (fh_call_argument(run->unit, call, -1, "cuda_sources"))
        return true;
    if (fh_call_argument(run->unit, call, -1, "cpp_sources"))
        return false;
    fh_value_index sources = fh_call_argument(run->unit, call, 1, "sources");
    const fh_value *v = fh_unit_value(run->unit, sources);
    if (v->kind != FH_VALUE_LIST && v->kind != FH_VALUE_TUPLE)
        return true; /* it cannot be told */
    for (uint32_t i = 0; i < v->b; i++) {
        fh_text text;
        fh_certainty certainty;
        if (!fh_resolve_string(run->resolver, run->unit_index, run->unit->lists.items[v->a + i],
                               &text, &certainty, NULL) ||
            fh_text_ends(text, ".cu"))
            return true;
    }
    return false;
}

/* Any of the names that the callee can stand for: `extension = CUDAExtension` in one branch is
 * enough, and the other branch then is not told. */
static void check_extension(fh_rule_run *run, const fh_call *call)
{
    fh_meanings callees;
    fh_resolve(run->resolver, run->unit_index, call->callee, &callees);
    fh_spot spot = fh_spot_of_call(run->unit, call);
    const fh_meaning *plain = NULL;
    for (uint32_t i = 0; i < callees.count; i++) {
        const fh_meaning *callee = &callees.items[i];
        if (callee->kind != FH_MEANS_EXTERNAL)
            continue;
        fh_text path = fh_resolver_path(run->resolver, callee->path);
        if (fh_text_is(path, "torch.utils.cpp_extension.CUDAExtension")) {
            fh_rule_report(run, FH_RULE_211, FH_SEVERITY_ERROR, (fh_certainty)callee->certainty,
                           spot, path, "CUDAExtension needs nvcc and the CUDA headers");
            return;
        }
        bool loads = fh_text_is(path, "torch.utils.cpp_extension.load") ||
                     fh_text_is(path, "torch.utils.cpp_extension.load_inline");
        if (loads && builds_cuda(run, call)) {
            fh_rule_report(
                run, FH_RULE_211, FH_SEVERITY_ERROR, (fh_certainty)callee->certainty, spot, path,
                "%.*s compiles an extension while the program runs: CUDA sources need nvcc",
                FH_TEXT_ARGS(fh_text_last_part(path)));
            return;
        }
        if (fh_text_is(path, "torch.utils.cpp_extension.CppExtension"))
            plain = callee;
    }
    if (!plain)
        return;
    fh_rule_report(run, FH_RULE_215, FH_SEVERITY_NOTE, (fh_certainty)plain->certainty, spot,
                   fh_resolver_path(run->resolver, plain->path),
                   "CppExtension builds anywhere, but what reads a tensor's memory there works on "
                   "the CPU only");
}

/* Functions under @triton.jit, and what their autotuning sets. */
static void check_triton(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    for (uint32_t i = 1; i < u->functions.count; i++) {
        const fh_function *function = &u->functions.items[i];
        for (uint32_t d = 0; d < function->decorator_count; d++) {
            fh_value_index decorator = u->lists.items[function->decorators + d];
            if (fh_unit_value(u, decorator)->kind == FH_VALUE_CALL)
                decorator = u->calls.items[fh_unit_value(u, decorator)->a].callee;
            fh_meaning meaning;
            if (!fh_resolve_external(run->resolver, run->unit_index, decorator, &meaning))
                continue;
            fh_text path = fh_resolver_path(run->resolver, meaning.path);
            if (!fh_text_is(path, "triton.jit") && !fh_text_is(path, "triton.runtime.jit.jit"))
                continue;
            fh_text name = fh_unit_text(u, function->name);
            bool target = run->options->soc->has_triton;
            fh_rule_report(run, FH_RULE_212, target ? FH_SEVERITY_WARNING : FH_SEVERITY_ERROR,
                           FH_CERTAIN, (fh_spot){function->offset, 0, function->parent},
                           FH_TEXT("triton.jit"),
                           target ? "Triton kernel %.*s needs triton-ascend"
                                  : "Triton kernel %.*s: the chip is no target of triton-ascend",
                           FH_TEXT_ARGS(name));
        }
    }
    for (uint32_t i = 1; i < u->calls.count; i++) {
        static const char *const options[] = {"num_warps", "num_stages", NULL};
        for (const char *const *option = options; *option; option++) {
            fh_value_index value = fh_call_argument(u, &u->calls.items[i], -1, *option);
            if (value && fh_unit_uses(run, "triton"))
                fh_rule_report(run, FH_RULE_213, FH_SEVERITY_NOTE, FH_CERTAIN,
                               fh_spot_of_value(u, value), (fh_text){0},
                               "%s has no meaning on Ascend", *option);
        }
    }
}

/* attn_implementation="flash_attention_2": the package by the name of an option. */
static void check_attention_option(fh_rule_run *run, const fh_call *call)
{
    static const char *const options[] = {"attn_implementation", "_attn_implementation", NULL};
    fh_text text;
    fh_certainty certainty;
    for (const char *const *option = options; *option; option++) {
        fh_value_index value = fh_call_argument(run->unit, call, -1, *option);
        if (value &&
            fh_resolve_string(run->resolver, run->unit_index, value, &text, &certainty, NULL) &&
            fh_text_starts(text, "flash_attention"))
            fh_rule_report(run, FH_RULE_205, FH_SEVERITY_NOTE, certainty,
                           fh_spot_of_value(run->unit, value), FH_TEXT("flash_attn"),
                           "%s=\"%.*s\" wants the package flash_attn: use \"sdpa\"", *option,
                           FH_TEXT_ARGS(text));
    }
}

static void check_kernels(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    bool has_kernels = false, reported = false;
    for (uint32_t i = 1; i < u->kernels.count; i++) {
        const fh_kernel *kernel = &u->kernels.items[i];
        has_kernels |= kernel->kind == FH_KERNEL_CUDA;
        if (kernel->kind == FH_KERNEL_CUDA)
            fh_rule_report(run, FH_RULE_210, FH_SEVERITY_ERROR, FH_CERTAIN,
                           (fh_spot){kernel->offset, kernel->end, kernel->function}, (fh_text){0},
                           "CUDA kernel %.*s does not compile for Ascend",
                           FH_TEXT_ARGS(fh_unit_text(u, kernel->name)));
    }
    /* Host code that needs CUDA's headers: one finding for the file, at its first include. */
    for (uint32_t i = 1; i < u->kernels.count && !has_kernels && !reported; i++) {
        const fh_kernel *kernel = &u->kernels.items[i];
        reported = kernel->kind == FH_KERNEL_INCLUDE;
        if (reported)
            fh_rule_report(run, FH_RULE_211, FH_SEVERITY_ERROR, FH_CERTAIN,
                           (fh_spot){kernel->offset, kernel->end, 0}, (fh_text){0},
                           "include of %.*s: this file needs the CUDA headers",
                           FH_TEXT_ARGS(fh_unit_text(u, kernel->name)));
    }
}

/* getattr(torch.nn, name)(...), eval(name)(...): what is called depends on a string that nothing in
 * the program says. */
static void check_computed_name(fh_rule_run *run, const fh_call *call)
{
    const fh_unit *u = run->unit;
    const fh_value *callee = fh_unit_value(u, call->callee);
    fh_meanings known;
    fh_meaning maker, owner;
    if (callee->kind != FH_VALUE_CALL)
        return;
    fh_resolve(run->resolver, run->unit_index, call->callee, &known);
    const fh_call *making = &u->calls.items[callee->a];
    if (known.count || !fh_resolve_external(run->resolver, run->unit_index, making->callee, &maker))
        return;
    fh_text path = fh_resolver_path(run->resolver, maker.path);
    if (!fh_text_is(path, "builtins.getattr") ||
        !fh_resolve_external(run->resolver, run->unit_index, fh_call_argument(u, making, 0, NULL),
                             &owner))
        return;
    fh_text module = fh_resolver_path(run->resolver, owner.path);
    if (fh_text_is(module, "torch") || fh_text_is(module, "torch.nn") ||
        fh_text_is(module, "torch.nn.functional") || fh_text_is(module, "torch.optim") ||
        fh_text_is(module, "torch.linalg") || fh_text_is(module, "torchvision.ops"))
        fh_rule_report(run, FH_RULE_230, FH_SEVERITY_NOTE, FH_CERTAIN, fh_spot_of_call(u, call),
                       module,
                       "getattr(%.*s, ...) is called with a name that cannot be known by reading",
                       FH_TEXT_ARGS(module));
}

void fh_rules_support(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    for (uint32_t i = 0; i < run->sites.items.count; i++)
        check_operator(run, &run->sites.items.items[i]);
    for (uint32_t i = 1; i < u->imports.count; i++)
        check_import(run, i);
    check_package_uses(run);
    for (uint32_t i = 1; i < u->calls.count; i++) {
        check_extension(run, &u->calls.items[i]);
        check_computed_name(run, &u->calls.items[i]);
        check_attention_option(run, &u->calls.items[i]);
    }
    check_triton(run);
    check_kernels(run);
}
