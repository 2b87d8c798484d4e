/* CANN Support Analysis: each verdict with its operators. */
#include "analyse/model/roofline.h"
#include "analyse/report/sections.h"
#include "analyse/report/words.h"

static const fh_support order[] = {
    FH_SUPPORT_NATIVE,   FH_SUPPORT_LIMITED, FH_SUPPORT_DECOMPOSED,
    FH_SUPPORT_FALLBACK, FH_SUPPORT_REFUSED, FH_SUPPORT_UNKNOWN,
};
enum { ORDER_COUNT = sizeof order / sizeof *order };

static void shares(fh_page *page, const fh_result *r)
{
    page->kind->begin(page, 0);
    fh_page_say(page, FH_INK_PLAIN, "Of ");
    fh_page_plural(page, FH_INK_PLAIN, r->operator_sites, "operator site");
    for (int i = 0; i < ORDER_COUNT; i++) {
        uint32_t count = r->by_support[order[i]];
        fh_ink ink = count ? fh_ink_of_support(order[i]) : FH_INK_FAINT;
        fh_page_say(page, FH_INK_PLAIN, i ? ", " : ": ");
        fh_page_count(page, ink, count);
        fh_page_format(page, ink, " %s", fh_word_of_support(order[i]).label);
    }
    if (r->soc.length) {
        fh_page_say(page, FH_INK_PLAIN, ". Verdicts hold for ");
        page->kind->span(page, FH_INK_PLAIN, r->soc);
        if (r->torch.length) {
            fh_page_say(page, FH_INK_PLAIN, " with PyTorch ");
            page->kind->span(page, FH_INK_PLAIN, r->torch);
        }
    }
    fh_page_say(page, FH_INK_PLAIN, ".");
    page->kind->end(page);
}

/* The gain over the CPU is a quotient of peaks, of which only the chip's is known here. */
static void expected_gain(fh_page *page, const fh_result *r)
{
    const fh_chip_summary *chip = &r->chip;
    if (!chip->name.length || chip->fp16_tflops <= 0 || chip->memory_gbps <= 0)
        return;
    double tflops = r->host_tflops > 0 ? r->host_tflops : FH_HOST_TFLOPS;
    double gbps = r->host_gbps > 0 ? r->host_gbps : FH_HOST_GBPS;
    page->kind->begin(page, 0);
    fh_page_say(page, FH_INK_STRONG, "Expected gain over the CPU: ");
    page->kind->span(page, FH_INK_PLAIN, chip->name);
    fh_page_say(page, FH_INK_PLAIN, " has peaks of ");
    fh_page_short(page, FH_INK_PLAIN, chip->fp16_tflops);
    fh_page_say(page, FH_INK_PLAIN, " TFLOP/s in FP16 and ");
    fh_page_short(page, FH_INK_PLAIN, chip->memory_gbps);
    fh_page_say(page, FH_INK_PLAIN, " GB/s. Against a host that is assumed to reach ");
    fh_page_short(page, FH_INK_PLAIN, tflops);
    fh_page_say(page, FH_INK_PLAIN, " TFLOP/s in FP32 and ");
    fh_page_short(page, FH_INK_PLAIN, gbps);
    fh_page_say(page, FH_INK_PLAIN,
                " GB/s, matrix products, convolutions and attention gain up to ");
    fh_page_range(page, FH_INK_PLAIN, chip->fp16_tflops / tflops, chip->fp16_tflops / tflops);
    fh_page_say(page, FH_INK_PLAIN, " and memory-bound operators up to ");
    fh_page_range(page, FH_INK_PLAIN, chip->memory_gbps / gbps, chip->memory_gbps / gbps);
    fh_page_say(page, FH_INK_PLAIN,
                "; --host-tflops and --host-bandwidth set your host's own peaks, which "
                "static reading does not know. Small tensors gain less: a launch takes as long "
                "for them.");
    page->kind->end(page);
}

static void list(fh_page *page, fh_ink ink, fh_text rest)
{
    fh_text part;
    for (bool first = true; fh_text_next(&rest, ',', &part); first = false) {
        if (!first)
            fh_page_say(page, FH_INK_PLAIN, ", ");
        page->kind->span(page, ink, part);
    }
}

static void line(fh_page *page, const char *label, fh_text text)
{
    if (!text.length)
        return;
    page->kind->begin(page, 2);
    fh_page_format(page, FH_INK_FAINT, "%s: ", label);
    page->kind->span(page, FH_INK_PLAIN, text);
    page->kind->end(page);
}

