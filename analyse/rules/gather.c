#include "analyse/rules/gather.h"
#include "facts/replacements.h"
#include "facts/sources.h"

#include <stdlib.h>
#include <string.h>

/* Qualified name of the function; in a notebook the cell comes first: "cell 3". */
static fh_text function_name(const fh_unit *unit, uint32_t offset, uint32_t function,
                             fh_arena *arena)
{
    fh_text name =
        function ? fh_unit_text(unit, unit->functions.items[function].qualified) : (fh_text){0};
    if (unit->kind != FH_UNIT_NOTEBOOK)
        return name;
    const fh_cell *cell = fh_unit_cell(unit, fh_positions_place(&unit->positions, offset).line);
    if (!cell)
        return name;
    fh_buffer joined = {0};
    fh_text id = fh_unit_text(unit, cell->id);
    fh_buffer_add_format(&joined, id.length ? "cell %u [%.*s]%s%.*s" : "cell %u%.*s%s%.*s",
                         cell->number, FH_TEXT_ARGS(id), name.length ? ", " : "",
                         FH_TEXT_ARGS(name));
    fh_text text = fh_arena_copy(arena, fh_buffer_text(&joined));
    fh_buffer_free(&joined);
    return text;
}

fh_location fh_gather_location(const fh_load *load, uint32_t index, uint32_t offset, uint32_t end,
                               uint32_t function, fh_certainty certainty, fh_arena *arena)
{
    const fh_unit *unit = &load->program.units.items[index];
    fh_place begin = fh_unit_place(unit, offset),
             last = end > offset ? fh_unit_place(unit, end) : begin;
    return (fh_location){
        .file = unit->path,
        .line = begin.line,
        .column = begin.column,
        .end_line = last.line,
        .end_column = last.column,
        .function = function_name(unit, offset, function, arena),
        .certainty = fh_text_from(fh_certainty_name(certainty)),
        .parameters = -1,
        .flops = -1,
        .unit = index,
        .offset = offset,
        .end = end > offset ? end : 0,
    };
}

