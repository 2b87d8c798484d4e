#include "analyse/cli/accepted.h"
#include "analyse/report/report.h"
#include "base/hash.h"
#include "base/symbols.h"
#include "base/utf8.h"
#include "os/file.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE = 1 << 28 };

/* One accepted finding; `count`: how many it stands for, `met`: how many the result has. */
typedef struct {
    uint64_t number;
    uint32_t count, met;
    fh_text rule, file;
} accepted;

typedef FH_VECTOR(accepted) accepted_list;

static int by_number(const void *left, const void *right)
{
    const accepted *a = left, *b = right;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void add_key(const fh_finding *finding, fh_buffer *key)
{
    fh_text line; /* what it says has to do where there is no excerpt */
    if (!fh_finding_line(finding, &line))
        line = finding->message;
    fh_buffer_clear(key);
    fh_buffer_add(key, finding->rule);
    fh_buffer_add_char(key, '\n');
    fh_buffer_add(key, finding->place.file);
    fh_buffer_add_char(key, '\n');
    for (size_t i = 0; i < line.length; i++)
        if (!strchr(" \t\r\n\f\v", line.data[i]))
            fh_buffer_add_char(key, line.data[i]);
}

typedef struct {
    uint64_t hash;
    uint32_t finding;
} keyed;

/* By key; equal ones by place, whatever their severity. `findings` is what they index. */
static int by_hash(const void *left, const void *right)
{
    const keyed *a = left, *b = right;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return a->finding < b->finding ? -1 : a->finding > b->finding;
}

/* A number for each finding of the result; NULL when memory ran out. The caller frees it. */
static uint64_t *number_findings(const fh_result *result)
{
    uint32_t count = result->findings.count, ordinal = 0;
    fh_buffer key = {0};
    keyed *keys = fh_alloc_zero(count + 1, sizeof *keys);
    uint64_t *numbers = fh_alloc_zero(count + 1, sizeof *numbers);
    for (uint32_t i = 0; keys && i < count; i++) {
        add_key(&result->findings.items[i], &key);
        keys[i] = (keyed){fh_hash(key.data, key.length), i};
    }
    if (keys && numbers && !key.failed) {
        qsort(keys, count, sizeof *keys, by_hash);
        for (uint32_t i = 0; i < count; i++) {
            ordinal = i && keys[i].hash == keys[i - 1].hash ? ordinal + 1 : 0;
            uint64_t both[2] = {keys[i].hash, ordinal};
            numbers[keys[i].finding] = fh_hash(both, sizeof both);
        }
    } else {
        fh_free(numbers);
        numbers = NULL;
    }
    fh_free(keys);
    fh_buffer_free(&key);
    return numbers;
}

static fh_status no_memory(void)
{
    return fh_error(FH_NO_MEMORY, "out of memory for accepted findings");
}

/* "0123456789abcdef", "0123456789abcdef x3" */
static bool parse_number(fh_text text, accepted *entry)
{
    int64_t count = 1;
    *entry = (accepted){.count = 1};
    if (text.length < 16)
        return false;
    for (size_t i = 0; i < 16; i++) {
        const char *digits = "0123456789abcdef", *digit = strchr(digits, text.data[i]);
        if (!text.data[i] || !digit)
            return false;
        entry->number = entry->number << 4 | (uint64_t)(digit - digits);
    }
    fh_text rest = fh_text_slice(text, 16, text.length);
    if (rest.length && (!fh_text_starts(rest, " x") ||
                        !fh_text_to_integer(fh_text_slice(rest, 2, rest.length), &count) ||
                        count < 1 || count > UINT32_MAX))
        return false;
    entry->count = (uint32_t)count;
    return true;
}

static fh_status parse_lines(const char *path, fh_text text, accepted_list *list, fh_arena *arena)
{
    fh_text line;
    for (unsigned number = 1; fh_text_next(&text, '\n', &line); number++) {
        fh_text rest = fh_text_trim(line), columns[3] = {{0}};
        accepted entry;
        if (!rest.length || *rest.data == '#')
            continue;
        for (int i = 0; i < 3; i++)
            if (!fh_text_next(&rest, '\t', &columns[i]))
                columns[i] = (fh_text){0};
        if (!parse_number(fh_text_trim(columns[2]), &entry))
            return fh_error(FH_INVALID,
                            "%s:%u: no accepted finding; --write-accepted makes such a file, and a "
                            "JSON report is taken too",
                            path, number);
        entry.rule = fh_arena_copy(arena, columns[0]);
        entry.file = fh_arena_copy(arena, columns[1]);
        fh_vector_push(list, entry);
    }
    return list->failed ? no_memory() : FH_OK;
}

static fh_status number_report(const char *path, fh_text json, accepted_list *list, fh_arena *arena)
{
    fh_result report = {0};
    fh_status status = fh_report_load(json, path, &report, NULL);
    uint64_t *numbers = status ? NULL : number_findings(&report);
    for (uint32_t i = 0; numbers && i < report.findings.count; i++) {
        const fh_finding *finding = &report.findings.items[i];
        fh_vector_push(list, (accepted){.number = numbers[i],
                                        .count = finding->count,
                                        .rule = fh_arena_copy(arena, finding->rule),
                                        .file = fh_arena_copy(arena, finding->place.file)});
    }
    if (!status && (!numbers || list->failed))
        status = no_memory();
    fh_free(numbers);
    fh_result_free(&report);
    return status;
}

static fh_status read_list(const char *path, accepted_list *list, fh_arena *arena)
{
    fh_buffer text = {0};
    fh_status status = fh_file_read(path, LARGEST_FILE, &text);
    fh_text content = fh_text_trim(fh_buffer_text(&text));
    if (!status)
        status = content.length && *content.data == '{'
                     ? number_report(path, fh_buffer_text(&text), list, arena)
                     : parse_lines(path, fh_buffer_text(&text), list, arena);
    if (!status && list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, by_number);
    fh_buffer_free(&text);
    return status;
}

/* Takes `count` findings of a rule out of a list that counts them; rules that are down to 0 go. */
static void take_out(fh_priority *items, uint32_t *item_count, fh_text rule, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *item_count; i++) {
        if (fh_text_equal(items[i].rule, rule)) {
            items[i].count -= count < items[i].count ? count : items[i].count;
            if (!items[i].count)
                continue;
        }
        items[kept++] = items[i];
    }
    *item_count = kept;
}

