/* What of the records of an earlier run holds: compares the program as it was with the program as
 * it is. */
#include "analyse/rules/kept_build.h"
#include "base/search.h"

#include <string.h>

/* More changed files than these are taken to differ in all: a walk over each costs time. */
enum { MOST_CHANGES = 64 };

typedef struct {
    fh_kept *kept;
    kept_change *changes;
    uint32_t count;
    uint32_t *change_of; /* by unit: 1 + index of its change, 0: as it was */
    uint8_t *passed;     /* by unit: what is passed to its parameters is as it was */
} comparison;

static kept_change *change_of(const comparison *c, uint32_t unit)
{
    return c->change_of[unit] ? &c->changes[c->change_of[unit] - 1] : NULL;
}

static bool same_hash(fh_hash128 a, fh_hash128 b)
{
    return a.low == b.low && a.high == b.high;
}

static fh_hash128 content_of(const fh_kept *kept, uint32_t unit)
{
    return kept->load->contents[kept->load->files.items[unit]];
}

/* Matches all names that the module bound before. */
static void match_unit(comparison *c, kept_change *change)
{
    const fh_kept *kept = c->kept;
    const fh_unit *after = &kept->program->units.items[change->unit];
    fh_unit_init(&change->before, (fh_unit_kind)after->kind, after->path);
    change->names = fh_alloc_zero(fh_symbols_count(&kept->names) + 1, 1);
    if (!change->names || !kept->load->cache || c->count > MOST_CHANGES ||
        !fh_cache_read(kept->load->cache, kept->before.contents[change->unit], &change->before))
        return;
    change->before.is_package = after->is_package; /* a matter of its path */
    change->match = fh_unit_match_create(&change->before, after);
    change->same_file = change->match && fh_unit_match_file(change->match);
    for (uint32_t i = 0; change->same_file && i < change->before.member_count; i++) {
        const fh_binding *member = &change->before.bindings.items[change->before.members + i];
        fh_text name = fh_unit_text(&change->before, member->name);
        bool same = fh_unit_match_name(change->match, name);
        fh_symbol symbol = fh_symbols_find(&kept->names, name);
        if (symbol)
            change->names[symbol] = same ? KEPT_SAME : KEPT_OTHER;
    }
}

static bool find_changes(comparison *c)
{
    fh_kept *kept = c->kept;
    uint32_t units = kept->program->units.count;
    for (uint32_t i = 0; i < units; i++)
        if (!same_hash(kept->before.contents[i], content_of(kept, i)))
            c->change_of[i] = ++c->count;
    c->changes = fh_alloc_zero(c->count + 1, sizeof *c->changes);
    if (!c->changes)
        return false;
    for (uint32_t i = 0; i < units; i++)
        if (c->change_of[i]) {
            change_of(c, i)->unit = i;
            match_unit(c, change_of(c, i));
        }
    return true;
}

static bool same_reference(const comparison *c, fh_reference before, fh_reference after)
{
    if (before.unit != after.unit || before.unit >= c->kept->program->units.count)
        return false;
    const kept_change *change = change_of(c, before.unit);
    if (!change)
        return before.value == after.value;
    return change->match && fh_unit_match_value(change->match, before.value, after.value);
}

/* Defaults of options: every unit may depend on them. */
static bool same_options(const comparison *c)
{
    const fh_kept *kept = c->kept;
    if (kept->before.options.count != kept->program->option_defaults.count)
        return false;
    for (uint32_t i = 1; i < kept->before.options.count; i++)
        if (!same_reference(c, kept->before.options.items[i],
                            kept->program->option_defaults.items[i]))
            return false;
    return true;
}

/* A part of a sorted list of what is passed. */
typedef struct {
    const fh_binding_argument *items;
    uint32_t count;
} passed_list;

static passed_list first_of(passed_list list)
{
    passed_list group = {list.items, 0};
    while (group.count < list.count && list.items[group.count].parameter == list.items->parameter)
        group.count++;
    return group;
}

