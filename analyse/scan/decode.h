/* decode.h: from the bytes of a source file to UTF-8.
 *
 * The order of decisions: a byte order mark; for Python, a coding line (PEP
 * 263) that iconv knows; UTF-8; GBK, when all of it decodes and looks Chinese;
 * Latin-1, which always succeeds. So every text comes out, always valid UTF-8,
 * with a note when it is not what the language says it must be.
 */
#ifndef FH_ANALYSE_SCAN_DECODE_H
#define FH_ANALYSE_SCAN_DECODE_H

#include "base/status.h"
#include "base/text.h"

typedef struct {
    fh_text text;   /* valid UTF-8 without a byte order mark; part of the input or of `storage` */
    bool ascii;     /* no byte above 127: columns are byte offsets */
    bool marked;    /* there was a byte order mark */
    char note[160]; /* "" or what is odd: "not UTF-8, no coding line; read as GBK" */
    char encoding[32]; /* iconv's name of what it was read as: "UTF-8", "GBK", "LATIN1" */
} fh_decoded;

/* Decodes `bytes`; `python` says whether a coding line counts. `storage` is
 * cleared, and filled only when the text is not the input itself; both must
 * outlive `decoded`. Fails with FH_UNSUPPORTED when it is not text (a 0 byte),
 * FH_NO_MEMORY. */
fh_status fh_decode(fh_text bytes, bool python, fh_buffer *storage, fh_decoded *decoded);

/* Where places in decoded->text stand in the `bytes` that it was made of: replaces the `count`
 * ascending offsets, each at the start of a character or at the end. False, with the offsets half
 * done, where a character is not bytes of its own (UTF-16, UTF-32), or memory ran out. */
bool fh_decode_align(fh_text bytes, const fh_decoded *decoded, uint32_t *offsets, size_t count);

#endif
