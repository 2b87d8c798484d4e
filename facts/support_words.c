#include "facts/support_words.h"
#include "facts/import_words.h"
#include "facts/table.h"
#include "facts/user.h"

enum { MOST_DOCUMENTED = 3 }; /* kernels whose documentation is cited */

/* Releases of torch up to this one are nearer to the list for 2.7 than to that for 2.13. */
static const fh_release last_near_2_7 = {2, 9};

fh_support_list fh_support_list_of(const fh_support_query *query, fh_text api_row)
{
    const fh_table *table = fh_facts_table(FH_TABLE_API);
    bool is_old = fh_release_compare(query->release, last_near_2_7) <= 0;
    fh_text chips = fh_table_field(table, api_row, is_old ? "chips_2.7" : "chips");
    fh_text flags = fh_table_field(table, api_row, "flags");
    const char *family = fh_family_listed(query->soc->family);
    fh_support_list listed = {
        .release = is_old ? "2.7" : "2.13",
        .is_listed = *family && fh_text_has_part(chips, ',', family),
        .dtypes = fh_table_field(table, api_row, "dtypes"),
        .has_cpu_remark = fh_text_has_part(flags, ',', "cpu"),
        .has_excluded_arguments = fh_text_has_part(flags, ',', "has_unsupported_clause"),
        .has_shape_limit = fh_text_has_part(flags, ',', "shape_limit"),
    };
    /* The list leaves the 950 out of many rows that the registrations serve: only a row
     * that names no chip at all speaks against it. */
    listed.is_marked_unsupported =
        *family && (fh_text_is(chips, "none") ||
                    (chips.length && !listed.is_listed && query->soc->has_acl_op));
    return listed;
}

void fh_support_add_name(fh_buffer *list, fh_text name)
{
    fh_text rest = fh_buffer_text(list), part;
    if (!name.length)
        return;
    while (fh_text_next(&rest, ',', &part))
        if (fh_text_equal(part, name))
            return;
    if (list->length)
        fh_buffer_add_char(list, ',');
    fh_buffer_add(list, name);
}

static void add_names(fh_buffer *list, fh_text names)
{
    fh_text part;
    while (fh_text_next(&names, ',', &part))
        fh_support_add_name(list, part);
}

/* Notes with a value: "ai_cpu:int32/int64" (types, or the path acl_op), and "fused_if:..."
 * with conditions joined by ';'. */
static void add_remarks(fh_support_parts *parts, const fh_overload_verdict *leaf)
{
    fh_text notes = leaf->notes, note, condition;
    while (fh_text_next(&notes, ',', &note)) {
        bool is_ai_cpu = fh_text_starts(note, "ai_cpu:");
        if (!is_ai_cpu && !fh_text_starts(note, "fused_if:"))
            continue;
        fh_text value = fh_text_slice(note, fh_text_find(note, ':') + 1, note.length);
        if (is_ai_cpu && fh_text_is(value, "acl_op") && !leaf->is_acl_op)
            continue;
        fh_buffer_add_format(&parts->remarks,
                             is_ai_cpu ? "%.*s runs on the AI CPU for "
                                       : "%.*s is one fused kernel only for ",
                             FH_TEXT_ARGS(leaf->name));
        if (is_ai_cpu && leaf->is_acl_op && fh_text_is(value, "acl_op"))
            value = FH_TEXT("some arguments");
        for (bool is_first = true; fh_text_next(&value, ';', &condition); is_first = false)
            fh_buffer_add_format(&parts->remarks, "%s%.*s", is_first ? "" : "; ",
                                 FH_TEXT_ARGS(condition));
        fh_buffer_add_string(&parts->remarks, ". ");
    }
}

void fh_support_parts_add(fh_support_parts *parts, const fh_overload_verdict *leaf)
{
    parts->leaves++;
    parts->views += leaf->is_view;
    add_names(&parts->kernels, leaf->kernels);
    if (leaf->support == FH_SUPPORT_FALLBACK)
        fh_support_add_name(&parts->fallback, leaf->blamed);
    if (leaf->is_acl_op)
        fh_support_add_name(&parts->acl_op, leaf->name);
    if (leaf->has_cpu_path)
        fh_support_add_name(&parts->cpu_path, leaf->name);
    add_remarks(parts, leaf);
    parts->has_dynamic_shape |= fh_text_has_part(leaf->notes, ',', "dynamic_shape");
    parts->reads_data |= fh_text_has_part(leaf->notes, ',', "reads_data");
}

void fh_support_parts_free(fh_support_parts *parts)
{
    fh_buffer_free(&parts->kernels);
    fh_buffer_free(&parts->fallback);
    fh_buffer_free(&parts->acl_op);
    fh_buffer_free(&parts->cpu_path);
    fh_buffer_free(&parts->remarks);
}

