#include "analyse/report/groups.h"

#include <stdlib.h>

typedef struct {
    const fh_finding *finding;
    uint32_t index;
} entry;

static int by_rule(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    int order = fh_text_compare(x->finding->rule, y->finding->rule);
    return order ? order : x->index < y->index ? -1 : 1;
}

static int by_weight(const void *a, const void *b)
{
    const fh_group *x = a, *y = b;
    if (x->severity != y->severity)
        return x->severity > y->severity ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return fh_text_compare(x->example->rule, y->example->rule);
}

static void group(const entry *entries, uint32_t count, fh_groups *groups)
{
    for (uint32_t i = 0; i < count; i++) {
        const fh_finding *finding = entries[i].finding;
        bool same = i && fh_text_equal(finding->rule, entries[i - 1].finding->rule);
        groups->order[i] = entries[i].index;
        if (!same &&
            !fh_vector_push(&groups->groups, (fh_group){finding, finding->severity, i, 0, 0}))
            return;
        fh_group *last = &fh_vector_last(&groups->groups);
        last->listed++;
        last->count += finding->count ? finding->count : 1;
        if (finding->severity > last->severity)
            last->severity = finding->severity;
    }
}

bool fh_groups_make(const fh_result *result, fh_groups *groups)
{
    uint32_t count = result->findings.count;
    *groups = (fh_groups){0};
    if (!count)
        return true;
    entry *entries = fh_alloc((size_t)count * sizeof *entries);
    groups->order = fh_alloc((size_t)count * sizeof *groups->order);
    bool ok = entries && groups->order;
    if (ok) {
        for (uint32_t i = 0; i < count; i++)
            entries[i] = (entry){&result->findings.items[i], i};
        qsort(entries, count, sizeof *entries, by_rule);
        group(entries, count, groups);
        ok = !groups->groups.failed;
        if (ok)
            qsort(groups->groups.items, groups->groups.count, sizeof *groups->groups.items,
                  by_weight);
    }
    fh_free(entries);
    return ok;
}

void fh_groups_free(fh_groups *groups)
{
    fh_free(groups->order);
    fh_vector_free(&groups->groups);
    *groups = (fh_groups){0};
}
