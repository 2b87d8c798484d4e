/* What to do first: what stops the program, then what a step gains most from. */
#include "analyse/model/roofline.h"
#include "analyse/rules/gather.h"

#include <stdlib.h>

/* Why a rule matters; higher weight first. Errors, and what else stops the program, come before
 * all; the rest is ordered by what a step gains: arithmetic of the whole step, then copies and
 * waits at each call, then passes over memory, then what surrounds the step. */
static const struct {
    const char *rule;
    uint32_t weight;
    const char *reason;
} gains[] = {
    {"FH601", 900, "The program stops where it moves something to CUDA."},
    {"FH604", 895, "The program stops, or takes its CPU branch, where it names CUDA."},
    {"FH602", 890, "The program stops, or takes its CPU branch, where it asks for CUDA."},
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

/* What precision is worth on this chip, and for how much of the work whose size is known. */
static void add_precision(const fh_analysis_options *options, ranked *r, fh_result *result)
{
    static const char *const rules[] = {"FH401", "FH410", "FH411"};
    double rate16 = fh_peak16(options->soc), rate32 = fh_peak32(options->soc), share = 0;
    bool applies = false;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        applies |= fh_text_is(r->priority.rule, rules[i]);
    if (!applies || rate16 <= 0 || rate32 <= 0)
        return;
    for (uint32_t i = 0; i < result->classes.count; i++) {
        const fh_class_expectation *row = &result->classes.items[i];
        if (row->share > 0 &&
            (fh_text_is(row->class, "matmul") || fh_text_is(row->class, "convolution") ||
             fh_text_is(row->class, "attention")))
            share += row->share;
    }
    fh_buffer text = {0};
    fh_buffer_add(&text, r->priority.reason);
    fh_buffer_add_format(&text, " %s: %.0f against %.0f TFLOP/s, up to %.1f times",
                         options->soc->name, rate16, rate32, rate16 / rate32);
    if (share > 0.995)
        fh_buffer_add_string(&text, " for all of the work whose size is known");
    else if (share > 0)
        fh_buffer_add_format(&text, " for %.0f %% of the work whose size is known", share * 100);
    fh_buffer_add_char(&text, '.');
    r->priority.reason = fh_arena_copy(&result->arena, fh_buffer_text(&text));
    fh_buffer_free(&text);
}

void fh_gather_priorities(const fh_analysis_options *options, fh_result *result)
{
    ranked rows[FH_RULE_COUNT];
    uint32_t count = 0;
    for (uint32_t i = 0; i < result->by_rule.count; i++) {
        ranked r = rank_rule(&result->by_rule.items[i]);
        if (!r.score)
            continue;
        add_precision(options, &r, result);
        rows[count++] = r;
    }
    if (count > 1)
        qsort(rows, count, sizeof *rows, by_score);
    for (uint32_t i = 0; i < count; i++) {
        rows[i].priority.rank = i + 1;
        fh_vector_push(&result->priorities, rows[i].priority);
    }
}
