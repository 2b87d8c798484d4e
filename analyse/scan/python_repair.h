/* python_repair.h: corrects what tree-sitter-python is known to misplace. */
#ifndef FH_SCAN_PYTHON_REPAIR_H
#define FH_SCAN_PYTHON_REPAIR_H

#include "analyse/scan/syntax.h"

/* Moves nodes of a fresh `syntax` to where CPython's parser has them. Never fails. */
void fh_python_repair(fh_syntax *syntax);

#endif
