/* python_backticks.h: `x`, which is repr(x) in Python 2. */
#ifndef FH_ANALYSE_SCAN_PYTHON_BACKTICKS_H
#define FH_ANALYSE_SCAN_PYTHON_BACKTICKS_H

#include "analyse/scan/syntax.h"

/* The grammar takes what stands between backticks for a string. Where `syntax` has such a one, it
 * is parsed once more with parentheses in their places, which keeps every offset; the value in them
 * is unknown, since it is a text and not what they hold. `text` gets what was parsed then; the
 * syntax borrows it. Fails as fh_syntax_parse does; `syntax` is then as it was. */
fh_status fh_python_read_backticks(fh_parser *parser, fh_syntax *syntax, fh_buffer *text);

#endif
