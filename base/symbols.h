/* symbols.h: a set of distinct texts, each known by a small number.
 *
 * Symbol 0 is the empty text. Numbers count up in the order of first use.
 * Texts are kept as one block, so that a set can be written to a file and
 * read back (fh_symbols_load). Not thread-safe for adding; reading from several
 * threads is safe while nobody adds.
 */
#ifndef FH_BASE_SYMBOLS_H
#define FH_BASE_SYMBOLS_H

#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"

typedef uint32_t fh_symbol;

typedef FH_VECTOR(uint32_t) fh_offset_vector;

typedef struct {
    fh_buffer bytes;          /* all texts, back to back */
    fh_offset_vector offsets; /* where text i begins; its end is where the next begins */
    uint32_t *slots;          /* open addressing: symbol + 1, or 0 when free */
    uint32_t slot_mask;
    bool failed;
} fh_symbols;

/* Makes the set {""}; failure is remembered in `failed`. */
void fh_symbols_init(fh_symbols *symbols);
void fh_symbols_free(fh_symbols *symbols);

/* Replaces the set by texts that were once `bytes` and `offsets` of another set. The offsets
 * must not fall, begin with 0, 0 and end with the length of `bytes`. False when memory ran
 * out, or a text stands there twice. */
bool fh_symbols_load(fh_symbols *symbols, fh_text bytes, const fh_offset_vector *offsets);

/* The number of `text`, which is added when it is new; 0 when memory ran out. */
fh_symbol fh_symbols_add(fh_symbols *symbols, fh_text text);

/* The number of `text`, or 0 when it is not in the set. */
fh_symbol fh_symbols_find(const fh_symbols *symbols, fh_text text);

/* Borrowed until the next add. */
fh_text fh_symbols_text(const fh_symbols *symbols, fh_symbol symbol);

/* The first symbol from `from` (1 or more) on whose text contains `part`; 0 when there is none. */
fh_symbol fh_symbols_with(const fh_symbols *symbols, fh_text part, fh_symbol from);

/* Number of symbols, the empty one included. */
uint32_t fh_symbols_count(const fh_symbols *symbols);

#endif