static int by_name_and_place(const void *left, const void *right)
{
    const fh_raw_site *a = left, *b = right;
    int order = fh_text_compare(a->name, b->name);
    if (order)
        return order;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* A name of CUDA: there on Ascend under another name, or not at all. */
static bool add_replacement(fh_operator *entry, fh_arena *arena)
{
    fh_replacement replacement;
    bool moves = fh_text_is(entry->name, "torch.Tensor.cuda") ||
                 fh_text_is(entry->name, "torch.nn.Module.cuda");
    if (moves) {
        entry->support = FH_SUPPORT_LIMITED;
        entry->limits = FH_TEXT("Under another name: .npu(), or .to(\"npu\").");
        return true;
    }
    if (!fh_text_starts(entry->name, "torch.cuda.") ||
        !fh_replacement_find(entry->name, &replacement))
        return false;
    entry->support = replacement.replacement.length ? FH_SUPPORT_LIMITED : FH_SUPPORT_REFUSED;
    fh_buffer text = {0};
    if (replacement.replacement.length)
        fh_buffer_add_format(&text, "Under another name: %.*s.",
                             FH_TEXT_ARGS(replacement.replacement));
    else
        fh_buffer_add_format(&text, "No counterpart on Ascend. %.*s",
                             FH_TEXT_ARGS(replacement.note));
    fh_text *field = replacement.replacement.length ? &entry->limits : &entry->reason;
    *field = fh_arena_copy(arena, fh_buffer_text(&text));
    fh_buffer_free(&text);
    fh_buffer source = {0};
    fh_sources_add(&source, replacement.source);
    entry->source = fh_arena_copy(arena, fh_buffer_text(&source));
    fh_buffer_free(&source);
    return true;
}

static void add_verdict(const fh_analysis_options *options, fh_operator *entry, fh_arena *arena)
{
    if (add_replacement(entry, arena))
        return;
    fh_support_query query = fh_rule_query(options);
    fh_verdict verdict = fh_support_of(&query, entry->name, arena);
    entry->support = verdict.support;
    entry->kernels = verdict.kernels;
    entry->overloads = verdict.overloads;
    entry->limits = verdict.limits;
    entry->reason = verdict.reason;
    entry->workaround = verdict.workaround;
    entry->source = verdict.source;
}

static void add_location(const fh_load *load, const fh_analysis_options *options,
                         const fh_raw_site *site, fh_operator *entry, fh_arena *arena)
{
    entry->count++;
    if (site->parameters >= 0) {
        entry->sized++;
        entry->parameters = (entry->parameters < 0 ? 0 : entry->parameters) + site->parameters;
    }
    if (site->flops > 0 && site->parameters > 0 && site->moved > 0) {
        entry->balanced++;
        entry->work.flops += site->flops;
        entry->work.weights += site->parameters;
        entry->work.moved += site->moved;
        entry->per = fh_text_from(site->per);
    }
    if (site->flops >= 0)
        entry->flops = (entry->flops < 0 ? 0 : entry->flops) + site->flops;
    if (entry->locations.count >= options->max_locations)
        return;
    fh_location location = fh_gather_location(load, site->unit, site->offset, site->end,
                                              site->function, (fh_certainty)site->certainty, arena);
    location.parameters = site->parameters;
    location.flops = site->flops;
    location.per = fh_text_from(site->per);
    fh_vector_push(&entry->locations, location);
}

/* How much an operator of a class usually weighs in a step: from the heaviest down. */
static unsigned rank_of_class(fh_text class)
{
    static const char *const classes[] = {"matmul",    "convolution",   "attention",  "recurrent",
                                          "embedding", "normalisation", "activation", "loss",
                                          "optimiser", "reduction",     "pooling",    "elementwise",
                                          "indexing",  "random",        "creation",   "shape"};
    unsigned rank = 0;
    while (rank < sizeof classes / sizeof *classes && !fh_text_is(class, classes[rank]))
        rank++;
    return rank;
}

/* Known work first, then the heavier class, then how often it is used. */
static int by_weight(const void *left, const void *right)
{
    const fh_operator *a = left, *b = right;
    unsigned rank_a = rank_of_class(a->class), rank_b = rank_of_class(b->class);
    if (a->category != b->category)
        return a->category < b->category ? -1 : 1;
    if (a->flops != b->flops)
        return a->flops > b->flops ? -1 : 1;
    if (rank_a != rank_b)
        return rank_a < rank_b ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return fh_text_compare(a->name, b->name);
}

void fh_gather_operators(const fh_load *load, const fh_analysis_options *options,
                         fh_raw_sites *sites, fh_result *result)
{
    if (sites->count > 1)
        qsort(sites->items, sites->count, sizeof *sites->items, by_name_and_place);
    for (uint32_t i = 0; i < sites->count; i++) {
        const fh_raw_site *site = &sites->items[i];
        if (!i || !fh_text_equal(site->name, sites->items[i - 1].name)) {
            fh_operator entry = {
                .name = fh_arena_copy(&result->arena, site->name),
                .category = (fh_category)site->category,
                .class = site->api && site->api->class.length ? site->api->class : FH_TEXT("other"),
                .parameters = -1,
                .flops = -1,
            };
            add_verdict(options, &entry, &result->arena);
            if (!fh_vector_push(&result->operators, entry))
                return;
        }
        add_location(load, options, site, &fh_vector_last(&result->operators), &result->arena);
    }
    for (uint32_t i = 0; i < result->operators.count; i++) {
        result->operator_sites += result->operators.items[i].count;
        result->by_support[result->operators.items[i].support] += result->operators.items[i].count;
    }
    if (result->operators.count > 1)
        qsort(result->operators.items, result->operators.count, sizeof *result->operators.items,
              by_weight);
}