void fh_support_add_words(fh_buffer *out, fh_text list, unsigned most)
{
    fh_text rest = list, part;
    unsigned count = 0, index = 0;
    while (fh_text_next(&rest, ',', &part))
        count++;
    while (fh_text_next(&list, ',', &part)) {
        bool is_cut = count > most && index == most - 1;
        if (index)
            fh_buffer_add_string(out, index == count - 1 || is_cut ? " and " : ", ");
        if (is_cut) {
            fh_buffer_add_format(out, "%u others", count - index);
            return;
        }
        fh_buffer_add(out, fh_text_slice(part, 0, part.length - fh_text_ends(part, "?")));
        index++;
    }
}

fh_text fh_support_dtype_name(fh_text short_name)
{
    static const char *const names[][2] = {
        {"bf16", "bfloat16"}, {"fp16", "float16"}, {"fp32", "float32"}, {"fp64", "float64"}};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (fh_text_is(short_name, names[i][0]))
            return fh_text_from(names[i][1]);
    return short_name;
}

static void add_dtypes(fh_buffer *out, fh_text list)
{
    fh_text part;
    for (bool is_first = true; fh_text_next(&list, ',', &part); is_first = false) {
        if (!is_first)
            fh_buffer_add_string(out, ", ");
        fh_buffer_add(out, fh_support_dtype_name(part));
    }
}

static void add_through(fh_buffer *out, const fh_overloads_verdict *all)
{
    fh_buffer_add(out, all->blamed_for);
    if (!fh_text_equal(all->blamed_for, all->blamed)) {
        fh_buffer_add_string(out, ", and that ");
        fh_buffer_add(out, all->blamed);
    }
}

static void add_unknown(fh_buffer *out, const fh_support_query *query,
                        const fh_overloads_verdict *all)
{
    if (!all->is_absent) {
        fh_buffer_add_format(out, "Nothing is known of %.*s.", FH_TEXT_ARGS(all->blamed));
        return;
    }
    fh_buffer_add_format(out, "In newer releases it runs %.*s, which torch ",
                         FH_TEXT_ARGS(all->blamed));
    fh_release_add(out, query->release);
    fh_buffer_add_string(out, " does not have; what takes its place there was not traced.");
}

void fh_support_add_reason(fh_buffer *out, const fh_support_query *query,
                           const fh_overloads_verdict *all, fh_text list)
{
    switch (all->support) {
    case FH_SUPPORT_NATIVE:
        fh_buffer_add_string(out, "torch_npu registers all that it runs: ");
        fh_support_add_words(out, list, 6);
        fh_buffer_add_char(out, '.');
        return;
    case FH_SUPPORT_DECOMPOSED:
        fh_buffer_add_format(
            out, "torch runs %.*s through other operators%s.", FH_TEXT_ARGS(all->blamed_for),
            all->has_unchecked ? "; they were not traced" : ", which torch_npu registers");
        return;
    case FH_SUPPORT_LIMITED:
        if (all->is_certain) {
            fh_buffer_add_format(out, "It runs on the chip, but %.*s can compute on the CPU.",
                                 FH_TEXT_ARGS(all->blamed));
            return;
        }
        fh_buffer_add_string(out, "With some arguments it runs ");
        add_through(out, all);
        fh_buffer_add_string(out, ", which the chip does not compute.");
        return;
    case FH_SUPPORT_FALLBACK:
        fh_buffer_add_string(out, "It runs ");
        add_through(out, all);
        fh_buffer_add_string(out, ", for which torch has a CPU kernel and torch_npu registers "
                                  "none.");
        return;
    case FH_SUPPORT_REFUSED:
        if (all->document.length) {
            fh_buffer_add_format(out, "%.*s, %.*s, says that %s does not have the kernel of %.*s.",
                                 FH_TEXT_ARGS(all->document), FH_TEXT_ARGS(all->place),
                                 query->soc->name, FH_TEXT_ARGS(all->blamed));
            return;
        }
        fh_buffer_add_format(out,
                             "torch_npu registers %.*s for its older acl_op path only, and %s "
                             "does not have that.",
                             FH_TEXT_ARGS(all->blamed), query->soc->name);
        return;
    case FH_SUPPORT_UNKNOWN:
    case FH_SUPPORT_COUNT:
        add_unknown(out, query, all);
        return;
    }
}

bool fh_support_is_compute(fh_text class)
{
    static const char *const classes[] = {"matmul", "convolution", "attention", "recurrent",
                                          "normalisation"};
    for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++)
        if (fh_text_is(class, classes[i]))
            return true;
    return false;
}

