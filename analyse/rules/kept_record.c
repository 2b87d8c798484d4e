/* One record: what was found in a unit, behind what it depends on, as bytes and back again. */
#include "analyse/rules/kept_build.h"
#include "analyse/rules/size.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    double parameters, flops, moved;
    uint32_t offset, end, function;
    uint32_t name, per; /* lengths of the texts behind it */
    uint8_t category, certainty, unused[2];
} kept_site;

typedef struct {
    uint32_t rule, severity, certainty;
    uint32_t offset, end, function;
    uint32_t operator, message; /* lengths */
} kept_finding;

bool fh_kept_take_bytes(fh_text *rest, void *out, size_t size)
{
    if (rest->length < size)
        return false;
    if (size)
        memcpy(out, rest->data, size);
    *rest = fh_text_slice(*rest, size, rest->length);
    return true;
}

bool fh_kept_take_text(fh_text *rest, size_t length, fh_text *out)
{
    if (rest->length < length)
        return false;
    *out = fh_text_slice(*rest, 0, length);
    *rest = fh_text_slice(*rest, length, rest->length);
    return true;
}

bool fh_kept_take_number(fh_text *rest, uint32_t *number)
{
    unsigned char byte = 128;
    *number = 0;
    for (unsigned shift = 0; byte & 128; shift += 7) {
        if (shift > 28 || !fh_kept_take_bytes(rest, &byte, 1))
            return false;
        *number |= (uint32_t)(byte & 127) << shift;
    }
    return true;
}

bool fh_kept_take_depend(fh_text *rest, kept_depend *depend)
{
    uint32_t further;
    if (!fh_kept_take_number(rest, &further) || !fh_kept_take_number(rest, &depend->names))
        return false;
    depend->unit += further;
    return true;
}

static bool skip_numbers(fh_text *rest, uint32_t count)
{
    uint32_t ignored;
    while (count && fh_kept_take_number(rest, &ignored))
        count--;
    return !count;
}

/* Passes over what the record depends on. */
static bool skip_depends(fh_text *rest, const kept_head *head)
{
    kept_depend depend = {0};
    for (uint32_t i = 0; i < head->depends; i++)
        if (!fh_kept_take_depend(rest, &depend) || !skip_numbers(rest, depend.names))
            return false;
    return skip_numbers(rest, head->everywhere);
}

static bool take_site(fh_text *rest, uint32_t unit, fh_resolver *resolver, fh_raw_sites *sites)
{
    kept_site site;
    fh_text name, per;
    if (!fh_kept_take_bytes(rest, &site, sizeof site) ||
        !fh_kept_take_text(rest, site.name, &name) || !fh_kept_take_text(rest, site.per, &per) ||
        !fh_size_per(per) || site.category >= FH_CATEGORY_COUNT || site.certainty > FH_CERTAIN ||
        site.function >= fh_resolver_look(resolver, unit)->functions.count)
        return false;
    fh_symbol path = fh_resolver_intern(resolver, name);
    return fh_vector_push(sites, (fh_raw_site){.name = fh_resolver_path(resolver, path),
                                               .api = fh_resolver_api(resolver, path),
                                               .parameters = site.parameters,
                                               .flops = site.flops,
                                               .moved = site.moved,
                                               .per = fh_size_per(per),
                                               .unit = unit,
                                               .offset = site.offset,
                                               .end = site.end,
                                               .function = site.function,
                                               .category = site.category,
                                               .certainty = site.certainty});
}

static bool take_finding(fh_text *rest, uint32_t unit, fh_resolver *resolver, fh_arena *arena,
                         fh_raw_findings *findings)
{
    kept_finding finding;
    fh_text operator, message;
    if (!fh_kept_take_bytes(rest, &finding, sizeof finding) ||
        !fh_kept_take_text(rest, finding.operator, & operator) ||
        !fh_kept_take_text(rest, finding.message, &message) || finding.rule >= FH_RULE_COUNT ||
        finding.severity >= FH_SEVERITY_COUNT || finding.certainty > FH_CERTAIN ||
        finding.function >= fh_resolver_look(resolver, unit)->functions.count)
        return false;
    return fh_vector_push(findings, (fh_raw_finding){.rule = (fh_rule_index)finding.rule,
                                                     .severity = (fh_severity)finding.severity,
                                                     .certainty = (fh_certainty)finding.certainty,
                                                     .unit = unit,
                                                     .offset = finding.offset,
                                                     .end = finding.end,
                                                     .function = finding.function,
                                                     .operator= fh_arena_copy(arena, operator),
                                                     .message = fh_arena_copy(arena, message)});
}

