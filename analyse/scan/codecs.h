/* codecs.h: names of encodings as Python writes them. */
#ifndef FH_ANALYSE_SCAN_CODECS_H
#define FH_ANALYSE_SCAN_CODECS_H

#include "base/text.h"

/* The name that a coding line gives (PEP 263), or the empty text: part of
 * `source`, looked for in its first two lines. */
fh_text fh_codecs_coding_line(fh_text source);

/* Writes iconv's name for an encoding that Python knows as `name` into `iconv`;
 * false when it is none that source text can be in. */
bool fh_codecs_iconv_name(fh_text name, char iconv[32]);

#endif
