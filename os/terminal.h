/* terminal.h: the terminal, and writing to it or to what stands in its place. */
#ifndef FH_OS_TERMINAL_H
#define FH_OS_TERMINAL_H

#include "base/status.h"
#include "base/text.h"

typedef enum { FH_STDOUT = 1, FH_STDERR = 2 } fh_output;

/* Writes all of `text`. Fails with FH_IO; when the reader has gone away (a
 * closed pipe) SIGPIPE does not end the process, and fh_output_closed() tells
 * this apart from a real error such as a full disk. */
fh_status fh_output_write(fh_output output, fh_text text);

/* True when the last failure of fh_output_write() was a closed pipe. */
bool fh_output_closed(void);

bool fh_terminal_is(fh_output output);

/* Columns: COLUMNS when it is a positive number, else what the terminal says,
 * else 80; from 20 to 1,000. */
unsigned fh_terminal_width(fh_output output);

/* Lines of the terminal; 0 when it is none, or does not say. */
unsigned fh_terminal_height(fh_output output);

/* Whether to write colours when the user did not say: NO_COLOR (any text)
 * says no, CLICOLOR_FORCE (any but "" and "0") yes, TERM of "dumb" or none no;
 * otherwise whether it is a terminal. https://no-color.org,
 * https://bixense.com/clicolors */
bool fh_terminal_color(fh_output output);

#endif
