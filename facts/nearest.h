/* nearest.h: names that someone may have meant. */
#ifndef FH_FACTS_NEAREST_H
#define FH_FACTS_NEAREST_H

#include "base/text.h"

enum { FH_NEAREST_COUNT = 3 };

/* The best candidates seen so far, best first; start with {0}. */
typedef struct {
    fh_text names[FH_NEAREST_COUNT];
    unsigned distances[FH_NEAREST_COUNT];
    unsigned count;
} fh_nearest;

/* Offers `candidate` as what `typed` was meant to be. It is kept when at most a
 * third of the letters differ (changed, missing, surplus or swapped; case does
 * not count), or when it contains all of `typed` and that has 3 letters or more.
 * Borrows the candidate. */
void fh_nearest_offer(fh_nearest *nearest, fh_text typed, fh_text candidate);

/* Appends "; did you mean A, B or C?", or nothing when there is no candidate. */
void fh_nearest_add(fh_buffer *buffer, const fh_nearest *nearest);

#endif
