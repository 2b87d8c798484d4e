/* Support: operators without a kernel, packages without an Ascend version, kernels written by hand.
 */
#include "analyse/rules/support.h"

/* std and var compute on the CPU where `correction` is no whole number of 64 bits, and only there
 * (op-plugin, StdKernelNpuOpApi.cpp and VarKernelNpuOpApi.cpp, commit 517f2e7d, read 2026-11-30);
 * all floating types of the chip are in the support list. True when the call may do that. */
static bool may_correct_on_cpu(fh_rule_run *run, const fh_site *site)
{
    int64_t whole;
    fh_value_index value =
        site->call
            ? fh_call_argument(run->unit, &run->unit->calls.items[site->call], -1, "correction")
            : 0;
    return value && !fh_resolve_integer(run->resolver, run->unit_index, value, &whole);
}

static void report_limits(fh_rule_run *run, const fh_site *site, fh_text limits)
{
    static const char *const corrected[] = {"torch.std", "torch.var", "torch.Tensor.std",
                                            "torch.Tensor.var", NULL};
    fh_spot spot = {site->offset, site->end, site->function};
    if (!fh_text_is_any(site->name, corrected))
        fh_rule_report(run, FH_RULE_202, FH_SEVERITY_NOTE, site->certainty, spot, site->name,
                       "%.*s: %.*s", FH_TEXT_ARGS(site->name), FH_TEXT_ARGS(limits));
    else if (may_correct_on_cpu(run, site))
        fh_rule_report(run, FH_RULE_202, FH_SEVERITY_NOTE,
                       site->certainty < FH_LIKELY ? site->certainty : FH_LIKELY, spot, site->name,
                       "%.*s computes on the CPU where correction is no whole number",
                       FH_TEXT_ARGS(site->name));
}

static void check_operator(fh_call_places *places, const fh_site *site)
{
    fh_rule_run *run = places->run;
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
        report_limits(run, site, verdict->limits);
    else if (verdict->support == FH_SUPPORT_FALLBACK && !fh_call_is_on_host(places, site->call))
        fh_rule_report(run, FH_RULE_201, FH_SEVERITY_WARNING,
                       verdict->is_certain ? site->certainty : FH_LIKELY, spot, site->name,
                       "%.*s runs on the CPU: %.*s%s%.*s", FH_TEXT_ARGS(site->name),
                       FH_TEXT_ARGS(verdict->reason), verdict->workaround.length ? " " : "",
                       FH_TEXT_ARGS(verdict->workaround));
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
        if (loads || fh_text_is(path, "torch.utils.cpp_extension.CppExtension"))
            plain = callee;
    }
    if (!plain)
        return;
    fh_text path = fh_resolver_path(run->resolver, plain->path);
    fh_rule_report(run, FH_RULE_215, FH_SEVERITY_NOTE, (fh_certainty)plain->certainty, spot, path,
                   "%.*s builds C++ alone anywhere, but what reads a tensor's memory there works "
                   "on the CPU only",
                   FH_TEXT_ARGS(fh_text_last_part(path)));
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
    for (uint32_t i = 1; i < u->calls.count && !fh_rules_stop(i); i++) {
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

/* The text of a string, or the first literal part of an f-string. */
static fh_text first_text(const fh_unit *u, fh_value_index value)
{
    const fh_value *v = fh_unit_value(u, value);
    if (v->kind == FH_VALUE_FORMAT && v->b)
        v = fh_unit_value(u, u->lists.items[v->a]);
    return v->kind == FH_VALUE_STRING ? fh_unit_text(u, v->a) : (fh_text){0};
}

/* eval("torch.hypot(x, y)"): what is run stands in a string, which is not read as a program. A name
 * alone is followed. */
static void check_evaluated(fh_rule_run *run, const fh_call *call)
{
    const fh_unit *u = run->unit;
    fh_meaning callee;
    fh_meanings known;
    fh_text text = first_text(u, fh_call_argument(u, call, 0, NULL));
    if (!(fh_text_starts(text, "torch.") || fh_text_starts(text, "nn.") ||
          fh_text_starts(text, "F.") || fh_text_contains(text, "(torch.")) ||
        !fh_resolve_external(run->resolver, run->unit_index, call->callee, &callee) ||
        !fh_text_is(fh_resolver_path(run->resolver, callee.path), "builtins.eval"))
        return;
    fh_resolve(run->resolver, run->unit_index, call->value, &known);
    if (!known.count)
        fh_rule_report(run, FH_RULE_230, FH_SEVERITY_NOTE, FH_CERTAIN, fh_spot_of_call(u, call),
                       fh_resolver_path(run->resolver, callee.path),
                       "eval runs what a string holds: its operators cannot be known by reading");
}

void fh_rules_support(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    fh_call_places places = {.run = run};
    for (uint32_t i = 0; i < run->sites.items.count; i++)
        check_operator(&places, &run->sites.items.items[i]);
    for (uint32_t i = 0; i < run->sites.others.count; i++)
        check_operator(&places, &run->sites.others.items[i]);
    fh_packages_check_imports(run);
    fh_packages_check_uses(run, &places);
    fh_call_places_close(&places);
    for (uint32_t i = 1; i < u->calls.count && !fh_rules_stop(i); i++) {
        check_extension(run, &u->calls.items[i]);
        check_computed_name(run, &u->calls.items[i]);
        check_evaluated(run, &u->calls.items[i]);
        check_attention_option(run, &u->calls.items[i]);
    }
    check_triton(run);
    check_kernels(run);
}
