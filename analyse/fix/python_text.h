/* python_text.h: the little that edits need to know of Python's text around a place. */
#ifndef FH_FIX_PYTHON_TEXT_H
#define FH_FIX_PYTHON_TEXT_H

#include "base/text.h"

/* A string literal at an offset: what stands between its quotes, as written. */
typedef struct {
    uint32_t begin, end;  /* of the content */
    uint32_t literal_end; /* behind the closing quote */
    bool is_format;       /* f"..." */
} fh_literal;

/* False when there is no literal with an end at `offset`. */
bool fh_python_literal(fh_text text, uint32_t offset, fh_literal *literal);

/* Offset of the last byte before `offset` that is no blank or line end; text.length when none. */
size_t fh_python_before(fh_text text, size_t offset);

/* The word (letters, digits, '_') that ends before `offset`, blanks between; may be empty. */
fh_text fh_python_word_before(fh_text text, size_t offset);
fh_text fh_python_word_after(fh_text text, size_t offset);

/* The name that `NAME = ` or `NAME: annotation = ` in front of `offset` gives a value; empty when
 * there is no such thing. Of `self.device = ` it is "device". */
fh_text fh_python_assigned_name(fh_text text, size_t offset);

/* The operand that ends before `offset`, or begins behind it, blanks between: names with dots,
 * calls and indices, `str(x.device)`, `args["device"].type`. Empty when something else stands
 * there, or when it is part of a larger expression. */
fh_text fh_python_operand_before(fh_text text, size_t offset);
fh_text fh_python_operand_after(fh_text text, size_t offset);

/* What [begin, end) is compared with by ==, !=, is, in, not in; empty when that cannot be told. */
fh_text fh_python_compared_with(fh_text text, size_t begin, size_t end);

/* Behind the bracket that closes the one at `offset`; text.length when there is none. */
size_t fh_python_close(fh_text text, size_t offset);

/* Whether [begin, end) is a statement of its own, alone on its line but for a comment. */
bool fh_python_is_statement(fh_text text, size_t begin, size_t end);

/* A quotation mark that a new literal at `offset` may have: not the one of a literal around it. */
char fh_python_quote_at(fh_text text, size_t offset);

/* Whether [begin, end) is one side of ==, !=, is, in, not in. */
bool fh_python_is_compared(fh_text text, size_t begin, size_t end);

/* Behind the end of the logical line that `offset` is in: brackets, strings and continued lines
 * hold it together. */
size_t fh_python_line_end(fh_text text, size_t offset);

#endif
