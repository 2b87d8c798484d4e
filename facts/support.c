#include "facts/support.h"
#include "facts/api.h"
#include "facts/nearest.h"
#include "facts/overload.h"
#include "facts/packages.h"
#include "facts/replacements.h"
#include "facts/sources.h"
#include "facts/support_words.h"
#include "facts/table.h"
#include "facts/workarounds.h"

const char *fh_support_name(fh_support support)
{
    static const char *const names[] = {
#define X(name, text) text,
        FH_SUPPORT_MAP(X)
#undef X
    };
    return names[support];
}

static fh_support_query with_defaults(const fh_support_query *query)
{
    fh_support_query full = query ? *query : (fh_support_query){0};
    if (!full.release.major)
        full.release = fh_release_default();
    if (!full.soc)
        full.soc = fh_soc_default();
    return full;
}

/* Moves the text of a buffer to the arena and clears the buffer. */
static fh_text keep(fh_arena *arena, fh_buffer *buffer)
{
    fh_text kept = fh_arena_copy(arena, fh_text_trim(fh_buffer_text(buffer)));
    arena->failed |= buffer->failed;
    fh_buffer_clear(buffer);
    return kept;
}

static void on_leaf(void *context, const fh_overload_verdict *leaf)
{
    fh_support_parts_add(context, leaf);
}

/* Overloads that a public name stands for when nothing was traced: torch.X and
 * torch.Tensor.X are X and X.*, torch.linalg.X is linalg_X. Appends them with '?'. */
static void add_overloads_by_name(const fh_support_query *query, fh_text api, fh_buffer *list)
{
    static const char *const prefixes[][2] = {
        {"torch.nn.functional.", ""},   {"torch.Tensor.", ""},  {"torch.linalg.", "linalg_"},
        {"torch.special.", "special_"}, {"torch.fft.", "fft_"}, {"torch.sparse.", "_sparse_"},
        {"torch._C._nn.", ""},          {"torch.", ""},
    };
    const fh_table *table = fh_facts_table(FH_TABLE_OVERLOAD);
    fh_buffer name = {0};
    fh_text row;
    for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes && !name.length; i++)
        if (fh_text_starts(api, prefixes[i][0])) {
            size_t length = fh_text_from(prefixes[i][0]).length;
            fh_buffer_add_string(&name, prefixes[i][1]);
            fh_buffer_add(&name, fh_text_slice(api, length, api.length));
        }
    fh_text wanted = fh_buffer_text(&name);
    bool is_searched = wanted.length && fh_text_find(wanted, '.') == wanted.length;
    fh_text rest = fh_table_from(table, wanted);
    while (is_searched && fh_table_next(&rest, &row)) {
        fh_text overload = fh_table_column(row, 0);
        fh_text base = fh_text_slice(overload, 0, fh_text_find(overload, '.'));
        if (!fh_text_equal(base, wanted)) /* '.' sorts before what else a name can go on with */
            break;
        if (fh_text_ends(overload, "out") ||
            !fh_release_in(query->release, fh_table_field(table, row, "torch")))
            continue;
        if (list->length)
            fh_buffer_add_char(list, ',');
        fh_buffer_add(list, overload);
        fh_buffer_add_char(list, '?');
    }
    list->failed |= name.failed;
    fh_buffer_free(&name);
}

static void add_workaround(fh_verdict *verdict)
{
    fh_workaround found;
    bool is_needed = fh_support_is_worse(verdict->support, FH_SUPPORT_DECOMPOSED) ||
                     fh_support_is_worse(verdict->backward, FH_SUPPORT_UNKNOWN);
    if (!is_needed || verdict->workaround.length)
        return;
    if (fh_workaround_find(verdict->name, &found)) {
        verdict->workaround = found.advice;
        return;
    }
    fh_text rest = verdict->fallback, part;
    while (fh_text_next(&rest, ',', &part))
        if (fh_workaround_find(part, &found)) {
            verdict->workaround = found.advice;
            return;
        }
}

