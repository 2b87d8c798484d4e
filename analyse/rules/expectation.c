/* What to expect on the chip: limits by operator class, a range against the GPU. */
#include "analyse/model/roofline.h"
#include "analyse/rules/gather.h"

#include <math.h>
#include <stdlib.h>

static fh_chip_summary summarise(const fh_soc *soc)
{
    return (fh_chip_summary){
        .name = fh_text_from(soc->name),
        .source = fh_text_from(soc->sources),
        .fp16_tflops = fh_peak16(soc) > 0 ? fh_peak16(soc) : -1,
        .fp32_tflops = fh_peak32(soc) > 0 ? fh_peak32(soc) : -1,
        .memory_gbps = soc->bandwidth > 0 ? soc->bandwidth : -1,
        .memory_gb = soc->memory > 0 ? soc->memory : -1,
        .ridge = fh_ridge16(soc) > 0 ? fh_ridge16(soc) : -1,
        .ridge32 = fh_ridge32(soc) > 0 ? fh_ridge32(soc) : -1,
        .ridge8 = fh_ridge8(soc) > 0 ? fh_ridge8(soc) : -1,
        .ridge_vector = fh_ridge_vector(soc) > 0 ? fh_ridge_vector(soc) : -1,
    };
}

static fh_class_expectation *find_class(fh_result *result, fh_text class)
{
    for (uint32_t i = 0; i < result->classes.count; i++)
        if (fh_text_equal(result->classes.items[i].class, class))
            return &result->classes.items[i];
    fh_class_expectation row = {.class = class,
                                .share = -1,
                                .low = -1,
                                .high = -1,
                                .intensity_low = -1,
                                .intensity_high = -1,
                                .turns = -1,
                                .turns32 = -1};
    return fh_vector_push(&result->classes, row) ? &fh_vector_last(&result->classes) : NULL;
}

static int by_share(const void *left, const void *right)
{
    const fh_class_expectation *a = left, *b = right;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return fh_text_compare(a->class, b->class);
}

/* The sizes of a class's layers, added up as if each ran once. */
static fh_work work_of(const fh_result *result, fh_text class, fh_class_expectation *row)
{
    fh_work all = {0, 0, 0};
    for (uint32_t i = 0; i < result->operators.count; i++) {
        const fh_operator *entry = &result->operators.items[i];
        if (!entry->balanced || !fh_text_equal(entry->class, class))
            continue;
        all.flops += entry->work.flops;
        all.weights += entry->work.weights;
        all.moved += entry->work.moved;
        row->sized += entry->balanced;
        row->per = entry->per;
    }
    return all;
}

static void set_intensity(fh_class_expectation *row, fh_intensity in16, fh_intensity in32)
{
    row->intensity_low = in16.one;
    row->intensity_high = isfinite(in16.many) ? in16.many : -1;
    row->turns = in16.turns;
    row->turns32 = in32.turns;
}

static void add_batch(fh_buffer *text, const fh_class_expectation *row)
{
    fh_buffer_add_format(text, "%.0f %.*s%s", row->turns, FH_TEXT_ARGS(row->per),
                         fh_text_is(row->per, "query") ? "" : "s");
}

/* "From 412 tokens in a batch on the matrix units are the limit, before that bandwidth." */
static void explain(const fh_soc *soc, const fh_class_expectation *row, fh_buffer *text)
{
    double ridge = fh_ridge16(soc);
    if (row->turns >= 0 || row->sized * 2 < row->count || ridge <= 0)
        fh_buffer_add(text, row->reason);
    if (ridge <= 0)
        return;
    if (row->turns >= 0) {
        fh_buffer_add_string(text, " From ");
        add_batch(text, row);
        fh_buffer_add_string(text, " in a batch on");
        if (row->turns32 >= 0)
            fh_buffer_add_format(text, " (FP32: %.0f)", row->turns32);
        fh_buffer_add_string(text, " the matrix units are the limit, before that bandwidth");
        if (row->sized < row->count)
            fh_buffer_add_format(text, " (sizes known at %u of %u places)", row->sized, row->count);
    } else {
        fh_buffer_add_format(text,
                             "%sWhere sizes are known (%u place%s) at most %.0f FLOP per byte are "
                             "done, below the chip's %.0f: bandwidth is the limit in any batch",
                             text->length ? " " : "", row->sized, row->sized == 1 ? "" : "s",
                             row->intensity_high, ridge);
    }
    fh_buffer_add_char(text, '.');
}

