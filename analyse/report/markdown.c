/* Markdown as GitHub reads it. What comes from the target is escaped character by character or
 * stands in code spans, so that it can neither format, nor link, nor mention anybody. */
#include "analyse/report/clean.h"
#include "analyse/report/formats.h"
#include "analyse/report/page.h"

#include <ctype.h>
#include <string.h>

enum { MOST_ROWS = 100, MOST_PLACES = 10 }; /* a report is to fit a comment or a job's summary */

/* "@" and a blank of no width: GitHub then sees neither a user nor a mail address. */
#define NO_MENTION "@&#8203;"

typedef struct {
    fh_page page; /* first: fh_page_kind's functions are called with it */
    fh_buffer clean;
    bool in_cell, at_start, in_list;
    unsigned columns, cells;
} markdown;

static void end_block(markdown *m)
{
    fh_buffer *out = m->page.out;
    if (out->length && !fh_text_ends(fh_buffer_text(out), "\n"))
        fh_buffer_add_char(out, '\n');
}

static void blank_line(markdown *m)
{
    end_block(m);
    if (m->page.out->length && !fh_text_ends(fh_buffer_text(m->page.out), "\n\n"))
        fh_buffer_add_char(m->page.out, '\n');
    m->in_list = false;
}

static fh_text cleaned(markdown *m, fh_text text)
{
    fh_buffer_clear(&m->clean);
    fh_clean_add(&m->clean, text);
    if (m->clean.failed)
        m->page.out->failed = true;
    return fh_buffer_text(&m->clean);
}

/* Where a block begins, "#", "+", "-", "=" and "1." would make it another kind of block. */
static size_t starts_block(fh_text text)
{
    size_t digits = 0;
    if (text.length && strchr("#+-=", text.data[0]))
        return 0;
    while (digits < text.length && isdigit((unsigned char)text.data[digits]))
        digits++;
    bool numbered = digits && digits < text.length && strchr(".)", text.data[digits]);
    return numbered ? digits : text.length;
}

/* Between letters an underscore means nothing: names stay readable. */
static bool is_inside_word(fh_text text, size_t i)
{
    return i && i + 1 < text.length && isalnum((unsigned char)text.data[i - 1]) &&
           isalnum((unsigned char)text.data[i + 1]);
}

/* Length of the web address at the start of `text`, without the punctuation that ends a sentence;
 * 0 when there is none. */
static size_t address_length(fh_text text)
{
    static const char marks[] = "-._~/?#=&%+:,;@!";
    size_t scheme = fh_text_starts(text, "https://") ? 8 : fh_text_starts(text, "http://") ? 7 : 0;
    size_t end = scheme;
    while (scheme && end < text.length && text.data[end] &&
           (isalnum((unsigned char)text.data[end]) || strchr(marks, text.data[end])))
        end++;
    while (end > scheme && strchr(".,:;?!", text.data[end - 1]))
        end--;
    return end > scheme ? end : 0;
}

/* Addresses written out in full are links; nothing else becomes one, or a mention of somebody. */
static size_t add_link(fh_buffer *out, fh_text rest)
{
    size_t length = address_length(rest);
    if (length) {
        fh_buffer_add_char(out, '<');
        fh_buffer_add(out, fh_text_slice(rest, 0, length));
        fh_buffer_add_char(out, '>');
    } else if (fh_text_starts(rest, "www.")) {
        fh_buffer_add_string(out, "www\\.");
        length = 4;
    } else if (fh_text_starts(rest, "://")) {
        fh_buffer_add_string(out, "\\://");
        length = 3;
    } else if (rest.data[0] == '@') {
        fh_buffer_add_string(out, NO_MENTION);
        length = 1;
    }
    return length;
}

static void add_escaped(markdown *m, fh_text text)
{
    fh_buffer *out = m->page.out;
    size_t special = m->at_start ? starts_block(text) : text.length, linked;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.data[i];
        if (strchr("hw:@", c) && c &&
            (linked = add_link(out, fh_text_slice(text, i, text.length))) > 0)
            i += linked - 1;
        else if (c == '<')
            fh_buffer_add_string(out, "&lt;");
        else if (c == '>')
            fh_buffer_add_string(out, "&gt;");
        else if (c == '&')
            fh_buffer_add_string(out, "&amp;");
        else if (i == special || (c && strchr("\\`*[]|~$", c)) ||
                 (c == '_' && !is_inside_word(text, i)))
            fh_buffer_add_format(out, "\\%c", c);
        else
            fh_buffer_add_char(out, c);
    }
}

static size_t longest_run(fh_text text, char c)
{
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < text.length; i++) {
        run = text.data[i] == c ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void repeat(fh_buffer *out, char c, size_t times)
{
    for (size_t i = 0; i < times; i++)
        fh_buffer_add_char(out, c);
}

/* In a cell, a backslash before a bar would part the cell even inside a code span. Inside of this
 * element Markdown goes on, so that all punctuation has to be spelled out. */
static void add_code_as_html(fh_buffer *out, fh_text text)
{
    fh_buffer_add_string(out, "<code>");
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '@')
            fh_buffer_add_string(out, NO_MENTION);
        else if (ispunct(c))
            fh_buffer_add_format(out, "&#%d;", c);
        else
            fh_buffer_add_char(out, (char)c);
    }
    fh_buffer_add_string(out, "</code>");
}

static void add_code(markdown *m, fh_text text)
{
    fh_buffer *out = m->page.out;
    size_t fence = longest_run(text, '`') + 1;
    bool pad = text.data[0] == '`' || text.data[text.length - 1] == '`';
    if (m->in_cell && fh_text_contains(text, "|")) {
        add_code_as_html(out, text);
        return;
    }
    repeat(out, '`', fence);
    if (pad)
        fh_buffer_add_char(out, ' ');
    fh_buffer_add(out, text);
    if (pad)
        fh_buffer_add_char(out, ' ');
    repeat(out, '`', fence);
}

