/* groups.h: findings by rule. */
#ifndef FH_REPORT_GROUPS_H
#define FH_REPORT_GROUPS_H

#include "analyse/rules/result.h"

/* Findings of one rule: `count` of them from findings.order[first] on, in the result's order. */
typedef struct {
    const fh_finding *example; /* the first */
    fh_severity severity;      /* the worst */
    uint32_t first, listed;
    uint64_t count; /* those that listed ones stand for, in all */
} fh_group;

typedef struct {
    uint32_t *order; /* indices of findings */
    FH_VECTOR(fh_group) groups;
} fh_groups;

/* Groups all findings: errors first, then by count, then by rule. False when memory runs out.
 * Borrows from the result; the caller frees the groups in any case. */
bool fh_groups_make(const fh_result *result, fh_groups *groups);
void fh_groups_free(fh_groups *groups);

#endif
