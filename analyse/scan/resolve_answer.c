/* Answers: what was found is remembered until the next unit is entered. */
#include "analyse/scan/resolve_build.h"
#include "os/interrupt.h"

#include <string.h>

enum { MOST_DEPTH = 120, MOST_ANSWERS = 1 << 20 };

static uint64_t key_of(uint32_t unit, fh_value_index value)
{
    return (uint64_t)(unit + 1) << 32 | value;
}

/* Values that stand together are asked for together: four of them share a line of the cache. */
static fh_answer *find_slot(fh_answer *answers, uint32_t slots, uint64_t key)
{
    uint32_t i = (uint32_t)(((key >> 2) * 0x9e3779b97f4a7c15u) >> 32) << 2 | (uint32_t)(key & 3);
    for (;; i++) {
        fh_answer *answer = &answers[i & (slots - 1)];
        if (answer->key == key || !answer->key)
            return answer;
    }
}

static bool is_own(const fh_resolver *resolver, uint64_t key)
{
    return key >> 32 == resolver->own_unit + (uint64_t)1 && (uint32_t)key < resolver->own_count;
}

static fh_answer *find_answer(const fh_resolver *resolver, uint64_t key)
{
    if (is_own(resolver, key))
        return &resolver->own[(uint32_t)key];
    return find_slot(resolver->answers, resolver->answer_slots, key);
}

static void forget(fh_resolver *resolver)
{
    enum { FEW_SLOTS = 1 << 15 }; /* as many as most files need: not worth making anew */
    if (resolver->answer_slots > FEW_SLOTS) {
        fh_free(resolver->answers);
        resolver->answers = NULL;
        resolver->answer_slots = 0;
    } else if (resolver->answer_count) {
        memset(resolver->answers, 0, resolver->answer_slots * sizeof *resolver->answers);
    }
    resolver->answer_count = 0;
    resolver->meanings.count = 1;
    if (resolver->own_count)
        memset(resolver->own, 0, resolver->own_count * sizeof *resolver->own);
}

/* Room for an answer to each value of the unit that was entered. A large unit's takes less than the
 * unit itself; what it leaves is given back when a small one comes. */
static void make_own(fh_resolver *resolver, uint32_t count)
{
    enum { LARGE = 1 << 18 };
    bool is_left = resolver->own_capacity > LARGE && count < resolver->own_capacity / 2;
    if (count <= resolver->own_capacity && !is_left)
        return;
    fh_free(resolver->own);
    resolver->own = fh_alloc(count * sizeof *resolver->own);
    resolver->own_capacity = resolver->own ? count : 0;
}

void fh_resolver_enter(fh_resolver *resolver, uint32_t unit)
{
    memset(resolver->looked_at, 0, resolver->program->units.count);
    fh_looks_clear(&resolver->looks);
    uint32_t count = fh_resolver_unit(resolver, unit)->values.count;
    make_own(resolver, count);
    resolver->own_unit = unit;
    resolver->own_count = count < resolver->own_capacity ? count : resolver->own_capacity;
    forget(resolver);
}

/* Room for one more answer; forgets all when there are too many. False when memory ran out. */
static bool make_room(fh_resolver *resolver)
{
    if (resolver->answer_count >= MOST_ANSWERS && !resolver->depth)
        forget(resolver);
    if (resolver->answer_count * 2 < resolver->answer_slots)
        return true;
    uint32_t slots = resolver->answer_slots ? resolver->answer_slots * 2 : 1024;
    fh_answer *answers = fh_alloc_zero(slots, sizeof *answers);
    if (!answers)
        return false;
    for (uint32_t i = 0; i < resolver->answer_slots; i++)
        if (resolver->answers[i].key)
            *find_slot(answers, slots, resolver->answers[i].key) = resolver->answers[i];
    fh_free(resolver->answers);
    resolver->answers = answers;
    resolver->answer_slots = slots;
    return true;
}

/* What is asked of a value: what it is, or what it holds. */
typedef enum { THE_VALUE, ITS_KEYS, ITS_VALUES } question;

/* Keeps what was found; notes when it is not what was found the last time. */
static void keep_answer(fh_resolver *resolver, uint64_t key, const fh_meanings *meanings)
{
    fh_answer *answer = find_answer(resolver, key);
    const fh_meaning *last = &resolver->meanings.items[answer->first];
    bool same = answer->count == meanings->count;
    for (uint32_t i = 0; same && i < meanings->count; i++) {
        const fh_meaning *now = &meanings->items[i];
        same = last[i].kind == now->kind && last[i].certainty == now->certainty &&
               last[i].path == now->path && last[i].unit == now->unit &&
               last[i].index == now->index;
    }
    if (same)
        return;
    resolver->changed = true;
    answer->first = resolver->meanings.count;
    answer->count = (uint8_t)meanings->count;
    for (uint32_t i = 0; i < meanings->count; i++)
        if (!fh_vector_push(&resolver->meanings, meanings->items[i]))
            answer->count = 0;
}

