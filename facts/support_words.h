/* support_words.h: the sentences of a verdict; for support.c only. */
#ifndef FH_FACTS_SUPPORT_WORDS_H
#define FH_FACTS_SUPPORT_WORDS_H

#include "facts/api.h"
#include "facts/overload.h"

/* What the support list of torch_npu nearest to a release says of an API. */
typedef struct {
    const char *release;        /* the torch that the list is for */
    bool is_listed;             /* ticked for the family of the chip */
    bool is_marked_unsupported; /* for the chip, or for all */
    fh_text dtypes;             /* "bf16,fp16,fp32"; empty: no limit given */
    bool has_cpu_remark, has_excluded_arguments, has_shape_limit;
} fh_support_list;

fh_support_list fh_support_list_of(const fh_support_query *query, fh_text api_row);

/* What aggregating the leaves of an API, or looking at one overload, collected. */
typedef struct {
    fh_buffer kernels, fallback, acl_op, cpu_path; /* names, separated by ',' */
    fh_buffer remarks;                             /* sentences on AI CPU and fusing */
    unsigned leaves, views;
    bool has_dynamic_shape, reads_data;
} fh_support_parts;

void fh_support_parts_add(fh_support_parts *parts, const fh_overload_verdict *leaf);
void fh_support_parts_free(fh_support_parts *parts);

/* Appends `name` to a list separated by ',' unless it is there. */
void fh_support_add_name(fh_buffer *list, fh_text name);

/* Appends a list separated by ',' as "a, b and c", at most `most` of them. */
void fh_support_add_words(fh_buffer *out, fh_text list, unsigned most);

/* "float16" for "fp16"; the name itself where the tables have no short form for it. */
fh_text fh_support_dtype_name(fh_text short_name);

void fh_support_add_reason(fh_buffer *out, const fh_support_query *query,
                           const fh_overloads_verdict *all, fh_text list);
void fh_support_add_limits(fh_buffer *out, const fh_support_query *query, const fh_api *api,
                           const fh_support_list *listed, const fh_support_parts *parts);
fh_text fh_support_impact(fh_support support, bool is_certain);
void fh_support_add_source(fh_buffer *out, const fh_support_query *query, const fh_api *api,
                           const fh_support_list *listed, fh_text kernels);

/* Whether operators of this class run on the matrix and vector units alone, in the types
 * that those have. */
bool fh_support_is_compute(fh_text class);

#endif
