/* pep440.h: versions of Python packages and what is asked of them (PEP 440). */
#ifndef FH_FACTS_PEP440_H
#define FH_FACTS_PEP440_H

#include "base/text.h"

enum { FH_VERSION_PARTS = 12 };

typedef struct {
    uint32_t epoch;
    uint32_t parts[FH_VERSION_PARTS]; /* 2.7.1; zeros after `count` */
    unsigned count;
    char pre; /* 'a', 'b', 'r' for rc; 0 for none */
    bool has_post, has_dev;
    uint32_t pre_number, post, dev;
    fh_text local; /* "cpu" of "2.7.1+cpu"; borrowed */
} fh_version;

/* Reads a version as PEP 440 normalizes it ("v2.7.1-post1"); false when it is none. */
bool fh_version_parse(fh_text text, fh_version *version);

/* <0, 0, >0; local labels count. */
int fh_version_compare(const fh_version *a, const fh_version *b);

bool fh_version_is_pre(const fh_version *version); /* alpha, beta, rc, dev */

typedef enum { FH_SPECIFIER_NO, FH_SPECIFIER_YES, FH_SPECIFIER_INVALID } fh_specifier_answer;

/* Whether a version meets a list ">=2.1,<2.5"; the empty list takes all. Pre-releases are
 * not left out on their own account. */
fh_specifier_answer fh_specifier_contains(fh_text specifiers, const fh_version *version);

/* Whether the list leaves exactly one release open: "==2.7.1", "===2.7.1". */
bool fh_specifier_is_exact(fh_text specifiers);

#endif
