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
    fh_support_query query = {run->options->release, run->options->soc, run->options->user};
    const fh_verdict *verdict = fh_verdicts_of(run->verdicts, &query, site->name);
    fh_spot spot = {site->offset, site->end, site->function};
    if (!verdict)
        return;
    if (verdict->support == FH_SUPPORT_REFUSED)
        fh_rule_report(run, FH_RULE_203, FH_SEVERITY_ERROR, site->certainty, spot, site->name,
                       "%.*s: %.*s", FH_TEXT_ARGS(site->name), FH_TEXT_ARGS(verdict->reason));
    else if (verdict->support == FH_SUPPORT_FALLBACK)
        fh_rule_report(run, FH_RULE_201, FH_SEVERITY_WARNING,
                       verdict->is_certain ? site->certainty : FH_LIKELY, spot, site->name,
                       "%.*s runs on the CPU: %.*s%s%.*s", FH_TEXT_ARGS(site->name),
                       FH_TEXT_ARGS(verdict->reason), verdict->workaround.length ? " " : "",
                       FH_TEXT_ARGS(verdict->workaround));
}

/* The imports of a package: one finding for each import statement. */
static void check_import(fh_rule_run *run, const fh_import *import)
{
    const fh_unit *u = run->unit;
    fh_text path = fh_unit_text(u, import->path), rest;
    fh_package package;
    if (!path.length || path.data[0] == '.' ||
        fh_text_is(fh_text_slice(path, 0, fh_text_find(path, '.')), "torch"))
        return;
    if (fh_program_module(run->program, run->unit_index, path, &rest) != FH_NO_UNIT ||
        !fh_package_find(path, &package))
        return;
    fh_text root = fh_text_slice(path, 0, fh_text_find(path, '.'));
    fh_spot spot = {import->offset, 0, u->blocks.items[import->block].function};
    const char *guard = import->guarded ? " (the import is guarded)" : "";
    switch (package.verdict) {
    case FH_PACKAGE_BLOCKS:
        fh_rule_report(run, FH_RULE_204, import->guarded ? FH_SEVERITY_WARNING : FH_SEVERITY_ERROR,
                       FH_CERTAIN, spot, package.name, "%.*s%s: %.*s%s%.*s", FH_TEXT_ARGS(root),
                       guard, FH_TEXT_ARGS(package.what), package.advice.length ? " " : "",
                       FH_TEXT_ARGS(package.advice));
        return;
    case FH_PACKAGE_COUNTERPART:
        fh_rule_report(run, FH_RULE_205, import->guarded ? FH_SEVERITY_NOTE : FH_SEVERITY_WARNING,
                       FH_CERTAIN, spot, package.name, "%.*s%s: %.*s%s%.*s", FH_TEXT_ARGS(root),
                       guard, FH_TEXT_ARGS(package.what), package.advice.length ? " " : "",
                       FH_TEXT_ARGS(package.advice));
        return;
    case FH_PACKAGE_PARTIAL:
        fh_rule_report(run, FH_RULE_206, import->guarded ? FH_SEVERITY_NOTE : FH_SEVERITY_WARNING,
                       FH_CERTAIN, spot, package.name, "%.*s%s: %.*s%s%.*s", FH_TEXT_ARGS(root),
                       guard, FH_TEXT_ARGS(package.what), package.advice.length ? " " : "",
                       FH_TEXT_ARGS(package.advice));
        return;
    default:
        return;
    }
}