/* Stars hold only around text that neither begins nor ends with a blank. */
static void add_strong(markdown *m, fh_text text)
{
    fh_text inner = fh_text_trim(text);
    size_t before = (size_t)(inner.data - text.data);
    fh_buffer_add(m->page.out, fh_text_slice(text, 0, before));
    m->at_start = false;
    if (inner.length) {
        fh_buffer_add_string(m->page.out, "**");
        add_escaped(m, inner);
        fh_buffer_add_string(m->page.out, "**");
    }
    fh_buffer_add(m->page.out, fh_text_slice(text, before + inner.length, text.length));
}

static void markdown_span(fh_page *page, fh_ink ink, fh_text text)
{
    markdown *m = (markdown *)page;
    text = cleaned(m, text);
    while (m->at_start && text.length && text.data[0] == ' ')
        text = fh_text_slice(text, 1, text.length);
    if (!text.length)
        return;
    if ((ink == FH_INK_CODE || ink == FH_INK_PLACE) && fh_text_trim(text).length)
        add_code(m, text);
    else if (ink == FH_INK_STRONG || ink == FH_INK_BAD)
        add_strong(m, text);
    else
        add_escaped(m, text);
    m->at_start = false;
}

static void markdown_heading(fh_page *page, unsigned level, const char *title)
{
    blank_line((markdown *)page);
    repeat(page->out, '#', level);
    fh_buffer_add_format(page->out, " %s\n", title);
}

static void markdown_begin(fh_page *page, unsigned depth)
{
    markdown *m = (markdown *)page;
    if (!depth || !m->in_list)
        blank_line(m);
    else
        end_block(m);
    if (depth)
        fh_buffer_add_string(page->out, depth == 1 ? "- " : "  - ");
    m->in_list = depth > 0;
    m->at_start = true;
}

static void markdown_end(fh_page *page)
{
    end_block((markdown *)page);
}

static void markdown_table(fh_page *page, const fh_column *columns, unsigned count)
{
    markdown *m = (markdown *)page;
    blank_line(m);
    for (unsigned i = 0; i < count; i++)
        fh_buffer_add_format(page->out, "| %s ", columns[i].title);
    fh_buffer_add_string(page->out, "|\n");
    for (unsigned i = 0; i < count; i++)
        fh_buffer_add_string(page->out, columns[i].right ? "|---:" : "|---");
    fh_buffer_add_string(page->out, "|\n");
    m->columns = count;
    m->cells = 0;
}

static void markdown_cell(fh_page *page)
{
    markdown *m = (markdown *)page;
    m->in_cell = true;
    m->at_start = false;
    if (m->cells && m->cells % m->columns == 0)
        fh_buffer_add_string(page->out, " |\n| ");
    else
        fh_buffer_add_string(page->out, m->cells ? " | " : "| ");
    m->cells++;
}

static void markdown_table_end(fh_page *page)
{
    markdown *m = (markdown *)page;
    if (m->cells)
        fh_buffer_add_string(page->out, " |\n");
    m->in_cell = false;
}

static void markdown_code(fh_page *page, fh_text language, fh_text code)
{
    markdown *m = (markdown *)page;
    size_t fence = longest_run(code, '`') + 1;
    fh_text line;
    if (fh_text_ends(code, "\n"))
        code.length--;
    fence = fence < 3 ? 3 : fence;
    blank_line(m);
    repeat(page->out, '`', fence);
    for (size_t i = 0; i < language.length; i++)
        if (isalnum((unsigned char)language.data[i]))
            fh_buffer_add_char(page->out, language.data[i]);
    fh_buffer_add_char(page->out, '\n');
    while (fh_text_next(&code, '\n', &line)) {
        fh_buffer_add(page->out, cleaned(m, line));
        fh_buffer_add_char(page->out, '\n');
    }
    repeat(page->out, '`', fence);
    fh_buffer_add_char(page->out, '\n');
}

static void markdown_fold(fh_page *page, const char *title, uint64_t count)
{
    blank_line((markdown *)page);
    fh_buffer_add_format(page->out, "<details><summary>%s (", title);
    fh_figure_count(page->out, count);
    fh_buffer_add_string(page->out, ")</summary>\n");
}

static void markdown_fold_end(fh_page *page)
{
    blank_line((markdown *)page);
    fh_buffer_add_string(page->out, "</details>\n");
}

static const fh_page_kind kind = {
    .heading = markdown_heading,
    .begin = markdown_begin,
    .span = markdown_span,
    .end = markdown_end,
    .table = markdown_table,
    .cell = markdown_cell,
    .table_end = markdown_table_end,
    .code = markdown_code,
    .fold = markdown_fold,
    .fold_end = markdown_fold_end,
};

void fh_report_markdown(const fh_result *result, const fh_report_options *options, fh_buffer *out)
{
    uint32_t asked = options->max_locations;
    markdown m = {
        .page =
            {
                .kind = &kind,
                .options = options,
                .out = out,
                .most_places = asked && asked < MOST_PLACES ? asked : MOST_PLACES,
                .most_rows = MOST_ROWS,
            },
    };
    fh_buffer_add_string(out, "# Foothold report\n");
    fh_sections_write(&m.page, result);
    blank_line(&m);
    fh_buffer_add_format(out, "<sub>foothold %s</sub>\n", fh_report_version(options));
    fh_buffer_free(&m.clean);
}
