/* The summary that fits one screen: what it is about, how fast, what stands in the way, where the
 * work is, what to do first, and where to read on. Every list has its share of the 40 lines, and
 * gives some up where the terminal has fewer. */
#include "analyse/report/formats.h"
#include "analyse/report/groups.h"
#include "analyse/report/line.h"
#include "analyse/report/sections.h"
#include "analyse/report/text.h"
#include "analyse/report/words.h"

#include <stdlib.h>

/* How many lines each part may take at most. */
typedef struct {
    unsigned range, blocked, heavy, priorities, reason, read_on;
} limits;

/* From a tall screen to one of few lines; the reasons go last but for the lists' first rows. */
static const limits screens[] = {
    {3, 4, 7, 5, 2, 3}, {2, 3, 6, 5, 2, 3}, {2, 3, 6, 5, 1, 3}, {2, 2, 5, 5, 1, 1},
    {1, 2, 4, 4, 1, 1}, {1, 2, 3, 3, 1, 1}, {1, 2, 3, 4, 0, 1}, {0, 1, 2, 3, 0, 1},
    {0, 0, 0, 3, 0, 1}, {0, 0, 0, 1, 0, 1},
};

typedef struct {
    fh_page page; /* only for the helpers that make spans */
    fh_buffer line;
    unsigned width;
    const limits *most;
} summary;

static void summary_span(fh_page *page, fh_ink ink, fh_text text)
{
    fh_line_add(&((summary *)page)->line, ink, text);
}

static const fh_page_kind kind = {.span = summary_span};

static void end_line(summary *s)
{
    fh_line_write(s->page.out, fh_buffer_text(&s->line), s->width, false, s->page.options->color);
    fh_buffer_add_char(s->page.out, '\n');
    fh_buffer_clear(&s->line);
}

/* Wraps the line, at column `indent`, to as many lines; what is more is left out. */
static void end_lines(summary *s, size_t indent, unsigned most)
{
    fh_buffer wrapped = {0}, *out = s->page.out;
    fh_text line, rest;
    bool is_empty = fh_line_width(fh_buffer_text(&s->line)) == 0;
    fh_line_wrap(&wrapped, fh_buffer_text(&s->line), s->width - 2, indent, s->page.options->color);
    rest = fh_text_slice(fh_buffer_text(&wrapped), 0, wrapped.length ? wrapped.length - 1 : 0);
    for (unsigned i = 0; !is_empty && i < most && fh_text_next(&rest, '\n', &line); i++) {
        fh_line_blanks(out, i ? 0 : indent);
        fh_buffer_add(out, line);
        fh_buffer_add_string(out, i + 1 == most && rest.data ? " …\n" : "\n");
    }
    if (wrapped.failed)
        out->failed = true;
    fh_buffer_free(&wrapped);
    fh_buffer_clear(&s->line);
}

static void empty_line(summary *s)
{
    fh_buffer_add_char(s->page.out, '\n');
}

static void say(summary *s, fh_ink ink, const char *words)
{
    fh_line_add(&s->line, ink, fh_text_from(words));
}

/* The line so far filled up to `column`, or cut to end two before it. */
static void column(summary *s, size_t column)
{
    size_t taken = fh_line_width(fh_buffer_text(&s->line));
    if (taken + 2 > column) {
        fh_buffer cut = {0};
        fh_line_cut(&cut, fh_buffer_text(&s->line), column - 2);
        if (cut.failed)
            s->page.out->failed = true;
        fh_buffer_free(&s->line);
        s->line = cut;
        taken = fh_line_width(fh_buffer_text(&s->line));
    }
    fh_line_add(&s->line, FH_INK_PLAIN, (fh_text){0});
    fh_line_blanks(&s->line, column > taken ? column - taken : 0);
}

static void right(summary *s, size_t end, fh_ink ink, fh_text text)
{
    size_t taken = fh_line_width(fh_buffer_text(&s->line));
    fh_line_add(&s->line, FH_INK_PLAIN, (fh_text){0});
    if (taken + text.length < end)
        fh_line_blanks(&s->line, end - taken - text.length);
    fh_line_add(&s->line, ink, text);
}

