#include "analyse/rules/kept_build.h"
#include "analyse/rules/size.h"
#include "os/file.h"

#include <stdlib.h>
#include <string.h>

/* The first bytes of the file; behind it the program as it was, then the records. */
typedef struct {
    char magic[8];
    fh_hash128 choices, program;
    fh_hash128 checksum; /* of what follows */
    uint32_t passed, tensors, options, names;
} kept_header;

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

enum { LARGEST_FILE = 1 << 29 };
static const char magic[8] = "FHKEPT2";

static void add_number(fh_buffer *out, uint64_t number)
{
    fh_buffer_add(out, (fh_text){(const char *)&number, sizeof number});
}

/* What all units depend on: paths, and names of options. */
static fh_hash128 identity_of(const fh_program *program)
{
    fh_buffer all = {0};
    fh_buffer_add(&all, program->name);
    for (uint32_t i = 0; i < program->units.count; i++) {
        add_number(&all, (uint64_t)program->units.items[i].kind << 32 |
                             program->units.items[i].path.length);
        fh_buffer_add(&all, program->units.items[i].path);
    }
    fh_buffer_add(&all, fh_buffer_text(&program->option_names.bytes));
    for (uint32_t i = 0; i < program->option_defaults.count; i++)
        add_number(&all, fh_symbols_text(&program->option_names, i).length);
    /* Out of memory: a hash of less, which no run that had enough will meet. */
    fh_hash128 hash = fh_hash_content(all.data, all.length);
    fh_buffer_free(&all);
    return hash;
}

/* Reads a table of `count` items off the front of *rest. */
static bool take_table(fh_text *rest, void *vector, uint32_t count, size_t size)
{
    fh_vector_any *any = vector;
    if (rest->length / size < count || (count && !fh_vector_grow(vector, count, size)))
        return false;
    any->count = count;
    return fh_kept_take_bytes(rest, any->items, count * size);
}

static bool take_names(fh_text *rest, fh_symbols *names, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t length;
        fh_text name;
        if (!fh_kept_take_bytes(rest, &length, sizeof length) ||
            !fh_kept_take_text(rest, length, &name) || fh_symbols_add(names, name) != i)
            return false;
    }
    return true;
}

static bool take_program(fh_kept *kept, const kept_header *header, fh_text *rest)
{
    uint32_t units = kept->program->units.count;
    kept_program *before = &kept->before;
    before->contents = fh_alloc_zero(units + 1, sizeof *before->contents);
    return before->contents &&
           fh_kept_take_bytes(rest, before->contents, units * sizeof *before->contents) &&
           take_table(rest, &before->passed, header->passed, sizeof(fh_binding_argument)) &&
           take_table(rest, &before->tensors, header->tensors, sizeof(uint64_t)) &&
           take_table(rest, &before->options, header->options, sizeof(fh_reference)) &&
           take_names(rest, &kept->names, header->names);
}

/* Finds the records; stops at what cannot be one. False when the file is of no use. */
static bool index_file(fh_kept *kept)
{
    kept_header header;
    fh_text rest = fh_buffer_text(&kept->file);
    if (!fh_kept_take_bytes(&rest, &header, sizeof header))
        return false;
    fh_hash128 checksum = fh_hash_content(rest.data, rest.length);
    if (memcmp(header.magic, magic, sizeof magic) != 0 ||
        memcmp(&header.choices, &kept->choices, sizeof kept->choices) != 0 ||
        memcmp(&header.program, &kept->identity, sizeof kept->identity) != 0 ||
        memcmp(&header.checksum, &checksum, sizeof checksum) != 0 ||
        !take_program(kept, &header, &rest))
        return false;
    kept_head head;
    while (rest.length >= sizeof head) {
        memcpy(&head, rest.data, sizeof head);
        if (head.unit >= kept->program->units.count || head.bytes < sizeof head ||
            head.bytes > rest.length)
            break;
        kept->found[head.unit] = fh_text_slice(rest, 0, head.bytes);
        rest = fh_text_slice(rest, head.bytes, rest.length);
    }
    return true;
}

/* A table of names starts again when it holds more than this: some are of no record any more. */
enum { MOST_NAMES = 1 << 20 };

