/* parse_text.h: tree-sitter over a text in memory, with an end to its patience. */
#ifndef FH_SCAN_PARSE_TEXT_H
#define FH_SCAN_PARSE_TEXT_H

#include "base/text.h"

#include <stdint.h>
#include <tree_sitter/api.h>

/* Sound text of any grammar here takes two or three steps of the parser for each byte. */
enum { FH_PARSE_NO_LIMIT = 0 };

/* The tree of `text` by the grammar that `parser` has, the caller's. NULL when it would take more
 * than `most_steps` steps of the parser, or was interrupted (os/interrupt.h): the parser is then
 * to be deleted, or reset. */
TSTree *fh_parse_text(TSParser *parser, fh_text text, uint64_t most_steps);

#endif