static passed_list behind(passed_list list, uint32_t count)
{
    return count ? (passed_list){list.items + count, list.count - count} : list;
}

static passed_list find_group(passed_list list, uint64_t parameter)
{
    uint32_t at;
    FH_BISECT(at, 0, list.count, list.items[at].parameter < parameter);
    list = behind(list, at);
    return list.count && list.items->parameter == parameter ? first_of(list) : (passed_list){0};
}

static bool same_group(const comparison *c, passed_list before, passed_list after)
{
    if (before.count != after.count)
        return false;
    for (uint32_t i = 0; i < before.count; i++)
        if (before.items[i].inherited != after.items[i].inherited ||
            !same_reference(c, before.items[i].argument, after.items[i].argument))
            return false;
    return true;
}

/* The parameter that `parameter` is now; 0 when it is none that another unit can have met. */
static uint64_t now(const comparison *c, uint64_t parameter)
{
    const kept_change *change = change_of(c, (uint32_t)(parameter >> 32));
    if (!change)
        return parameter;
    uint32_t found = fh_unit_match_parameter(change->match, (uint32_t)parameter);
    return found ? fh_parameter_key(change->unit, found) : 0;
}

static uint64_t once(const comparison *c, uint64_t parameter)
{
    const kept_change *change = change_of(c, (uint32_t)(parameter >> 32));
    if (!change)
        return parameter;
    uint32_t found = fh_unit_match_parameter_before(change->match, (uint32_t)parameter);
    return found ? fh_parameter_key(change->unit, found) : 0;
}

/* What belongs to a unit, from the front of *list. */
static passed_list passed_to(passed_list *list, uint32_t unit)
{
    passed_list own = {list->items, 0};
    while (own.count < list->count && list->items[own.count].parameter >> 32 <= unit)
        own.count++;
    *list = behind(*list, own.count);
    return own;
}

static bool same_passed(const comparison *c, passed_list before, passed_list after)
{
    for (passed_list rest = before; rest.count; rest = behind(rest, first_of(rest).count)) {
        uint64_t parameter = now(c, rest.items->parameter);
        if (parameter && !same_group(c, first_of(rest), find_group(after, parameter)))
            return false;
    }
    for (passed_list rest = after; rest.count; rest = behind(rest, first_of(rest).count)) {
        uint64_t parameter = once(c, rest.items->parameter);
        if (parameter && !find_group(before, parameter).count)
            return false;
    }
    return true;
}

/* Parameters that are used as tensors, in order, some more than once. */
typedef struct {
    const uint64_t *items;
    uint32_t count;
} key_list;

static key_list keys_of(key_list *list, uint32_t unit)
{
    key_list own = {list->items, 0};
    while (own.count < list->count && list->items[own.count] >> 32 <= unit)
        own.count++;
    if (own.count) /* there may be no items at all */
        *list = (key_list){list->items + own.count, list->count - own.count};
    return own;
}

static bool has_key(key_list list, uint64_t key)
{
    uint32_t at;
    FH_BISECT(at, 0, list.count, list.items[at] < key);
    return at < list.count && list.items[at] == key;
}

static bool same_tensors(const comparison *c, key_list before, key_list after)
{
    for (uint32_t i = 0; i < before.count; i++) {
        uint64_t key = now(c, before.items[i]);
        if (key && !has_key(after, key))
            return false;
    }
    for (uint32_t i = 0; i < after.count; i++) {
        uint64_t key = once(c, after.items[i]);
        if (key && !has_key(before, key))
            return false;
    }
    return true;
}

