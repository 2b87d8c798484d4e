#include "analyse/report/sections.h"
#include "analyse/report/words.h"

fh_ink fh_ink_of_support(fh_support support)
{
    static const fh_ink inks[] = {
        [FH_SUPPORT_NATIVE] = FH_INK_GOOD,     [FH_SUPPORT_LIMITED] = FH_INK_CAUTION,
        [FH_SUPPORT_DECOMPOSED] = FH_INK_GOOD, [FH_SUPPORT_FALLBACK] = FH_INK_BAD,
        [FH_SUPPORT_REFUSED] = FH_INK_BAD,     [FH_SUPPORT_UNKNOWN] = FH_INK_CAUTION,
    };
    return inks[support];
}

fh_ink fh_ink_of_severity(fh_severity severity)
{
    return severity == FH_SEVERITY_ERROR     ? FH_INK_BAD
           : severity == FH_SEVERITY_WARNING ? FH_INK_CAUTION
                                             : FH_INK_FAINT;
}

void fh_section_more(fh_page *page, unsigned depth, uint64_t listed, uint64_t all)
{
    if (listed >= all)
        return;
    page->kind->begin(page, depth);
    fh_page_say(page, FH_INK_FAINT, "and ");
    fh_page_count(page, FH_INK_FAINT, all - listed);
    fh_page_say(page, FH_INK_FAINT, " more");
    page->kind->end(page);
}

static void configuration(fh_page *page, const fh_result *r)
{
    page->kind->begin(page, 0);
    page->kind->span(page, FH_INK_STRONG, r->target);
    if (r->targets.count > 1)
        fh_page_format(page, FH_INK_PLAIN, " and %u more", r->targets.count - 1);
    if (r->soc.length) {
        fh_page_say(page, FH_INK_PLAIN, " on ");
        page->kind->span(page, FH_INK_STRONG, r->soc);
    }
    if (r->torch.length) {
        fh_page_say(page, FH_INK_PLAIN, " with PyTorch ");
        page->kind->span(page, FH_INK_STRONG, r->torch);
    }
    if (r->baseline.length) {
        fh_page_say(page, FH_INK_PLAIN, ", compared with ");
        page->kind->span(page, FH_INK_STRONG, r->baseline);
    }
    page->kind->end(page);
}

void fh_section_totals(fh_page *page, const fh_result *r, const char *before_findings)
{
    fh_page_say(page, FH_INK_PLAIN, ", ");
    fh_page_plural(page, FH_INK_PLAIN, r->operators.count, "operator");
    fh_page_say(page, FH_INK_PLAIN, " at ");
    fh_page_plural(page, FH_INK_PLAIN, r->operator_sites, "site");
    for (int i = FH_SEVERITY_COUNT - 1; i >= 0; i--) {
        fh_ink ink = r->by_severity[i] ? fh_ink_of_severity((fh_severity)i) : FH_INK_PLAIN;
        fh_page_say(page, FH_INK_PLAIN, i == FH_SEVERITY_COUNT - 1 ? before_findings : ", ");
        fh_page_plural(page, ink, r->by_severity[i], fh_severity_name((fh_severity)i));
    }
}

static void counts(fh_page *page, const fh_result *r)
{
    page->kind->begin(page, 0);
    fh_page_plural(page, FH_INK_PLAIN, r->scanned, "file");
    if (r->bytes) {
        fh_page_say(page, FH_INK_PLAIN, " (");
        fh_page_bytes(page, FH_INK_PLAIN, r->bytes);
        fh_page_say(page, FH_INK_PLAIN, ")");
    }
    fh_section_totals(page, r, ", ");
    page->kind->end(page);
}

void fh_section_head(fh_page *page, const fh_result *r)
{
    configuration(page, r);
    counts(page, r);
    if (r->partial)
        fh_page_paragraph(
            page, FH_INK_BAD,
            "Incomplete: the analysis was interrupted; what is here was found before.");
}

void fh_sections_write(fh_page *page, const fh_result *result)
{
    fh_groups groups;
    if (!fh_groups_make(result, &groups)) {
        page->out->failed = true;
    } else {
        fh_section_head(page, result);
        fh_section_operators(page, result);
        fh_section_support(page, result, &groups);
        fh_section_advice(page, result, &groups);
        fh_section_profiling(page, result);
        fh_section_expected(page, result);
        fh_section_files(page, result);
    }
    fh_groups_free(&groups);
    fh_buffer_free(&page->scratch);
}