static void hide(fh_result *result, const uint64_t *numbers, accepted_list *list, uint32_t *hidden)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < result->findings.count; i++) {
        fh_finding *finding = &result->findings.items[i];
        accepted wanted = {.number = numbers[i]};
        accepted *found =
            list->count ? bsearch(&wanted, list->items, list->count, sizeof *list->items, by_number)
                        : NULL;
        uint32_t gone = !found ? 0 : found->count < finding->count ? found->count : finding->count;
        *hidden += gone;
        if (found)
            found->met += gone;
        result->by_severity[finding->severity] -= gone;
        if (gone) {
            take_out(result->by_rule.items, &result->by_rule.count, finding->rule, gone);
            take_out(result->priorities.items, &result->priorities.count, finding->rule, gone);
        }
        finding->count -= gone;
        if (finding->count)
            result->findings.items[kept++] = *finding;
    }
    result->findings.count = kept;
    for (uint32_t i = 0; i < result->priorities.count; i++)
        result->priorities.items[i].rank = i + 1;
}

static int by_file(const void *left, const void *right)
{
    const fh_accepted_missing *a = left, *b = right;
    int order = fh_text_compare(a->file, b->file);
    return order ? order : fh_text_compare(a->rule, b->rule);
}

/* Those of the list that the result does not have, equal ones joined. */
static void find_missing(const accepted_list *list, fh_accepted_match *match)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const accepted *entry = &list->items[i];
        if (entry->count > entry->met)
            fh_vector_push(&match->missing, (fh_accepted_missing){entry->rule, entry->file,
                                                                  entry->count - entry->met});
    }
    fh_accepted_missing *items = match->missing.items;
    uint32_t kept = 0, count = match->missing.count;
    if (count > 1)
        qsort(items, count, sizeof *items, by_file);
    for (uint32_t i = 0; i < count; i++) {
        all += items[i].count;
        if (kept && !by_file(&items[kept - 1], &items[i]))
            items[kept - 1].count += items[i].count;
        else
            items[kept++] = items[i];
    }
    match->missing.count = kept;
    match->stale = all > UINT32_MAX ? UINT32_MAX : (uint32_t)all;
}

typedef struct {
    const fh_accepted_missing *items;
    uint32_t count;
} entry_list;

static fh_text key_of(fh_text rule, fh_text file, fh_buffer *key)
{
    fh_buffer_clear(key);
    fh_buffer_add(key, rule);
    fh_buffer_add_char(key, '\n');
    fh_buffer_add(key, file);
    return fh_buffer_text(key);
}

/* The first of `outer` whose path ends in the path of one of `inner`, as sub/a.py does in a.py,
 * with the same rule; both are NULL where there is none, or memory ran out. */