/* A call of a package whose functions have rows of their own. */
static void check_package_call(fh_rule_run *run, uint32_t index, const fh_call *call)
{
    fh_meaning callee;
    fh_package package;
    if (fh_sites_of_call(&run->sites, index) ||
        !fh_resolve_external(run->resolver, run->unit_index, call->callee, &callee))
        return;
    fh_text path = fh_resolver_path(run->resolver, callee.path);
    if (fh_text_starts(path, "torch.") || fh_text_starts(path, "builtins.") ||
        !fh_package_find(path, &package))
        return;
    if (package.verdict == FH_PACKAGE_RUNS || package.verdict == FH_PACKAGE_UNKNOWN)
        return;
    fh_spot spot = fh_spot_of_call(run->unit, call);
    if (fh_text_starts(path, "torchvision.ops.")) {
        fh_rule_report(run, FH_RULE_214, FH_SEVERITY_WARNING, (fh_certainty)callee.certainty, spot,
                       path, "%.*s runs on the CPU: %.*s %.*s", FH_TEXT_ARGS(path),
                       FH_TEXT_ARGS(package.what), FH_TEXT_ARGS(package.advice));
        return;
    }
    fh_rule_index rule = package.verdict == FH_PACKAGE_BLOCKS        ? FH_RULE_204
                         : package.verdict == FH_PACKAGE_COUNTERPART ? FH_RULE_205
                                                                     : FH_RULE_206;
    fh_severity severity = rule == FH_RULE_204 ? FH_SEVERITY_ERROR : FH_SEVERITY_WARNING;
    /* Code behind a check for the package does not run where the package is missing. */
    if (fh_block_inside(run->unit, call->block, FH_BLOCK_IF) && severity == FH_SEVERITY_ERROR)
        severity = FH_SEVERITY_WARNING;
    fh_rule_report(run, rule, severity, (fh_certainty)callee.certainty, spot, path,
                   "%.*s: %.*s %.*s", FH_TEXT_ARGS(path), FH_TEXT_ARGS(package.what),
                   FH_TEXT_ARGS(package.advice));
}

static void check_extension(fh_rule_run *run, uint32_t index, const fh_call *call)
{
    fh_meaning callee;
    (void)index;
    if (!fh_resolve_external(run->resolver, run->unit_index, call->callee, &callee))
        return;
    fh_text path = fh_resolver_path(run->resolver, callee.path);
    if (!fh_text_starts(path, "torch.utils.cpp_extension."))
        return;
    fh_text name = fh_text_last_part(path);
    fh_spot spot = fh_spot_of_call(run->unit, call);
    if (fh_text_is(name, "CUDAExtension"))
        fh_rule_report(run, FH_RULE_211, FH_SEVERITY_ERROR, (fh_certainty)callee.certainty, spot,
                       path, "CUDAExtension needs nvcc and the CUDA headers");
    else if (fh_text_is(name, "load") || fh_text_is(name, "load_inline"))
        fh_rule_report(run, FH_RULE_211, FH_SEVERITY_ERROR, (fh_certainty)callee.certainty, spot,
                       path,
                       "%.*s compiles an extension while the program runs: CUDA sources need nvcc",
                       FH_TEXT_ARGS(name));
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

static void check_kernels(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    for (uint32_t i = 1; i < u->kernels.count; i++) {
        const fh_kernel *kernel = &u->kernels.items[i];
        if (kernel->kind == FH_KERNEL_CUDA)
            fh_rule_report(run, FH_RULE_210, FH_SEVERITY_ERROR, FH_CERTAIN,
                           (fh_spot){kernel->offset, kernel->end, kernel->function}, (fh_text){0},
                           "CUDA kernel %.*s does not compile for Ascend",
                           FH_TEXT_ARGS(fh_unit_text(u, kernel->name)));
    }
}

void fh_rules_support(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    for (uint32_t i = 0; i < run->sites.items.count; i++)
        check_operator(run, &run->sites.items.items[i]);
    for (uint32_t i = 1; i < u->imports.count; i++)
        check_import(run, &u->imports.items[i]);
    for (uint32_t i = 1; i < u->calls.count; i++) {
        check_package_call(run, i, &u->calls.items[i]);
        check_extension(run, i, &u->calls.items[i]);
    }
    check_triton(run);
    check_kernels(run);
}