/* The verdict of a list of overloads; fills all that follows from it. */
static fh_overloads_verdict judge(const fh_support_query *query, fh_text list, bool is_traced,
                                  fh_support_parts *parts, fh_verdict *verdict, fh_buffer *text,
                                  fh_arena *arena)
{
    fh_overloads_verdict all = fh_overloads_verdict_of(query, list, is_traced, on_leaf, parts);
    verdict->support = all.support;
    verdict->is_certain = all.is_certain;
    verdict->overloads = list;
    verdict->is_view = parts->leaves && parts->views == parts->leaves;
    verdict->has_dynamic_shape = parts->has_dynamic_shape;
    verdict->reads_data = parts->reads_data;
    if (verdict->is_view)
        fh_buffer_add_string(text, "No kernel is needed: it only changes how memory is looked at.");
    else
        fh_support_add_reason(text, query, &all, list);
    verdict->reason = keep(arena, text);
    return all;
}

static void judge_backward(const fh_support_query *query, fh_text list, fh_verdict *verdict,
                           fh_buffer *text, fh_arena *arena)
{
    verdict->backward = FH_SUPPORT_UNKNOWN;
    if (fh_text_is(list, "none")) {
        verdict->backward = FH_SUPPORT_NATIVE;
        verdict->backward_reason = FH_TEXT("The gradient needs no kernel.");
        return;
    }
    if (!list.length)
        return;
    fh_support_parts parts = {0};
    fh_overloads_verdict all = fh_overloads_verdict_of(query, list, true, on_leaf, &parts);
    verdict->backward = all.support;
    fh_support_add_reason(text, query, &all, list);
    verdict->backward_reason = keep(arena, text);
    if (!verdict->fallback.length && parts.fallback.length)
        verdict->fallback = fh_arena_copy(arena, fh_buffer_text(&parts.fallback));
    fh_support_parts_free(&parts);
}

/* Limits that make a native verdict a limited one. */
static bool is_limited(const fh_support_query *query, const fh_api *api,
                       const fh_support_list *listed)
{
    bool wants_bf16 = fh_support_is_compute(api->class) || fh_text_contains(listed->dtypes, "bf16");
    return listed->is_marked_unsupported || listed->has_cpu_remark ||
           (wants_bf16 && !query->soc->has_bf16);
}

static void judge_untraced(const fh_support_list *listed, fh_verdict *verdict, fh_buffer *text,
                           fh_arena *arena)
{
    verdict->is_certain = true;
    if (listed->is_listed) {
        verdict->support = FH_SUPPORT_NATIVE;
        fh_buffer_add_format(text,
                             "The support list of torch_npu for torch %s ticks it for this chip; "
                             "the operators that it runs were not traced.",
                             listed->release);
    } else {
        verdict->support = FH_SUPPORT_UNKNOWN;
        fh_buffer_add_format(text,
                             "The operators that it runs were not traced, and the support list of "
                             "torch_npu for torch %s %s.",
                             listed->release,
                             listed->is_marked_unsupported ? "does not tick it for this chip"
                                                           : "does not name it");
    }
    verdict->reason = keep(arena, text);
}

/* Whether this release of torch has the name; where the table does not know, it has. */
static bool is_in_torch(const fh_support_query *query, const fh_api *api, fh_text *releases)
{
    *releases = fh_table_field(fh_facts_table(FH_TABLE_API), api->row, "torch");
    return !releases->length || fh_release_in(query->release, *releases);
}

static fh_verdict of_absent_api(const fh_support_query *query, const fh_api *api, fh_text releases,
                                fh_arena *arena)
{
    fh_buffer text = {0};
    fh_verdict verdict = {.name = api->name,
                          .class = api->class,
                          .heavy = api->heavy,
                          .support = FH_SUPPORT_UNKNOWN,
                          .backward = FH_SUPPORT_UNKNOWN,
                          .is_certain = true,
                          .source = FH_TEXT("public names of torch, by release")};
    fh_buffer_add_string(&text, "torch ");
    fh_release_add(&text, query->release);
    fh_buffer_add_format(&text, " does not have it; %.*s does.", FH_TEXT_ARGS(releases));
    verdict.reason = keep(arena, &text);
    fh_buffer_free(&text);
    return verdict;
}

