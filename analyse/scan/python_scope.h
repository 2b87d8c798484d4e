/* python_scope.h: which value a name stands for, along the paths of a program.
 *
 * Bindings live in one table, keyed by scope and symbol (names) or by value and
 * symbol (attributes of that value). Every change is logged, so that the two
 * sides of a branch can be walked from the same state and merged afterwards:
 *
 *     mark = fh_scope_mark(scopes);   walk one side
 *     fh_scope_set_aside(scopes, mark);   state is as at mark again
 *     walk the other side
 *     fh_scope_merge(scopes, mark, ...);
 */
#ifndef FH_SCAN_PYTHON_SCOPE_H
#define FH_SCAN_PYTHON_SCOPE_H

#include "analyse/scan/program.h"

typedef struct {
    uint32_t outer; /* scope to look in next; 0 for none */
    bool is_class;  /* not seen from functions inside */
    bool is_comprehension;
} fh_scope;

typedef struct {
    uint64_t key;
    fh_value_index value;
    uint32_t order; /* in a side that is set aside: 0 for the newest change */
} fh_scope_change;

typedef struct {
    FH_VECTOR(fh_scope) scopes; /* index 0 is null, 1 the module */
    fh_scope_change *slots;     /* open addressing; key 0 is free */
    uint32_t slot_count, used;
    bool failed;
    FH_VECTOR(fh_scope_change) log;   /* key and its value before the change */
    FH_VECTOR(fh_scope_change) aside; /* final changes of sides that are set aside, by key */
    FH_VECTOR(uint32_t) sides;        /* where each side that is set aside begins in `aside` */
} fh_scopes;

void fh_scopes_init(fh_scopes *scopes);
void fh_scopes_free(fh_scopes *scopes);

/* A new scope inside `outer`; its number, never 0 (0 when memory ran out). */
uint32_t fh_scope_open(fh_scopes *scopes, uint32_t outer, bool is_class);

/* The keys under which bindings are stored. */
static inline uint64_t fh_scope_name_key(uint32_t scope, fh_symbol name)
{
    return (uint64_t)scope << 32 | name;
}
static inline uint64_t fh_scope_attribute_key(fh_value_index base, fh_symbol name)
{
    return (uint64_t)(0x80000000u | base) << 32 | name;
}

/* The value bound to `key`, 0 when there is none. */
fh_value_index fh_scope_get(const fh_scopes *scopes, uint64_t key);
void fh_scope_set(fh_scopes *scopes, uint64_t key, fh_value_index value);

/* Looks `name` up in `scope` and outwards; 0 when nothing binds it. */
fh_value_index fh_scope_lookup(const fh_scopes *scopes, uint32_t scope, fh_symbol name);

uint32_t fh_scope_mark(const fh_scopes *scopes);

/* Takes back all changes since `mark` and keeps them as one side of a branch. */
void fh_scope_set_aside(fh_scopes *scopes, uint32_t mark);

/* Forgets the last side that was set aside: its path does not go on. */
void fh_scope_drop(fh_scopes *scopes);

enum { FH_SCOPE_MOST_SIDES = 64 };

/* Merges the last `count` sides that were set aside into the current state: what
 * some side changed becomes `phi` of all sides' values; a side without a change,
 * and the current state when `with_current`, count as the value now. At most
 * FH_SCOPE_MOST_SIDES at once. */
typedef fh_value_index (*fh_scope_phi)(void *context, fh_value_index a, fh_value_index b);
void fh_scope_merge(fh_scopes *scopes, uint32_t count, bool with_current, fh_scope_phi phi,
                    void *context);

#endif
