/* What the rules found and no edit takes care of. */
#include "analyse/fix/fix_build.h"
#include "base/search.h"

#include <string.h>

/* Rules most of whose findings are mechanical: those of the others are advice. */
static const fh_rule_index mechanical[] = {
    FH_RULE_401, FH_RULE_402, FH_RULE_403, FH_RULE_501, FH_RULE_506, FH_RULE_508,
    FH_RULE_601, FH_RULE_602, FH_RULE_603, FH_RULE_604, FH_RULE_605, FH_RULE_606,
    FH_RULE_607, FH_RULE_608, FH_RULE_610, FH_RULE_611,
};

static bool is_mechanical(fh_text rule)
{
    for (size_t i = 0; i < sizeof mechanical / sizeof *mechanical; i++)
        if (fh_text_is(rule, fh_rule_at(mechanical[i])->id))
            return true;
    return false;
}

/* Where a finding ends whose end is not known: with its line. */
static uint32_t end_of(const fh_unit *unit, const fh_location *place)
{
    if (place->end)
        return place->end;
    uint32_t line = fh_positions_place(&unit->positions, place->offset).line;
    return line < unit->positions.lines.count ? unit->positions.lines.items[line] : FH_NO_OFFSET;
}

static bool is_before(uint32_t unit, uint32_t offset, uint32_t other_unit, uint32_t other_offset)
{
    return unit < other_unit || (unit == other_unit && offset < other_offset);
}

/* Both lists are sorted by unit and offset; the first entry at or behind the place counts. */
static bool is_done(const fh_fix *fix, uint32_t unit, uint32_t begin, uint32_t end)
{
    const fh_fix_done *items = fix->done.items;
    uint32_t at;
    FH_BISECT(at, 0, fix->done.count, is_before(items[at].unit, items[at].offset, unit, begin));
    return at < fix->done.count && items[at].unit == unit && items[at].offset < end;
}

/* Also when the whole file, the last entry of a unit, is left. */
static bool is_left(const fh_fix *fix, uint32_t count, uint32_t unit, uint32_t begin, uint32_t end)
{
    const fh_fix_left *items = fix->left.items;
    uint32_t at;
    FH_BISECT(at, 0, count, is_before(items[at].unit, items[at].offset, unit, begin));
    for (; at < count && items[at].unit == unit; at++) {
        const fh_fix_left *l = &items[at];
        bool is_file = l->offset == FH_NO_OFFSET && l->reason != FH_FIX_NO_IMPORT;
        if (is_file || (l->offset != FH_NO_OFFSET && l->offset < end))
            return true;
    }
    return false;
}

static bool add_finding(const fh_finding *finding, fh_arena *arena, fh_fix *fix)
{
    fh_buffer what = {0};
    fh_buffer_add_format(&what, "%.*s: %.*s", FH_TEXT_ARGS(finding->rule),
                         FH_TEXT_ARGS(finding->message));
    fh_fix_left left = {
        .unit = finding->place.unit,
        .offset = finding->place.offset,
        .reason = FH_FIX_FOUND,
        .what = fh_arena_copy(arena, fh_buffer_text(&what)),
    };
    bool good = !what.failed && fh_vector_push(&fix->left, left);
    fh_buffer_free(&what);
    return good;
}

bool fh_fix_add_findings(const fh_load *load, const fh_result *result, fh_fix *fix)
{
    fh_arena arena = {0};
    uint32_t count = fix->left.count;
    bool good = true;
    for (uint32_t i = 0; i < result->findings.count; i++) {
        const fh_finding *finding = &result->findings.items[i];
        const fh_location *place = &finding->place;
        if (!is_mechanical(finding->rule))
            continue;
        uint32_t end = end_of(&load->program.units.items[place->unit], place);
        if (!is_done(fix, place->unit, place->offset, end) &&
            !is_left(fix, count, place->unit, place->offset, end))
            good &= add_finding(finding, &arena, fix);
    }
    good &= !arena.failed;
    if (fh_vector_push(&fix->arenas, arena))
        return good;
    fh_arena_free(&arena);
    return false;
}
