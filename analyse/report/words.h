/* words.h: what the verdicts and lists are called in reports that people read. The HTML page
 * (web/src/vocabulary.ts) says the same. Unknown names are shown as they are. */
#ifndef FH_REPORT_WORDS_H
#define FH_REPORT_WORDS_H

#include "analyse/rules/result.h"

typedef struct {
    const char *label; /* "CPU fallback" */
    const char *text;  /* a sentence */
} fh_word;

fh_word fh_word_of_support(fh_support support);
fh_word fh_word_of_severity(fh_severity severity);
fh_text fh_word_of_class(fh_text name); /* "matmul": "Matrix multiplication" */
fh_text fh_word_of_bound(fh_text name); /* "host": "host-bound" */

#endif
