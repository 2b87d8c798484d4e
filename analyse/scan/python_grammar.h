/* python_grammar.h: tree-sitter's Python grammar, made ready for speed. */
#ifndef FH_SCAN_PYTHON_GRAMMAR_H
#define FH_SCAN_PYTHON_GRAMMAR_H

#include <tree_sitter/api.h>

/* The grammar; it gives the trees that tree_sitter_python() gives. Any thread may call this. */
const TSLanguage *fh_python_grammar(void);

#endif