static fh_verdict of_api(const fh_support_query *query, const fh_api *api, fh_arena *arena)
{
    fh_text releases;
    if (!is_in_torch(query, api, &releases))
        return of_absent_api(query, api, releases, arena);
    fh_verdict verdict = {.name = api->name, .class = api->class, .heavy = api->heavy};
    fh_support_list listed = fh_support_list_of(query, api->row);
    fh_support_parts parts = {0};
    fh_buffer text = {0}, by_name = {0};
    fh_text list = api->forward;
    if (!list.length)
        add_overloads_by_name(query, api->name, &by_name);
    arena->failed |= by_name.failed;
    if (by_name.length)
        list = fh_arena_copy(arena, fh_buffer_text(&by_name));
    verdict.backward = FH_SUPPORT_UNKNOWN;
    if (fh_text_is(list, "none")) {
        verdict.support = FH_SUPPORT_NATIVE;
        verdict.is_certain = verdict.is_view = true;
        verdict.reason = FH_TEXT("No kernel is needed: it only changes how memory is looked at, or "
                                 "does nothing on the device.");
    } else if (list.length) {
        judge(query, list, api->forward.length > 0, &parts, &verdict, &text, arena);
    } else {
        judge_untraced(&listed, &verdict, &text, arena);
    }
    verdict.kernels = fh_arena_copy(arena, fh_buffer_text(&parts.kernels));
    verdict.fallback = keep(arena, &parts.fallback);
    judge_backward(query, api->backward, &verdict, &text, arena);
    if (fh_support_is_worse(FH_SUPPORT_LIMITED, verdict.support) && is_limited(query, api, &listed))
        verdict.support = FH_SUPPORT_LIMITED;
    fh_support_add_limits(&text, query, api, &listed, &parts);
    verdict.limits = keep(arena, &text);
    verdict.impact = fh_support_impact(verdict.support, verdict.is_certain);
    fh_support_add_source(&text, query, api, &listed, verdict.kernels);
    verdict.source = keep(arena, &text);
    add_workaround(&verdict);
    fh_support_parts_free(&parts);
    fh_buffer_free(&text);
    fh_buffer_free(&by_name);
    return verdict;
}

/* One overload, or one operator of torch_npu; false when the tables do not have it. */
static bool of_overload(const fh_support_query *query, fh_text name, fh_arena *arena,
                        fh_verdict *verdict)
{
    fh_text row;
    if (!fh_table_find(fh_facts_table(FH_TABLE_OVERLOAD), name, &row))
        return false;
    fh_verdict found = {
        .name = fh_table_column(row, 0), .class = FH_TEXT("other"), .backward = FH_SUPPORT_UNKNOWN};
    fh_support_parts parts = {0};
    fh_buffer text = {0};
    fh_overloads_verdict all = judge(query, found.name, false, &parts, &found, &text, arena);
    if (all.is_absent && fh_text_starts(found.name, "npu::")) {
        found.support = FH_SUPPORT_REFUSED;
        fh_buffer_add_string(&text, "torch_npu for torch ");
        fh_release_add(&text, query->release);
        fh_buffer_add_string(&text, " does not have it.");
        found.reason = keep(arena, &text);
    } else if (all.is_absent) {
        fh_buffer_add_string(&text, "torch ");
        fh_release_add(&text, query->release);
        fh_buffer_add_format(
            &text, " does not have it; torch %.*s does.",
            FH_TEXT_ARGS(fh_table_field(fh_facts_table(FH_TABLE_OVERLOAD), row, "torch")));
        found.reason = keep(arena, &text);
    }
    found.kernels = fh_arena_copy(arena, fh_buffer_text(&parts.kernels));
    found.fallback = keep(arena, &parts.fallback);
    fh_support_add_limits(&text, query, &(fh_api){0}, &(fh_support_list){0}, &parts);
    found.limits = keep(arena, &text);
    found.impact = fh_support_impact(found.support, found.is_certain);
    fh_support_add_source(&text, query, NULL, NULL, found.kernels);
    found.source = keep(arena, &text);
    add_workaround(&found);
    fh_support_parts_free(&parts);
    fh_buffer_free(&text);
    *verdict = found;
    return true;
}

