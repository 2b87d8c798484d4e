/* Operands and statements, told from the text around a place. */
#include "analyse/fix/python_text.h"

#include <string.h>

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\\';
}

/* The bracket that the one at `offset` closes; text.length when there is none near. Strings are
 * not looked at: a bracket in one makes the operand unclear, no more. */
static size_t open_before(fh_text text, size_t offset)
{
    enum { NEAR = 400 };
    unsigned depth = 0;
    for (size_t at = offset + 1, steps = 0; at-- > 0 && steps < NEAR; steps++) {
        char c = text.data[at];
        if (c == ')' || c == ']' || c == '}')
            depth++;
        else if ((c == '(' || c == '[' || c == '{') && --depth == 0)
            return at;
    }
    return text.length;
}

size_t fh_python_close(fh_text text, size_t offset)
{
    unsigned depth = 0;
    for (size_t at = offset; at < text.length;) {
        char c = text.data[at];
        fh_literal literal;
        if (c == '#') {
            while (at < text.length && text.data[at] != '\n' && text.data[at] != '\r')
                at++;
            continue;
        }
        if ((c == '"' || c == '\'') && fh_python_literal(text, (uint32_t)at, &literal)) {
            at = literal.literal_end;
            continue;
        }
        if (c == '(' || c == '[' || c == '{')
            depth++;
        else if ((c == ')' || c == ']' || c == '}') && --depth == 0)
            return at + 1;
        at++;
    }
    return text.length;
}

static bool is_any(fh_text word, const char *const *words)
{
    while (*words && !fh_text_is(word, *words))
        words++;
    return *words != NULL;
}

/* Whether an expression may begin behind `offset`: what stands there binds weaker than ==. */
static bool may_begin(fh_text text, size_t offset)
{
    static const char *const words[] = {"if",     "elif", "and",   "or",     "not",
                                        "return", "else", "while", "assert", "lambda",
                                        "yield",  "when", "for",   NULL};
    size_t at = offset;
    while (at > 0 && (text.data[at - 1] == ' ' || text.data[at - 1] == '\t'))
        at--;
    if (at == 0)
        return true;
    char c = text.data[at - 1];
    if (c == '=')
        return at < 2 || !strchr("=!<>", text.data[at - 2]);
    return strchr("([{,:;\n\r", c) || is_any(fh_python_word_before(text, offset), words);
}

static bool may_end(fh_text text, size_t offset)
{
    static const char *const words[] = {"and", "or", "if", "else", "for", NULL};
    size_t at = offset;
    while (at < text.length && (text.data[at] == ' ' || text.data[at] == '\t'))
        at++;
    return at >= text.length || strchr(")]},:;\n\r#", text.data[at]) ||
           is_any(fh_python_word_after(text, offset), words);
}

fh_text fh_python_operand_before(fh_text text, size_t offset)
{
    size_t end = offset;
    while (end > 0 && is_blank(text.data[end - 1]))
        end--;
    size_t at = end;
    for (;;) {
        while (at > 0 && (text.data[at - 1] == ')' || text.data[at - 1] == ']')) {
            at = open_before(text, at - 1);
            if (at >= text.length)
                return (fh_text){0};
        }
        size_t word = at;
        while (at > 0 && is_word(text.data[at - 1]))
            at--;
        if (at == word) /* `(a + b).type`: a bracket without a name before it */
            return (fh_text){0};
        if (at == 0 || text.data[at - 1] != '.')
            break;
        at--;
    }
    return may_begin(text, at) ? fh_text_slice(text, at, end) : (fh_text){0};
}

fh_text fh_python_operand_after(fh_text text, size_t offset)
{
    while (offset < text.length && is_blank(text.data[offset]))
        offset++;
    size_t at = offset;
    for (;;) {
        size_t word = at;
        while (at < text.length && is_word(text.data[at]))
            at++;
        if (at == word)
            return (fh_text){0};
        while (at < text.length && (text.data[at] == '(' || text.data[at] == '['))
            at = fh_python_close(text, at);
        if (at >= text.length || text.data[at] != '.')
            break;
        at++;
    }
    return may_end(text, at) ? fh_text_slice(text, offset, at) : (fh_text){0};
}

