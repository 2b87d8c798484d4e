/* page.h: what the sections of a report are written with.
 *
 * Text and Markdown each fill in a fh_page: sections.c says what stands in a report, the page how
 * it looks. Texts given to span() and code() may hold anything and are cleaned and escaped there;
 * the others are ours. A page is used in this order: blocks (heading, paragraph or item, table,
 * code, fold) one after the other; spans inside a paragraph, an item or a cell.
 */
#ifndef FH_REPORT_PAGE_H
#define FH_REPORT_PAGE_H

#include "analyse/report/figures.h"
#include "analyse/report/report.h"

typedef enum {
    FH_INK_PLAIN,
    FH_INK_STRONG,
    FH_INK_FAINT,
    FH_INK_CODE,  /* names of operators, kernels, rules */
    FH_INK_PLACE, /* file:line:column; never broken across lines */
    FH_INK_GOOD,
    FH_INK_CAUTION,
    FH_INK_BAD,
    FH_INK_COUNT,
} fh_ink;

typedef struct {
    const char *title;
    bool right; /* aligned, for numbers */
    enum {
        FH_COLUMN_FIXED,
        FH_COLUMN_SHRINKS,  /* in text, when the table is too wide */
        FH_COLUMN_OPTIONAL, /* left out then, the last of them first */
    } narrow;
} fh_column;

typedef struct fh_page fh_page;

typedef struct {
    void (*heading)(fh_page *page, unsigned level, const char *title);
    void (*begin)(fh_page *page, unsigned depth); /* 0: a paragraph; 1, 2: an item of a list */
    void (*span)(fh_page *page, fh_ink ink, fh_text text);
    void (*end)(fh_page *page);
    void (*table)(fh_page *page, const fh_column *columns, unsigned count);
    void (*cell)(fh_page *page); /* begins the next one, row by row */
    void (*table_end)(fh_page *page);
    void (*code)(fh_page *page, fh_text language, fh_text code);
    void (*fold)(fh_page *page, const char *title,
                 uint64_t count); /* what may be closed at first */
    void (*fold_end)(fh_page *page);
} fh_page_kind;

struct fh_page {
    const fh_page_kind *kind;
    const fh_report_options *options;
    fh_buffer *out;
    fh_buffer scratch;    /* for the helpers below */
    uint32_t most_places; /* listed for an operator or a rule */
    uint32_t most_rows;   /* of a table or list */
};

/* Spans of our own words, and of printf's. */
void fh_page_say(fh_page *page, fh_ink ink, const char *words);
void fh_page_format(fh_page *page, fh_ink ink, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void fh_page_count(fh_page *page, fh_ink ink, uint64_t count);
void fh_page_plural(fh_page *page, fh_ink ink, uint64_t count, const char *noun);
void fh_page_short(fh_page *page, fh_ink ink, double value);
void fh_page_bytes(fh_page *page, fh_ink ink, uint64_t bytes);
void fh_page_percent(fh_page *page, fh_ink ink, double share);
void fh_page_range(fh_page *page, fh_ink ink, double low, double high);
void fh_page_place(fh_page *page, fh_text file, uint32_t line, uint32_t column);

void fh_page_cell(fh_page *page, fh_ink ink, fh_text text);

/* A paragraph of our words. */
void fh_page_paragraph(fh_page *page, fh_ink ink, const char *words);

/* All sections of the report. */
void fh_sections_write(fh_page *page, const fh_result *result);

#endif