/* What the page of a torch_npu API adds: product lines, and that it is to go. */
static void add_page(fh_text row, fh_arena *arena, fh_verdict *verdict)
{
    const fh_table *table = fh_facts_table(FH_TABLE_TORCH_NPU);
    fh_text chips = fh_table_field(table, row, "chips");
    fh_text replacement = fh_table_field(table, row, "replacement");
    fh_buffer text = {0};
    fh_buffer_add(&text, verdict->limits);
    if (chips.length) {
        fh_buffer_add_string(&text, " Product lines on its page: ");
        fh_support_add_words(&text, chips, 8);
        fh_buffer_add_char(&text, '.');
    }
    if (fh_text_contains(fh_table_field(table, row, "status"), "retiring")) {
        fh_buffer_add_string(&text, " It is announced to be removed.");
        if (!verdict->workaround.length)
            verdict->workaround = replacement;
    }
    verdict->limits = keep(arena, &text);
    fh_buffer_free(&text);
}

/* A public name of torch_npu; false when the tables do not have it. */
static bool of_torch_npu(const fh_support_query *query, fh_text name, fh_arena *arena,
                         fh_verdict *verdict)
{
    const fh_table *table = fh_facts_table(FH_TABLE_TORCH_NPU);
    fh_text row;
    fh_buffer text = {0};
    if (fh_text_starts(name, "torch.npu")) {
        fh_buffer_add_string(&text, "torch_npu");
        fh_buffer_add(&text, fh_text_slice(name, 5, name.length));
        name = keep(arena, &text);
    }
    bool is_found = fh_table_find(table, name, &row);
    if (is_found && fh_text_is(fh_table_field(table, row, "kind"), "op")) {
        fh_buffer_add_string(&text, "npu::");
        fh_buffer_add(&text, fh_text_slice(name, fh_text_find_last(name, '.') + 1, name.length));
        is_found = of_overload(query, fh_buffer_text(&text), arena, verdict);
        verdict->name = is_found ? fh_table_column(row, 0) : verdict->name;
    } else if (is_found) {
        fh_text releases = fh_table_field(table, row, "releases");
        bool is_there = fh_release_in(query->release, releases);
        *verdict = (fh_verdict){.name = fh_table_column(row, 0),
                                .class = FH_TEXT("other"),
                                .support = is_there ? FH_SUPPORT_NATIVE : FH_SUPPORT_REFUSED,
                                .backward = FH_SUPPORT_UNKNOWN,
                                .is_certain = true};
        fh_buffer_add_string(&text, "torch_npu for torch ");
        fh_release_add(&text, query->release);
        fh_buffer_add_format(&text, is_there ? " has it." : " does not have it; %.*s does.",
                             FH_TEXT_ARGS(releases));
        verdict->reason = keep(arena, &text);
        verdict->impact = fh_support_impact(verdict->support, true);
        fh_buffer_add_format(&text, "names in torch_npu %.*s (PyPI, %.*s)",
                             FH_TEXT_ARGS(fh_release_torch_npu(query->release)),
                             FH_TEXT_ARGS(fh_release_date(query->release)));
        verdict->source = keep(arena, &text);
    }
    fh_buffer_free(&text);
    if (is_found)
        add_page(row, arena, verdict);
    return is_found;
}

/* "npu_rms_norm" for torch_npu.npu_rms_norm. */
static bool of_bare_torch_npu(const fh_support_query *query, fh_text name, fh_arena *arena,
                              fh_verdict *verdict)
{
    fh_buffer full = {0};
    if (!name.length || fh_text_find(name, '.') < name.length)
        return false;
    fh_buffer_add_string(&full, "torch_npu.");
    fh_buffer_add(&full, name);
    bool is_found = of_torch_npu(query, fh_buffer_text(&full), arena, verdict);
    arena->failed |= full.failed;
    fh_buffer_free(&full);
    return is_found;
}

static fh_support of_package_verdict(const fh_package *package)
{
    switch (package->verdict) {
    case FH_PACKAGE_RUNS:
        return FH_SUPPORT_NATIVE;
    case FH_PACKAGE_PARTIAL:
        return fh_text_contains(package->what, "CPU fallback") ? FH_SUPPORT_FALLBACK
                                                               : FH_SUPPORT_LIMITED;
    case FH_PACKAGE_COUNTERPART:
    case FH_PACKAGE_BLOCKS:
        return FH_SUPPORT_REFUSED;
    case FH_PACKAGE_UNKNOWN:
    case FH_PACKAGE_VERDICTS:
        break;
    }
    return FH_SUPPORT_UNKNOWN;
}