/* Data types by the user's documentation, of the first kernels that it has. */
static void add_documented(fh_buffer *out, const fh_support_query *query, fh_text kernels)
{
    fh_user_operator found;
    fh_text kernel;
    for (unsigned said = 0; said < MOST_DOCUMENTED && fh_text_next(&kernels, ',', &kernel);) {
        if (!fh_user_facts_find(query->user, kernel, &found))
            continue;
        fh_text dtypes = fh_dtypes_cell(found.dtypes, query->soc->family);
        if (!dtypes.length)
            continue;
        fh_buffer_add_format(out, "%.*s takes ", FH_TEXT_ARGS(found.name));
        add_dtypes(out, dtypes);
        fh_buffer_add_format(out, " (%.*s, %.*s). ", FH_TEXT_ARGS(found.document),
                             FH_TEXT_ARGS(found.place));
        said++;
    }
}

static void add_listed(fh_buffer *out, const fh_support_list *listed)
{
    if (listed->is_marked_unsupported)
        fh_buffer_add_format(
            out, "The support list of torch_npu for torch %s does not tick it for this chip. ",
            listed->release);
    if (listed->has_cpu_remark)
        fh_buffer_add_string(
            out, "The support list mentions the CPU: some inputs may be computed there. ");
    if (listed->has_excluded_arguments)
        fh_buffer_add_string(out, "The support list excludes some arguments. ");
    if (listed->has_shape_limit)
        fh_buffer_add_string(out, "The support list limits shapes. ");
}

void fh_support_add_limits(fh_buffer *out, const fh_support_query *query, const fh_api *api,
                           const fh_support_list *listed, const fh_support_parts *parts)
{
    bool is_compute = fh_support_is_compute(api->class);
    if (listed->dtypes.length) {
        fh_buffer_add_string(out, "Data types in the support list: ");
        add_dtypes(out, listed->dtypes);
        fh_buffer_add_string(out, ". ");
    }
    if (is_compute && !query->soc->has_double)
        fh_buffer_add_format(out, "The compute units of %s have no float64. ", query->soc->name);
    if (!query->soc->has_bf16 && (is_compute || fh_text_has_part(listed->dtypes, ',', "bf16")))
        fh_buffer_add_format(out, "%s has no bfloat16. ", query->soc->name);
    add_documented(out, query, fh_buffer_text(&parts->kernels));
    if (parts->acl_op.length) {
        fh_support_add_words(out, fh_buffer_text(&parts->acl_op), 4);
        fh_buffer_add_string(out, " on the older acl_op path only. ");
    }
    if (parts->cpu_path.length) {
        fh_support_add_words(out, fh_buffer_text(&parts->cpu_path), 4);
        fh_buffer_add_string(out, " can compute on the CPU for some arguments. ");
    }
    fh_buffer_add(out, fh_buffer_text(&parts->remarks));
    add_listed(out, listed);
}

fh_text fh_support_impact(fh_support support, bool is_certain)
{
    if (support == FH_SUPPORT_FALLBACK)
        return FH_TEXT("Each call copies the arguments to the host, waits for the device, computes "
                       "on the CPU and copies the result back: two copies, a synchronisation and "
                       "a CPU kernel.");
    if (support == FH_SUPPORT_LIMITED && !is_certain)
        return FH_TEXT("When it happens, a call costs two copies, a synchronisation and a CPU "
                       "kernel.");
    if (support == FH_SUPPORT_REFUSED)
        return FH_TEXT("The call fails.");
    return (fh_text){0};
}

void fh_support_add_source(fh_buffer *out, const fh_support_query *query, const fh_api *api,
                           const fh_support_list *listed, fh_text kernels)
{
    fh_user_operator found;
    fh_text kernel;
    for (unsigned said = 0; said < MOST_DOCUMENTED && fh_text_next(&kernels, ',', &kernel);) {
        if (!fh_user_facts_find(query->user, kernel, &found))
            continue;
        fh_buffer_add_format(out, "%s%.*s, %.*s (%.*s)", out->length ? "; " : "",
                             FH_TEXT_ARGS(found.document), FH_TEXT_ARGS(found.place),
                             FH_TEXT_ARGS(found.name));
        said++;
    }
    if (out->length)
        fh_buffer_add_string(out, "; ");
    fh_buffer_add_format(out, "registrations of torch_npu %.*s (PyPI, %.*s)",
                         FH_TEXT_ARGS(fh_release_torch_npu(query->release)),
                         FH_TEXT_ARGS(fh_release_date(query->release)));
    if (api && (api->forward.length || api->backward.length))
        fh_buffer_add_string(out, "; operators traced with torch 2.13.0");
    if (listed && (listed->is_listed || listed->is_marked_unsupported))
        fh_buffer_add_format(out, "; support list of torch_npu for torch %s", listed->release);
}
