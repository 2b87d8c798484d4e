/* import_lines.h: operator documentation as plain lines, each with its place.
 *
 * Markup is taken away: tags, entities, emphasis, links, code. Rows of HTML tables
 * become one line with '|' between cells, headings begin with '#'.
 */
#ifndef FH_FACTS_IMPORT_LINES_H
#define FH_FACTS_IMPORT_LINES_H

#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"

typedef struct {
    size_t begin, end;     /* in `text` of the lines */
    uint32_t number, page; /* of the document, from 1 */
} fh_import_line;

typedef struct {
    fh_buffer text;
    FH_VECTOR(fh_import_line) lines;
} fh_import_lines;

/* Text as pdftotext writes it: a form feed before each further page. */
fh_status fh_import_lines_of_pages(fh_text text, fh_import_lines *lines);

/* HTML, or Markdown with HTML in it. */
fh_status fh_import_lines_of_markup(fh_text text, bool is_markdown, fh_import_lines *lines);

fh_text fh_import_line_text(const fh_import_lines *lines, uint32_t index);
void fh_import_lines_free(fh_import_lines *lines);

#endif
