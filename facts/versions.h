/* versions.h: releases of torch_npu and what fits them (versions.tsv). */
#ifndef FH_FACTS_VERSIONS_H
#define FH_FACTS_VERSIONS_H

#include "facts/pep440.h"

typedef struct {
    fh_text torch_npu; /* release of the package */
    bool is_on_pypi;
    fh_text torch;           /* the release that it is made for */
    fh_text requires_torch;  /* what its x86-64 wheel asks for; "" for nothing or unknown */
    fh_text product;         /* release of Ascend Extension for PyTorch */
    fh_text cann;            /* released with */
    fh_text cann_compatible; /* declared compatible, separated by one space; 'X' any number */
    fh_text python;          /* versions with a wheel, separated by one space */
    fh_text hdk;             /* drivers and firmware for that CANN */
    fh_text triton_ascend;
    fh_text note, source;
} fh_versions; /* "unknown" and "none" stand as in the table */

/* Steps through all rows: start with *rest = {0}. */
bool fh_versions_next(fh_text *rest, fh_versions *versions);

/* The row of a release, written in any way that PEP 440 has for it; local labels do not
 * count. */
bool fh_versions_find(fh_text torch_npu, fh_versions *versions);

/* The newest torch_npu on PyPI that is made for a torch (2.7.1) and is no pre-release. */
bool fh_versions_for_torch(const fh_version *torch, fh_versions *versions);

/* Whether a version of CANN, driver or Python is in a list of the table: "8.5.X" takes
 * 8.5.0, 8.5.1 and 8.5; case does not count. False for lists that are "unknown". */
bool fh_versions_list_has(fh_text list, fh_text version);

/* Whether the list says anything. */
bool fh_versions_is_known(fh_text list);

#endif