/* Where the sign or word of comparison in front of `offset` begins; text.length without one. */
static size_t sign_before(fh_text text, size_t offset)
{
    size_t before = fh_python_before(text, offset);
    if (before >= text.length)
        return text.length;
    if (text.data[before] == '=')
        return before > 0 && strchr("=!", text.data[before - 1]) ? before - 1 : text.length;
    fh_text word = fh_python_word_before(text, offset);
    size_t at = (size_t)(word.data - text.data);
    if (fh_text_is(word, "in") || fh_text_is(word, "not")) {
        fh_text earlier = fh_python_word_before(text, at);
        if (fh_text_is(word, "in") && fh_text_is(earlier, "not"))
            at = (size_t)(earlier.data - text.data);
        else if (fh_text_is(word, "not"))
            at = fh_text_is(earlier, "is") ? (size_t)(earlier.data - text.data) : text.length;
        return at;
    }
    return fh_text_is(word, "is") ? at : text.length;
}

/* Behind the sign or word of comparison that follows `offset`; text.length without one. */
static size_t sign_after(fh_text text, size_t offset)
{
    size_t at = offset;
    while (at < text.length && is_blank(text.data[at]))
        at++;
    if (at + 1 < text.length && text.data[at + 1] == '=' && strchr("=!", text.data[at]))
        return at + 2;
    fh_text word = fh_python_word_after(text, at), next;
    if (!word.length)
        return text.length;
    size_t end = (size_t)(word.data - text.data) + word.length;
    next = fh_python_word_after(text, end);
    size_t next_end = next.length ? (size_t)(next.data - text.data) + next.length : end;
    if (fh_text_is(word, "not"))
        return fh_text_is(next, "in") ? next_end : text.length;
    if (fh_text_is(word, "is"))
        return fh_text_is(next, "not") ? next_end : end;
    return fh_text_is(word, "in") ? end : text.length;
}

fh_text fh_python_compared_with(fh_text text, size_t begin, size_t end)
{
    size_t sign = sign_before(text, begin);
    if (sign < text.length)
        return fh_python_operand_before(text, sign);
    sign = end < text.length && may_begin(text, begin) ? sign_after(text, end) : text.length;
    return sign < text.length ? fh_python_operand_after(text, sign) : (fh_text){0};
}

/* Steps from the start of the text to `offset`: calls nothing, and returns where the logical line
 * that holds it begins; *literal is the literal around it, of which only the start counts. */
static size_t line_of(fh_text text, size_t offset, size_t *literal)
{
    size_t begin = 0;
    unsigned depth = 0;
    *literal = text.length;
    for (size_t at = 0; at < offset;) {
        char c = text.data[at];
        fh_literal found;
        if (c == '#') {
            while (at < offset && text.data[at] != '\n' && text.data[at] != '\r')
                at++;
        } else if ((c == '"' || c == '\'') && fh_python_literal(text, (uint32_t)at, &found)) {
            if (found.literal_end > offset)
                *literal = at;
            at = found.literal_end;
        } else if (c == '\\') {
            at += at + 2 < text.length && text.data[at + 1] == '\r' && text.data[at + 2] == '\n'
                      ? 3
                      : 2;
        } else {
            if (c == '(' || c == '[' || c == '{')
                depth++;
            else if (depth && (c == ')' || c == ']' || c == '}'))
                depth--;
            at++;
            if (!depth && (c == '\n' || c == '\r'))
                begin = at;
        }
    }
    return begin;
}

bool fh_python_is_statement(fh_text text, size_t begin, size_t end)
{
    size_t literal, line = line_of(text, begin, &literal);
    for (size_t at = line; at < begin; at++)
        if (text.data[at] != ' ' && text.data[at] != '\t')
            return false;
    while (end < text.length && (text.data[end] == ' ' || text.data[end] == '\t'))
        end++;
    return literal == text.length && line <= begin &&
           (end >= text.length || strchr("\r\n#", text.data[end]));
}

char fh_python_quote_at(fh_text text, size_t offset)
{
    size_t literal;
    (void)line_of(text, offset, &literal);
    return literal < text.length && text.data[literal] == '"' ? '\'' : '"';
}
