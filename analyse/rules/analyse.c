#include "analyse/rules/analyse.h"
#include "analyse/rules/gather.h"
#include "analyse/rules/kept.h"
#include "analyse/rules/size.h"
#include "analyse/scan/bind.h"
#include "os/interrupt.h"
#include "os/thread.h"

#include <stdatomic.h>
#include <stdlib.h>

static const struct {
    const char *name;
    void (*run)(fh_rule_run *run);
} families[] = {
#define X(name) {#name, fh_rules_##name},
    FH_RULE_FAMILIES(X)
#undef X
};

/* What one thread keeps: its resolver and what it found so far. */
typedef struct {
    fh_resolver *resolver;
    fh_verdicts verdicts;
    fh_raw_findings findings;
    fh_raw_sites sites;
    fh_arena arena;
    bool failed;
} worker;

typedef struct {
    const fh_load *load;
    const fh_analysis_options *options;
    fh_kept *kept; /* NULL: nothing is kept between runs */
    worker *workers;
    atomic_bool interrupted; /* within a unit */
} analysis;

static void keep_site(worker *own, const fh_rule_run *run, const fh_site *site, fh_size size)
{
    fh_raw_site raw = {
        .name = site->name,
        .api = site->api,
        .parameters = size.parameters,
        .flops = size.flops,
        .moved = size.moved,
        .per = size.per,
        .unit = run->unit_index,
        .offset = site->offset,
        .end = site->end,
        .function = site->function,
        .category = (uint8_t)site->category,
        .certainty = (uint8_t)site->certainty,
    };
    own->failed |= !fh_vector_push(&own->sites, raw);
}

/* What a call may be of instead has no size: a model holds one of them. */
static void keep_sites(worker *own, const fh_rule_run *run)
{
    const fh_sites *sites = &run->sites;
    for (uint32_t i = 0; i < sites->items.count; i++)
        keep_site(own, run, &sites->items.items[i],
                  fh_size_of(own->resolver, run->unit_index, run->unit, &sites->items.items[i]));
    for (uint32_t i = 0; i < sites->others.count; i++)
        keep_site(own, run, &sites->others.items[i], fh_size_unknown);
}

static void analyse_unit(void *context, size_t index, unsigned number)
{
    analysis *all = context;
    worker *own = &all->workers[number];
    const fh_program *program = &all->load->program;
    if (!own->resolver && !(own->resolver = fh_resolver_create(program))) {
        own->failed = true;
        return;
    }
    if (all->kept)
        fh_resolver_track(own->resolver);
    uint32_t unit = (uint32_t)index, first_site = own->sites.count,
             first_finding = own->findings.count;
    if (all->kept &&
        fh_kept_take(all->kept, unit, own->resolver, &own->arena, &own->sites, &own->findings))
        return;
    fh_resolver_enter(own->resolver, unit);
    fh_arena scratch = {0};
    fh_unit_memo memo = {0};
    fh_rule_run run = {
        .program = program,
        .options = all->options,
        .resolver = own->resolver,
        .verdicts = &own->verdicts,
        .unit_index = unit,
        .unit = &program->units.items[index],
        .findings = &own->findings,
        .arena = &own->arena,
        .scratch = &scratch,
        .memo = &memo,
    };
    if (!fh_sites_collect(own->resolver, program, unit, &run.sites)) {
        own->failed = true;
    } else {
        keep_sites(own, &run);
        for (size_t i = 0; i < sizeof families / sizeof *families && !fh_interrupted(); i++)
            families[i].run(&run);
        if (all->kept && !fh_interrupted())
            fh_kept_add(all->kept, unit, own->resolver, &own->sites, first_site, &own->findings,
                        first_finding);
    }
    if (fh_interrupted()) { /* half a unit is told as nothing of it */
        atomic_store(&all->interrupted, true);
        own->sites.count = first_site;
        own->findings.count = first_finding;
    }
    own->failed |= scratch.failed;
    fh_arena_free(&scratch);
    fh_sites_free(&run.sites);
}

/* What only the program as a whole shows, not a part of it, found by the first thread's means. */
static void analyse_program(analysis *all)
{
    worker *own = &all->workers[0];
    fh_arena scratch = {0};
    fh_unit_memo memo = {0};
    fh_rule_run run = {
        .program = &all->load->program,
        .options = all->options,
        .resolver = own->resolver,
        .verdicts = &own->verdicts,
        .findings = &own->findings,
        .arena = &own->arena,
        .scratch = &scratch,
        .memo = &memo,
    };
    fh_rules_program(&run);
    own->failed |= scratch.failed;
    fh_arena_free(&scratch);
}

/* Joins what the threads found; the names stay theirs, so this comes before they are freed. */
static bool join(analysis *all, unsigned jobs, fh_raw_sites *sites, fh_raw_findings *findings)
{
    bool failed = false;
    for (unsigned i = 0; i < jobs; i++) {
        worker *own = &all->workers[i];
        failed |= own->failed || own->findings.failed || own->arena.failed;
        for (uint32_t k = 0; k < own->sites.count; k++)
            failed |= !fh_vector_push(sites, own->sites.items[k]);
        for (uint32_t k = 0; k < own->findings.count; k++)
            failed |= !fh_vector_push(findings, own->findings.items[k]);
        fh_vector_free(&own->sites);
        fh_vector_free(&own->findings);
    }
    return !failed;
}

static int by_name(const void *left, const void *right)
{
    return fh_text_compare(((const fh_kind_count *)left)->kind,
                           ((const fh_kind_count *)right)->kind);
}

