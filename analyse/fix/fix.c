/* Two passes over all units, each in parallel, with the results put into one order. */
#include "analyse/fix/fix.h"
#include "analyse/fix/fix_build.h"
#include "analyse/rules/analyse.h"
#include "base/hash.h"
#include "base/names.h"
#include "base/search.h"
#include "os/interrupt.h"
#include "os/thread.h"

#include <stdlib.h>
#include <string.h>

FH_NAMES(fh_fix_reason_text, fh_fix_reason, FH_FIX_REASON_MAP)

fh_status fh_fix_read(const fh_load *load, uint32_t unit, fh_buffer *storage, fh_text *bytes)
{
    uint32_t file = load->files.items[unit];
    fh_status status = fh_walk_read(&load->walk, &load->walk.files.items[file], storage, bytes);
    if (status)
        return status;
    fh_hash128 hash = fh_hash_content(bytes->data, bytes->length);
    if (hash.high != load->contents[file].high || hash.low != load->contents[file].low)
        return fh_error(FH_INVALID, "%.*s changed while it was read; nothing was written to it",
                        FH_TEXT_ARGS(load->walk.files.items[file].path));
    return FH_OK;
}

static int by_unit_and_value(const void *left, const void *right)
{
    const fh_fix_proposal *a = left, *b = right;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    return a->rule < b->rule ? -1 : a->rule > b->rule;
}

static int by_place(const void *left, const void *right)
{
    const fh_fix_left *a = left, *b = right;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if (a->reason != b->reason)
        return a->reason < b->reason ? -1 : 1;
    return fh_text_compare(a->what, b->what);
}

static int by_unit(const void *left, const void *right)
{
    const fh_fix_file *a = left, *b = right;
    return a->unit < b->unit ? -1 : a->unit > b->unit;
}

