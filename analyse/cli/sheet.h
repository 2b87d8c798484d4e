/* sheet.h: what the commands that answer questions write: text for the terminal, or JSON. */
#ifndef FH_CLI_SHEET_H
#define FH_CLI_SHEET_H

#include "analyse/cli/options.h"
#include "analyse/report/page.h"
#include "base/json_write.h"

typedef struct {
    fh_buffer out;
    fh_buffer line;
    unsigned width;
    bool color;
    bool is_json;
    fh_json_writer json;
} fh_sheet;

/* Opens a sheet in the format that --format asks for; as JSON it is one object that begins with
 * "schema". False, with a message, for formats other than text and json. */
bool fh_sheet_open(fh_sheet *sheet, const fh_options *options);

/* Prints it and frees it; the exit code. */
int fh_sheet_close(fh_sheet *sheet);

/* Text: a line of spans, cut at the width. */
void fh_sheet_span(fh_sheet *sheet, fh_ink ink, fh_text text);
void fh_sheet_end(fh_sheet *sheet);

/* Text: "  label      text", the text wrapped beside the label; nothing when it is empty. */
void fh_sheet_field(fh_sheet *sheet, const char *label, fh_ink ink, fh_text text);
void fh_sheet_format(fh_sheet *sheet, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Text: a paragraph, wrapped. */
void fh_sheet_paragraph(fh_sheet *sheet, fh_ink ink, fh_text text);

enum { FH_SHEET_MOST_COLUMNS = 8 };

/* Text: rows of cells, row by row, under titles. The last column takes what is left of the width
 * and is cut there. inks may be NULL, or hold one ink for each cell. */
void fh_sheet_table(fh_sheet *sheet, const char *const *titles, unsigned columns,
                    const fh_text *cells, const fh_ink *inks, size_t rows);

/* JSON: an array of the parts of a list. */
void fh_sheet_list(fh_sheet *sheet, const char *key, fh_text list, char separator);

#endif
