/* python.h: from Python text to a unit.
 *
 * One walk over the syntax tree runs the file in the abstract. Every expression
 * becomes a value; a name stands for the value last assigned to it, and where
 * paths meet (if, try, loops) for a PHI of what the paths left. So
 *
 *     F = torch.nn.functional
 *     y = F.gelu(x)
 *
 * gives a call whose callee is ATTRIBUTE(ATTRIBUTE(ATTRIBUTE(IMPORT torch, nn), functional), gelu),
 * whatever it was called in between. Bodies of functions are walked after the
 * module's own statements, when all names of the module are bound, as happens
 * when they are called. Nothing is evaluated or imported.
 *
 * Limits, on purpose: a loop body is walked once, so that a name reads as before
 * the loop or as assigned earlier in the body; `del` and exec are ignored.
 */
#ifndef FH_SCAN_PYTHON_H
#define FH_SCAN_PYTHON_H

#include "analyse/scan/program.h"
#include "analyse/scan/syntax.h"

/* Fills `unit`, fresh from fh_unit_init, from `text` (UTF-8, borrowed for the call).
 * Syntax errors become notes of the unit; what could be parsed around them is there.
 * Fails with FH_NO_MEMORY, FH_LIMIT or FH_INTERRUPTED; the unit is then to be freed. */
fh_status fh_python_read(fh_parser *parser, fh_text text, fh_unit *unit);

#endif
