/* import_operators.h: the operators that a piece of documentation describes.
 *
 * CANN's reference has a page for each operator (or for an operator and its in-place
 * form): its names as the title, "产品支持情况" with a table or "支持的产品型号" with a list
 * ("Supported Products" in English), the prototype, and for each operator a section
 * aclnnXGetWorkspaceSize that lists the parameters with their data types.
 */
#ifndef FH_FACTS_IMPORT_OPERATORS_H
#define FH_FACTS_IMPORT_OPERATORS_H

#include "base/arena.h"
#include "facts/import_lines.h"
#include "facts/import_words.h"

typedef struct {
    fh_text name;            /* aclnnAddmm */
    unsigned taken, refused; /* product lines that have it, that do not */
    fh_dtypes dtypes;        /* of the tensor that takes the most */
    fh_dtypes denied;
    uint32_t line, page; /* of its title */
    uint32_t first;      /* place of the first operator under the same title */
} fh_import_operator;

typedef struct {
    FH_VECTOR(fh_import_operator) items; /* in the order of the document */
    fh_arena names;
} fh_import_operators;

/* Finds the operators in lines. Those of which neither products nor data types are said
 * are left out. Fails with FH_NO_MEMORY. */
fh_status fh_import_operators_of_lines(const fh_import_lines *lines,
                                       fh_import_operators *operators);

/* Finds the operators in a table with a row for each: a column with their names, and
 * columns for products, data types, or one for each product. Fails with FH_INVALID when
 * there is no column of operators, FH_NO_MEMORY. */
fh_status fh_import_operators_of_csv(fh_text text, const char *name,
                                     fh_import_operators *operators);

void fh_import_operators_free(fh_import_operators *operators);

/* Whether all of `text` is the name of an aclnn operator. */
bool fh_import_is_operator(fh_text text);

#endif
