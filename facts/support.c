#include "facts/support.h"
#include "base/names.h"
#include "facts/nearest.h"
#include "facts/overload.h"
#include "facts/replacements.h"
#include "facts/sources.h"
#include "facts/support_build.h"
#include "facts/table.h"

FH_NAMES(fh_support_name, fh_support, FH_SUPPORT_MAP)

static fh_support_query with_defaults(const fh_support_query *query)
{
    fh_support_query full = query ? *query : (fh_support_query){0};
    if (!full.release.major)
        full.release = fh_release_default();
    if (!full.soc)
        full.soc = fh_soc_default();
    return full;
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
        verdict->source = fh_support_keep(arena, &text);
    }
    if (verdict->support != FH_SUPPORT_NATIVE) {
        if (fh_replacement_in(&found, query->release))
            fh_buffer_add_format(&text, "%.*s. ", FH_TEXT_ARGS(found.replacement));
        fh_buffer_add(&text, found.note);
        verdict->workaround = fh_support_keep(arena, &text);
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

/* Nothing can be said of `name`, for `reason`. */
static fh_verdict unknown(fh_text name, fh_buffer *reason, fh_arena *arena)
{
    return (fh_verdict){.name = fh_arena_copy(arena, name),
                        .class = FH_TEXT("other"),
                        .support = FH_SUPPORT_UNKNOWN,
                        .backward = FH_SUPPORT_UNKNOWN,
                        .reason = fh_support_keep(arena, reason)};
}

static fh_verdict of_nothing(const fh_support_query *query, fh_text name, fh_arena *arena)
{
    fh_buffer text = {0};
    fh_buffer_add_format(&text, "Nothing is known of %.*s", FH_TEXT_ARGS(name));
    if (query && query->is_exact)
        fh_buffer_add_char(&text, '.');
    else
        add_suggestions(name, &text);
    fh_verdict verdict = unknown(name, &text, arena);
    fh_buffer_free(&text);
    return verdict;
}

static fh_verdict of_gpu(const fh_support_query *query, fh_text name, fh_arena *arena)
{
    fh_buffer text = {0};
    fh_buffer_add_format(&text, "%s is not an Ascend chip.", query->soc->name);
    fh_verdict verdict = unknown(name, &text, arena);
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
        return fh_support_of_torch_npu(query, name, arena, &verdict)
                   ? verdict
                   : of_nothing(query, name, arena);
    bool is_overload = overload.data != name.data || overload.length != name.length;
    if (!is_of(name, "torch") || is_overload) {
        if (fh_support_of_overload(query, overload, arena, &verdict))
            return verdict;
        if (is_overload)
            return of_nothing(query, overload, arena);
    }
    if (find_api(name, &api, arena)) {
        verdict = fh_support_of_api(query, &api, arena);
        if (!verdict.overloads.length && !verdict.is_view)
            add_replacement(query, api.name, arena, &verdict);
        return verdict;
    }
    if (fh_support_of_package(name, arena, &verdict) ||
        fh_support_of_bare_torch_npu(query, name, arena, &verdict))
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
