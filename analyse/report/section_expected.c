/* Performance Profiling; Expected Performance on Ascend. */
#include "analyse/report/sections.h"
#include "analyse/report/words.h"

static void step(fh_page *page, const fh_step *s)
{
    page->kind->begin(page, 1);
    page->kind->span(page, FH_INK_PLAIN, s->kind);
    fh_page_say(page, FH_INK_PLAIN, " step: ");
    fh_page_place(page, s->file, s->line, 0);
    if (s->function.length) {
        fh_page_say(page, FH_INK_PLAIN, "  ");
        page->kind->span(page, FH_INK_CODE, s->function);
    }
    page->kind->end(page);
}

static void plan_item(fh_page *page, const fh_plan_item *item, uint32_t number)
{
    page->kind->begin(page, 0);
    fh_page_format(page, FH_INK_STRONG, "%u. ", number);
    page->kind->span(page, FH_INK_STRONG, item->title);
    if (item->file.length) {
        fh_page_say(page, FH_INK_PLAIN, "  ");
        fh_page_place(page, item->file, item->line, 0);
    }
    if (item->text.length) {
        fh_page_say(page, FH_INK_PLAIN, ": ");
        page->kind->span(page, FH_INK_PLAIN, item->text);
    }
    page->kind->end(page);
    if (item->code.length)
        page->kind->code(page, item->language, item->code);
}

void fh_section_profiling(fh_page *page, const fh_result *r)
{
    uint32_t shown = r->steps.count < page->most_rows ? r->steps.count : page->most_rows;
    page->kind->heading(page, 2, "Performance Profiling");
    if (!r->steps.count && !r->plan.count)
        fh_page_paragraph(page, FH_INK_PLAIN,
                          "No training or inference step was found to profile.");
    for (uint32_t i = 0; i < shown; i++)
        step(page, &r->steps.items[i]);
    fh_section_more(page, 1, shown, r->steps.count);
    for (uint32_t i = 0; i < r->plan.count; i++)
        plan_item(page, &r->plan.items[i], i + 1);
}

static void amount(fh_page *page, double value, const char *unit)
{
    page->kind->cell(page);
    if (value <= 0)
        return;
    fh_page_short(page, FH_INK_PLAIN, value);
    fh_page_format(page, FH_INK_PLAIN, "%s", unit);
}

static void chip_row(fh_page *page, const fh_chip_summary *chip)
{
    if (!chip->name.length)
        return;
    fh_page_cell(page, FH_INK_STRONG, chip->name);
    amount(page, chip->fp16_tflops, " TFLOP/s");
    amount(page, chip->fp32_tflops, " TFLOP/s");
    amount(page, chip->memory_gbps, " GB/s");
    amount(page, chip->memory_gb, " GB");
    amount(page, chip->ridge, " FLOP/byte");
    fh_page_cell(page, FH_INK_FAINT, chip->source);
}

static void chips(fh_page *page, const fh_result *r)
{
    static const fh_column columns[] = {
        {"Chip", false, FH_COLUMN_SHRINKS},   {"FP16", true, FH_COLUMN_FIXED},
        {"FP32", true, FH_COLUMN_FIXED},      {"Bandwidth", true, FH_COLUMN_FIXED},
        {"Memory", true, FH_COLUMN_FIXED},    {"Balance", true, FH_COLUMN_OPTIONAL},
        {"Source", false, FH_COLUMN_SHRINKS},
    };
    if (!r->chip.name.length && !r->reference.name.length)
        return;
    page->kind->table(page, columns, sizeof columns / sizeof *columns);
    chip_row(page, &r->chip);
    chip_row(page, &r->reference);
    page->kind->table_end(page);
}

