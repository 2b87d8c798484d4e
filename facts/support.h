/* support.h: what becomes of an operator on an Ascend chip.
 *
 * The answer is derived from the tables (facts/README.md): which overloads an
 * API looks up on the device, which of them a release of torch_npu registers,
 * and what torch does where there is none. Operator documentation that the
 * user imported (user.h) comes first where it says something.
 *
 * Texts of a verdict are in the caller's arena, in the tables, or in the user's
 * documentation; sentences are English and end with a full stop.
 */
#ifndef FH_FACTS_SUPPORT_H
#define FH_FACTS_SUPPORT_H

#include "base/arena.h"
#include "facts/release.h"
#include "facts/soc.h"

// clang-format off
/*    enumerator   name in reports; from good to bad, but for the last */
#define FH_SUPPORT_MAP(X) \
    X(NATIVE,     "native")     /* runs on the chip */ \
    X(LIMITED,    "limited")    /* the same, with limits that matter */ \
    X(DECOMPOSED, "decomposed") /* torch runs other operators for it, which are native */ \
    X(FALLBACK,   "fallback")   /* copied to the host, computed there, copied back */ \
    X(REFUSED,    "refused")    /* fails, or is not there */ \
    X(UNKNOWN,    "unknown")
// clang-format on

#define X(name, text) FH_SUPPORT_##name,
typedef enum { FH_SUPPORT_MAP(X) FH_SUPPORT_COUNT } fh_support;
#undef X

const char *fh_support_name(fh_support support);

typedef struct fh_user_facts fh_user_facts; /* user.h */

/* What is asked about; every field has a default. */
typedef struct {
    fh_release release;        /* {0}: the newest */
    const fh_soc *soc;         /* NULL: Ascend910B3 */
    const fh_user_facts *user; /* NULL: none */
    bool is_exact;             /* the name was not typed by hand: look for no others like it */
} fh_support_query;

typedef struct {
    fh_text name; /* canonical: aliases and short forms are resolved */
    fh_text class;
    bool heavy; /* compute-intensive */

    fh_support support;  /* of running it (a module: of calling it) */
    fh_support backward; /* of its gradient; unknown where that was not traced */
    bool is_certain;     /* false: fallback or refusal depends on the arguments */

    fh_text kernels;   /* aclnn operators that it may call, separated by ',' */
    fh_text overloads; /* aten overloads looked at; '?' marks those not always reached */
    fh_text fallback;  /* those of them that have only a CPU kernel */
    fh_text limits;    /* data types, chip, CPU paths, in words; may be empty */
    fh_text reason;
    fh_text backward_reason;
    fh_text impact;     /* what it costs; empty when it runs on the chip */
    fh_text workaround; /* an alternative that is itself native; may be empty */
    fh_text source;     /* table and release; document and page where there is one */

    bool has_dynamic_shape; /* the size of the result depends on the data: a synchronisation */
    bool reads_data;        /* the host reads device data: a synchronisation */
    bool is_view;           /* no kernel is needed */
} fh_verdict;

/* The verdict for a public name of torch ("torch.nn.Linear", "nn.Linear", "F.gelu"), an
 * aten overload ("aten::addmm", "addmm.out", "torch.ops.aten.addmm.default"), a name of
 * torch_npu ("torch_npu.npu_rms_norm", "torch.ops.npu.npu_rms_norm") or a dotted name of
 * another package. A name that nothing is known of is unknown, with the closest names in
 * the reason. Running out of memory leaves texts empty and sets arena->failed. */
fh_verdict fh_support_of(const fh_support_query *query, fh_text name, fh_arena *arena);

typedef enum { FH_DTYPE_UNKNOWN, FH_DTYPE_TAKEN, FH_DTYPE_REFUSED } fh_dtype_answer;

/* Whether an API takes a data type, named as in torch (float64, torch.bfloat16, long): by
 * the chip's units for the classes that run on them, then by the user's documents, then by
 * the support list. That list leaves half-precision types out where they are known to run,
 * so that its silence on those is no answer. `*why` says which, in a sentence. */
fh_dtype_answer fh_support_takes(const fh_support_query *query, fh_text name, fh_text dtype,
                                 fh_arena *arena, fh_text *why);

#endif
