/* The summary that fits one screen: what it is about, how fast, what stands in the way, where the
 * work is, what to do first, and where to read on. Every list has its share of the 40 lines, and
 * gives some up where the terminal has fewer. */
#include "analyse/report/formats.h"
#include "analyse/report/groups.h"
#include "analyse/report/line.h"
#include "analyse/report/sections.h"
#include "analyse/report/summary_line.h"
#include "analyse/report/text.h"
#include "analyse/report/words.h"

#include <stdlib.h>

/* From a tall screen to one of few lines; the reasons go last but for the lists' first rows. */
static const fh_summary_limits screens[] = {
    {3, 4, 7, 5, 2, 3}, {2, 3, 6, 5, 2, 3}, {2, 3, 6, 5, 1, 3}, {2, 2, 5, 5, 1, 1},
    {1, 2, 4, 4, 1, 1}, {1, 2, 3, 3, 1, 1}, {1, 2, 3, 4, 0, 1}, {0, 1, 2, 3, 0, 1},
    {0, 0, 0, 3, 0, 1}, {0, 0, 0, 1, 0, 1},
};

/* How many files were not read, or not as they stand, and the first of them. */
static void odd_files(fh_summary *s, const fh_result *r)
{
    const fh_file_note *first = r->skipped.count ? r->skipped.items : r->notes.items;
    if (!r->skipped.count && !r->notes.count)
        return;
    if (r->skipped.count) {
        fh_page_plural(&s->page, FH_INK_FAINT, r->skipped.count, "file");
        fh_summary_say(s, FH_INK_FAINT, " skipped");
    }
    if (r->notes.count) {
        fh_summary_say(s, FH_INK_FAINT, r->skipped.count ? ", " : "");
        fh_page_plural(&s->page, FH_INK_FAINT, r->notes.count, "remark");
    }
    fh_summary_say(s, FH_INK_FAINT, r->skipped.count + r->notes.count > 1 ? "; first: " : ": ");
    fh_summary_path(s, FH_INK_FAINT, first->path, s->width / 3);
    fh_summary_say(s, FH_INK_FAINT, ", ");
    fh_line_add(&s->line, FH_INK_FAINT, first->reason);
    fh_summary_end_line(s);
}

static void head(fh_summary *s, const fh_result *r)
{
    enum { AROUND = 50, LEAST = 30 }; /* "Foothold 0.1.0  ", " on Ascend910B3 with PyTorch 2.14" */
    fh_page *page = &s->page;
    fh_summary_say(s, FH_INK_STRONG, "Foothold");
    fh_page_format(page, FH_INK_FAINT, " %s  ", fh_report_version(page->options));
    fh_summary_path(s, FH_INK_STRONG, r->target,
                    s->width > AROUND + LEAST ? s->width - AROUND : LEAST);
    if (r->targets.count > 1)
        fh_page_format(page, FH_INK_PLAIN, " and %u more", r->targets.count - 1);
    if (r->soc.length) {
        fh_summary_say(s, FH_INK_PLAIN, " on ");
        fh_line_add(&s->line, FH_INK_PLAIN, r->soc);
    }
    if (r->torch.length) {
        fh_summary_say(s, FH_INK_PLAIN, " with PyTorch ");
        fh_line_add(&s->line, FH_INK_PLAIN, r->torch);
    }
    fh_summary_end_line(s);
    fh_page_plural(page, FH_INK_PLAIN, r->scanned, "file");
    fh_section_totals(page, r, "; ");
    fh_summary_end_line(s);
    odd_files(s, r);
    if (r->partial) {
        fh_summary_say(s, FH_INK_BAD, "Incomplete: interrupted before all files were read.");
        fh_summary_end_line(s);
    }
}

static void expected(fh_summary *s, const fh_result *r)
{
    if (r->range_low < 0 || r->range_high < 0)
        return;
    fh_summary_empty_line(s);
    fh_summary_say(s, FH_INK_STRONG, "Expected speed ");
    fh_page_range(&s->page, FH_INK_STRONG, r->range_low, r->range_high);
    fh_summary_say(s, FH_INK_PLAIN, " of ");
    fh_line_add(&s->line, FH_INK_PLAIN, r->baseline.length ? r->baseline : FH_TEXT("the baseline"));
    fh_summary_end_line(s);
    fh_line_add(&s->line, FH_INK_FAINT, r->range_reason);
    if (s->most->range)
        fh_summary_end_lines(s, 2, s->most->range);
    fh_buffer_clear(&s->line);
}