/* A path in at most `columns`; the front of a long one is cut off. */
static void path(summary *s, fh_ink ink, fh_text name, size_t columns)
{
    fh_buffer line = {0}, cut = {0};
    fh_line_add(&line, FH_INK_PLAIN, name);
    fh_line_write(&cut, fh_buffer_text(&line), columns, true, false);
    fh_line_add(&s->line, ink, fh_buffer_text(&cut));
    if (line.failed || cut.failed)
        s->page.out->failed = true;
    fh_buffer_free(&line);
    fh_buffer_free(&cut);
}

static void place(summary *s, const fh_location *at, size_t columns)
{
    fh_buffer text = {0};
    fh_buffer_add(&text, s->page.options->prefix);
    fh_figure_place(&text, at->file, at->line, at->column);
    path(s, FH_INK_PLACE, fh_buffer_text(&text), columns);
    if (text.failed)
        s->page.out->failed = true;
    fh_buffer_free(&text);
}

/* The first place and how many others. */
static void first_place(summary *s, const fh_operator *op)
{
    enum { OTHERS = 7, LEAST = 12 }; /* " +1,234" */
    size_t taken = fh_line_width(fh_buffer_text(&s->line));
    size_t room = s->width > taken ? s->width - taken : 0;
    bool tells_others = op->count > 1 && room >= LEAST + OTHERS;
    if (!op->locations.count || room < LEAST)
        return;
    place(s, op->locations.items, room - (tells_others ? OTHERS : 0));
    if (tells_others) {
        say(s, FH_INK_FAINT, " +");
        fh_page_count(&s->page, FH_INK_FAINT, op->count - 1);
    }
}

/* How many files were not read, or not as they stand, and the first of them. */
static void odd_files(summary *s, const fh_result *r)
{
    const fh_file_note *first = r->skipped.count ? r->skipped.items : r->notes.items;
    if (!r->skipped.count && !r->notes.count)
        return;
    if (r->skipped.count) {
        fh_page_plural(&s->page, FH_INK_FAINT, r->skipped.count, "file");
        say(s, FH_INK_FAINT, " skipped");
    }
    if (r->notes.count) {
        say(s, FH_INK_FAINT, r->skipped.count ? ", " : "");
        fh_page_plural(&s->page, FH_INK_FAINT, r->notes.count, "remark");
    }
    say(s, FH_INK_FAINT, r->skipped.count + r->notes.count > 1 ? "; first: " : ": ");
    path(s, FH_INK_FAINT, first->path, s->width / 3);
    say(s, FH_INK_FAINT, ", ");
    fh_line_add(&s->line, FH_INK_FAINT, first->reason);
    end_line(s);
}

static void head(summary *s, const fh_result *r)
{
    enum { AROUND = 50, LEAST = 30 }; /* "Foothold 0.1.0  ", " on Ascend910B3 with PyTorch 2.14" */
    fh_page *page = &s->page;
    say(s, FH_INK_STRONG, "Foothold");
    fh_page_format(page, FH_INK_FAINT, " %s  ", fh_report_version(page->options));
    path(s, FH_INK_STRONG, r->target, s->width > AROUND + LEAST ? s->width - AROUND : LEAST);
    if (r->targets.count > 1)
        fh_page_format(page, FH_INK_PLAIN, " and %u more", r->targets.count - 1);
    if (r->soc.length) {
        say(s, FH_INK_PLAIN, " on ");
        fh_line_add(&s->line, FH_INK_PLAIN, r->soc);
    }
    if (r->torch.length) {
        say(s, FH_INK_PLAIN, " with PyTorch ");
        fh_line_add(&s->line, FH_INK_PLAIN, r->torch);
    }
    end_line(s);
    fh_page_plural(page, FH_INK_PLAIN, r->scanned, "file");
    say(s, FH_INK_PLAIN, ", ");
    fh_page_plural(page, FH_INK_PLAIN, r->operators.count, "operator");
    say(s, FH_INK_PLAIN, " at ");
    fh_page_plural(page, FH_INK_PLAIN, r->operator_sites, "site");
    for (int i = FH_SEVERITY_COUNT - 1; i >= 0; i--) {
        fh_ink ink = r->by_severity[i] ? fh_ink_of_severity((fh_severity)i) : FH_INK_PLAIN;
        say(s, FH_INK_PLAIN, i == FH_SEVERITY_ERROR ? "; " : ", ");
        fh_page_plural(page, ink, r->by_severity[i], fh_severity_name((fh_severity)i));
    }
    end_line(s);
    odd_files(s, r);
    if (r->partial) {
        say(s, FH_INK_BAD, "Incomplete: interrupted before all files were read.");
        end_line(s);
    }
}

