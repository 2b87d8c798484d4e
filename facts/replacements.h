/* replacements.h: CUDA names and what stands in for them on Ascend (replacements.tsv). */
#ifndef FH_FACTS_REPLACEMENTS_H
#define FH_FACTS_REPLACEMENTS_H

#include "facts/release.h"

typedef enum {
    FH_REPLACES_API,    /* dotted Python name */
    FH_REPLACES_MODULE, /* import root */
    FH_REPLACES_STRING, /* a literal */
} fh_replaces;

typedef struct {
    fh_text name;
    fh_replaces kind;
    fh_text replacement; /* empty: nothing stands in for it */
    bool mechanical;     /* right without looking */
    fh_text releases;    /* that have the replacement; empty: all */
    fh_text note, source;
} fh_replacement;

/* The row of an API or module; the longest dotted prefix that is a module counts, and
 * its replacement then stands for the prefix alone. */
bool fh_replacement_find(fh_text name, fh_replacement *replacement);

/* The row of a string literal, given without quotes: cuda, cuda:3, nccl. For
 * cuda:N the replacement in the row has an N too. */
bool fh_replacement_find_string(fh_text literal, fh_replacement *replacement);

/* Steps through all rows: start with *rest = {0}. */
bool fh_replacement_next(fh_text *rest, fh_replacement *replacement);

/* Whether the replacement is there in a release. */
bool fh_replacement_in(const fh_replacement *replacement, fh_release release);

#endif