static void find_below(entry_list outer, entry_list inner, const fh_accepted_missing **path,
                       const fh_accepted_missing **end)
{
    fh_symbols names;
    fh_buffer key = {0};
    FH_VECTOR(uint32_t) first = {0}; /* by symbol: the entry of `inner` */
    fh_symbols_init(&names);
    for (uint32_t i = 0; i < inner.count; i++) {
        fh_text text = key_of(inner.items[i].rule, inner.items[i].file, &key);
        fh_symbol symbol = inner.items[i].file.length ? fh_symbols_add(&names, text) : 0;
        while (symbol && first.count <= symbol && fh_vector_push(&first, i))
            ;
    }
    *path = *end = NULL;
    for (uint32_t i = 0; i < outer.count && !*path && !first.failed && !key.failed; i++) {
        fh_text rest = outer.items[i].file, part;
        while (!*path && fh_text_next(&rest, '/', &part) && rest.length) {
            fh_symbol symbol = fh_symbols_find(&names, key_of(outer.items[i].rule, rest, &key));
            if (symbol) {
                *path = &outer.items[i];
                *end = &inner.items[first.items[symbol]];
            }
        }
    }
    fh_vector_free(&first);
    fh_buffer_free(&key);
    fh_symbols_free(&names);
}

/* A list that was written for a folder, and is used for another above it or in it. */
static void find_other_folder(const fh_result *result, fh_accepted_match *match)
{
    FH_VECTOR(fh_accepted_missing) shown = {0};
    const fh_accepted_missing *there, *here;
    for (uint32_t i = 0; i < result->findings.count; i++)
        fh_vector_push(&shown, (fh_accepted_missing){result->findings.items[i].rule,
                                                     result->findings.items[i].place.file, 1});
    entry_list missing = {match->missing.items, match->missing.count};
    entry_list found = {shown.items, shown.count};
    find_below(missing, found, &there, &here);
    if (!there)
        find_below(found, missing, &here, &there);
    if (there) {
        match->there = there->file;
        match->here = fh_arena_copy(&match->arena, here->file);
    }
    fh_vector_free(&shown);
}

fh_status fh_accepted_hide(const char *path, fh_result *result, fh_accepted_match *match)
{
    accepted_list list = {0};
    *match = (fh_accepted_match){0};
    fh_status status = read_list(path, &list, &match->arena);
    uint64_t *numbers = status ? NULL : number_findings(result);
    if (!status && (!numbers || match->arena.failed))
        status = no_memory();
    if (!status) {
        hide(result, numbers, &list, &match->hidden);
        find_missing(&list, match);
        if (!match->hidden)
            find_other_folder(result, match);
    }
    fh_free(numbers);
    fh_vector_free(&list);
    return status;
}

void fh_accepted_match_free(fh_accepted_match *match)
{
    fh_vector_free(&match->missing);
    fh_arena_free(&match->arena);
}

/* On one line, without what would end it. */
static void add_clean(fh_text text, fh_buffer *out)
{
    for (size_t i = 0; i < text.length; i++)
        fh_buffer_add_char(out, (unsigned char)text.data[i] < 32 ? ' ' : text.data[i]);
}

fh_status fh_accepted_write(const char *path, const fh_result *result, uint32_t *written)
{
    fh_buffer out = {0}, valid = {0};
    uint64_t *numbers = number_findings(result);
    *written = 0;
    fh_buffer_add_string(&out, "# Findings that are accepted: `foothold analyze --accepted FILE` "
                               "hides them.\n# One in each line: rule, file, number, and what it "
                               "said. Only the number counts.\n");
    for (uint32_t i = 0; numbers && i < result->findings.count; i++) {
        const fh_finding *finding = &result->findings.items[i];
        add_clean(finding->rule, &out);
        fh_buffer_add_char(&out, '\t');
        add_clean(finding->place.file, &out);
        fh_buffer_add_format(&out, "\t%016llx", (unsigned long long)numbers[i]);
        if (finding->count > 1)
            fh_buffer_add_format(&out, " x%u", finding->count);
        fh_buffer_add_string(&out, "\t# ");
        add_clean(finding->message, &out);
        fh_buffer_add_char(&out, '\n');
        *written += finding->count;
    }
    fh_utf8_add_repaired(&valid, fh_buffer_text(&out));
    fh_status status = numbers && !out.failed && !valid.failed
                           ? fh_file_write_atomic(path, fh_buffer_text(&valid))
                           : no_memory();
    fh_free(numbers);
    fh_buffer_free(&out);
    fh_buffer_free(&valid);
    return status;
}