static void blocked(fh_summary *s, const fh_result *r, fh_support support, unsigned *left)
{
    for (uint32_t i = 0; i < r->operators.count && *left; i++) {
        const fh_operator *op = &r->operators.items[i];
        if (op->support != support)
            continue;
        --*left;
        fh_summary_say(s, FH_INK_PLAIN, "  ");
        fh_summary_say(s, fh_ink_of_support(support), fh_word_of_support(support).label);
        fh_summary_column(s, 16);
        fh_line_add(&s->line, FH_INK_CODE, op->name);
        fh_summary_column(s, s->width * 55 / 100);
        fh_summary_first_place(s, op);
        fh_summary_end_line(s);
    }
}

static void support(fh_summary *s, const fh_result *r)
{
    static const fh_support order[] = {FH_SUPPORT_NATIVE,  FH_SUPPORT_DECOMPOSED,
                                       FH_SUPPORT_LIMITED, FH_SUPPORT_FALLBACK,
                                       FH_SUPPORT_REFUSED, FH_SUPPORT_UNKNOWN};
    unsigned left = s->most->blocked;
    fh_summary_empty_line(s);
    fh_summary_say(s, FH_INK_STRONG, "CANN support");
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        uint32_t count = r->by_support[order[i]];
        bool is_said = order[i] == FH_SUPPORT_NATIVE || order[i] == FH_SUPPORT_FALLBACK ||
                       order[i] == FH_SUPPORT_REFUSED;
        if (!count && !is_said)
            continue;
        fh_ink ink = count ? fh_ink_of_support(order[i]) : FH_INK_FAINT;
        fh_summary_say(s, FH_INK_PLAIN, i ? ", " : "  ");
        fh_page_count(&s->page, ink, count);
        fh_page_format(&s->page, ink, " %s", fh_word_of_support(order[i]).label);
    }
    fh_summary_end_line(s);
    blocked(s, r, FH_SUPPORT_REFUSED, &left);
    blocked(s, r, FH_SUPPORT_FALLBACK, &left);
}

static void heavy_row(fh_summary *s, const fh_operator *op)
{
    size_t numbers = s->width * 42 / 100;
    fh_buffer figure = {0};
    fh_summary_say(s, FH_INK_PLAIN, "  ");
    fh_line_add(&s->line, FH_INK_CODE, op->name);
    fh_summary_column(s, numbers - 2);
    fh_figure_count(&figure, op->count);
    fh_summary_right(s, numbers + 6, FH_INK_PLAIN, fh_buffer_text(&figure));
    fh_buffer_clear(&figure);
    if (op->parameters >= 0)
        fh_figure_short(&figure, op->parameters);
    fh_summary_right(s, numbers + 15, FH_INK_PLAIN, fh_buffer_text(&figure));
    fh_summary_say(s, FH_INK_PLAIN, "  ");
    fh_summary_say(s, fh_ink_of_support(op->support), fh_word_of_support(op->support).label);
    fh_summary_column(s, numbers + 31);
    if (op->locations.count)
        fh_summary_place(s, op->locations.items,
                         s->width > numbers + 31 ? s->width - numbers - 31 : 1);
    if (figure.failed)
        s->page.out->failed = true;
    fh_buffer_free(&figure);
    fh_summary_end_line(s);
}

static void heavy(fh_summary *s, const fh_result *r)
{
    unsigned shown = 0;
    for (uint32_t i = 0; i < r->operators.count && shown < s->most->heavy; i++) {
        if (r->operators.items[i].category != FH_CATEGORY_COMPUTE)
            continue;
        if (!shown++) {
            size_t numbers = s->width * 42 / 100;
            fh_summary_empty_line(s);
            fh_summary_say(s, FH_INK_STRONG, "Heaviest operators");
            fh_summary_right(s, numbers + 6, FH_INK_FAINT, FH_TEXT("sites"));
            fh_summary_right(s, numbers + 15, FH_INK_FAINT, FH_TEXT("params"));
            fh_summary_say(s, FH_INK_FAINT, "  support");
            fh_summary_column(s, numbers + 31);
            fh_summary_say(s, FH_INK_FAINT, "first place");
            fh_summary_end_line(s);
        }
        heavy_row(s, &r->operators.items[i]);
    }
}

