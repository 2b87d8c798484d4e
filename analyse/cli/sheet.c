#include "analyse/cli/sheet.h"
#include "analyse/cli/commands.h"
#include "analyse/report/line.h"
#include "os/terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LABEL_WIDTH = 14, GAP = 2 };

bool fh_sheet_open(fh_sheet *sheet, const fh_options *options)
{
    uint32_t count;
    const char *format = fh_report_formats(&count)[options->format].name;
    *sheet = (fh_sheet){
        .width = fh_terminal_width(FH_STDOUT),
        .color = fh_options_color(options, FH_STDOUT),
        .is_json = strcmp(format, "json") == 0,
    };
    sheet->width = sheet->width < 40 ? 40 : sheet->width;
    if (!sheet->is_json && strcmp(format, "text") != 0) {
        fh_message("--format: %s writes text or json, not %s",
                   fh_command_of(options->command)->name, format);
        return false;
    }
    sheet->json = fh_json_writer_to(&sheet->out, 2, false);
    if (sheet->is_json) {
        fh_json_write_object(&sheet->json, NULL);
        fh_json_write_integer(&sheet->json, "schema", 1);
    }
    return true;
}

int fh_sheet_close(fh_sheet *sheet)
{
    int code = FH_EXIT_ERROR;
    if (sheet->is_json) {
        fh_json_write_end(&sheet->json);
        fh_buffer_add_char(&sheet->out, '\n');
    }
    if (sheet->out.failed || sheet->line.failed)
        fh_message("out of memory");
    else
        code = fh_command_print(fh_buffer_text(&sheet->out));
    fh_buffer_free(&sheet->out);
    fh_buffer_free(&sheet->line);
    return code;
}

void fh_sheet_span(fh_sheet *sheet, fh_ink ink, fh_text text)
{
    fh_line_add(&sheet->line, ink, text);
}

void fh_sheet_end(fh_sheet *sheet)
{
    fh_line_write(&sheet->out, fh_buffer_text(&sheet->line), sheet->width, false, sheet->color);
    fh_buffer_add_char(&sheet->out, '\n');
    fh_buffer_clear(&sheet->line);
}

void fh_sheet_field(fh_sheet *sheet, const char *label, fh_ink ink, fh_text text)
{
    size_t length = strlen(label);
    if (!text.length)
        return;
    fh_line_blanks(&sheet->out, GAP);
    fh_buffer_clear(&sheet->line);
    fh_line_add(&sheet->line, FH_INK_FAINT, fh_text_from(label));
    fh_line_write(&sheet->out, fh_buffer_text(&sheet->line), SIZE_MAX, false, sheet->color);
    if (length >= LABEL_WIDTH) {
        fh_buffer_add_char(&sheet->out, '\n');
        length = 0;
        fh_line_blanks(&sheet->out, GAP);
    }
    fh_line_blanks(&sheet->out, LABEL_WIDTH - length);
    fh_buffer_clear(&sheet->line);
    fh_line_add(&sheet->line, ink, text);
    fh_line_wrap(&sheet->out, fh_buffer_text(&sheet->line), sheet->width, GAP + LABEL_WIDTH,
                 sheet->color);
    fh_buffer_clear(&sheet->line);
}

void fh_sheet_format(fh_sheet *sheet, const char *label, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fh_sheet_field(sheet, label, FH_INK_PLAIN, fh_text_from(text));
}

void fh_sheet_paragraph(fh_sheet *sheet, fh_ink ink, fh_text text)
{
    fh_buffer_clear(&sheet->line);
    fh_line_add(&sheet->line, ink, text);
    fh_line_wrap(&sheet->out, fh_buffer_text(&sheet->line), sheet->width, 0, sheet->color);
    fh_buffer_clear(&sheet->line);
}

static size_t width_of(fh_sheet *sheet, fh_text text)
{
    fh_buffer_clear(&sheet->line);
    fh_line_add(&sheet->line, FH_INK_PLAIN, text);
    size_t width = fh_line_width(fh_buffer_text(&sheet->line));
    fh_buffer_clear(&sheet->line);
    return width;
}

static size_t longest_word(fh_sheet *sheet, fh_text text)
{
    size_t longest = 0;
    fh_text word;
    while (fh_text_next(&text, ' ', &word)) {
        size_t width = width_of(sheet, word);
        longest = width > longest ? width : longest;
    }
    return longest;
}

