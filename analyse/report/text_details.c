/* The sections as a page for the terminal. */
#include "analyse/report/clean.h"
#include "analyse/report/line.h"
#include "analyse/report/text.h"

enum { MOST_COLUMNS = 8, GAP = 2, INDENT = 2, SHRINK_LEAST = 10 };

typedef struct {
    fh_page page; /* first: fh_page_kind's functions are called with it */
    fh_buffer line;
    unsigned depth;
    const fh_column *columns; /* of the table that is being made up, or NULL */
    unsigned column_count;
    FH_VECTOR(size_t) cells; /* where each begins in `line` */
} text_page;

static bool color(const text_page *t)
{
    return t->page.options->color;
}

static unsigned width(const text_page *t)
{
    return fh_text_width(t->page.options);
}

static void text_heading(fh_page *page, unsigned level, const char *title)
{
    text_page *t = (text_page *)page;
    fh_buffer_add_char(page->out, '\n');
    fh_buffer_clear(&t->line);
    fh_line_add(&t->line, FH_INK_STRONG, fh_text_from(title));
    fh_line_write(page->out, fh_buffer_text(&t->line), width(t), false, color(t));
    fh_buffer_add_char(page->out, '\n');
    if (level > 2)
        return;
    for (size_t i = fh_text_from(title).length; i > 0; i--)
        fh_buffer_add_char(page->out, '=');
    fh_buffer_add_char(page->out, '\n');
}

static void text_begin(fh_page *page, unsigned depth)
{
    text_page *t = (text_page *)page;
    fh_buffer_clear(&t->line);
    t->depth = depth;
}

static void text_span(fh_page *page, fh_ink ink, fh_text text)
{
    fh_line_add(&((text_page *)page)->line, ink, text);
}

static void text_end(fh_page *page)
{
    text_page *t = (text_page *)page;
    size_t indent = t->depth * INDENT;
    fh_line_blanks(page->out, indent);
    fh_line_wrap(page->out, fh_buffer_text(&t->line), width(t), t->depth ? indent + INDENT : 0,
                 color(t));
}

static void text_table(fh_page *page, const fh_column *columns, unsigned count)
{
    text_page *t = (text_page *)page;
    fh_buffer_clear(&t->line);
    fh_vector_clear(&t->cells);
    t->columns = columns;
    t->column_count = count;
    for (unsigned i = 0; i < count; i++) {
        fh_vector_push(&t->cells, t->line.length);
        fh_line_add(&t->line, FH_INK_FAINT, fh_text_from(columns[i].title));
    }
}

static void text_cell(fh_page *page)
{
    text_page *t = (text_page *)page;
    fh_vector_push(&t->cells, t->line.length);
}

static fh_text cell(const text_page *t, uint32_t index)
{
    size_t end = index + 1 < t->cells.count ? t->cells.items[index + 1] : t->line.length;
    return fh_text_slice(fh_buffer_text(&t->line), t->cells.items[index], end);
}

static size_t table_width(const text_page *t, const size_t *widths)
{
    size_t total = INDENT;
    for (unsigned i = 0; i < t->column_count; i++)
        total += widths[i] ? widths[i] + GAP : 0;
    return total - GAP;
}

/* Leaves out the last optional column; false when there is none. */
static bool leave_out(const text_page *t, size_t *widths)
{
    for (unsigned i = t->column_count; i-- > 0;)
        if (t->columns[i].narrow == FH_COLUMN_OPTIONAL && widths[i]) {
            widths[i] = 0;
            return true;
        }
    return false;
}

/* Until the table fits: leaves out optional columns, then takes from the widest of those that may
 * shrink. A width of 0 means that the column is not shown. */
