#include "analyse/rules/class_use.h"
#include "analyse/rules/flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A call, and a class that it makes. */
typedef struct {
    uint32_t class, call;
} making;

/* Those of one unit, by class, then in the order of the calls. */
struct fh_class_uses {
    const fh_class_uses *next; /* of another unit */
    uint32_t unit;
    const making *makings;
    uint32_t count;
    uint8_t *answers; /* by parameter: 0 not asked yet, NO, YES */
};

enum { NO = 1, YES = 2 };

static int by_class(const void *left, const void *right)
{
    const making *a = left, *b = right;
    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    return a->call < b->call ? -1 : a->call > b->call;
}

typedef FH_VECTOR(making) makings;

/* All calls of `unit` that give something to what they make. */
static void find_makings(const fh_rule_run *run, uint32_t unit, makings *found)
{
    const fh_unit *u = fh_resolver_look_whole(run->resolver, unit);
    for (uint32_t i = 1; i < u->calls.count; i++) {
        fh_meanings all = {0};
        if (u->calls.items[i].count)
            fh_resolve(run->resolver, unit, u->calls.items[i].callee, &all);
        for (uint32_t k = 0; k < all.count; k++)
            if (all.items[k].kind == FH_MEANS_CLASS && all.items[k].unit == unit)
                fh_vector_push(found, (making){all.items[k].index, i});
    }
    if (found->count > 1)
        qsort(found->items, found->count, sizeof *found->items, by_class);
}

static fh_class_uses *make(const fh_rule_run *run, uint32_t unit)
{
    makings found = {0};
    find_makings(run, unit, &found);
    uint32_t parameters = fh_resolver_look(run->resolver, unit)->parameters.count;
    fh_class_uses *uses = fh_arena_alloc(run->scratch, sizeof *uses);
    making *kept = fh_arena_alloc(run->scratch, (found.count + 1) * sizeof *kept);
    uint8_t *answers = fh_arena_alloc(run->scratch, parameters + 1);
    run->scratch->failed |= found.failed;
    if (uses && kept && answers) {
        if (found.count)
            memcpy(kept, found.items, found.count * sizeof *kept);
        memset(answers, 0, parameters + 1);
        *uses = (fh_class_uses){run->memo->class_uses, unit, kept, found.count, answers};
        run->memo->class_uses = uses;
    } else {
        uses = NULL;
    }
    fh_vector_free(&found);
    return uses;
}

static const fh_class_uses *uses_of(const fh_rule_run *run, uint32_t unit)
{
    const fh_class_uses *uses = run->memo->class_uses;
    while (uses && uses->unit != unit)
        uses = uses->next;
    return uses ? uses : make(run, unit);
}

/* The first call that makes `class`; the count when there is none. */
static uint32_t first_of(const fh_class_uses *uses, uint32_t class)
{
    uint32_t low = 0, high = uses->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (uses->makings[middle].class < class)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static fh_symbol name_of(const fh_unit *u, uint32_t function, uint32_t position)
{
    return u->parameters.items[u->functions.items[function].parameters + position].name;
}

/* True when both are written alike, in whatever functions they stand: config.encoder. */
static bool is_written_alike(const fh_unit *u, fh_value_index a, fh_value_index b)
{
    const fh_value *x = fh_unit_value(u, a), *y = fh_unit_value(u, b);
    while (x->kind == FH_VALUE_ATTRIBUTE && y->kind == FH_VALUE_ATTRIBUTE && x->b == y->b) {
        a = x->a, b = y->a;
        x = fh_unit_value(u, a), y = fh_unit_value(u, b);
    }
    if (x->kind == FH_VALUE_PARAMETER && y->kind == FH_VALUE_PARAMETER)
        return name_of(u, x->a, x->b) == name_of(u, y->a, y->b);
    return fh_flow_same(u, a, b);
}

static bool differs(const fh_unit *u, const fh_class_uses *uses, uint32_t function,
                    uint32_t position)
{
    uint32_t class = u->functions.items[function].class;
    fh_value_index first = 0;
    char name[80];
    snprintf(name, sizeof name, "%.*s",
             FH_TEXT_ARGS(fh_unit_text(u, name_of(u, function, position))));
    for (uint32_t i = first_of(uses, class); i < uses->count && uses->makings[i].class == class;
         i++) {
        const fh_call *call = &u->calls.items[uses->makings[i].call];
        fh_value_index given = fh_call_argument(u, call, (int)position - 1, name);
        if (given && first && !is_written_alike(u, first, given))
            return true;
        first = given ? given : first;
    }
    return false;
}

bool fh_class_use_differs(const fh_rule_run *run, uint32_t unit, uint32_t function,
                          uint32_t position)
{
    const fh_class_uses *uses = uses_of(run, unit);
    const fh_unit *u = fh_resolver_look(run->resolver, unit);
    if (!uses)
        return false;
    uint8_t *answer = &uses->answers[u->functions.items[function].parameters + position];
    if (!*answer)
        *answer = differs(u, uses, function, position) ? YES : NO;
    return *answer == YES;
}
