#include "analyse/rules/unit_index.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

/* Things by a key; things of one key stay in the order of their table. */
typedef struct {
    uint32_t *keys, *items;
    uint32_t count;
    bool is_made;
} sorted;

/* The tables, and what sorts each. */
typedef enum {
    VALUES,       /* offset */
    TESTS,        /* offset */
    CALLS,        /* block */
    IMPORTS,      /* block */
    ATTRIBUTES,   /* what they are attributes of */
    CONJUNCTIONS, /* the value on the left */
    TABLES
} table_kind;

struct fh_unit_index {
    sorted tables[TABLES];
    sorted ifs;         /* runs of siblings, each by offset; the keys are their parents */
    uint32_t *furthest; /* by place among the ifs: the last end of it and its siblings before */
    uint8_t *answers;   /* by block: of each question two bits */
};

static fh_unit_index *index_of(const fh_rule_run *run)
{
    fh_unit_index **index = &run->memo->index;
    if (!*index && (*index = fh_arena_alloc(run->scratch, sizeof **index)))
        memset(*index, 0, sizeof **index);
    return *index;
}

static int by_number(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Key in the high half, so that pairs are sorted by it first. */
static uint64_t pair(uint32_t key, uint32_t item)
{
    return (uint64_t)key << 32 | item;
}

/* Takes `count` pairs apart into `to`, sorted. */
static void sort(const fh_rule_run *run, sorted *to, uint64_t *pairs, uint32_t count)
{
    to->keys = fh_arena_alloc(run->scratch, (count + 1) * sizeof *to->keys);
    to->items = fh_arena_alloc(run->scratch, (count + 1) * sizeof *to->items);
    if (!to->keys || !to->items)
        return;
    if (count)
        qsort(pairs, count, sizeof *pairs, by_number);
    for (uint32_t i = 0; i < count; i++) {
        to->keys[i] = (uint32_t)(pairs[i] >> 32);
        to->items[i] = (uint32_t)pairs[i];
    }
    to->count = count;
}

/* Each of these gives the pairs of one table, and how many. */
static uint32_t pairs_of_values(const fh_unit *u, uint64_t *pairs)
{
    for (uint32_t i = 1; i < u->values.count; i++)
        pairs[i - 1] = pair(u->values.items[i].offset, i);
    return u->values.count - 1;
}

static uint32_t pairs_of_tests(const fh_unit *u, uint64_t *pairs)
{
    for (uint32_t i = 1; i < u->tests.count; i++)
        pairs[i - 1] = pair(fh_unit_value(u, u->tests.items[i])->offset, i);
    return u->tests.count - 1;
}

static uint32_t pairs_of_calls(const fh_unit *u, uint64_t *pairs)
{
    for (uint32_t i = 1; i < u->calls.count; i++)
        pairs[i - 1] = pair(u->calls.items[i].block, i);
    return u->calls.count - 1;
}

static uint32_t pairs_of_imports(const fh_unit *u, uint64_t *pairs)
{
    for (uint32_t i = 1; i < u->imports.count; i++)
        pairs[i - 1] = pair(u->imports.items[i].block, i);
    return u->imports.count - 1;
}

static uint32_t pairs_of_attributes(const fh_unit *u, uint64_t *pairs)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < u->values.count; i++)
        if (u->values.items[i].kind == FH_VALUE_ATTRIBUTE)
            pairs[count++] = pair(u->values.items[i].a, i);
    return count;
}

static uint32_t pairs_of_conjunctions(const fh_unit *u, uint64_t *pairs)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < u->values.count; i++)
        if (u->values.items[i].kind == FH_VALUE_BINARY && u->values.items[i].op == FH_OP_AND)
            pairs[count++] = pair(u->values.items[i].a, i);
    return count;
}

static uint32_t pairs_of_ifs(const fh_unit *u, uint64_t *pairs)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < u->blocks.count; i++)
        if (u->blocks.items[i].kind == FH_BLOCK_IF)
            pairs[count++] = pair(u->blocks.items[i].offset, i);
    return count;
}

static void make(const fh_rule_run *run, sorted *table, uint32_t most,
                 uint32_t (*fill)(const fh_unit *u, uint64_t *pairs))
{
    table->is_made = true;
    uint64_t *pairs = fh_alloc(((size_t)most + 1) * sizeof *pairs);
    if (pairs)
        sort(run, table, pairs, fill(run->unit, pairs));
    else
        run->scratch->failed = true;
    fh_free(pairs);
}

/* The first place whose key is not below `key`. */
static uint32_t place_of(const sorted *table, int64_t key)
{
    uint32_t at;
    FH_BISECT(at, 0, table->count, table->keys[at] < key);
    return at;
}

static fh_slice between(const sorted *table, int64_t from, int64_t to)
{
    uint32_t first = place_of(table, from), last = place_of(table, to);
    return first < last ? (fh_slice){table->items + first, last - first} : (fh_slice){0};
}

