#include "facts/api.h"
#include "facts/import_words.h"
#include "facts/support_words.h"
#include "facts/user.h"

/* Another name of a type, as torch has them, and torch's own. */
static fh_text canonical(fh_text dtype)
{
    static const char *const aliases[][2] = {
        {"double", "float64"},   {"float", "float32"},      {"half", "float16"},
        {"long", "int64"},       {"int", "int32"},          {"short", "int16"},
        {"cfloat", "complex64"}, {"cdouble", "complex128"}, {"chalf", "complex32"},
    };
    if (fh_text_starts(dtype, "torch."))
        dtype = fh_text_slice(dtype, 6, dtype.length);
    for (unsigned i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (fh_text_is(dtype, aliases[i][0]))
            return fh_text_from(aliases[i][1]);
    return dtype;
}

static bool has_dtype(fh_text list, fh_text dtype)
{
    fh_text part;
    while (fh_text_next(&list, ',', &part))
        if (fh_text_equal(fh_support_dtype_name(part), dtype))
            return true;
    return false;
}

static bool is_half(fh_text dtype)
{
    return fh_text_is(dtype, "float16") || fh_text_is(dtype, "bfloat16");
}

/* What the documents say of the kernels: one that takes the type is enough. */
static fh_dtype_answer by_documents(const fh_support_query *query, fh_text kernels, fh_text dtype,
                                    fh_buffer *why)
{
    fh_dtype_answer answer = FH_DTYPE_UNKNOWN;
    fh_user_operator found, cited = {.name = {0}};
    fh_text kernel;
    while (answer != FH_DTYPE_TAKEN && fh_text_next(&kernels, ',', &kernel)) {
        if (!fh_user_facts_find(query->user, kernel, &found))
            continue;
        fh_text list = fh_dtypes_cell(found.dtypes, query->soc->family);
        if (!list.length)
            continue;
        answer = has_dtype(list, dtype) ? FH_DTYPE_TAKEN : FH_DTYPE_REFUSED;
        cited = found;
    }
    if (answer)
        fh_buffer_add_format(why, "%.*s, %.*s: %.*s %s %.*s on %s.", FH_TEXT_ARGS(cited.document),
                             FH_TEXT_ARGS(cited.place), FH_TEXT_ARGS(cited.name),
                             answer == FH_DTYPE_TAKEN ? "takes" : "does not take",
                             FH_TEXT_ARGS(dtype), query->soc->name);
    return answer;
}

static fh_dtype_answer by_list(const fh_support_query *query, fh_text name, fh_text dtype,
                               fh_buffer *why)
{
    fh_api api;
    if (!fh_api_find(name, &api))
        return FH_DTYPE_UNKNOWN;
    fh_support_list listed = fh_support_list_of(query, api.row);
    bool is_listed = has_dtype(listed.dtypes, dtype);
    if (!listed.dtypes.length || (!is_listed && is_half(dtype)))
        return FH_DTYPE_UNKNOWN;
    fh_buffer_add_format(why, "The support list of torch_npu for torch 2.13 %s %.*s for it.",
                         is_listed ? "has" : "does not have", FH_TEXT_ARGS(dtype));
    return is_listed ? FH_DTYPE_TAKEN : FH_DTYPE_REFUSED;
}

static fh_dtype_answer by_chip(const fh_support_query *query, fh_text class, fh_text dtype,
                               fh_buffer *why)
{
    bool is_double = fh_text_is(dtype, "float64") || fh_text_is(dtype, "complex128");
    if (is_double && fh_support_is_compute(class) && !query->soc->has_double) {
        fh_buffer_add_format(why, "The compute units of %s have no float64.", query->soc->name);
        return FH_DTYPE_REFUSED;
    }
    if (fh_text_is(dtype, "bfloat16") && !query->soc->has_bf16) {
        fh_buffer_add_format(why, "%s has no bfloat16.", query->soc->name);
        return FH_DTYPE_REFUSED;
    }
    return FH_DTYPE_UNKNOWN;
}

fh_dtype_answer fh_support_takes(const fh_support_query *query, fh_text name, fh_text dtype,
                                 fh_arena *arena, fh_text *why)
{
    fh_support_query full = query ? *query : (fh_support_query){0};
    fh_buffer text = {0};
    full.soc = full.soc ? full.soc : fh_soc_default();
    full.release = full.release.major ? full.release : fh_release_default();
    fh_verdict verdict = fh_support_of(&full, name, arena);
    dtype = canonical(fh_text_trim(dtype));
    fh_dtype_answer answer = by_chip(&full, verdict.class, dtype, &text);
    if (!answer)
        answer = by_documents(&full, verdict.kernels, dtype, &text);
    if (!answer)
        answer = by_list(&full, verdict.name, dtype, &text);
    *why = fh_arena_copy(arena, fh_buffer_text(&text));
    arena->failed |= text.failed;
    fh_buffer_free(&text);
    return answer;
}
