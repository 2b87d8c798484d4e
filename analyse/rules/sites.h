/* sites.h: the places of a unit where something of PyTorch, or of a package known to
 * facts/packages.tsv, is used.
 */
#ifndef FH_RULES_SITES_H
#define FH_RULES_SITES_H

#include "analyse/rules/result.h"
#include "analyse/scan/resolve.h"

typedef struct {
    fh_text name;      /* canonical: torch.nn.Linear; lives as long as the resolver */
    const fh_api *api; /* NULL for other packages */
    fh_category category;
    fh_certainty certainty;
    uint32_t call;        /* 0 for an operator sign such as `@`, a decorator, map(name, ...) */
    fh_value_index value; /* CALL or BINARY value */
    uint32_t offset, end;
    uint32_t function;
} fh_site;

typedef struct {
    FH_VECTOR(fh_site) items; /* in the order of calls; operator signs last */
    FH_VECTOR(fh_site)
    others; /* what a call of `items` may be of instead: the functions and classes
               that its name stands for on other paths */
    FH_VECTOR(uint32_t) of_call; /* by call: 1 + index of its site, 0 when it has none */
} fh_sites;

/* Collects the sites of a unit into the empty `sites`; false when memory ran out. */
bool fh_sites_collect(fh_resolver *resolver, const fh_program *program, uint32_t unit,
                      fh_sites *sites);
void fh_sites_free(fh_sites *sites);

/* The site of a call, or NULL. */
const fh_site *fh_sites_of_call(const fh_sites *sites, uint32_t call);

/* The category of a public name, by its package: "torch.cuda.*" is device, ... False when
 * the name is of no interest to a report. */
bool fh_site_category(fh_text name, const fh_api *api, fh_category *category);

#endif
