/* verdicts.h: support verdicts, each worked out once for one release and chip. */
#ifndef FH_RULES_VERDICTS_H
#define FH_RULES_VERDICTS_H

#include "base/symbols.h"
#include "base/vector.h"
#include "facts/support.h"

typedef struct {
    fh_symbols names;
    FH_VECTOR(fh_verdict *) verdicts; /* by symbol */
    fh_arena arena;
} fh_verdicts;

void fh_verdicts_init(fh_verdicts *verdicts);
void fh_verdicts_free(fh_verdicts *verdicts);

/* The verdict for `name`; lives as long as `verdicts`. All calls must ask for the same query.
 * NULL when memory ran out. Not thread-safe. */
const fh_verdict *fh_verdicts_of(fh_verdicts *verdicts, const fh_support_query *query,
                                 fh_text name);

#endif
