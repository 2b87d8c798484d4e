#include "analyse/rules/gather.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int by_severity_and_place(const void *left, const void *right)
{
    const fh_raw_finding *a = left, *b = right;
    if (a->severity != b->severity)
        return a->severity > b->severity ? -1 : 1;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if (a->rule != b->rule)
        return a->rule < b->rule ? -1 : 1;
    return fh_text_compare(a->message, b->message);
}

/* As of --rules: an id or its beginning, in any case. */
static bool begins_id(fh_text beginning, fh_text id)
{
    return beginning.length && beginning.length <= id.length &&
           strncasecmp(beginning.data, id.data, beginning.length) == 0;
}

/* True when a comment on the finding's line says `foothold: ignore`, for all rules or this one. */
static bool is_ignored(const fh_unit *unit, const fh_raw_finding *finding)
{
    if (unit->ignores.count <= 1)
        return false;
    fh_text id = fh_text_from(fh_rule_at(finding->rule)->id);
    uint32_t line = fh_positions_place(&unit->positions, finding->offset).line;
    for (uint32_t i = 1; i < unit->ignores.count; i++) {
        if (unit->ignores.items[i].line != line)
            continue;
        fh_text list = fh_unit_text(unit, unit->ignores.items[i].rules), part;
        if (!list.length)
            return true;
        while (fh_text_next(&list, ',', &part))
            if (begins_id(fh_text_trim(part), id))
                return true;
    }
    return false;
}

static bool is_same(const fh_raw_finding *a, const fh_raw_finding *b)
{
    return a->rule == b->rule && a->unit == b->unit && a->offset == b->offset &&
           fh_text_equal(a->message, b->message);
}

/* One counter for each (rule, file, message): beyond the limit, findings are counted, not listed.
 */
typedef struct {
    uint64_t key;
    uint32_t listed;
    uint32_t last; /* 1 + index in result->findings of the one that stands for the rest */
} group;

static group *find_group(group *groups, uint32_t slots, const fh_raw_finding *finding)
{
    uint64_t key = fh_hash(finding->message.data, finding->message.length) ^
                   ((uint64_t)finding->unit << 32 | finding->rule) * 0x9e3779b97f4a7c15u;
    key |= 1;
    for (uint32_t i = (uint32_t)(key >> 20);; i++) {
        group *g = &groups[i & (slots - 1)];
        if (g->key == key || !g->key) {
            g->key = key;
            return g;
        }
    }
}

static bool add_finding(const fh_load *load, const fh_raw_finding *raw, fh_result *result)
{
    const fh_rule *rule = fh_rule_at(raw->rule);
    fh_finding finding = {
        .rule = fh_text_from(rule->id),
        .title = fh_text_from(rule->title),
        .category = rule->category,
        .severity = raw->severity,
        .message = fh_arena_copy(&result->arena, raw->message),
        .advice = fh_text_from(rule->advice),
        .operator= fh_arena_copy(&result->arena, raw->operator),
        .place = fh_gather_location(load, raw->unit, raw->offset, raw->end, raw->function,
                                    raw->certainty, &result->arena),
        .count = 1,
    };
    return fh_vector_push(&result->findings, finding);
}

/* Excerpts: the line before, the finding's lines (three at most), the line after. */
enum { MOST_EXCERPTS = 5000, EXCERPT_WIDTH = 160 };

/* The first line that an excerpt around `line` may show, and the last: those of its cell in a
 * notebook, of the file elsewhere. */
static void find_limits(const fh_unit *unit, uint32_t line, uint32_t *first, uint32_t *last)
{
    const fh_cell *cell = unit->kind == FH_UNIT_NOTEBOOK ? fh_unit_cell(unit, line) : NULL;
    *first = cell ? cell->first_line : 1;
    *last = unit->positions.lines.count;
    if (cell && cell < &fh_vector_last(&unit->cells))
        *last = cell[1].first_line - 1;
}

