/* workarounds.h: native alternatives to operators that fall back to the CPU (workarounds.tsv). */
#ifndef FH_FACTS_WORKAROUNDS_H
#define FH_FACTS_WORKAROUNDS_H

#include "base/text.h"

typedef struct {
    fh_text name;   /* API, or aten overload */
    fh_text uses;   /* APIs that the alternative calls, separated by one space */
    fh_text advice; /* what to write instead, and where it differs */
    fh_text source;
} fh_workaround;

/* The row of a canonical API name or of an overload. */
bool fh_workaround_find(fh_text name, fh_workaround *workaround);

/* Steps through all rows: start with *rest = {0}. */
bool fh_workaround_next(fh_text *rest, fh_workaround *workaround);

#endif