/* "184 in 16 bits, 51.9 in FP32, ..." */
static void ridges(fh_page *page, const fh_result *r)
{
    const struct {
        double ridge;
        const char *what;
    } points[] = {
        {r->chip.ridge, "in 16 bits"},
        {r->chip.ridge32, "in FP32"},
        {r->chip.ridge8, "in INT8"},
        {r->chip.ridge_vector, "for the vector units, which do all but products"},
    };
    if (r->chip.ridge <= 0)
        return;
    page->kind->begin(page, 0);
    fh_page_say(page, FH_INK_PLAIN, "Ridge point of ");
    page->kind->span(page, FH_INK_PLAIN, r->chip.name);
    fh_page_say(page, FH_INK_PLAIN, ", peak over bandwidth in FLOP per byte");
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        if (points[i].ridge <= 0)
            continue;
        fh_page_say(page, FH_INK_PLAIN, i ? ", " : ": ");
        fh_page_short(page, FH_INK_STRONG, points[i].ridge);
        fh_page_format(page, FH_INK_PLAIN, " %s", points[i].what);
    }
    fh_page_say(page, FH_INK_PLAIN, ". Below it memory is the limit, above it arithmetic.");
    page->kind->end(page);
}

/* "1–340", or "from 1" without an end. */
static void intensity(fh_page *page, const fh_class_expectation *row)
{
    page->kind->cell(page);
    if (row->intensity_low < 0)
        return;
    if (row->intensity_high < 0)
        fh_page_say(page, FH_INK_PLAIN, "from ");
    fh_page_short(page, FH_INK_PLAIN, row->intensity_low);
    if (row->intensity_high > row->intensity_low)
        fh_page_say(page, FH_INK_PLAIN, "–");
    if (row->intensity_high > row->intensity_low)
        fh_page_short(page, FH_INK_PLAIN, row->intensity_high);
}

/* "412 tokens". */
static void turns(fh_page *page, const fh_class_expectation *row)
{
    page->kind->cell(page);
    if (row->turns <= 0)
        return;
    fh_page_short(page, FH_INK_PLAIN, row->turns);
    fh_page_say(page, FH_INK_PLAIN, " ");
    page->kind->span(page, FH_INK_PLAIN,
                     fh_text_is(row->per, "token")   ? FH_TEXT("tokens")
                     : fh_text_is(row->per, "pixel") ? FH_TEXT("pixels")
                                                     : FH_TEXT("queries"));
}

static void class_row(fh_page *page, const fh_class_expectation *row)
{
    fh_page_cell(page, FH_INK_PLAIN, fh_word_of_class(row->class));
    page->kind->cell(page);
    fh_page_count(page, FH_INK_PLAIN, row->count);
    page->kind->cell(page);
    if (row->share >= 0)
        fh_page_percent(page, FH_INK_PLAIN, row->share);
    fh_page_cell(page, FH_INK_PLAIN, fh_word_of_bound(row->bound));
    intensity(page, row);
    turns(page, row);
    page->kind->cell(page);
    if (row->low >= 0 && row->high >= 0)
        fh_page_range(page, row->high < 0.5 ? FH_INK_BAD : FH_INK_PLAIN, row->low, row->high);
}

/* Why, once for classes of the same reason. */
static void reasons(fh_page *page, const fh_result *r)
{
    for (uint32_t i = 0; i < r->classes.count; i++) {
        fh_text reason = r->classes.items[i].reason;
        bool is_first = reason.length > 0;
        for (uint32_t k = 0; k < i; k++)
            is_first &= !fh_text_equal(r->classes.items[k].reason, reason);
        if (!is_first)
            continue;
        page->kind->begin(page, 1);
        for (uint32_t k = i; k < r->classes.count; k++) {
            if (!fh_text_equal(r->classes.items[k].reason, reason))
                continue;
            fh_page_say(page, FH_INK_PLAIN, k > i ? ", " : "");
            page->kind->span(page, FH_INK_STRONG, fh_word_of_class(r->classes.items[k].class));
        }
        fh_page_say(page, FH_INK_PLAIN, ": ");
        page->kind->span(page, FH_INK_PLAIN, reason);
        page->kind->end(page);
    }
}

