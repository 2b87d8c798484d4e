/* rules.h: what the analyser looks for. One row per rule in rules.def. */
#ifndef FH_RULES_RULES_H
#define FH_RULES_RULES_H

#include "analyse/rules/result.h"

/* What findings of a rule speak of. In code for a runtime of another vendor (other_runtime.h) only
 * what is about the program holds as elsewhere. */
typedef enum {
    FH_ABOUT_PROGRAM,   /* its packages, kernels, settings and environment, wherever it runs */
    FH_ABOUT_TENSORS,   /* tensors, and the operators that run on them */
    FH_ABOUT_DEVICES,   /* what should be the NPU's, or of a type that suits it */
    FH_ABOUT_PLACEMENT, /* the same, and it puts something on a CUDA device */
} fh_rule_about;

typedef struct {
    const char *id;
    fh_category category;
    fh_rule_about about;
    fh_severity severity; /* usual one; a finding may have another, and then says why */
    const char *title;
    const char *advice;      /* what to do, in a sentence or two */
    const char *description; /* why it matters and what it can get wrong */
} fh_rule;

/* rules.def, in order of their ids. */
const fh_rule *fh_rules(uint32_t *count);

/* One of them, by its fh_rule_index. */
const fh_rule *fh_rule_at(uint32_t index);

/* NULL when there is no such rule. Upper or lower case. */
const fh_rule *fh_rule_find(fh_text id);

/* One enumerator per rule, its index in fh_rules(). */
typedef enum {
#define RULE(id, category, about, severity, title, advice, description) FH_RULE_##id,
#include "analyse/rules/rules.def"
#undef RULE
    FH_RULE_COUNT
} fh_rule_index;

#endif
