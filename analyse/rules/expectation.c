/* What to expect on the chip: limits by operator class, a range against the GPU, priorities. */
#include "analyse/model/roofline.h"
#include "analyse/rules/gather.h"

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
        .ridge = fh_ridge(soc) > 0 ? fh_ridge(soc) : -1,
    };
}

static fh_class_expectation *find_class(fh_result *result, fh_text class)
{
    for (uint32_t i = 0; i < result->classes.count; i++)
        if (fh_text_equal(result->classes.items[i].class, class))
            return &result->classes.items[i];
    fh_class_expectation row = {.class = class, .share = -1, .low = -1, .high = -1};
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
        const char *reason;
        fh_bound bound = fh_bound_of_class(row->class, &reason);
        row->bound = fh_text_from(fh_bound_name(bound));
        row->reason = fh_text_from(reason);
        if (row->share > 0)
            row->share /= total;
        if (!fh_speed_range(options->soc, options->baseline, bound, &row->low, &row->high))
            row->low = row->high = -1;
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
    fh_buffer_add_format(&text,
                         "From peaks: %.0f against %.0f TFLOPS in 16 bits, %.0f against %.0f GB/s. "
                         "It holds for operators that run on the chip; "
                         "each CPU fallback and each read-back lowers it.",
                         fh_peak16(options->soc), fh_peak16(options->baseline),
                         options->soc->bandwidth, options->baseline->bandwidth);
    result->range_reason = fh_arena_copy(&result->arena, fh_buffer_text(&text));
    fh_buffer_free(&text);
}

/* Why a rule matters for the time of a step; higher weight first. Errors come before all. */
static const struct {
    const char *rule;
    uint32_t weight;
    const char *reason;
} gains[] = {
    {"FH410", 90,
     "16-bit products run at several times the 32-bit rate; this touches every matrix product of "
     "the step."},
    {"FH401", 90,
     "Until autocast names the NPU the region runs in float32, at a fraction of the speed."},
    {"FH402", 85, "Without a scaler that works, float16 gradients underflow."},
    {"FH201", 80, "Each call copies to the host, waits, computes on the CPU and copies back."},
    {"FH214", 80, "Each call copies to the host, waits, computes on the CPU and copies back."},
    {"FH308", 75,
     "The score matrix goes to memory several times; the fused operator never writes it."},
    {"FH411", 70, "16-bit products run at several times the 32-bit rate."},
    {"FH602", 65, "The program stops, or takes its CPU branch, where it asks for CUDA."},
    {"FH601", 65, "The program stops where it moves something to CUDA."},
    {"FH604", 65, "The program stops, or takes its CPU branch, where it names CUDA."},
    {"FH309", 60, "One launch for each parameter tensor and operation becomes a few in all."},
    {"FH701", 55, "The device idles while the host reads a number."},
    {"FH702", 55, "The device idles while the host decides."},
    {"FH703", 50, "A synchronisation at each call, and no graph mode around it."},
    {"FH704", 50, "A synchronisation at each call, and no graph mode around it."},
    {"FH301", 45, "One read and one write of the activations less for each pair."},
    {"FH302", 45, "Two passes over the feature map less."},
    {"FH305", 45, "Five passes over the tensor become one."},
    {"FH306", 45, "Six passes over query and key become one."},
    {"FH307", 45, "Three intermediate tensors less."},
    {"FH303", 40, "A chain of n passes becomes one."},
    {"FH304", 40, "One read of the residual less."},
    {"FH310", 40, "Launch time disappears and element-wise chains fuse."},
    {"FH504", 40, "All gradients travel once instead of n times for each optimiser step."},
    {"FH801", 35, "The device waits while the main process loads a batch."},
    {"FH505", 30, "Half the bytes on the links."},
    {"FH802", 30, "Copies overlap with computation."},
    {"FH803", 30, "Copies overlap with computation."},
};

typedef struct {
    fh_priority priority;
    uint32_t score;
} ranked;

static int by_score(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    if (a->priority.count != b->priority.count)
        return a->priority.count > b->priority.count ? -1 : 1;
    return fh_text_compare(a->priority.rule, b->priority.rule);
}

static ranked rank_rule(const fh_priority *found)
{
    ranked r = {.priority = *found};
    const fh_rule *rule = fh_rule_find(found->rule);
    r.priority.reason = FH_TEXT("");
    if (rule->severity == FH_SEVERITY_ERROR) {
        r.score = 1000;
        r.priority.reason = FH_TEXT("The program does not run on Ascend until this is changed.");
    }
    for (size_t i = 0; i < sizeof gains / sizeof *gains; i++)
        if (fh_text_is(found->rule, gains[i].rule)) {
            r.score += gains[i].weight;
            r.priority.reason = fh_text_from(gains[i].reason);
        }
    return r;
}

static void rank_priorities(fh_result *result)
{
    ranked rows[FH_RULE_COUNT];
    uint32_t count = 0;
    for (uint32_t i = 0; i < result->by_rule.count; i++) {
        ranked r = rank_rule(&result->by_rule.items[i]);
        if (r.score)
            rows[count++] = r;
    }
    if (count > 1)
        qsort(rows, count, sizeof *rows, by_score);
    for (uint32_t i = 0; i < count; i++) {
        rows[i].priority.rank = i + 1;
        fh_vector_push(&result->priorities, rows[i].priority);
    }
}

void fh_gather_expectation(const fh_analysis_options *options, fh_result *result)
{
    static const char *const unknown[] = {
        "Sizes of batch, sequence and image: they decide what limits each operator.",
        "How often each place runs: a site in a loop counts once here.",
        "Which branches are taken and which options are set when the program runs.",
        "Time lost on the host: launches, data loading, Python itself.",
        "What a package outside the target does inside its functions.",
    };
    result->chip = summarise(options->soc);
    result->reference = summarise(options->baseline);
    expect_classes(options, result);
    expect_range(options, result);
    rank_priorities(result);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        fh_vector_push(&result->unknown, fh_text_from(unknown[i]));
}
