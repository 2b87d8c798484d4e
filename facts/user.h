/* user.h: operators as the user's own documentation has them (import.h). */
#ifndef FH_FACTS_USER_H
#define FH_FACTS_USER_H

#include "facts/soc.h"

typedef struct fh_user_facts fh_user_facts;

typedef struct {
    fh_text name;            /* aclnnAddmm */
    fh_text chips, refused;  /* "A2,A3": product lines that have it, that do not */
    fh_text dtypes;          /* "bfloat16,float16", or "A2,A3:...|310P:..." */
    fh_text document, place; /* "reference.pdf", "page 12" */
} fh_user_operator;

/* Loads the tables operators-*.tsv of a directory; "" or NULL means `facts` in the
 * configuration directory. No directory and no tables are no error: `*facts` then knows
 * nothing. Where documents speak of the same operator, the one whose name sorts last
 * counts (8.5 after 8.3). The caller frees it. Fails with FH_INVALID, naming the file,
 * when a table is damaged; FH_IO, FH_NO_MEMORY. */
fh_status fh_user_facts_load(const char *directory, fh_user_facts **facts);
void fh_user_facts_free(fh_user_facts *facts); /* NULL is allowed */

/* Operators in all tables, and tables. */
unsigned fh_user_facts_operators(const fh_user_facts *facts);
unsigned fh_user_facts_documents(const fh_user_facts *facts);

/* Borrowed from `facts`; false when no document has the operator. NULL knows nothing. */
bool fh_user_facts_find(const fh_user_facts *facts, fh_text name, fh_user_operator *found);

typedef enum { FH_USER_UNSAID, FH_USER_TAKEN, FH_USER_REFUSED } fh_user_answer;

/* Whether the document says that a product line has the operator. */
fh_user_answer fh_user_operator_on(const fh_user_operator *item, fh_family family);

#endif
