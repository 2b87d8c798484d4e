/* Public names of torch, and the overloads that they run. */
#include "facts/overload.h"
#include "facts/support_build.h"
#include "facts/support_words.h"
#include "facts/table.h"
#include "facts/workarounds.h"

/* Moves the text of a buffer to the arena and clears the buffer. */
fh_text fh_support_keep(fh_arena *arena, fh_buffer *buffer)
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
    verdict->reason = fh_support_keep(arena, text);
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
    verdict->backward_reason = fh_support_keep(arena, text);
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
    verdict->reason = fh_support_keep(arena, text);
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
    verdict.reason = fh_support_keep(arena, &text);
    fh_buffer_free(&text);
    return verdict;
}

fh_verdict fh_support_of_api(const fh_support_query *query, const fh_api *api, fh_arena *arena)
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
    verdict.fallback = fh_support_keep(arena, &parts.fallback);
    judge_backward(query, api->backward, &verdict, &text, arena);
    if (fh_support_is_worse(FH_SUPPORT_LIMITED, verdict.support) && is_limited(query, api, &listed))
        verdict.support = FH_SUPPORT_LIMITED;
    fh_support_add_limits(&text, query, api, &listed, &parts);
    verdict.limits = fh_support_keep(arena, &text);
    verdict.impact = fh_support_impact(verdict.support, verdict.is_certain);
    fh_support_add_source(&text, query, api, &listed, verdict.kernels);
    verdict.source = fh_support_keep(arena, &text);
    add_workaround(&verdict);
    fh_support_parts_free(&parts);
    fh_buffer_free(&text);
    fh_buffer_free(&by_name);
    return verdict;
}

/* One overload, or one operator of torch_npu; false when the tables do not have it. */
bool fh_support_of_overload(const fh_support_query *query, fh_text name, fh_arena *arena,
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
        found.reason = fh_support_keep(arena, &text);
    } else if (all.is_absent) {
        fh_buffer_add_string(&text, "torch ");
        fh_release_add(&text, query->release);
        fh_buffer_add_format(
            &text, " does not have it; torch %.*s does.",
            FH_TEXT_ARGS(fh_table_field(fh_facts_table(FH_TABLE_OVERLOAD), row, "torch")));
        found.reason = fh_support_keep(arena, &text);
    }
    found.kernels = fh_arena_copy(arena, fh_buffer_text(&parts.kernels));
    found.fallback = fh_support_keep(arena, &parts.fallback);
    fh_support_add_limits(&text, query, &(fh_api){0}, &(fh_support_list){0}, &parts);
    found.limits = fh_support_keep(arena, &text);
    found.impact = fh_support_impact(found.support, found.is_certain);
    fh_support_add_source(&text, query, NULL, NULL, found.kernels);
    found.source = fh_support_keep(arena, &text);
    add_workaround(&found);
    fh_support_parts_free(&parts);
    fh_buffer_free(&text);
    *verdict = found;
    return true;
}