static void make_table(const fh_rule_run *run, table_kind kind, sorted *table)
{
    const fh_unit *u = run->unit;
    switch (kind) {
    case VALUES:
        make(run, table, u->values.count, pairs_of_values);
        break;
    case TESTS:
        make(run, table, u->tests.count, pairs_of_tests);
        for (uint32_t i = 0; i < table->count; i++)
            table->items[i] = u->tests.items[table->items[i]];
        break;
    case CALLS:
        make(run, table, u->calls.count, pairs_of_calls);
        break;
    case IMPORTS:
        make(run, table, u->imports.count, pairs_of_imports);
        break;
    case ATTRIBUTES:
        make(run, table, u->values.count, pairs_of_attributes);
        break;
    case CONJUNCTIONS:
        make(run, table, u->values.count, pairs_of_conjunctions);
        break;
    case TABLES:
        break;
    }
}

/* What of a table has a key in [from, to). */
static fh_slice look_up(const fh_rule_run *run, table_kind kind, int64_t from, int64_t to)
{
    fh_unit_index *index = index_of(run);
    if (!index)
        return (fh_slice){0};
    if (!index->tables[kind].is_made)
        make_table(run, kind, &index->tables[kind]);
    return between(&index->tables[kind], from, to);
}

fh_slice fh_values_near(const fh_rule_run *run, int64_t from, int64_t to)
{
    return look_up(run, VALUES, from, to);
}

fh_slice fh_tests_near(const fh_rule_run *run, int64_t from, int64_t to)
{
    return look_up(run, TESTS, from, to);
}

fh_slice fh_calls_in(const fh_rule_run *run, uint32_t block)
{
    return look_up(run, CALLS, block, (int64_t)block + 1);
}

fh_slice fh_imports_in(const fh_rule_run *run, uint32_t block)
{
    return look_up(run, IMPORTS, block, (int64_t)block + 1);
}

fh_slice fh_attributes_of(const fh_rule_run *run, fh_value_index base)
{
    return look_up(run, ATTRIBUTES, base, (int64_t)base + 1);
}

fh_slice fh_conjunctions_of(const fh_rule_run *run, fh_value_index left)
{
    return look_up(run, CONJUNCTIONS, left, (int64_t)left + 1);
}

/* By offset first, then, in that order, by parent. */
static void make_ifs(const fh_rule_run *run, fh_unit_index *index)
{
    const fh_unit *u = run->unit;
    sorted by_offset = {0};
    make(run, &by_offset, u->blocks.count, pairs_of_ifs);
    uint64_t *pairs = fh_alloc(((size_t)by_offset.count + 1) * sizeof *pairs);
    index->ifs.is_made = true;
    index->furthest = fh_arena_alloc(run->scratch, (by_offset.count + 1) * sizeof(uint32_t));
    run->scratch->failed |= !pairs;
    if (pairs && index->furthest) {
        for (uint32_t i = 0; i < by_offset.count; i++)
            pairs[i] = pair(u->blocks.items[by_offset.items[i]].parent, i);
        sort(run, &index->ifs, pairs, by_offset.count);
    }
    fh_free(pairs);
    for (uint32_t i = 0; i < index->ifs.count; i++) {
        uint32_t block = by_offset.items[index->ifs.items[i]], end = u->blocks.items[block].end;
        bool follows = i && index->ifs.keys[i] == index->ifs.keys[i - 1];
        index->ifs.items[i] = block;
        index->furthest[i] = follows && index->furthest[i - 1] > end ? index->furthest[i - 1] : end;
    }
}

fh_ifs_walk fh_ifs_at(const fh_rule_run *run, uint32_t parent, uint32_t offset)
{
    fh_unit_index *index = index_of(run);
    fh_ifs_walk walk = {run, parent, offset, 0};
    if (!index)
        return walk;
    if (!index->ifs.is_made)
        make_ifs(run, index);
    /* behind the last that begins at `offset` or before */
    FH_BISECT(walk.next, place_of(&index->ifs, parent), place_of(&index->ifs, (int64_t)parent + 1),
              run->unit->blocks.items[index->ifs.items[walk.next]].offset <= offset);
    return walk;
}

uint32_t fh_ifs_next(fh_ifs_walk *walk)
{
    const fh_unit_index *index = walk->run->memo->index;
    while (walk->next && index->ifs.keys[walk->next - 1] == walk->parent &&
           index->furthest[walk->next - 1] > walk->offset) {
        uint32_t block = index->ifs.items[--walk->next];
        if (walk->run->unit->blocks.items[block].end > walk->offset)
            return block;
    }
    return 0;
}

bool fh_block_answer(const fh_rule_run *run, uint32_t block, fh_block_question question,
                     bool (*ask)(const fh_rule_run *run, uint32_t block))
{
    enum { NO = 1, YES = 2 };
    fh_unit_index *index = index_of(run);
    uint32_t count = run->unit->blocks.count;
    if (index && !index->answers && (index->answers = fh_arena_alloc(run->scratch, count)))
        memset(index->answers, 0, count);
    if (!index || !index->answers)
        return false;
    uint8_t known = index->answers[block] >> (2 * question) & 3;
    if (!known) {
        known = ask(run, block) ? YES : NO;
        index->answers[block] |= (uint8_t)(known << (2 * question));
    }
    return known == YES;
}
