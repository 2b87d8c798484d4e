#include "analyse/rules/kept.h"
#include "analyse/rules/size.h"
#include "os/file.h"

#include <string.h>

/* The first bytes of the file. */
typedef struct {
    char magic[8];
    fh_hash128 choices, program;
    fh_hash128 checksum; /* of what follows */
} kept_header;

/* In front of what was found in one unit: then come the units it depends on, the sites and the
 * findings, each with its texts behind it. */
typedef struct {
    uint32_t unit, bytes; /* of all that belongs to it, this head included */
    fh_hash128 state;     /* of the units it depends on */
    uint32_t depends, sites, findings, unused;
} kept_head;

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

struct fh_kept {
    fh_buffer path, file;
    const fh_program *program;
    fh_hash128 choices, identity; /* of the program as a whole */
    fh_hash128 *states;           /* of each unit: its content and what is passed to it */
    fh_text *found;               /* by unit: the record in `file`, or empty */
    fh_buffer *added;             /* by unit: the new record, or empty */
};

enum { LARGEST_FILE = 1 << 29 };
static const char magic[8] = "FHKEPT1";

static void add_number(fh_buffer *out, uint64_t number)
{
    fh_buffer_add(out, (fh_text){(const char *)&number, sizeof number});
}

/* What all units may depend on: paths, and options with their defaults. */
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
    for (uint32_t i = 0; i < program->option_defaults.count; i++) {
        const fh_reference *reference = &program->option_defaults.items[i];
        add_number(&all, (uint64_t)reference->unit << 32 | reference->value);
        add_number(&all, fh_symbols_text(&program->option_names, i).length);
    }
    /* Out of memory: a hash of less, which no run that had enough will meet. */
    fh_hash128 hash = fh_hash_content(all.data, all.length);
    fh_buffer_free(&all);
    return hash;
}

static void mix(fh_hash128 *state, uint64_t a, uint64_t b)
{
    uint64_t all[4] = {state->low, state->high, a, b};
    *state = fh_hash_content(all, sizeof all);
}

static bool find_states(fh_kept *kept, const fh_load *load)
{
    const fh_program *program = kept->program;
    kept->states = fh_alloc_zero(program->units.count + 1, sizeof *kept->states);
    if (!kept->states)
        return false;
    for (uint32_t i = 0; i < program->units.count; i++)
        kept->states[i] = load->contents[load->files.items[i]];
    for (uint32_t i = 0; i < program->passed.count; i++) {
        const fh_binding_argument *passed = &program->passed.items[i];
        mix(&kept->states[passed->parameter >> 32], passed->parameter << 32 | passed->argument.unit,
            (uint64_t)passed->argument.value << 32 | passed->inherited);
    }
    for (uint32_t i = 0; i < program->tensors.count; i++)
        mix(&kept->states[program->tensors.items[i] >> 32], program->tensors.items[i], 0);
    return true;
}

/* Finds the records; stops at what cannot be one. */
static void index_file(fh_kept *kept)
{
    kept_header header;
    fh_text rest = fh_buffer_text(&kept->file);
    if (rest.length < sizeof header)
        return;
    memcpy(&header, rest.data, sizeof header);
    rest = fh_text_slice(rest, sizeof header, rest.length);
    fh_hash128 checksum = fh_hash_content(rest.data, rest.length);
    if (memcmp(header.magic, magic, sizeof magic) != 0 ||
        memcmp(&header.choices, &kept->choices, sizeof kept->choices) != 0 ||
        memcmp(&header.program, &kept->identity, sizeof kept->identity) != 0 ||
        memcmp(&header.checksum, &checksum, sizeof checksum) != 0)
        return;
    kept_head head;
    while (rest.length >= sizeof head) {
        memcpy(&head, rest.data, sizeof head);
        if (head.unit >= kept->program->units.count || head.bytes < sizeof head ||
            head.bytes > rest.length)
            return;
        kept->found[head.unit] = fh_text_slice(rest, 0, head.bytes);
        rest = fh_text_slice(rest, head.bytes, rest.length);
    }
}

fh_kept *fh_kept_open(const char *path, fh_hash128 choices, const fh_load *load)
{
    fh_kept *kept = fh_alloc_zero(1, sizeof *kept);
    if (!kept)
        return NULL;
    uint32_t units = load->program.units.count;
    fh_buffer_add_format(&kept->path, "%s%c", path, 0);
    kept->program = &load->program;
    kept->choices = choices;
    kept->identity = identity_of(kept->program);
    kept->found = fh_alloc_zero(units + 1, sizeof *kept->found);
    kept->added = fh_alloc_zero(units + 1, sizeof *kept->added);
    if (!kept->found || !kept->added || kept->path.failed || !find_states(kept, load)) {
        fh_kept_close(kept);
        return NULL;
    }
    if (fh_file_read(kept->path.data, LARGEST_FILE, &kept->file) == FH_OK)
        index_file(kept);
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
    fh_free(kept->states);
    fh_free(kept->found);
    fh_free(kept->added);
    fh_free(kept);
}