static void add_excerpt(const fh_unit *unit, fh_text text, const fh_raw_finding *raw,
                        fh_finding *finding, fh_arena *arena)
{
    const fh_positions *positions = &unit->positions;
    uint32_t line = fh_positions_place(positions, raw->offset).line, least, most;
    find_limits(unit, line, &least, &most);
    uint32_t first = line > least ? line - 1 : line,
             last = finding->place.end_line - finding->place.line + line;
    if (last > line + 2)
        last = line + 2;
    last++;
    if (last > most)
        last = most;
    fh_buffer lines = {0};
    for (uint32_t l = first; l <= last; l++) {
        uint32_t begin = positions->lines.items[l - 1];
        uint32_t end =
            l < positions->lines.count ? positions->lines.items[l] : (uint32_t)text.length;
        if (l == last && l == positions->lines.count && begin == end)
            break;
        fh_text one = fh_text_slice(text, begin, end);
        while (one.length && (one.data[one.length - 1] == '\n' || one.data[one.length - 1] == '\r'))
            one.length--;
        if (one.length > EXCERPT_WIDTH) {
            one.length = EXCERPT_WIDTH;
            while (one.length && ((unsigned char)one.data[one.length] & 0xc0) == 0x80)
                one.length--;
        }
        fh_buffer_add(&lines, one);
        fh_buffer_add_char(&lines, '\n');
    }
    finding->excerpt = fh_arena_copy(arena, fh_buffer_text(&lines));
    /* Lines of a notebook count from the start of the cell, as the finding's own does. */
    finding->excerpt_line = finding->place.line - (line - first);
    fh_buffer_free(&lines);
}

typedef struct {
    uint32_t unit, raw, finding;
} excerpt_job;

static int by_unit(const void *left, const void *right)
{
    const excerpt_job *a = left, *b = right;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    return a->raw < b->raw ? -1 : a->raw > b->raw;
}

/* Reads each file with findings once more. One that changed since is left without excerpts. */
static void add_excerpts(const fh_load *load, const fh_raw_findings *raw, excerpt_job *jobs,
                         uint32_t count, fh_result *result)
{
    fh_buffer storage[2] = {{0}, {0}};
    fh_text text = {0};
    bool usable = false;
    qsort(jobs, count, sizeof *jobs, by_unit);
    for (uint32_t i = 0; i < count; i++) {
        const fh_unit *unit = &load->program.units.items[jobs[i].unit];
        if (!i || jobs[i].unit != jobs[i - 1].unit)
            usable = fh_load_text(load, jobs[i].unit, storage, &text) == FH_OK &&
                     text.length >= fh_vector_last(&unit->positions.lines);
        if (usable)
            add_excerpt(unit, text, &raw->items[jobs[i].raw],
                        &result->findings.items[jobs[i].finding], &result->arena);
    }
    fh_buffer_free(&storage[0]);
    fh_buffer_free(&storage[1]);
}

static void count_rules(fh_result *result, const uint32_t *by_rule)
{
    uint32_t count;
    const fh_rule *rules = fh_rules(&count);
    for (uint32_t i = 0; i < count; i++)
        if (by_rule[i])
            fh_vector_push(
                &result->by_rule,
                (fh_priority){
                    fh_text_from(rules[i].id), fh_text_from(rules[i].title), {0}, 0, by_rule[i]});
}

void fh_gather_findings(const fh_load *load, const fh_analysis_options *options,
                        fh_raw_findings *findings, fh_result *result)
{
    uint32_t by_rule[FH_RULE_COUNT] = {0}, slots = 1024;
    if (findings->count > 1)
        qsort(findings->items, findings->count, sizeof *findings->items, by_severity_and_place);
    while (slots < findings->count * 2u)
        slots *= 2;
    group *groups = fh_alloc_zero(slots, sizeof *groups);
    excerpt_job *jobs = fh_alloc(MOST_EXCERPTS * sizeof *jobs);
    uint32_t job_count = 0;
    if (!groups || !jobs)
        result->findings.failed = true;
    for (uint32_t i = 0; groups && jobs && i < findings->count; i++) {
        const fh_raw_finding *raw = &findings->items[i];
        if ((i && is_same(raw, &findings->items[i - 1])) ||
            is_ignored(&load->program.units.items[raw->unit], raw))
            continue;
        by_rule[raw->rule]++;
        result->by_severity[raw->severity]++;
        group *g = find_group(groups, slots, raw);
        if (g->listed >= options->max_locations) {
            result->findings.items[g->last - 1].count++;
            continue;
        }
        if (!add_finding(load, raw, result))
            break;
        g->listed++;
        g->last = result->findings.count;
        if (job_count < MOST_EXCERPTS)
            jobs[job_count++] = (excerpt_job){raw->unit, i, result->findings.count - 1};
    }
    if (groups && jobs && job_count)
        add_excerpts(load, findings, jobs, job_count, result);
    count_rules(result, by_rule);
    fh_free(groups);
    fh_free(jobs);
}
