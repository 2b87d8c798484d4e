/* environment.h: environment variables of CUDA, NCCL and PyTorch, and what to set on
 * Ascend (environment.tsv). */
#ifndef FH_FACTS_ENVIRONMENT_H
#define FH_FACTS_ENVIRONMENT_H

#include "base/text.h"

typedef struct {
    fh_text name;
    fh_text replacement; /* empty: none */
    bool mechanical;     /* can be renamed with its value kept */
    fh_text note, source;
} fh_environment;

/* The row of a variable. One that begins with NCCL_ and has none is not read by HCCL:
 * then `note` says so and `replacement` is empty. False for any other without a row. */
bool fh_environment_find(fh_text name, fh_environment *environment);

/* Steps through all rows: start with *rest = {0}. */
bool fh_environment_next(fh_text *rest, fh_environment *environment);

#endif