static void fit(const text_page *t, size_t *widths)
{
    for (unsigned i = 0; i < t->column_count; i++)
        if (t->columns[i].narrow == FH_COLUMN_SHRINKS && widths[i] > width(t))
            widths[i] = width(t);
    while (table_width(t, widths) > width(t) && leave_out(t, widths))
        ;
    while (table_width(t, widths) > width(t)) {
        unsigned widest = MOST_COLUMNS;
        for (unsigned i = 0; i < t->column_count; i++)
            if (t->columns[i].narrow == FH_COLUMN_SHRINKS && widths[i] > SHRINK_LEAST &&
                (widest == MOST_COLUMNS || widths[i] >= widths[widest]))
                widest = i;
        if (widest == MOST_COLUMNS)
            return;
        widths[widest]--;
    }
}

static void table_row(text_page *t, uint32_t first, const size_t *widths)
{
    fh_buffer *out = t->page.out;
    size_t at = INDENT, owed = INDENT;
    for (unsigned i = 0; i < t->column_count && first + i < t->cells.count; i++) {
        const fh_column *column = &t->columns[i];
        if (!widths[i])
            continue;
        fh_text text = cell(t, first + i);
        size_t taken = fh_line_width(text);
        bool last = i + 1 == t->column_count;
        size_t before = column->right && taken < widths[i] ? widths[i] - taken : 0;
        if (taken) {
            fh_line_blanks(out, owed + before);
            owed = 0;
        }
        if (last && column->narrow == FH_COLUMN_SHRINKS && taken) {
            fh_line_wrap(out, text, at + widths[i], at, color(t));
            return;
        }
        fh_line_write(out, text, widths[i], false, color(t));
        size_t shown = taken < widths[i] ? taken : widths[i];
        owed = taken ? widths[i] - shown - before + GAP : owed + widths[i] + GAP;
        at += widths[i] + GAP;
    }
    fh_buffer_add_char(out, '\n');
}

static void text_table_end(fh_page *page)
{
    text_page *t = (text_page *)page;
    size_t widths[MOST_COLUMNS] = {0};
    if (t->cells.failed || t->line.failed || t->column_count > MOST_COLUMNS) {
        page->out->failed = true;
        return;
    }
    for (uint32_t i = 0; i < t->cells.count; i++) {
        size_t taken = fh_line_width(cell(t, i));
        if (taken > widths[i % t->column_count])
            widths[i % t->column_count] = taken;
    }
    fit(t, widths);
    for (uint32_t i = 0; i < t->cells.count; i += t->column_count)
        table_row(t, i, widths);
}

static void text_code(fh_page *page, fh_text language, fh_text code)
{
    fh_text line;
    (void)language;
    if (fh_text_ends(code, "\n"))
        code.length--;
    while (fh_text_next(&code, '\n', &line)) {
        if (line.length)
            fh_line_blanks(page->out, 4);
        fh_clean_add(page->out, line);
        fh_buffer_add_char(page->out, '\n');
    }
}

static void text_fold(fh_page *page, const char *title, uint64_t count)
{
    text_page *t = (text_page *)page;
    fh_buffer_add_char(page->out, '\n');
    text_begin(page, 0);
    fh_page_format(page, FH_INK_STRONG, "%s (", title);
    fh_page_count(page, FH_INK_STRONG, count);
    fh_page_say(page, FH_INK_STRONG, ")");
    t->depth = 0;
    text_end(page);
}

static void text_fold_end(fh_page *page)
{
    (void)page;
}

static const fh_page_kind kind = {
    .heading = text_heading,
    .begin = text_begin,
    .span = text_span,
    .end = text_end,
    .table = text_table,
    .cell = text_cell,
    .table_end = text_table_end,
    .code = text_code,
    .fold = text_fold,
    .fold_end = text_fold_end,
};

void fh_text_details(const fh_result *result, const fh_report_options *options, fh_buffer *out)
{
    text_page t = {
        .page =
            {
                .kind = &kind,
                .options = options,
                .out = out,
                .most_places = options->max_locations,
                .most_rows = UINT32_MAX,
            },
    };
    fh_sections_write(&t.page, result);
    if (t.line.failed)
        out->failed = true;
    fh_buffer_free(&t.line);
    fh_vector_free(&t.cells);
}
