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
    fh_line_write(&sheet->out, fh_buffer_text(&sheet->line), LABEL_WIDTH, false, sheet->color);
    fh_line_blanks(&sheet->out, length < LABEL_WIDTH ? LABEL_WIDTH - length : 1);
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

static void add_row(fh_sheet *sheet, const fh_text *cells, const fh_ink *inks, fh_ink usual,
                    const size_t *widths, unsigned columns)
{
    fh_buffer line = {0};
    for (unsigned c = 0; c < columns; c++) {
        fh_line_add(&line, inks ? inks[c] : usual, cells[c]);
        size_t width = width_of(sheet, cells[c]);
        if (c + 1 < columns)
            fh_line_blanks(&line, widths[c] - width + GAP);
    }
    fh_line_write(&sheet->out, fh_buffer_text(&line), sheet->width, false, sheet->color);
    while (sheet->out.length && sheet->out.data[sheet->out.length - 1] == ' ')
        sheet->out.length--;
    fh_buffer_add_char(&sheet->out, '\n');
    sheet->out.failed |= line.failed;
    fh_buffer_free(&line);
}

void fh_sheet_table(fh_sheet *sheet, const char *const *titles, unsigned columns,
                    const fh_text *cells, const fh_ink *inks, size_t rows)
{
    size_t widths[FH_SHEET_MOST_COLUMNS] = {0};
    fh_text heads[FH_SHEET_MOST_COLUMNS];
    for (unsigned c = 0; c < columns; c++) {
        heads[c] = fh_text_from(titles[c]);
        widths[c] = heads[c].length;
        for (size_t r = 0; r < rows; r++) {
            size_t width = width_of(sheet, cells[r * columns + c]);
            widths[c] = width > widths[c] ? width : widths[c];
        }
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