fh_kept *fh_kept_open(const char *path, fh_hash128 choices, const fh_load *load)
{
    fh_kept *kept = fh_alloc_zero(1, sizeof *kept);
    if (!kept)
        return NULL;
    uint32_t units = load->program.units.count;
    fh_buffer_add_format(&kept->path, "%s%c", path, 0);
    kept->load = load;
    kept->program = &load->program;
    kept->choices = choices;
    kept->identity = identity_of(kept->program);
    kept->found = fh_alloc_zero(units + 1, sizeof *kept->found);
    kept->added = fh_alloc_zero(units + 1, sizeof *kept->added);
    kept->current = fh_alloc_zero(units + 1, sizeof *kept->current);
    fh_symbols_init(&kept->names);
    if (!kept->found || !kept->added || !kept->current || kept->path.failed) {
        fh_kept_close(kept);
        return NULL;
    }
    if (fh_file_read(kept->path.data, LARGEST_FILE, &kept->file) == FH_OK && index_file(kept))
        fh_kept_compare(kept);
    bool any = false;
    for (uint32_t i = 0; i < units; i++)
        any |= kept->current[i];
    if (!any || fh_symbols_count(&kept->names) > MOST_NAMES) {
        memset(kept->current, 0, units);
        fh_symbols_free(&kept->names);
        fh_symbols_init(&kept->names);
    }
    return kept;
}

void fh_kept_close(fh_kept *kept)
{
    if (!kept)
        return;
    for (uint32_t i = 0; kept->added && i < kept->program->units.count; i++)
        fh_buffer_free(&kept->added[i]);
    fh_buffer_free(&kept->path);
    fh_buffer_free(&kept->file);
    fh_symbols_free(&kept->names);
    fh_free(kept->before.contents);
    fh_vector_free(&kept->before.passed);
    fh_vector_free(&kept->before.tensors);
    fh_vector_free(&kept->before.options);
    fh_free(kept->found);
    fh_free(kept->added);
    fh_free(kept->current);
    fh_free(kept);
}

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

static void add_bytes(fh_buffer *out, const void *data, size_t size)
{
    fh_buffer_add(out, (fh_text){data, size});
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
    add_bytes(out, &record, sizeof record);
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
    add_bytes(out, &record, sizeof record);
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
    add_bytes(out, &head, sizeof head);
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

static void add_program(const fh_kept *kept, fh_buffer *out)
{
    const fh_program *program = kept->program;
    for (uint32_t i = 0; i < program->units.count; i++)
        add_bytes(out, &kept->load->contents[kept->load->files.items[i]], sizeof(fh_hash128));
    add_bytes(out, program->passed.items, program->passed.count * sizeof *program->passed.items);
    add_bytes(out, program->tensors.items, program->tensors.count * sizeof(uint64_t));
    add_bytes(out, program->option_defaults.items,
              program->option_defaults.count * sizeof(fh_reference));
    for (uint32_t i = 1; i < fh_symbols_count(&kept->names); i++) {
        fh_text name = fh_symbols_text(&kept->names, i);
        uint32_t length = (uint32_t)name.length;
        add_bytes(out, &length, sizeof length);
        fh_buffer_add(out, name);
    }
}

static fh_text record_of(const fh_kept *kept, uint32_t unit)
{
    if (kept->added[unit].length)
        return fh_buffer_text(&kept->added[unit]);
    return kept->current[unit] ? kept->found[unit] : (fh_text){0};
}

fh_status fh_kept_save(fh_kept *kept)
{
    bool changed = false;
    fh_buffer whole = {0};
    kept_header header = {.choices = kept->choices,
                          .program = kept->identity,
                          .passed = kept->program->passed.count,
                          .tensors = kept->program->tensors.count,
                          .options = kept->program->option_defaults.count,
                          .names = fh_symbols_count(&kept->names)};
    memcpy(header.magic, magic, sizeof magic);
    add_bytes(&whole, &header, sizeof header);
    add_program(kept, &whole);
    size_t size = whole.length;
    for (uint32_t i = 0; i < kept->program->units.count; i++)
        size += record_of(kept, i).length;
    /* No room is left over, and what is copied is freed: this is when most memory is in use. */
    fh_buffer_reserve(&whole, size - whole.length);
    for (uint32_t i = 0; i < kept->program->units.count; i++) {
        changed |= kept->added[i].length > 0;
        fh_buffer_add(&whole, record_of(kept, i));
        fh_buffer_free(&kept->added[i]);
    }
    fh_status status = FH_OK;
    if (whole.failed || kept->names.failed) {
        status = fh_error(FH_NO_MEMORY, "out of memory for what is kept of this run");
    } else if (changed && whole.length <= LARGEST_FILE) {
        header.checksum = fh_hash_content(whole.data + sizeof header, whole.length - sizeof header);
        memcpy(whole.data, &header, sizeof header);
        status = fh_file_write_atomic(kept->path.data, fh_buffer_text(&whole));
    }
    fh_buffer_free(&whole);
    return status;
}