/* The answers incomplete[mark..] get a new state; those that stay incomplete, what they now depend
 * on. */
static void set_state(fh_resolver *resolver, uint32_t mark, fh_answer_state state, uint32_t low)
{
    for (uint32_t i = mark; i < resolver->incomplete.count; i++) {
        fh_answer *answer = find_answer(resolver, resolver->incomplete.items[i]);
        answer->state = (uint8_t)state;
        if (low == FH_LOW_NONE || answer->low > low)
            answer->low = (uint16_t)low;
    }
    if (low == FH_LOW_NONE)
        resolver->incomplete.count = mark;
}

/* One time of working an answer out. */
static void work_out(fh_resolver *resolver, uint32_t unit, fh_value_index value, question what,
                     uint64_t key, fh_meanings *meanings)
{
    fh_answer *answer = find_answer(resolver, key);
    answer->state = FH_ANSWER_IN_PROGRESS;
    answer->low = (uint16_t)resolver->depth;
    meanings->count = 0;
    resolver->low = FH_LOW_NONE;
    resolver->depth++;
    if (what == THE_VALUE)
        fh_resolve_new(resolver, unit, value, meanings);
    else
        fh_resolve_new_elements(resolver, unit, value,
                                what == ITS_KEYS ? FH_ELEMENT_KEY : FH_ELEMENT_VALUE, meanings);
    resolver->depth--;
    keep_answer(resolver, key, meanings);
}

static void ask_anew(fh_resolver *resolver, uint32_t unit, fh_value_index value, question what,
                     uint64_t key, fh_meanings *meanings)
{
    enum { MOST_ROUNDS = 8 };
    uint32_t outer = resolver->low, mark = resolver->incomplete.count;
    bool outer_changed = resolver->changed;
    if (fh_interrupted())
        return; /* nothing that is found from now on is used */
    for (unsigned round = 0; round < MOST_ROUNDS; round++) {
        resolver->changed = false;
        work_out(resolver, unit, value, what, key, meanings);
        /* Only the head of a cycle goes round: it asked for itself, and for nothing outside. */
        if (resolver->low != resolver->depth || !resolver->changed || round + 1 == MOST_ROUNDS)
            break;
        set_state(resolver, mark, FH_ANSWER_OUTDATED, FH_LOW_NONE);
    }
    fh_answer *answer = find_answer(resolver, key);
    answer->state = FH_ANSWER_DONE;
    if (resolver->low >= resolver->depth) {
        answer->low = FH_LOW_NONE;
        set_state(resolver, mark, FH_ANSWER_DONE, FH_LOW_NONE);
        resolver->low = outer;
        resolver->changed = outer_changed;
        return;
    }
    answer->low = (uint16_t)resolver->low;
    set_state(resolver, mark, FH_ANSWER_DONE, resolver->low);
    fh_vector_push(&resolver->incomplete, key);
    if (outer < resolver->low)
        resolver->low = outer;
    resolver->changed |= outer_changed;
}

static void ask(fh_resolver *resolver, uint32_t unit, fh_value_index value, question what,
                fh_meanings *meanings)
{
    meanings->count = 0;
    if (!value || fh_resolver_is_deep(resolver, MOST_DEPTH) || !make_room(resolver))
        return;
    uint64_t key = (uint64_t)what << 62 | key_of(unit, value);
    fh_answer *answer = find_answer(resolver, key);
    if (!answer->key) {
        *answer = (fh_answer){.key = key};
        resolver->answer_count += !is_own(resolver, key);
    } else if (answer->state != FH_ANSWER_OUTDATED) {
        if (answer->low < resolver->low)
            resolver->low = answer->low;
        const fh_meaning *kept = &resolver->meanings.items[answer->first];
        meanings->count = answer->count;
        for (uint32_t i = 0; i < FH_MOST_MEANINGS && i < answer->count; i++)
            meanings->items[i] = kept[i];
        return;
    }
    ask_anew(resolver, unit, value, what, key, meanings);
}

void fh_resolve(fh_resolver *resolver, uint32_t unit, fh_value_index value, fh_meanings *meanings)
{
    ask(resolver, unit, value, THE_VALUE, meanings);
}

void fh_resolve_elements(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                         fh_element_kind kind, fh_meanings *out)
{
    fh_meanings elements;
    ask(resolver, unit, value, kind == FH_ELEMENT_KEY ? ITS_KEYS : ITS_VALUES, &elements);
    fh_meanings_add_all(out, &elements, FH_CERTAIN);
}