static void expected(summary *s, const fh_result *r)
{
    if (r->range_low < 0 || r->range_high < 0)
        return;
    empty_line(s);
    say(s, FH_INK_STRONG, "Expected speed ");
    fh_page_range(&s->page, FH_INK_STRONG, r->range_low, r->range_high);
    say(s, FH_INK_PLAIN, " of ");
    fh_line_add(&s->line, FH_INK_PLAIN, r->baseline.length ? r->baseline : FH_TEXT("the baseline"));
    end_line(s);
    fh_line_add(&s->line, FH_INK_FAINT, r->range_reason);
    if (s->most->range)
        end_lines(s, 2, s->most->range);
    fh_buffer_clear(&s->line);
}

static void blocked(summary *s, const fh_result *r, fh_support support, unsigned *left)
{
    for (uint32_t i = 0; i < r->operators.count && *left; i++) {
        const fh_operator *op = &r->operators.items[i];
        if (op->support != support)
            continue;
        --*left;
        say(s, FH_INK_PLAIN, "  ");
        say(s, fh_ink_of_support(support), fh_word_of_support(support).label);
        column(s, 16);
        fh_line_add(&s->line, FH_INK_CODE, op->name);
        column(s, s->width * 55 / 100);
        first_place(s, op);
        end_line(s);
    }
}

static void support(summary *s, const fh_result *r)
{
    static const fh_support order[] = {FH_SUPPORT_NATIVE,  FH_SUPPORT_DECOMPOSED,
                                       FH_SUPPORT_LIMITED, FH_SUPPORT_FALLBACK,
                                       FH_SUPPORT_REFUSED, FH_SUPPORT_UNKNOWN};
    unsigned left = s->most->blocked;
    empty_line(s);
    say(s, FH_INK_STRONG, "CANN support");
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        uint32_t count = r->by_support[order[i]];
        bool is_said = order[i] == FH_SUPPORT_NATIVE || order[i] == FH_SUPPORT_FALLBACK ||
                       order[i] == FH_SUPPORT_REFUSED;
        if (!count && !is_said)
            continue;
        fh_ink ink = count ? fh_ink_of_support(order[i]) : FH_INK_FAINT;
        say(s, FH_INK_PLAIN, i ? ", " : "  ");
        fh_page_count(&s->page, ink, count);
        fh_page_format(&s->page, ink, " %s", fh_word_of_support(order[i]).label);
    }
    end_line(s);
    blocked(s, r, FH_SUPPORT_REFUSED, &left);
    blocked(s, r, FH_SUPPORT_FALLBACK, &left);
}

static void heavy_row(summary *s, const fh_operator *op)
{
    size_t numbers = s->width * 42 / 100;
    fh_buffer figure = {0};
    say(s, FH_INK_PLAIN, "  ");
    fh_line_add(&s->line, FH_INK_CODE, op->name);
    column(s, numbers - 2);
    fh_figure_count(&figure, op->count);
    right(s, numbers + 6, FH_INK_PLAIN, fh_buffer_text(&figure));
    fh_buffer_clear(&figure);
    if (op->parameters >= 0)
        fh_figure_short(&figure, op->parameters);
    right(s, numbers + 15, FH_INK_PLAIN, fh_buffer_text(&figure));
    say(s, FH_INK_PLAIN, "  ");
    say(s, fh_ink_of_support(op->support), fh_word_of_support(op->support).label);
    column(s, numbers + 31);
    if (op->locations.count)
        place(s, op->locations.items, s->width > numbers + 31 ? s->width - numbers - 31 : 1);
    if (figure.failed)
        s->page.out->failed = true;
    fh_buffer_free(&figure);
    end_line(s);
}