/* What to do, with its first place, and why on lines of its own. */
static void priority(fh_summary *s, const fh_priority *p, const fh_finding *first)
{
    enum { INDENT = 5, LEAST = 12 };
    fh_page_format(&s->page, FH_INK_PLAIN, "  %u. ", p->rank);
    fh_line_add(&s->line, FH_INK_STRONG, p->title.length ? p->title : p->rule);
    if (first) {
        size_t taken = fh_line_width(fh_buffer_text(&s->line)) + 2, from = s->width * 55 / 100;
        if (taken < from)
            taken = from;
        if (taken + LEAST <= s->width) {
            fh_summary_column(s, taken);
            fh_summary_place(s, &first->place, s->width - taken);
        }
    }
    fh_summary_end_line(s);
    if (!s->most->reason)
        return;
    fh_line_add(&s->line, FH_INK_FAINT, p->rule);
    if (p->count) {
        fh_summary_say(s, FH_INK_FAINT, ", ");
        fh_page_plural(&s->page, FH_INK_FAINT, p->count, "place");
    }
    if (p->reason.length) {
        fh_summary_say(s, FH_INK_PLAIN, ": ");
        fh_line_add(&s->line, FH_INK_PLAIN, p->reason);
    }
    fh_summary_end_lines(s, INDENT, s->most->reason);
}

static const fh_finding *first_of(const fh_groups *groups, fh_text rule)
{
    for (uint32_t i = 0; i < groups->groups.count; i++)
        if (fh_text_equal(groups->groups.items[i].example->rule, rule))
            return groups->groups.items[i].example;
    return NULL;
}

/* The ranked priorities, or the groups of findings where nothing is ranked. */
static void first_things(fh_summary *s, const fh_result *r, const fh_groups *groups)
{
    uint32_t ranked = r->priorities.count, shown = ranked ? ranked : groups->groups.count;
    if (!shown || !s->most->priorities)
        return;
    fh_summary_empty_line(s);
    fh_summary_say(s, FH_INK_STRONG, "Do first");
    fh_summary_end_line(s);
    for (uint32_t i = 0; i < shown && i < s->most->priorities; i++) {
        if (ranked) {
            const fh_priority *p = &r->priorities.items[i];
            priority(s, p, first_of(groups, p->rule));
        } else {
            const fh_group *g = &groups->groups.items[i];
            const fh_finding *f = g->example;
            priority(s, &(fh_priority){f->rule, f->title, f->advice, i + 1, (uint32_t)g->count}, f);
        }
    }
}

static void read_on(fh_summary *s, const fh_result *r)
{
    fh_summary_empty_line(s);
    fh_summary_say(s, FH_INK_STRONG, "Read on");
    if (s->most->read_on == 1) {
        fh_summary_say(s, FH_INK_PLAIN,
                       "  --details,  --format html -o report.html,  foothold rules ID");
        fh_summary_end_line(s);
        return;
    }
    fh_summary_say(s, FH_INK_PLAIN, "  --details");
    fh_summary_column(s, 42);
    fh_summary_say(s, FH_INK_FAINT, "all of it");
    fh_summary_end_line(s);
    fh_summary_say(s, FH_INK_PLAIN, "         --format html -o report.html");
    fh_summary_column(s, 42);
    fh_summary_say(s, FH_INK_FAINT, "a page to explore");
    fh_summary_end_line(s);
    if (!r->findings.count)
        return;
    fh_summary_say(s, FH_INK_PLAIN, "         foothold rules ");
    fh_line_add(&s->line, FH_INK_PLAIN, r->findings.items[0].rule);
    fh_summary_column(s, 42);
    fh_summary_say(s, FH_INK_FAINT, "why, and what to do");
    fh_summary_end_line(s);
}

static void write_parts(fh_summary *s, const fh_result *result, const fh_groups *groups)
{
    head(s, result);
    expected(s, result);
    support(s, result);
    heavy(s, result);
    first_things(s, result, groups);
    read_on(s, result);
}

static unsigned lines_in(fh_text text)
{
    unsigned lines = 0;
    for (size_t i = 0; i < text.length; i++)
        lines += text.data[i] == '\n';
    return lines;
}

void fh_text_summary(const fh_result *result, const fh_report_options *options, fh_buffer *out)
{
    fh_buffer text = {0};
    fh_summary s = fh_summary_to(&text, options, fh_text_width(options));
    fh_groups groups;
    if (!fh_groups_make(result, &groups))
        out->failed = true;
    for (size_t i = 0; i < sizeof screens / sizeof *screens; i++) {
        fh_buffer_clear(&text);
        s.most = &screens[i];
        write_parts(&s, result, &groups);
        if (!options->height || lines_in(fh_buffer_text(&text)) <= options->height)
            break;
    }
    fh_buffer_add(out, fh_buffer_text(&text));
    if (s.line.failed || text.failed)
        out->failed = true;
    fh_groups_free(&groups);
    fh_summary_free(&s);
    fh_buffer_free(&text);
}