/* A row of cells, each wrapped into its column. */
static void add_row(fh_sheet *sheet, const fh_text *cells, const fh_ink *inks, fh_ink usual,
                    const size_t *widths, unsigned columns)
{
    fh_buffer wrapped[FH_SHEET_MOST_COLUMNS] = {{0}}, line = {0};
    fh_text rest[FH_SHEET_MOST_COLUMNS];
    bool more = true, failed = false;
    for (unsigned c = 0; c < columns; c++) {
        fh_buffer_clear(&line);
        fh_line_add(&line, FH_INK_PLAIN, cells[c]);
        fh_line_wrap(&wrapped[c], fh_buffer_text(&line), widths[c], 0, false);
        rest[c] = fh_buffer_text(&wrapped[c]);
        failed |= wrapped[c].failed;
    }
    while (more) {
        fh_buffer_clear(&line);
        more = false;
        for (unsigned c = 0; c < columns; c++) {
            fh_text part = {0};
            fh_text_next(&rest[c], '\n', &part);
            more |= rest[c].length > 0;
            fh_line_add(&line, inks ? inks[c] : usual, part);
            size_t width = width_of(sheet, part);
            if (c + 1 < columns)
                fh_line_blanks(&line, (widths[c] > width ? widths[c] - width : 0) + GAP);
        }
        fh_line_write(&sheet->out, fh_buffer_text(&line), SIZE_MAX, false, sheet->color);
        while (sheet->out.length && sheet->out.data[sheet->out.length - 1] == ' ')
            sheet->out.length--;
        fh_buffer_add_char(&sheet->out, '\n');
    }
    sheet->out.failed |= line.failed || failed;
    for (unsigned c = 0; c < columns; c++)
        fh_buffer_free(&wrapped[c]);
    fh_buffer_free(&line);
}

/* Takes from the widest columns until all fit; false when words would have to be broken. */
static bool fit(const fh_sheet *sheet, size_t *widths, const size_t *least, unsigned columns)
{
    size_t all = (size_t)(columns - 1) * GAP;
    for (unsigned c = 0; c < columns; c++)
        all += widths[c];
    while (all > sheet->width) {
        unsigned widest = columns;
        for (unsigned c = 0; c < columns; c++)
            if (widths[c] > least[c] && (widest == columns || widths[c] > widths[widest]))
                widest = c;
        if (widest == columns)
            return false;
        widths[widest]--;
        all--;
    }
    return true;
}

/* Where a table has no room: the cells of a row one below the other. */
static void add_list(fh_sheet *sheet, const fh_text *heads, unsigned columns, const fh_text *cells,
                     const fh_ink *inks, size_t rows)
{
    for (size_t r = 0; r < rows; r++) {
        if (r)
            fh_buffer_add_char(&sheet->out, '\n');
        for (unsigned c = 0; c < columns; c++) {
            char label[64];
            snprintf(label, sizeof label, "%.*s", FH_TEXT_ARGS(heads[c]));
            fh_sheet_field(sheet, label, inks ? inks[r * columns + c] : FH_INK_PLAIN,
                           cells[r * columns + c]);
        }
    }
}

void fh_sheet_table(fh_sheet *sheet, const char *const *titles, unsigned columns,
                    const fh_text *cells, const fh_ink *inks, size_t rows)
{
    enum { WRAP_LEAST = 10 }; /* fh_line_wrap takes no less */
    size_t widths[FH_SHEET_MOST_COLUMNS] = {0}, least[FH_SHEET_MOST_COLUMNS] = {0};
    fh_text heads[FH_SHEET_MOST_COLUMNS];
    for (unsigned c = 0; c < columns; c++) {
        heads[c] = fh_text_from(titles[c]);
        widths[c] = heads[c].length;
        least[c] = longest_word(sheet, heads[c]);
        for (size_t r = 0; r < rows; r++) {
            size_t width = width_of(sheet, cells[r * columns + c]);
            size_t word = longest_word(sheet, cells[r * columns + c]);
            widths[c] = width > widths[c] ? width : widths[c];
            least[c] = word > least[c] ? word : least[c];
        }
        least[c] = least[c] < WRAP_LEAST ? WRAP_LEAST : least[c];
        least[c] = least[c] < widths[c] ? least[c] : widths[c];
    }
    if (!fit(sheet, widths, least, columns)) {
        add_list(sheet, heads, columns, cells, inks, rows);
        return;
    }
    add_row(sheet, heads, NULL, FH_INK_STRONG, widths, columns);
    for (size_t r = 0; r < rows; r++)
        add_row(sheet, cells + r * columns, inks ? inks + r * columns : NULL, FH_INK_PLAIN, widths,
                columns);
}

void fh_sheet_list(fh_sheet *sheet, const char *key, fh_text list, char separator)
{
    fh_text part;
    fh_json_write_array(&sheet->json, key);
    while (fh_text_next(&list, separator, &part))
        if (fh_text_trim(part).length)
            fh_json_write_text(&sheet->json, NULL, fh_text_trim(part));
    fh_json_write_end(&sheet->json);
}