static void classes(fh_page *page, const fh_result *r)
{
    static const fh_column columns[] = {
        {"Class", false, FH_COLUMN_SHRINKS},  {"Sites", true, FH_COLUMN_FIXED},
        {"Share", true, FH_COLUMN_FIXED},     {"Limited by", false, FH_COLUMN_FIXED},
        {"FLOP/byte", true, FH_COLUMN_FIXED}, {"From", true, FH_COLUMN_OPTIONAL},
        {"Speed", true, FH_COLUMN_FIXED},
    };
    if (!r->classes.count)
        return;
    page->kind->heading(page, 3, "Bottlenecks by operator class");
    fh_page_paragraph(page, FH_INK_FAINT,
                      "Share is of the known FLOPs; FLOP/byte is the arithmetic intensity in 16 "
                      "bits, of one item up to a large batch; from that batch on the matrix units "
                      "are the limit; speed is a multiple of the baseline's.");
    page->kind->table(page, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < r->classes.count; i++)
        class_row(page, &r->classes.items[i]);
    page->kind->table_end(page);
    reasons(page, r);
}

static void priorities(fh_page *page, const fh_result *r)
{
    uint32_t shown = r->priorities.count < page->most_rows ? r->priorities.count : page->most_rows;
    if (!shown)
        return;
    page->kind->heading(page, 3, "Priorities");
    fh_page_paragraph(page, FH_INK_FAINT,
                      "What stops the program comes first, then what a step gains most from. The "
                      "order is by rule, not by measurement.");
    for (uint32_t i = 0; i < shown; i++) {
        const fh_priority *p = &r->priorities.items[i];
        page->kind->begin(page, 0);
        fh_page_format(page, FH_INK_STRONG, "%u. ", p->rank);
        page->kind->span(page, FH_INK_STRONG, p->title);
        if (p->rule.length) {
            fh_page_say(page, FH_INK_PLAIN, "  ");
            page->kind->span(page, FH_INK_CODE, p->rule);
        }
        if (p->count) {
            fh_page_say(page, FH_INK_FAINT, " (");
            fh_page_plural(page, FH_INK_FAINT, p->count, "place");
            fh_page_say(page, FH_INK_FAINT, ")");
        }
        if (p->reason.length) {
            fh_page_say(page, FH_INK_PLAIN, ": ");
            page->kind->span(page, FH_INK_PLAIN, p->reason);
        }
        page->kind->end(page);
    }
    fh_section_more(page, 0, shown, r->priorities.count);
}

static void range(fh_page *page, const fh_result *r)
{
    page->kind->begin(page, 0);
    if (r->range_low >= 0 && r->range_high >= 0) {
        fh_page_say(page, FH_INK_PLAIN, "Expected speed: ");
        fh_page_range(page, FH_INK_STRONG, r->range_low, r->range_high);
        fh_page_say(page, FH_INK_PLAIN, " of ");
        if (r->baseline.length)
            page->kind->span(page, FH_INK_PLAIN, r->baseline);
        else
            fh_page_say(page, FH_INK_PLAIN, "the baseline");
        fh_page_say(page, FH_INK_PLAIN, r->range_reason.length ? ". " : ".");
    } else {
        fh_page_say(page, FH_INK_PLAIN, "Expected speed: not known. ");
    }
    page->kind->span(page, FH_INK_PLAIN, r->range_reason);
    page->kind->end(page);
}

static void unknowns(fh_page *page, const fh_result *r)
{
    if (!r->unknown.count)
        return;
    page->kind->heading(page, 3, "What static reading cannot know");
    for (uint32_t i = 0; i < r->unknown.count; i++) {
        page->kind->begin(page, 1);
        page->kind->span(page, FH_INK_PLAIN, r->unknown.items[i]);
        page->kind->end(page);
    }
}

void fh_section_expected(fh_page *page, const fh_result *r)
{
    page->kind->heading(page, 2, "Expected Performance on Ascend");
    range(page, r);
    chips(page, r);
    ridges(page, r);
    classes(page, r);
    priorities(page, r);
    unknowns(page, r);
}