/* The message of a note; in a notebook, where lines count from the cell's first, with the cell. */
static fh_text note_message(const fh_unit *unit, const fh_note *note, fh_arena *arena)
{
    fh_text message = fh_unit_text(unit, note->message);
    if (note->offset == FH_NO_OFFSET || unit->kind != FH_UNIT_NOTEBOOK)
        return fh_arena_copy(arena, message);
    const fh_cell *cell =
        fh_unit_cell(unit, fh_positions_place(&unit->positions, note->offset).line);
    fh_buffer text = {0};
    if (cell)
        fh_buffer_add_format(&text, "cell %u: ", cell->number);
    fh_buffer_add(&text, message);
    fh_text kept = fh_arena_copy(arena, fh_buffer_text(&text));
    arena->failed |= text.failed;
    fh_buffer_free(&text);
    return kept;
}

/* The part of the result that only tells what was read. */
static void describe_input(const fh_load *load, const fh_analysis_options *options,
                           fh_result *result)
{
    uint32_t kinds[FH_SOURCE_KINDS] = {0};
    fh_arena *arena = &result->arena;
    fh_buffer release = {0};
    fh_release_add(&release, options->release);
    fh_text torch_npu = fh_release_torch_npu(options->release);
    result->torch = fh_arena_copy(arena, torch_npu.length ? fh_buffer_text(&release)
                                                          : fh_buffer_text(&release));
    fh_buffer_free(&release);
    result->soc = fh_text_from(options->soc->name);
    result->baseline = fh_text_from(options->baseline->name);
    result->partial = load->partial;
    result->scanned = load->program.units.count;
    for (uint32_t i = 0; i < load->program.units.count; i++) {
        const fh_unit *unit = &load->program.units.items[i];
        result->bytes += unit->bytes;
        kinds[load->walk.files.items[load->files.items[i]].kind]++;
        for (uint32_t k = 1; k < unit->notes.count; k++) {
            const fh_note *note = &unit->notes.items[k];
            uint32_t line =
                note->offset == FH_NO_OFFSET ? 0 : fh_unit_place(unit, note->offset).line;
            fh_vector_push(&result->notes,
                           (fh_file_note){unit->path, note_message(unit, note, arena), line});
        }
    }
    for (uint32_t i = 0; i < load->walk.notes.count; i++)
        fh_vector_push(&result->notes, (fh_file_note){load->walk.notes.items[i].path,
                                                      load->walk.notes.items[i].reason, 0});
    for (uint32_t i = 0; i < load->skipped.count; i++)
        fh_vector_push(&result->skipped, (fh_file_note){load->skipped.items[i].path,
                                                        load->skipped.items[i].reason, 0});
    for (uint32_t i = 0; i < FH_SOURCE_KINDS; i++)
        if (kinds[i])
            fh_vector_push(
                &result->kinds,
                (fh_kind_count){fh_text_from(fh_source_kind_name((fh_source_kind)i)), kinds[i]});
    if (result->kinds.count > 1)
        qsort(result->kinds.items, result->kinds.count, sizeof *result->kinds.items, by_name);
}

fh_status fh_analyse(fh_load *load, const fh_analysis_options *options, fh_result *result)
{
    unsigned jobs = options->jobs ? options->jobs : fh_processor_count();
    size_t failures = fh_memory_failures();
    fh_status status = fh_bind_arguments(&load->program, jobs);
    if (status)
        return status;
    analysis all = {
        .load = load, .options = options, .workers = fh_alloc_zero(jobs, sizeof(worker))};
    if (!all.workers)
        return fh_error(FH_NO_MEMORY, "out of memory for %u threads", jobs);
    if (options->kept) {
        size_t before = fh_memory_failures();
        all.kept = fh_kept_open(options->kept, options->choices, load);
        failures += fh_memory_failures() - before; /* these only mean that less is taken */
    }
    for (unsigned i = 0; i < jobs; i++)
        fh_verdicts_init(&all.workers[i].verdicts);
    load->partial |=
        fh_parallel_for(jobs, load->program.units.count, analyse_unit, &all) == FH_INTERRUPTED;
    load->partial |= atomic_load(&all.interrupted);
    if (!load->partial)
        analyse_program(&all);
    /* A rule that found no memory has gone on without: then nobody knows what is missing. */
    bool good = fh_memory_failures() == failures;
    if (all.kept && good && !load->partial)
        fh_kept_save(all.kept);
    fh_kept_close(all.kept);

    fh_raw_sites sites = {0};
    fh_raw_findings findings = {0};
    failures = fh_memory_failures();
    good &= join(&all, jobs, &sites, &findings);
    if (good) {
        describe_input(load, options, result);
        fh_gather_operators(load, options, &sites, result);
        fh_gather_findings(load, options, &findings, result);
        fh_gather_profiling(load, options, result);
        fh_gather_expectation(options, result);
        good = fh_memory_failures() == failures;
    }
    fh_vector_free(&sites);
    fh_vector_free(&findings);
    for (unsigned i = 0; i < jobs; i++) {
        fh_resolver_destroy(all.workers[i].resolver);
        fh_verdicts_free(&all.workers[i].verdicts);
        fh_arena_free(&all.workers[i].arena);
    }
    fh_free(all.workers);
    return good ? FH_OK
                : fh_error(FH_NO_MEMORY, "out of memory while analysing %u files",
                           load->program.units.count);
}