static bool of_package(fh_text name, fh_arena *arena, fh_verdict *verdict)
{
    fh_package package;
    fh_buffer text = {0};
    if (!fh_package_find(name, &package))
        return false;
    *verdict = (fh_verdict){.name = fh_arena_copy(arena, name),
                            .class = FH_TEXT("other"),
                            .support = of_package_verdict(&package),
                            .backward = FH_SUPPORT_UNKNOWN,
                            .is_certain = true,
                            .reason = package.what};
    verdict->impact = verdict->support == FH_SUPPORT_FALLBACK
                          ? fh_support_impact(FH_SUPPORT_FALLBACK, true)
                          : (fh_text){0};
    if (package.counterpart.length)
        fh_buffer_add_format(&text, "%.*s. ", FH_TEXT_ARGS(package.counterpart));
    fh_buffer_add(&text, package.advice);
    verdict->workaround = keep(arena, &text);
    fh_sources_add(&text, package.source);
    if (!text.length)
        fh_buffer_add_string(&text, "the name itself");
    verdict->source = keep(arena, &text);
    fh_buffer_free(&text);
    return true;
}

/* Whether a name speaks of CUDA and its libraries. */
static bool is_cuda_name(fh_text name)
{
    static const char *const words[] = {"cuda", "CUDA", "cudnn", "NCCL", "nccl", "nvtx"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (fh_text_contains(name, words[i]))
            return true;
    return false;
}

/* For a name that no operator is known of: what stands in for it. A name of CUDA is not
 * for a kernel to serve, whatever a support list ticks. */
static void add_replacement(const fh_support_query *query, fh_text name, fh_arena *arena,
                            fh_verdict *verdict)
{
    fh_replacement found;
    fh_buffer text = {0};
    if (!fh_replacement_find(name, &found))
        return;
    if (is_cuda_name(name)) {
        verdict->support = FH_SUPPORT_UNKNOWN;
        verdict->is_certain = true;
        verdict->reason = FH_TEXT("A name of CUDA, not an operator.");
        fh_sources_add(&text, found.source);
        verdict->source = keep(arena, &text);
    }
    if (verdict->support != FH_SUPPORT_NATIVE) {
        if (fh_replacement_in(&found, query->release))
            fh_buffer_add_format(&text, "%.*s. ", FH_TEXT_ARGS(found.replacement));
        fh_buffer_add(&text, found.note);
        verdict->workaround = keep(arena, &text);
    }
    fh_buffer_free(&text);
}

/* torch.nn.Linear.forward stands for torch.nn.Linear, torch.optim.Adam.step for Adam. */
static bool find_by_method(fh_text name, fh_api *api)
{
    static const char *const methods[] = {".forward", ".__call__", ".step"};
    for (unsigned i = 0; i < sizeof methods / sizeof *methods; i++)
        if (fh_text_ends(name, methods[i]) &&
            fh_api_find(fh_text_slice(name, 0, fh_text_find_last(name, '.')), api) &&
            api->kind == FH_API_CLASS && api->forward.length)
            return true;
    return false;
}

/* The public name of torch that is meant: as it is, or with what people leave out. */
static bool find_api(fh_text name, fh_api *api, fh_arena *arena)
{
    static const char *const fronts[][2] = {
        {"", ""},
        {"nn.", "torch."},
        {"F.", "torch.nn.functional"},
        {"optim.", "torch."},
        {"", "torch."},
        {"", "torch.nn."},
        {"", "torch.nn.functional."},
        {"", "torch.Tensor."},
        {"", "torch.optim."},
    };
    bool is_found = find_by_method(name, api) || fh_api_find(name, api);
    fh_buffer full = {0};
    for (unsigned i = 1; i < sizeof fronts / sizeof *fronts && !is_found; i++) {
        if (!fh_text_starts(name, fronts[i][0]))
            continue;
        bool is_functional = *fronts[i][0] == 'F';
        fh_buffer_clear(&full);
        fh_buffer_add_string(&full, fronts[i][1]);
        fh_buffer_add(&full, is_functional ? fh_text_slice(name, 1, name.length) : name);
        is_found = fh_api_find(fh_buffer_text(&full), api);
    }
    arena->failed |= full.failed;
    fh_buffer_free(&full);
    return is_found;
}

static void offer_table(fh_nearest *nearest, fh_text name, fh_table_id id)
{
    fh_text rest = fh_facts_table(id)->rows, row;
    while (fh_table_next(&rest, &row)) {
        fh_text candidate = fh_table_column(row, 0), last = candidate;
        fh_nearest_offer(nearest, name, candidate);
        last = fh_text_slice(last, fh_text_find_last(last, '.') + 1, last.length);
        if (fh_text_find(name, '.') == name.length && last.length < candidate.length &&
            fh_text_equal(last, name))
            fh_nearest_offer(nearest, name, last);
    }
}

/* Names that may have been meant; compares with every name of a table. */
static void add_suggestions(fh_text name, fh_buffer *text)
{
    fh_nearest nearest = {0};
    fh_text first = fh_text_slice(name, 0, fh_text_find(name, '.'));
    if (fh_text_is(first, "torch") || first.length == name.length)
        offer_table(&nearest, name, FH_TABLE_API);
    else if (fh_text_is(first, "torch_npu"))
        offer_table(&nearest, name, FH_TABLE_TORCH_NPU);
    else
        offer_table(&nearest, name, FH_TABLE_OVERLOAD);
    fh_nearest_add(text, &nearest);
    if (!nearest.count)
        fh_buffer_add_char(text, '.');
}

static fh_verdict of_nothing(const fh_support_query *query, fh_text name, fh_arena *arena)
{
    fh_buffer text = {0};
    fh_buffer_add_format(&text, "Nothing is known of %.*s", FH_TEXT_ARGS(name));
    if (query && query->is_exact)
        fh_buffer_add_char(&text, '.');
    else
        add_suggestions(name, &text);
    fh_verdict verdict = {.name = fh_arena_copy(arena, name),
                          .class = FH_TEXT("other"),
                          .support = FH_SUPPORT_UNKNOWN,
                          .backward = FH_SUPPORT_UNKNOWN,
                          .reason = keep(arena, &text)};
    fh_buffer_free(&text);
    return verdict;
}

static fh_verdict of_gpu(const fh_support_query *query, fh_text name, fh_arena *arena)
{
    fh_buffer text = {0};
    fh_buffer_add_format(&text, "%s is not an Ascend chip.", query->soc->name);
    fh_verdict verdict = {.name = fh_arena_copy(arena, name),
                          .class = FH_TEXT("other"),
                          .support = FH_SUPPORT_UNKNOWN,
                          .backward = FH_SUPPORT_UNKNOWN,
                          .reason = keep(arena, &text)};
    fh_buffer_free(&text);
    return verdict;
}

static bool is_of(fh_text name, const char *root)
{
    size_t length = fh_text_from(root).length;
    return fh_text_starts(name, root) && (name.length == length || name.data[length] == '.');
}

static fh_verdict look_up(const fh_support_query *query, fh_text name, fh_text overload,
                          fh_arena *arena)
{
    fh_verdict verdict;
    fh_api api;
    if (is_of(name, "torch_npu") || is_of(name, "torch.npu"))
        return of_torch_npu(query, name, arena, &verdict) ? verdict
                                                          : of_nothing(query, name, arena);
    bool is_overload = overload.data != name.data || overload.length != name.length;
    if (!is_of(name, "torch") || is_overload) {
        if (of_overload(query, overload, arena, &verdict))
            return verdict;
        if (is_overload)
            return of_nothing(query, overload, arena);
    }
    if (find_api(name, &api, arena)) {
        verdict = of_api(query, &api, arena);
        if (!verdict.overloads.length && !verdict.is_view)
            add_replacement(query, api.name, arena, &verdict);
        return verdict;
    }
    if (of_package(name, arena, &verdict) || of_bare_torch_npu(query, name, arena, &verdict))
        return verdict;
    verdict = of_nothing(query, name, arena);
    add_replacement(query, name, arena, &verdict);
    return verdict;
}

fh_verdict fh_support_of(const fh_support_query *query, fh_text name, fh_arena *arena)
{
    fh_support_query full = with_defaults(query);
    fh_buffer scratch = {0};
    name = fh_text_trim(name);
    if (full.soc->vendor != FH_VENDOR_ASCEND)
        return of_gpu(&full, name, arena);
    fh_text overload = fh_overload_canonical(name, &scratch);
    fh_verdict verdict = look_up(&full, name, overload, arena);
    arena->failed |= scratch.failed;
    fh_buffer_free(&scratch);
    return verdict;
}
