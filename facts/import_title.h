/* import_title.h: lines of documentation that name the operators of a page. */
#ifndef FH_FACTS_IMPORT_TITLE_H
#define FH_FACTS_IMPORT_TITLE_H

#include "base/text.h"

enum { FH_IMPORT_MOST_ON_A_PAGE = 8 };

/* Operators that one page is about. */
typedef struct {
    fh_text names[FH_IMPORT_MOST_ON_A_PAGE]; /* borrowed from the line */
    unsigned count;
    uint32_t index; /* of the line that names them */
} fh_import_title;

/* Reads a line that is nothing but names of operators; false when it is something else. */
bool fh_import_title_read(fh_text line, uint32_t index, fh_import_title *read);

/* Cuts heading marks and chapter numbers off the start: "## ", "4.3.12 ". */
fh_text fh_import_without_number(fh_text line);

#endif
