/* packages.h: third-party packages and what becomes of them on Ascend (packages.tsv).
 *
 * Texts are borrowed from the program itself; source holds ids for fh_sources_add.
 */
#ifndef FH_FACTS_PACKAGES_H
#define FH_FACTS_PACKAGES_H

#include "base/text.h"

// clang-format off
#define FH_PACKAGE_MAP(X) \
    X(RUNS,        "runs") \
    X(COUNTERPART, "counterpart") \
    X(PARTIAL,     "partial") \
    X(BLOCKS,      "blocks") \
    X(UNKNOWN,     "unknown")
// clang-format on

#define X(name, text) FH_PACKAGE_##name,
typedef enum { FH_PACKAGE_MAP(X) FH_PACKAGE_VERDICTS } fh_package_verdict;
#undef X

typedef struct {
    fh_text name; /* import root or dotted API */
    fh_text pip;  /* names on PyPI, separated by one space */
    fh_package_verdict verdict;
    fh_text what, counterpart, advice, source;
} fh_package;

/* The row of exactly that name. */
bool fh_package_of(fh_text name, fh_package *package);

/* The row of `name`, or of its longest dotted prefix that has one:
 * "flash_attn.flash_attn_func" finds "flash_attn" when nothing closer is there. */
bool fh_package_find(fh_text name, fh_package *package);

/* The row whose pip column has `project` (case, '-', '_' and '.' as PyPI compares
 * them, PEP 503), the import root before an API of it. */
bool fh_package_find_project(fh_text project, fh_package *package);

/* Steps through all rows: start with *rest = {0}. */
bool fh_package_next(fh_text *rest, fh_package *package);

const char *fh_package_verdict_name(fh_package_verdict verdict);

#endif
