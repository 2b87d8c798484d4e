/* clean.h: text of any origin made safe to show. */
#ifndef FH_REPORT_CLEAN_H
#define FH_REPORT_CLEAN_H

#include "base/text.h"

/* Appends `text` as valid UTF-8 on one line: line breaks and tabs become blanks; bytes that are
 * not UTF-8 become U+FFFD; control characters and those that turn the direction of writing or
 * cannot be seen are spelled out ("\x1b", "\u202e"), so that they cannot act. */
void fh_clean_add(fh_buffer *out, fh_text text);

#endif
