/* size.h: parameters and work of a module whose sizes stand in the text. */
#ifndef FH_RULES_SIZE_H
#define FH_RULES_SIZE_H

#include "analyse/rules/sites.h"

typedef struct {
    double parameters; /* learned numbers; < 0 when not known */
    double flops;    /* of the forward pass, a multiplication and an addition are two; < 0 when not
                        known */
    const char *per; /* what flops counts for: "token", "pixel" of the output, "sample" */
    double moved; /* numbers read and written for each of those, besides parameters; 0: not known */
} fh_size;

extern const fh_size fh_size_unknown;

/* The size of what a site makes; all < 0 when the sizes are not literals or constants. */
fh_size fh_size_of(fh_resolver *resolver, uint32_t unit, const fh_unit *u, const fh_site *site);

/* The text that fh_size.per has for `name`, which lives as long as the program; NULL when it has
 * none. */
const char *fh_size_per(fh_text name);

#endif
