/* import.h: operator documentation of the user's own, made into a table.
 *
 * CANN's operator-library reference is read as a user has it: the PDF (through
 * poppler's pdftotext), saved web pages, Markdown from the operator repositories,
 * or a CSV of one's own. For each aclnn operator the table holds the product lines
 * that have it and those that do not, the data types, and where that stands.
 */
#ifndef FH_FACTS_IMPORT_H
#define FH_FACTS_IMPORT_H

#include "base/status.h"
#include "base/text.h"

typedef enum {
    FH_IMPORT_AUTO, /* by the end of the file's name */
    FH_IMPORT_PDF,
    FH_IMPORT_PDF_TEXT, /* what pdftotext -layout wrote */
    FH_IMPORT_HTML,
    FH_IMPORT_MARKDOWN,
    FH_IMPORT_CSV,
} fh_import_kind;

typedef struct {
    unsigned operators;     /* in the table */
    unsigned with_products; /* those with product lines, */
    unsigned with_dtypes;   /* and with data types */
} fh_import_summary;

/* Reads `path` and writes the table DIRECTORY/operators-NAME.tsv, where NAME is the file's;
 * the directory is made, and "" or NULL means `facts` in the configuration directory. The
 * table's path is appended to `written`, which may be NULL. An import of the same name
 * replaces the one before.
 *
 * Fails with FH_NOT_FOUND (the file, or pdftotext), FH_INVALID when the file describes no
 * operator or cannot be read as its kind, FH_LIMIT above 512 MiB, FH_UNSUPPORTED for
 * other kinds, FH_IO, FH_INTERRUPTED, FH_NO_MEMORY. */
fh_status fh_facts_import(const char *path, fh_import_kind kind, const char *directory,
                          fh_buffer *written, fh_import_summary *summary);

/* The same from text in memory (not FH_IMPORT_AUTO or FH_IMPORT_PDF) to a table in memory;
 * takes any bytes. `document` is how verdicts will cite it. */
fh_status fh_facts_import_text(fh_import_kind kind, fh_text text, fh_text document,
                               fh_buffer *table, fh_import_summary *summary);

#endif