static void entry(fh_page *page, const fh_operator *op)
{
    bool off_chip = op->support == FH_SUPPORT_FALLBACK || op->support == FH_SUPPORT_REFUSED;
    page->kind->begin(page, 1);
    page->kind->span(page, FH_INK_CODE, op->name);
    fh_page_say(page, FH_INK_FAINT, "  ");
    fh_page_plural(page, FH_INK_FAINT, op->count, "site");
    if (op->locations.count) {
        const fh_location *first = op->locations.items;
        fh_page_say(page, FH_INK_FAINT, ", first at ");
        fh_page_place(page, first->file, first->line, first->column);
    }
    page->kind->end(page);
    line(page, "limits", op->limits);
    line(page, off_chip ? "impact" : "why", op->reason);
    line(page, "workaround", op->workaround);
    if (op->kernels.length) {
        page->kind->begin(page, 2);
        fh_page_say(page, FH_INK_FAINT, "kernels: ");
        list(page, FH_INK_CODE, op->kernels);
        page->kind->end(page);
    }
    line(page, "source", op->source);
}

static void native_row(fh_page *page, const fh_operator *op, bool with_source)
{
    fh_page_cell(page, FH_INK_CODE, op->name);
    page->kind->cell(page);
    fh_page_count(page, FH_INK_PLAIN, op->count);
    page->kind->cell(page);
    list(page, FH_INK_CODE, op->kernels);
    if (with_source)
        fh_page_cell(page, FH_INK_FAINT, op->source);
}

/* The one source of all operators with that verdict; empty when they differ. */
static fh_text common_source(const fh_result *r, fh_support support)
{
    fh_text source = {0};
    for (uint32_t i = 0; i < r->operators.count; i++) {
        const fh_operator *op = &r->operators.items[i];
        if (op->support != support)
            continue;
        if (!op->source.length || (source.length && !fh_text_equal(source, op->source)))
            return (fh_text){0};
        source = op->source;
    }
    return source;
}

/* Operators with a kernel have little to say: a table, so that the others stand out. */
static void native(fh_page *page, const fh_result *r)
{
    static const fh_column columns[] = {
        {"Operator", false, FH_COLUMN_SHRINKS},
        {"Sites", true, FH_COLUMN_FIXED},
        {"Kernels", false, FH_COLUMN_SHRINKS},
        {"Source", false, FH_COLUMN_SHRINKS},
    };
    fh_text source = common_source(r, FH_SUPPORT_NATIVE);
    uint32_t shown = 0;
    expected_gain(page, r);
    if (source.length) {
        page->kind->begin(page, 0);
        fh_page_say(page, FH_INK_FAINT, "Source: ");
        page->kind->span(page, FH_INK_FAINT, source);
        page->kind->end(page);
    }
    page->kind->table(page, columns, source.length ? 3 : 4);
    for (uint32_t i = 0; i < r->operators.count && shown < page->most_rows; i++)
        if (r->operators.items[i].support == FH_SUPPORT_NATIVE && ++shown)
            native_row(page, &r->operators.items[i], !source.length);
    page->kind->table_end(page);
}

static uint32_t operators_of(const fh_result *r, fh_support support)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->operators.count; i++)
        count += r->operators.items[i].support == support;
    return count;
}

static void verdict(fh_page *page, const fh_result *r, fh_support support)
{
    static const char *const titles[] = {
        [FH_SUPPORT_NATIVE] = "Natively supported (high performance)",
        [FH_SUPPORT_LIMITED] = "Supported with limits",
        [FH_SUPPORT_DECOMPOSED] = "Decomposed into other operators",
        [FH_SUPPORT_FALLBACK] = "CPU fallback (performance risk)",
        [FH_SUPPORT_REFUSED] = "Refused",
        [FH_SUPPORT_UNKNOWN] = "Unknown",
    };
    uint32_t all = operators_of(r, support), shown = 0;
    if (!all)
        return;
    page->kind->heading(page, 3, titles[support]);
    fh_page_paragraph(page, FH_INK_PLAIN, fh_word_of_support(support).text);
    if (support == FH_SUPPORT_NATIVE) {
        native(page, r);
        fh_section_more(page, 0, page->most_rows, all);
        return;
    }
    for (uint32_t i = 0; i < r->operators.count && shown < page->most_rows; i++)
        if (r->operators.items[i].support == support && ++shown)
            entry(page, &r->operators.items[i]);
    fh_section_more(page, 1, shown, all);
}

void fh_section_support(fh_page *page, const fh_result *r, const fh_groups *groups)
{
    page->kind->heading(page, 2, "CANN Support Analysis");
    shares(page, r);
    for (int i = 0; i < ORDER_COUNT; i++)
        verdict(page, r, order[i]);
    for (uint32_t i = 0; i < groups->groups.count; i++)
        if (groups->groups.items[i].example->category == FH_CATEGORY_SUPPORT) {
            page->kind->heading(page, 3, "Extensions, packages and data types");
            break;
        }
    fh_section_rules(page, r, groups, FH_CATEGORY_SUPPORT);
}