static void heavy(summary *s, const fh_result *r)
{
    unsigned shown = 0;
    for (uint32_t i = 0; i < r->operators.count && shown < s->most->heavy; i++) {
        if (r->operators.items[i].category != FH_CATEGORY_COMPUTE)
            continue;
        if (!shown++) {
            size_t numbers = s->width * 42 / 100;
            empty_line(s);
            say(s, FH_INK_STRONG, "Heaviest operators");
            right(s, numbers + 6, FH_INK_FAINT, FH_TEXT("sites"));
            right(s, numbers + 15, FH_INK_FAINT, FH_TEXT("params"));
            say(s, FH_INK_FAINT, "  support");
            column(s, numbers + 31);
            say(s, FH_INK_FAINT, "first place");
            end_line(s);
        }
        heavy_row(s, &r->operators.items[i]);
    }
}

/* What to do, with its first place, and why on lines of its own. */
static void priority(summary *s, const fh_priority *p, const fh_finding *first)
{
    enum { INDENT = 5, LEAST = 12 };
    fh_page_format(&s->page, FH_INK_PLAIN, "  %u. ", p->rank);
    fh_line_add(&s->line, FH_INK_STRONG, p->title.length ? p->title : p->rule);
    if (first) {
        size_t taken = fh_line_width(fh_buffer_text(&s->line)) + 2, from = s->width * 55 / 100;
        if (taken < from)
            taken = from;
        if (taken + LEAST <= s->width) {
            column(s, taken);
            place(s, &first->place, s->width - taken);
        }
    }
    end_line(s);
    if (!s->most->reason)
        return;
    fh_line_add(&s->line, FH_INK_FAINT, p->rule);
    if (p->count) {
        say(s, FH_INK_FAINT, ", ");
        fh_page_plural(&s->page, FH_INK_FAINT, p->count, "place");
    }
    if (p->reason.length) {
        say(s, FH_INK_PLAIN, ": ");
        fh_line_add(&s->line, FH_INK_PLAIN, p->reason);
    }
    end_lines(s, INDENT, s->most->reason);
}

static const fh_finding *first_of(const fh_groups *groups, fh_text rule)
{
    for (uint32_t i = 0; i < groups->groups.count; i++)
        if (fh_text_equal(groups->groups.items[i].example->rule, rule))
            return groups->groups.items[i].example;
    return NULL;
}

/* The ranked priorities, or the groups of findings where nothing is ranked. */
static void first_things(summary *s, const fh_result *r, const fh_groups *groups)
{
    uint32_t ranked = r->priorities.count, shown = ranked ? ranked : groups->groups.count;
    if (!shown || !s->most->priorities)
        return;
    empty_line(s);
    say(s, FH_INK_STRONG, "Do first");
    end_line(s);
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

static void read_on(summary *s, const fh_result *r)
{
    empty_line(s);
    say(s, FH_INK_STRONG, "Read on");
    if (s->most->read_on == 1) {
        say(s, FH_INK_PLAIN, "  --details,  --format html -o report.html,  foothold rules ID");
        end_line(s);
        return;
    }
    say(s, FH_INK_PLAIN, "  --details");
    column(s, 42);
    say(s, FH_INK_FAINT, "all of it");
    end_line(s);
    say(s, FH_INK_PLAIN, "         --format html -o report.html");
    column(s, 42);
    say(s, FH_INK_FAINT, "a page to explore");
    end_line(s);
    if (!r->findings.count)
        return;
    say(s, FH_INK_PLAIN, "         foothold rules ");
    fh_line_add(&s->line, FH_INK_PLAIN, r->findings.items[0].rule);
    column(s, 42);
    say(s, FH_INK_FAINT, "why, and what to do");
    end_line(s);
}

static void write_parts(summary *s, const fh_result *result, const fh_groups *groups)
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
    summary s = {
        {.kind = &kind, .options = options, .out = &text}, {0}, fh_text_width(options), screens};
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
    fh_buffer_free(&s.line);
    fh_buffer_free(&s.page.scratch);
    fh_buffer_free(&text);
}
