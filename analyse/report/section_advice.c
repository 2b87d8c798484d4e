/* Optimization Recommendations: findings by subject and rule. */
#include "analyse/report/sections.h"
#include "analyse/report/words.h"

static void finding(fh_page *page, const fh_finding *f, const fh_finding *example)
{
    page->kind->begin(page, 2);
    fh_page_place(page, f->place.file, f->place.line, f->place.column);
    fh_page_say(page, FH_INK_PLAIN, "  ");
    page->kind->span(page, FH_INK_PLAIN, f->message);
    if (f->count > 1) {
        fh_page_say(page, FH_INK_FAINT, " (");
        fh_page_count(page, FH_INK_FAINT, f->count);
        fh_page_say(page, FH_INK_FAINT, " times)");
    }
    if (f->place.certainty.length && !fh_text_is(f->place.certainty, "certain")) {
        fh_page_say(page, FH_INK_FAINT, " (");
        page->kind->span(page, FH_INK_FAINT, f->place.certainty);
        fh_page_say(page, FH_INK_FAINT, ")");
    }
    if (f->advice.length && !fh_text_equal(f->advice, example->advice)) {
        fh_page_say(page, FH_INK_GOOD, "; do: ");
        page->kind->span(page, FH_INK_PLAIN, f->advice);
    }
    page->kind->end(page);
}

static void rule(fh_page *page, const fh_result *r, const fh_groups *groups, const fh_group *group)
{
    const fh_finding *example = group->example;
    uint32_t shown = group->listed;
    if (page->most_places && shown > page->most_places)
        shown = page->most_places;
    page->kind->begin(page, 1);
    page->kind->span(page, FH_INK_CODE, example->rule);
    fh_page_format(page, fh_ink_of_severity(group->severity), " %s",
                   fh_word_of_severity(group->severity).label);
    if (example->title.length) {
        fh_page_say(page, FH_INK_PLAIN, ": ");
        page->kind->span(page, FH_INK_STRONG, example->title);
    }
    fh_page_say(page, FH_INK_FAINT, " (");
    fh_page_plural(page, FH_INK_FAINT, group->count, "place");
    fh_page_say(page, FH_INK_FAINT, ")");
    page->kind->end(page);
    if (example->advice.length) {
        page->kind->begin(page, 2);
        fh_page_say(page, FH_INK_GOOD, "do: ");
        page->kind->span(page, FH_INK_PLAIN, example->advice);
        page->kind->end(page);
    }
    uint64_t stand_for = 0;
    for (uint32_t i = 0; i < shown; i++) {
        const fh_finding *f = &r->findings.items[groups->order[group->first + i]];
        stand_for += f->count ? f->count : 1;
        finding(page, f, example);
    }
    fh_section_more(page, 2, stand_for, group->count);
}

bool fh_section_rules(fh_page *page, const fh_result *r, const fh_groups *groups,
                      fh_category category)
{
    bool any = false;
    for (uint32_t i = 0; i < groups->groups.count; i++) {
        const fh_group *group = &groups->groups.items[i];
        if (group->example->category != category)
            continue;
        rule(page, r, groups, group);
        any = true;
    }
    return any;
}

/* The gain that the chip's own peaks allow. */
static void precision_gain(fh_page *page, const fh_result *r)
{
    const fh_chip_summary *chip = &r->chip;
    if (chip->fp16_tflops <= 0 || chip->fp32_tflops <= 0)
        return;
    page->kind->begin(page, 0);
    fh_page_say(page, FH_INK_PLAIN, "On ");
    page->kind->span(page, FH_INK_PLAIN, chip->name);
    fh_page_say(page, FH_INK_PLAIN, " the FP16 peak is ");
    double gain = chip->fp16_tflops / chip->fp32_tflops;
    fh_page_range(page, FH_INK_PLAIN, gain, gain);
    fh_page_say(page, FH_INK_PLAIN, " the FP32 peak, and 16-bit tensors move half the bytes.");
    page->kind->end(page);
}

static const struct {
    fh_category category;
    const char *title, *text;
} subjects[] = {
    {FH_CATEGORY_PRECISION, "Automatic mixed precision (AMP)",
     "Matrix work in half precision: more arithmetic per second and half the memory traffic."},
    {FH_CATEGORY_FUSION, "Graph optimization",
     "Several operators as one kernel: fewer launches, and less traffic to memory between them."},
    {FH_CATEGORY_DISTRIBUTED, "Distributed training",
     "Collectives through HCCL, and communication hidden behind compute."},
    {FH_CATEGORY_DEVICE, "Device code", "Code that names CUDA, or counts on it."},
    {FH_CATEGORY_HOST, "Host-bound code",
     "Places where the device waits for Python, or where a graph breaks."},
    {FH_CATEGORY_MEMORY, "Memory and input", "Feeding the device, and fitting on it."},
    {FH_CATEGORY_COMPUTE, "Compute", "How the heavy operators are called."},
};

static bool has(const fh_groups *groups, fh_category category)
{
    for (uint32_t i = 0; i < groups->groups.count; i++)
        if (groups->groups.items[i].example->category == category)
            return true;
    return false;
}

void fh_section_advice(fh_page *page, const fh_result *r, const fh_groups *groups)
{
    bool any = false;
    page->kind->heading(page, 2, "Optimization Recommendations");
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        if (!has(groups, subjects[i].category))
            continue;
        any = true;
        page->kind->heading(page, 3, subjects[i].title);
        fh_page_paragraph(page, FH_INK_FAINT, subjects[i].text);
        if (subjects[i].category == FH_CATEGORY_PRECISION)
            precision_gain(page, r);
        fh_section_rules(page, r, groups, subjects[i].category);
    }
    if (!any)
        fh_page_paragraph(page, FH_INK_PLAIN, "Nothing to recommend.");
}
