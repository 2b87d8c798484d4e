/* overload.h: the verdict for one aten overload, or one operator of torch_npu.
 *
 * Used by support.c; everything returned is borrowed from the tables.
 */
#ifndef FH_FACTS_OVERLOAD_H
#define FH_FACTS_OVERLOAD_H

#include "base/vector.h"
#include "facts/support.h"

typedef struct {
    fh_support support;
    fh_text name;    /* the overload asked for */
    fh_text served;  /* the one that torch_npu registers for it: itself, its out variant, ... */
    fh_text kernels; /* aclnn operators, when op_api serves it */
    fh_text notes;
    fh_text leaves;     /* of a composite or generic one, as in the table */
    fh_text blamed;     /* the overload that decides a verdict other than native */
    bool is_acl_op;     /* served by the older path only */
    bool has_cpu_path;  /* the implementation that serves it can compute on the CPU */
    bool is_absent;     /* this release of torch does not have it */
    bool is_view;       /* nothing runs */
    bool has_unchecked; /* decomposes into operators that were not traced */
    fh_text document;   /* the user's documentation that refuses its kernels on this chip, */
    fh_text place;      /* and where */
} fh_overload_verdict;

/* The name as the table has it: "aten::addmm.default" gives "addmm", "torch.ops.npu.x"
 * gives "npu::x" (written to `scratch`). Leaves the rest as it is. */
fh_text fh_overload_canonical(fh_text name, fh_buffer *scratch);

/* A list of overloads, separated by ',', taken together. */
typedef struct {
    fh_support support;
    bool is_certain;
    fh_text blamed;     /* the overload that decides */
    fh_text blamed_for; /* the leaf through which it is reached */
    bool has_unchecked;
    bool is_absent;
    fh_text document, place; /* as above */
} fh_overloads_verdict;

typedef void fh_overload_visit(void *context, const fh_overload_verdict *leaf);

/* `visit`, which may be NULL, sees each leaf's verdict. A leaf with '?' is not always
 * reached: it makes the whole limited rather than a fallback. Where all have it, the
 * best of them stands for what is always reached.
 *
 * `is_traced`: the list was seen with the newest release; an older one that registers
 * the functional form of an out overload is asked for that instead. */
fh_overloads_verdict fh_overloads_verdict_of(const fh_support_query *query, fh_text list,
                                             bool is_traced, fh_overload_visit *visit,
                                             void *context);

/* Whether `a` is worse than `b`: native, decomposed, limited, unknown, fallback, refused. */
bool fh_support_is_worse(fh_support a, fh_support b);

#endif