/* Fills in what the sizes say; where they say nothing, what holds for the class. */
static void expect_intensity(const fh_soc *soc, fh_class_expectation *row, fh_result *result)
{
    const char *formula;
    fh_buffer text = {0};
    fh_work work = work_of(result, row->class, row);
    if (row->sized) {
        set_intensity(row, fh_intensity_of(&work, 2, fh_ridge16(soc)),
                      fh_intensity_of(&work, 4, fh_ridge32(soc)));
        row->formula = FH_TEXT("B F / (2 (W + B A)) FLOP per byte for a batch of B, from the sizes "
                               "that stand in the text");
        if (row->turns < 0 && fh_ridge16(soc) > 0 && row->sized * 2 >= row->count)
            row->bound = fh_text_from(fh_bound_name(FH_BOUND_MEMORY));
        explain(soc, row, &text);
    } else if (fh_text_is(row->class, "attention")) {
        row->per = FH_TEXT("query");
        set_intensity(row, fh_intensity_of_attention(2, fh_ridge16(soc)),
                      fh_intensity_of_attention(4, fh_ridge32(soc)));
        row->formula = FH_TEXT("L / 2 FLOP per byte for L queries and keys of a head, 1 for a "
                               "single query");
        fh_buffer_add(&text, row->reason);
        if (row->turns >= 0)
            fh_buffer_add_format(&text,
                                 " From a length of %.0f on; before that, and in decoding (one "
                                 "query), bandwidth is the limit.",
                                 row->turns);
    } else if (fh_intensity_of_class(row->class, &row->intensity_low, &row->intensity_high,
                                     &formula)) {
        row->formula = fh_text_from(formula);
    }
    if (text.length)
        row->reason = fh_arena_copy(&result->arena, fh_buffer_text(&text));
    fh_buffer_free(&text);
}

static void expect_class(const fh_analysis_options *options, fh_class_expectation *row,
                         fh_result *result)
{
    const char *reason;
    fh_bound bound = fh_bound_of_class(row->class, &reason);
    row->bound = fh_text_from(fh_bound_name(bound));
    row->reason = fh_text_from(reason);
    expect_intensity(options->soc, row, result);
    if (fh_text_is(row->bound, fh_bound_name(FH_BOUND_MEMORY)))
        bound = FH_BOUND_MEMORY;
    if (!fh_speed_range(options->soc, options->baseline, bound, &row->low, &row->high))
        row->low = row->high = -1;
}

static void expect_classes(const fh_analysis_options *options, fh_result *result)
{
    double total = 0;
    for (uint32_t i = 0; i < result->operators.count; i++) {
        const fh_operator *entry = &result->operators.items[i];
        bool is_operator =
            entry->category == FH_CATEGORY_COMPUTE || fh_text_is(entry->class, "collective");
        if (!is_operator || fh_text_is(entry->class, "other") ||
            fh_text_is(entry->class, "shape") || fh_text_is(entry->class, "creation"))
            continue;
        fh_class_expectation *row = find_class(result, entry->class);
        if (!row)
            return;
        row->count += entry->count;
        if (entry->flops > 0) {
            row->share = (row->share < 0 ? 0 : row->share) + entry->flops;
            total += entry->flops;
        }
    }
    for (uint32_t i = 0; i < result->classes.count; i++) {
        fh_class_expectation *row = &result->classes.items[i];
        if (row->share > 0)
            row->share /= total;
        expect_class(options, row, result);
    }
    if (result->classes.count > 1)
        qsort(result->classes.items, result->classes.count, sizeof *result->classes.items,
              by_share);
}

/* The whole program lies between its slowest and its fastest kind of work. */
static void expect_range(const fh_analysis_options *options, fh_result *result)
{
    result->range_low = result->range_high = -1;
    for (uint32_t i = 0; i < result->classes.count; i++) {
        const fh_class_expectation *row = &result->classes.items[i];
        if (row->low < 0 || fh_text_is(row->bound, "communication"))
            continue;
        if (result->range_low < 0 || row->low < result->range_low)
            result->range_low = row->low;
        if (row->high > result->range_high)
            result->range_high = row->high;
    }
    if (result->range_low < 0)
        return;
    fh_buffer text = {0};
    fh_buffer_add_format(
        &text,
        "From peaks: %.0f against %.0f TFLOP/s in 16 bits, %.0f against %.0f GB/s. "
        "It holds for operators that run on the chip; "
        "each CPU fallback and each read-back lowers it.",
        fh_peak16(options->soc), fh_peak16(options->baseline), options->soc->bandwidth,
        options->baseline->bandwidth);
    result->range_reason = fh_arena_copy(&result->arena, fh_buffer_text(&text));
    fh_buffer_free(&text);
}

void fh_gather_expectation(const fh_analysis_options *options, fh_result *result)
{
    static const char *const unknown[] = {
        "Sizes of batch, sequence and image: they decide what limits each operator.",
        "How often each place runs: a site in a loop counts once here.",
        "Which branches are taken and which options are set when the program runs.",
        "Time lost on the host: launches, data loading, Python itself.",
        "What a package outside the target does inside its functions.",
        "Which part of its peak a kernel reaches: the ranges take 60 to 110 % of the ratio of two "
        "peaks, an allowance and not a measurement.",
        "What fusion and caches keep on the chip: intensities count every number as read and "
        "written once.",
    };
    result->host_tflops = options->host_tflops > 0 ? options->host_tflops : FH_HOST_TFLOPS;
    result->host_gbps = options->host_gbps > 0 ? options->host_gbps : FH_HOST_GBPS;
    result->chip = summarise(options->soc);
    result->reference = summarise(options->baseline);
    expect_classes(options, result);
    expect_range(options, result);
    fh_gather_priorities(options, result);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        fh_vector_push(&result->unknown, fh_text_from(unknown[i]));
}
