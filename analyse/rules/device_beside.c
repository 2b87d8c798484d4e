#include "analyse/rules/device_beside.h"

#include <stdlib.h>
#include <string.h>

/* A branch, by what makes it one of a condition. */
typedef struct {
    uint32_t parent, value, block;
} branch;

static int compare(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

static int by_condition(const void *left, const void *right)
{
    const branch *a = left, *b = right;
    int order = compare(a->parent, b->parent);
    order = order ? order : compare(a->value, b->value);
    return order ? order : compare(a->block, b->block);
}

static int by_key(const void *left, const void *right)
{
    const fh_branch_key *a = left, *b = right;
    int order = compare(a->parent, b->parent);
    order = order ? order : compare(a->kind, b->kind);
    return order ? order : compare(a->subject, b->subject);
}

static bool is_same_condition(const branch *a, const branch *b)
{
    return a->parent == b->parent && a->value == b->value;
}

/* branches[from, to) have one condition, in order of their place. */
static void pair_branches(const fh_unit *u, const branch *branches, uint32_t from, uint32_t to,
                          uint32_t *others)
{
    uint32_t last_if = 0, last_else = 0, next_else = 0;
    for (uint32_t i = from; i < to; i++) {
        uint32_t block = branches[i].block;
        bool is_if = u->blocks.items[block].kind == FH_BLOCK_IF;
        others[block] = is_if ? last_else : last_if;
        *(is_if ? &last_if : &last_else) = block;
    }
    for (uint32_t i = to; i-- > from;) {
        uint32_t block = branches[i].block;
        if (u->blocks.items[block].kind == FH_BLOCK_ELSE)
            next_else = block;
        else if (next_else)
            others[block] = next_else;
    }
}

static void find_others(const fh_unit *u, branch *branches, uint32_t *others)
{
    uint32_t count = 0, first = 0;
    others[0] = 0;
    for (uint32_t i = 1; i < u->blocks.count; i++) {
        const fh_block *b = &u->blocks.items[i];
        others[i] = 0;
        if (b->kind == FH_BLOCK_IF || b->kind == FH_BLOCK_ELSE)
            branches[count++] = (branch){b->parent, b->value, i};
    }
    if (count)
        qsort(branches, count, sizeof *branches, by_condition);
    for (uint32_t i = 1; i <= count; i++)
        if (i == count || !is_same_condition(&branches[i], &branches[first])) {
            pair_branches(u, branches, first, i, others);
            first = i;
        }
}

static void find_returns(const fh_unit *u, const uint8_t *flags, uint32_t *returns)
{
    memset(returns, 0xff, u->blocks.count * sizeof *returns);
    for (uint32_t i = 1; i < u->blocks.count; i++) {
        const fh_block *b = &u->blocks.items[i], *around = &u->blocks.items[b->parent];
        if (!(flags[i] & FH_BRANCH_IS_FOR) || !b->leaves)
            continue;
        if (b->end < returns[b->parent])
            returns[b->parent] = b->end;
        if (around->kind == FH_BLOCK_FOR && b->end < returns[around->parent])
            returns[around->parent] = b->end;
    }
}

static fh_branch_key key_of(const fh_unit *u, uint32_t block)
{
    const fh_value *test = fh_unit_value(u, u->blocks.items[block].value);
    return (fh_branch_key){u->blocks.items[block].parent, test->kind,
                           test->kind == FH_VALUE_COMPARE ? test->a : 0};
}

bool fh_device_beside_find(const fh_rule_run *run, const uint8_t *flags, fh_device_beside *beside)
{
    const fh_unit *u = run->unit;
    uint32_t count = u->blocks.count;
    branch *branches = fh_alloc(count * sizeof *branches);
    beside->others = fh_arena_alloc(run->scratch, count * sizeof *beside->others);
    beside->returns = fh_arena_alloc(run->scratch, count * sizeof *beside->returns);
    beside->asking = fh_arena_alloc(run->scratch, count * sizeof *beside->asking);
    beside->asking_count = 0;
    bool good = branches && beside->others && beside->returns && beside->asking;
    run->scratch->failed |= !good;
    if (good) {
        find_others(u, branches, beside->others);
        find_returns(u, flags, beside->returns);
        for (uint32_t i = 1; i < count; i++)
            if (flags[i] & FH_BRANCH_IS_FOR)
                beside->asking[beside->asking_count++] = key_of(u, i);
        qsort(beside->asking, beside->asking_count, sizeof *beside->asking, by_key);
    }
    fh_free(branches);
    return good;
}

bool fh_device_has_sibling(const fh_unit *u, const fh_device_beside *beside, uint32_t block)
{
    fh_branch_key key = key_of(u, block);
    return bsearch(&key, beside->asking, beside->asking_count, sizeof key, by_key) != NULL;
}