bool fh_kept_take(const fh_kept *kept, uint32_t unit, fh_resolver *resolver, fh_arena *arena,
                  fh_raw_sites *sites, fh_raw_findings *findings)
{
    fh_text rest = kept->found[unit];
    uint32_t first_site = sites->count, first_finding = findings->count;
    kept_head head;
    if (!kept->current[unit] || !fh_kept_take_bytes(&rest, &head, sizeof head))
        return false;
    bool good = skip_depends(&rest, &head);
    for (uint32_t i = 0; good && i < head.sites; i++)
        good = take_site(&rest, unit, resolver, sites);
    for (uint32_t i = 0; good && i < head.findings; i++)
        good = take_finding(&rest, unit, resolver, arena, findings);
    if (good)
        return true;
    sites->count = first_site;
    findings->count = first_finding;
    return false;
}

static void add_site(fh_buffer *out, const fh_raw_site *site)
{
    fh_text per = fh_text_from(site->per);
    kept_site record = {.parameters = site->parameters,
                        .flops = site->flops,
                        .moved = site->moved,
                        .offset = site->offset,
                        .end = site->end,
                        .function = site->function,
                        .name = (uint32_t)site->name.length,
                        .per = (uint32_t)per.length,
                        .category = site->category,
                        .certainty = site->certainty};
    fh_kept_add_bytes(out, &record, sizeof record);
    fh_buffer_add(out, site->name);
    fh_buffer_add(out, per);
}

static void add_finding(fh_buffer *out, const fh_raw_finding *finding)
{
    kept_finding record = {.rule = (uint32_t)finding->rule,
                           .severity = (uint32_t)finding->severity,
                           .certainty = (uint32_t)finding->certainty,
                           .offset = finding->offset,
                           .end = finding->end,
                           .function = finding->function,
                           .operator=(uint32_t) finding->operator.length,
                           .message = (uint32_t)finding->message.length};
    fh_kept_add_bytes(out, &record, sizeof record);
    fh_buffer_add(out, finding->operator);
    fh_buffer_add(out, finding->message);
}

static void add_small_number(fh_buffer *out, uint32_t number)
{
    for (; number >= 128; number >>= 7)
        fh_buffer_add_char(out, (char)(number | 128));
    fh_buffer_add_char(out, (char)number);
}

static int by_unit_and_name(const void *left, const void *right)
{
    const fh_look *a = left, *b = right;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    return a->name < b->name ? -1 : a->name > b->name;
}

static void add_names(fh_buffer *out, const fh_look *looks, uint32_t count)
{
    for (uint32_t i = 0, last = 0; i < count; last = looks[i++].name)
        add_small_number(out, looks[i].name - last);
}

/* The units that were looked at, each with the names. False when memory ran out. */
static bool add_depends(fh_kept *kept, const fh_resolver *resolver, fh_buffer *out, kept_head *head)
{
    const fh_look *looks;
    uint32_t count, at = 0;
    if (!fh_resolver_looks(resolver, &looks, &count))
        return false;
    fh_look *sorted = fh_alloc((count + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    if (count)
        memcpy(sorted, looks, count * sizeof *sorted);
    fh_lock_take(&kept->lock);
    for (uint32_t i = 0; i < count; i++)
        sorted[i].name =
            fh_symbols_add(&kept->names, fh_resolver_looked_name(resolver, sorted[i].name));
    bool good = !kept->names.failed;
    fh_lock_release(&kept->lock);
    qsort(sorted, count, sizeof *sorted, by_unit_and_name);
    for (uint32_t i = 0, last = 0; good && i < kept->program->units.count; i++) {
        uint32_t names = 0;
        while (at + names < count && sorted[at + names].unit == i)
            names++;
        if (!names && !fh_resolver_has_looked(resolver, i))
            continue;
        add_small_number(out, i - last);
        add_small_number(out, names);
        add_names(out, sorted + at, names);
        last = i;
        at += names;
        head->depends++;
    }
    head->everywhere = count - at;
    add_names(out, sorted + at, head->everywhere);
    fh_free(sorted);
    return good;
}

void fh_kept_add(fh_kept *kept, uint32_t unit, const fh_resolver *resolver,
                 const fh_raw_sites *sites, uint32_t first_site, const fh_raw_findings *findings,
                 uint32_t first_finding)
{
    fh_buffer *out = &kept->added[unit];
    kept_head head = {.unit = unit,
                      .sites = sites->count - first_site,
                      .findings = findings->count - first_finding};
    fh_kept_add_bytes(out, &head, sizeof head);
    bool good = add_depends(kept, resolver, out, &head);
    for (uint32_t i = first_site; i < sites->count; i++)
        add_site(out, &sites->items[i]);
    for (uint32_t i = first_finding; i < findings->count; i++)
        add_finding(out, &findings->items[i]);
    if (!good || out->failed || sites->failed || findings->failed || out->length > UINT32_MAX) {
        fh_buffer_free(out);
        return;
    }
    head.bytes = (uint32_t)out->length;
    memcpy(out->data, &head, sizeof head);
    /* All records wait to be written together: without room to grow. */
    char *exact = fh_resize(out->data, out->length);
    if (exact) {
        out->data = exact;
        out->capacity = out->length;
    }
}