static int by_done(const void *left, const void *right)
{
    const fh_fix_done *a = left, *b = right;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Sorts what is left, and keeps one of each. */
static void sort_left(fh_fix *fix)
{
    uint32_t kept = 0;
    if (fix->left.count > 1)
        qsort(fix->left.items, fix->left.count, sizeof *fix->left.items, by_place);
    for (uint32_t i = 0; i < fix->left.count; i++)
        if (!kept || by_place(&fix->left.items[i], &fix->left.items[kept - 1]) != 0)
            fix->left.items[kept++] = fix->left.items[i];
    fix->left.count = kept;
}

typedef struct {
    fh_fixer fixer;
    fh_buffer storage[4];
    bool failed;
} worker;

typedef struct {
    const fh_load *load;
    const fh_fix_options *options;
    worker *workers;
    unsigned jobs;
    fh_fix_proposals proposals; /* of all, sorted by unit and value, between the passes */
} fixing;

static void propose_unit(void *context, size_t index, unsigned number)
{
    worker *own = &((fixing *)context)->workers[number];
    own->failed |= !own->fixer.resolver || !fh_fix_propose(&own->fixer, (uint32_t)index);
}

/* The first proposal of a unit, or of the one after it. */
static uint32_t first_of(const fh_fix_proposals *proposals, uint32_t unit)
{
    uint32_t at;
    FH_BISECT(at, 0, proposals->count, proposals->items[at].unit < unit);
    return at;
}

static void edit_unit(void *context, size_t index, unsigned number)
{
    fixing *all = context;
    worker *own = &all->workers[number];
    fh_fixer *f = &own->fixer;
    uint32_t first = first_of(&all->proposals, (uint32_t)index);
    f->unit_index = (uint32_t)index;
    f->unit = &all->load->program.units.items[index];
    f->own_count = first_of(&all->proposals, (uint32_t)index + 1) - first;
    f->own = f->own_count ? &all->proposals.items[first] : NULL;
    fh_fix_unit(f, own->storage);
}

static bool join_proposals(fixing *all)
{
    bool good = true;
    for (unsigned i = 0; i < all->jobs; i++) {
        worker *own = &all->workers[i];
        good &= !own->failed && !own->fixer.proposals.failed;
        for (uint32_t k = 0; k < own->fixer.proposals.count; k++)
            good &= fh_vector_push(&all->proposals, own->fixer.proposals.items[k]);
    }
    if (all->proposals.count > 1)
        qsort(all->proposals.items, all->proposals.count, sizeof *all->proposals.items,
              by_unit_and_value);
    return good;
}

/* Hands what the threads found to `fix`. */
static bool join(fixing *all, fh_fix *fix)
{
    bool good = true;
    for (unsigned i = 0; i < all->jobs; i++) {
        fh_fixer *f = &all->workers[i].fixer;
        good &= !f->arena.failed && !f->files.failed && !f->left.failed && !f->done.failed;
        for (uint32_t k = 0; k < f->left.count; k++)
            good &= fh_vector_push(&fix->left, f->left.items[k]);
        for (uint32_t k = 0; k < f->done.count; k++)
            good &= fh_vector_push(&fix->done, f->done.items[k]);
        if (!fh_vector_reserve(&fix->files, f->files.count) ||
            !fh_vector_push(&fix->arenas, f->arena)) {
            good = false;
            continue;
        }
        memset(&f->arena, 0, sizeof f->arena);
        for (uint32_t k = 0; k < f->files.count; k++)
            fh_vector_push(&fix->files, f->files.items[k]);
        f->files.count = 0;
    }
    if (fix->done.count > 1)
        qsort(fix->done.items, fix->done.count, sizeof *fix->done.items, by_done);
    sort_left(fix);
    if (fix->files.count > 1)
        qsort(fix->files.items, fix->files.count, sizeof *fix->files.items, by_unit);
    return good;
}

static void free_workers(fixing *all)
{
    for (unsigned i = 0; i < all->jobs; i++) {
        fh_fixer *f = &all->workers[i].fixer;
        for (uint32_t k = 0; k < f->files.count; k++)
            fh_vector_free(&f->files.items[k].edits);
        fh_vector_free(&f->files);
        fh_vector_free(&f->left);
        fh_vector_free(&f->done);
        fh_vector_free(&f->proposals);
        fh_arena_free(&f->arena);
        fh_resolver_destroy(f->resolver);
        for (size_t k = 0; k < sizeof all->workers[i].storage / sizeof(fh_buffer); k++)
            fh_buffer_free(&all->workers[i].storage[k]);
    }
    fh_free(all->workers);
    fh_vector_free(&all->proposals);
}

static bool find_edits(const fh_load *load, const fh_fix_options *options, unsigned jobs,
                       fh_fix *fix)
{
    const fh_program *program = &load->program;
    fixing all = {load, options, fh_alloc_zero(jobs, sizeof(worker)), jobs, {0}};
    if (!all.workers)
        return false;
    for (unsigned i = 0; i < jobs; i++)
        all.workers[i].fixer = (fh_fixer){.load = load,
                                          .program = program,
                                          .options = options,
                                          .resolver = fh_resolver_create(program)};
    fh_parallel_for(jobs, program->units.count, propose_unit, &all);
    bool good = join_proposals(&all);
    if (good && !fh_interrupted())
        fh_parallel_for(jobs, program->units.count, edit_unit, &all);
    good &= join(&all, fix);
    free_workers(&all);
    return good;
}

/* The rules' own view of the program: what no edit takes care of is not passed over in silence. */
static fh_status analyse(fh_load *load, const fh_fix_options *options, fh_result *result)
{
    fh_analysis_options analysis = {
        .release = options->release,
        .soc = fh_soc_default(),
        .baseline = fh_soc_baseline(),
        .enabled = options->enabled,
        .jobs = options->jobs,
        .max_locations = UINT32_MAX,
    };
    return fh_analyse(load, &analysis, result);
}

fh_status fh_fix_find(fh_load *load, const fh_fix_options *options, fh_fix *fix)
{
    unsigned jobs = options->jobs ? options->jobs : fh_processor_count();
    size_t failures = fh_memory_failures();
    fh_result result = {0};
    fh_status status = analyse(load, options, &result);
    bool good = !status && (fh_interrupted() || find_edits(load, options, jobs, fix));
    if (good && !fh_interrupted())
        good = fh_fix_add_findings(load, &result, fix);
    good &= fh_memory_failures() == failures;
    sort_left(fix);
    fh_result_free(&result);
    if (fh_interrupted())
        return fh_error(FH_INTERRUPTED, "interrupted; nothing is changed");
    return good     ? FH_OK
           : status ? status
                    : fh_error(FH_NO_MEMORY, "out of memory for changes to %u files",
                               load->program.units.count);
}

void fh_fix_free(fh_fix *fix)
{
    for (uint32_t i = 0; i < fix->files.count; i++)
        fh_vector_free(&fix->files.items[i].edits);
    for (uint32_t i = 0; i < fix->arenas.count; i++)
        fh_arena_free(&fix->arenas.items[i]);
    fh_vector_free(&fix->files);
    fh_vector_free(&fix->left);
    fh_vector_free(&fix->done);
    fh_vector_free(&fix->arenas);
}
