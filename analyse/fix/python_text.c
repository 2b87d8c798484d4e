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

bool fh_python_literal(fh_text text, uint32_t offset, fh_literal *literal)
{
    size_t at = offset;
    *literal = (fh_literal){0};
    while (at < text.length && at < (size_t)offset + 2 && strchr("rRbBuUfF", text.data[at])) {
        literal->is_format |= text.data[at] == 'f' || text.data[at] == 'F';
        at++;
    }
    if (at >= text.length || (text.data[at] != '"' && text.data[at] != '\''))
        return false;
    char quote = text.data[at];
    bool triple = at + 2 < text.length && text.data[at + 1] == quote && text.data[at + 2] == quote;
    size_t width = triple ? 3 : 1;
    literal->begin = (uint32_t)(at + width);
    for (at += width; at < text.length; at++) {
        if (text.data[at] == '\\') {
            at++;
        } else if (text.data[at] == '\n' && !triple) {
            return false;
        } else if (text.data[at] == quote &&
                   (!triple || (at + 2 < text.length && text.data[at + 1] == quote &&
                                text.data[at + 2] == quote))) {
            literal->end = (uint32_t)at;
            literal->literal_end = (uint32_t)(at + width);
            return true;
        }
    }
    return false;
}

size_t fh_python_before(fh_text text, size_t offset)
{
    while (offset > 0 && is_blank(text.data[offset - 1]))
        offset--;
    return offset ? offset - 1 : text.length;
}

fh_text fh_python_word_before(fh_text text, size_t offset)
{
    while (offset > 0 && is_blank(text.data[offset - 1]))
        offset--;
    size_t end = offset;
    while (offset > 0 && is_word(text.data[offset - 1]))
        offset--;
    return fh_text_slice(text, offset, end);
}

fh_text fh_python_word_after(fh_text text, size_t offset)
{
    while (offset < text.length && is_blank(text.data[offset]))
        offset++;
    size_t begin = offset;
    while (offset < text.length && is_word(text.data[offset]))
        offset++;
    return fh_text_slice(text, begin, offset);
}

/* From the end of an annotation back to the colon before it; 0 when it does not look like one. */
static size_t before_annotation(fh_text text, size_t offset)
{
    for (size_t steps = 0; offset > 0 && steps < 100; offset--, steps++) {
        char c = text.data[offset - 1];
        if (c == ':')
            return offset - 1;
        if (!is_word(c) && !strchr(" \t.[]|,\"'", c))
            return 0;
    }
    return 0;
}

fh_text fh_python_assigned_name(fh_text text, size_t offset)
{
    size_t sign = fh_python_before(text, offset);
    while (sign < text.length && text.data[sign] == '(')
        sign = fh_python_before(text, sign);
    if (sign >= text.length || sign == 0 || text.data[sign] != '=' ||
        strchr("=!<>+-*/%&|^@:", text.data[sign - 1]))
        return (fh_text){0};
    size_t colon = before_annotation(text, sign);
    return fh_python_word_before(text, colon ? colon : sign);
}

bool fh_python_is_compared(fh_text text, size_t begin, size_t end)
{
    size_t before = fh_python_before(text, begin), after = end;
    while (before < text.length && text.data[before] == '(')
        before = fh_python_before(text, before);
    while (after < text.length && (is_blank(text.data[after]) || text.data[after] == ')'))
        after++;
    if (before < text.length && before > 0 && text.data[before] == '=' &&
        (text.data[before - 1] == '=' || text.data[before - 1] == '!'))
        return true;
    if (after + 1 < text.length && text.data[after + 1] == '=' &&
        (text.data[after] == '=' || text.data[after] == '!'))
        return true;
    fh_text word = fh_python_word_before(text, before < text.length ? before + 1 : 0);
    if (fh_text_is(word, "in") || fh_text_is(word, "is") || fh_text_is(word, "case"))
        return true;
    if (fh_text_is(word, "not")) {
        word = fh_python_word_before(text, (size_t)(word.data - text.data));
        if (fh_text_is(word, "is"))
            return true;
    }
    word = fh_python_word_after(text, after);
    if (fh_text_is(word, "not"))
        word = fh_python_word_after(text, (size_t)(word.data - text.data) + word.length);
    return fh_text_is(word, "in") || fh_text_is(word, "is");
}

size_t fh_python_line_end(fh_text text, size_t offset)
{
    unsigned depth = 0;
    size_t at = 0;
    while (at < text.length) {
        char c = text.data[at];
        fh_literal literal;
        if (c == '#') {
            while (at < text.length && text.data[at] != '\n' && text.data[at] != '\r')
                at++;
        } else if ((c == '"' || c == '\'') && fh_python_literal(text, (uint32_t)at, &literal)) {
            at = literal.literal_end;
        } else if (c == '\\') {
            at += at + 2 < text.length && text.data[at + 1] == '\r' && text.data[at + 2] == '\n'
                      ? 3
                      : 2;
        } else if (c == '\n' || c == '\r') {
            at += c == '\r' && at + 1 < text.length && text.data[at + 1] == '\n' ? 2 : 1;
            if (depth == 0 && at > offset)
                return at;
        } else {
            if (c == '(' || c == '[' || c == '{')
                depth++;
            else if (depth && (c == ')' || c == ']' || c == '}'))
                depth--;
            at++;
        }
    }
    return text.length;
}