static void compare_passed(comparison *c)
{
    const fh_program *program = c->kept->program;
    const kept_program *old = &c->kept->before;
    passed_list before = {old->passed.items, old->passed.count};
    passed_list after = {program->passed.items, program->passed.count};
    key_list before_keys = {old->tensors.items, old->tensors.count};
    key_list after_keys = {program->tensors.items, program->tensors.count};
    for (uint32_t i = 0; i < program->units.count; i++) {
        const kept_change *change = change_of(c, i);
        passed_list x = passed_to(&before, i), y = passed_to(&after, i);
        key_list k = keys_of(&before_keys, i), l = keys_of(&after_keys, i);
        c->passed[i] = (!change || change->match) && same_passed(c, x, y) && same_tensors(c, k, l);
    }
}

static uint64_t matches(const comparison *c)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < c->count; i++)
        count += c->changes[i].match ? fh_unit_match_count(c->changes[i].match) : 0;
    return count;
}

/* An argument that matches may bring functions with it, whose parameters then count as well. */
static bool compare_all_passed(comparison *c)
{
    enum { MOST_ROUNDS = 8 };
    for (unsigned round = 0; round < MOST_ROUNDS; round++) {
        uint64_t count = matches(c);
        compare_passed(c);
        if (count == matches(c))
            return true;
    }
    return false;
}

static bool same_name(const comparison *c, kept_change *change, uint32_t name)
{
    const fh_symbols *names = &c->kept->names;
    if (!name || name >= fh_symbols_count(names) || !change->same_file)
        return false;
    uint8_t *answer = &change->names[name];
    if (*answer == KEPT_NOT_ASKED)
        *answer = fh_unit_match_name(change->match, fh_symbols_text(names, name)) ? KEPT_SAME
                                                                                  : KEPT_OTHER;
    return *answer == KEPT_SAME;
}

/* True when `count` names off the front of *rest mean in all of `changes` what they meant. */
static bool same_names(const comparison *c, fh_text *rest, uint32_t count,
                       kept_change *const *changes, uint32_t change_count)
{
    for (uint32_t name = 0; count; count--) {
        uint32_t further;
        if (!fh_kept_take_number(rest, &further))
            return false;
        name += further;
        for (uint32_t i = 0; i < change_count; i++)
            if (!same_name(c, changes[i], name))
                return false;
    }
    return true;
}

/* True when the units that the record depends on are as they were, as far as it depends on them. */
static bool holds(const comparison *c, uint32_t unit)
{
    fh_text rest = c->kept->found[unit];
    kept_head head;
    kept_depend depend = {0};
    kept_change *changed[MOST_CHANGES];
    uint32_t count = 0;
    if (c->change_of[unit] || !c->passed[unit] || !fh_kept_take_bytes(&rest, &head, sizeof head))
        return false;
    for (uint32_t i = 0; i < head.depends; i++) {
        if (!fh_kept_take_depend(&rest, &depend) || depend.unit >= c->kept->program->units.count ||
            !c->passed[depend.unit])
            return false;
        kept_change *change = change_of(c, depend.unit);
        if (change && (!change->same_file || count == MOST_CHANGES))
            return false;
        if (!same_names(c, &rest, depend.names, &change, change != NULL))
            return false;
        if (change)
            changed[count++] = change;
    }
    return same_names(c, &rest, head.everywhere, changed, count);
}

static void free_comparison(comparison *c)
{
    for (uint32_t i = 0; c->changes && i < c->count; i++) {
        fh_unit_match_destroy(c->changes[i].match);
        fh_unit_free(&c->changes[i].before);
        fh_free(c->changes[i].names);
    }
    fh_free(c->changes);
    fh_free(c->change_of);
    fh_free(c->passed);
}

void fh_kept_compare(fh_kept *kept)
{
    uint32_t units = kept->program->units.count;
    comparison c = {.kept = kept,
                    .change_of = fh_alloc_zero(units + 1, sizeof(uint32_t)),
                    .passed = fh_alloc_zero(units + 1, 1)};
    if (c.change_of && c.passed && find_changes(&c) && same_options(&c) && compare_all_passed(&c))
        for (uint32_t i = 0; i < units; i++)
            kept->current[i] = holds(&c, i);
    free_comparison(&c);
}
