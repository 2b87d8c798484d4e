#include "analyse/report/summary_line.h"
#include "analyse/report/line.h"

static void summary_span(fh_page *page, fh_ink ink, fh_text text)
{
    fh_line_add(&((fh_summary *)page)->line, ink, text);
}

static const fh_page_kind kind = {.span = summary_span};

fh_summary fh_summary_to(fh_buffer *out, const fh_report_options *options, unsigned width)
{
    return (fh_summary){.page = {.kind = &kind, .options = options, .out = out}, .width = width};
}

void fh_summary_free(fh_summary *s)
{
    fh_buffer_free(&s->line);
    fh_buffer_free(&s->page.scratch);
}

void fh_summary_end_line(fh_summary *s)
{
    fh_line_write(s->page.out, fh_buffer_text(&s->line), s->width, false, s->page.options->color);
    fh_buffer_add_char(s->page.out, '\n');
    fh_buffer_clear(&s->line);
}

void fh_summary_end_lines(fh_summary *s, size_t indent, unsigned most)
{
    fh_buffer wrapped = {0}, *out = s->page.out;
    fh_text line, rest;
    bool is_empty = fh_line_width(fh_buffer_text(&s->line)) == 0;
    fh_line_fit(&wrapped, fh_buffer_text(&s->line), s->width - 2, indent, s->page.options->color);
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

void fh_summary_empty_line(fh_summary *s)
{
    fh_buffer_add_char(s->page.out, '\n');
}

void fh_summary_say(fh_summary *s, fh_ink ink, const char *words)
{
    fh_line_add(&s->line, ink, fh_text_from(words));
}

void fh_summary_column(fh_summary *s, size_t column)
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

void fh_summary_right(fh_summary *s, size_t end, fh_ink ink, fh_text text)
{
    size_t taken = fh_line_width(fh_buffer_text(&s->line));
    fh_line_add(&s->line, FH_INK_PLAIN, (fh_text){0});
    if (taken + text.length < end)
        fh_line_blanks(&s->line, end - taken - text.length);
    fh_line_add(&s->line, ink, text);
}

void fh_summary_path(fh_summary *s, fh_ink ink, fh_text name, size_t columns)
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

void fh_summary_place(fh_summary *s, const fh_location *at, size_t columns)
{
    fh_buffer text = {0};
    fh_buffer_add(&text, s->page.options->prefix);
    fh_figure_place(&text, at->file, at->line, at->column);
    fh_summary_path(s, FH_INK_PLACE, fh_buffer_text(&text), columns);
    if (text.failed)
        s->page.out->failed = true;
    fh_buffer_free(&text);
}

void fh_summary_first_place(fh_summary *s, const fh_operator *op)
{
    enum { OTHERS = 7, LEAST = 12 }; /* " +1,234" */
    size_t taken = fh_line_width(fh_buffer_text(&s->line));
    size_t room = s->width > taken ? s->width - taken : 0;
    bool tells_others = op->count > 1 && room >= LEAST + OTHERS;
    if (!op->locations.count || room < LEAST)
        return;
    fh_summary_place(s, op->locations.items, room - (tells_others ? OTHERS : 0));
    if (tells_others) {
        fh_summary_say(s, FH_INK_FAINT, " +");
        fh_page_count(&s->page, FH_INK_FAINT, op->count - 1);
    }
}