/* Takes `size` bytes off the front of *rest; false when there are not so many. */
static bool take(fh_text *rest, void *out, size_t size)
{
    if (rest->length < size)
        return false;
    memcpy(out, rest->data, size);
    *rest = fh_text_slice(*rest, size, rest->length);
    return true;
}

static bool take_text(fh_text *rest, size_t length, fh_text *out)
{
    if (rest->length < length)
        return false;
    *out = fh_text_slice(*rest, 0, length);
    *rest = fh_text_slice(*rest, length, rest->length);
    return true;
}

/* True when the units that the record depends on are as they were. */
static bool is_current(const fh_kept *kept, const kept_head *head, fh_text *rest)
{
    fh_hash128 state = {0};
    for (uint32_t i = 0; i < head->depends; i++) {
        uint32_t unit;
        if (!take(rest, &unit, sizeof unit) || unit >= kept->program->units.count)
            return false;
        mix(&state, kept->states[unit].low, kept->states[unit].high);
    }
    return state.low == head->state.low && state.high == head->state.high;
}

static bool take_site(fh_text *rest, uint32_t unit, fh_resolver *resolver, fh_raw_sites *sites)
{
    kept_site site;
    fh_text name, per;
    if (!take(rest, &site, sizeof site) || !take_text(rest, site.name, &name) ||
        !take_text(rest, site.per, &per) || !fh_size_per(per) ||
        site.category >= FH_CATEGORY_COUNT || site.certainty > FH_CERTAIN ||
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
    if (!take(rest, &finding, sizeof finding) || !take_text(rest, finding.operator, & operator) ||
        !take_text(rest, finding.message, &message) || finding.rule >= FH_RULE_COUNT ||
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
    if (!take(&rest, &head, sizeof head) || !is_current(kept, &head, &rest))
        return false;
    bool good = true;
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

void fh_kept_add(fh_kept *kept, uint32_t unit, const fh_resolver *resolver,
                 const fh_raw_sites *sites, uint32_t first_site, const fh_raw_findings *findings,
                 uint32_t first_finding)
{
    fh_buffer *out = &kept->added[unit];
    kept_head head = {.unit = unit,
                      .sites = sites->count - first_site,
                      .findings = findings->count - first_finding};
    add_bytes(out, &head, sizeof head);
    for (uint32_t i = 0; i < kept->program->units.count; i++) {
        if (!fh_resolver_has_looked(resolver, i))
            continue;
        add_bytes(out, &i, sizeof i);
        mix(&head.state, kept->states[i].low, kept->states[i].high);
        head.depends++;
    }
    for (uint32_t i = first_site; i < sites->count; i++)
        add_site(out, &sites->items[i]);
    for (uint32_t i = first_finding; i < findings->count; i++)
        add_finding(out, &findings->items[i]);
    if (out->failed || sites->failed || findings->failed || out->length > UINT32_MAX) {
        fh_buffer_free(out);
        return;
    }
    head.bytes = (uint32_t)out->length;
    memcpy(out->data, &head, sizeof head);
}

fh_status fh_kept_save(fh_kept *kept)
{
    bool changed = false;
    fh_buffer whole = {0};
    kept_header header = {.choices = kept->choices, .program = kept->identity};
    memcpy(header.magic, magic, sizeof magic);
    add_bytes(&whole, &header, sizeof header);
    for (uint32_t i = 0; i < kept->program->units.count; i++) {
        changed |= kept->added[i].length > 0;
        fh_buffer_add(&whole,
                      kept->added[i].length ? fh_buffer_text(&kept->added[i]) : kept->found[i]);
    }
    fh_status status = FH_OK;
    if (whole.failed) {
        status = fh_error(FH_NO_MEMORY, "out of memory for what is kept of this run");
    } else if (changed && whole.length <= LARGEST_FILE) {
        header.checksum = fh_hash_content(whole.data + sizeof header, whole.length - sizeof header);
        memcpy(whole.data, &header, sizeof header);
        status = fh_file_write_atomic(kept->path.data, fh_buffer_text(&whole));
    }
    fh_buffer_free(&whole);
    return status;
}
