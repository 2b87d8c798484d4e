/* Literals: numbers, strings, f-strings; CUDA text in strings is noted. */
#include "analyse/scan/python_build.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Longer numbers are cut. */
enum { LONGEST_NUMBER = 80 };

/* Copies a number without its '_', terminated; returns its length. */
static size_t read_digits(const fh_builder *b, uint32_t node, char digits[LONGEST_NUMBER])
{
    size_t length = 0;
    fh_text text = fh_syntax_text(b->syntax, node);
    for (size_t i = 0; i < text.length && length + 1 < LONGEST_NUMBER; i++)
        if (text.data[i] != '_')
            digits[length++] = text.data[i];
    digits[length] = 0;
    return length;
}

static fh_value_index float_value(fh_builder *b, uint32_t node)
{
    char digits[LONGEST_NUMBER];
    size_t length = read_digits(b, node, digits);
    bool imaginary = length && tolower((unsigned char)digits[length - 1]) == 'j';
    double number = strtod(digits, NULL);
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    fh_value_index value = fh_build_value(b, FH_VALUE_FLOAT, FH_OP_OTHER, (uint32_t)bits,
                                          (uint32_t)(bits >> 32), fh_build_node(b, node)->begin);
    if (imaginary)
        b->unit->values.items[value].flags |= FH_VALUE_IMAGINARY;
    return value;
}

static fh_value_index integer_value(fh_builder *b, uint32_t node)
{
    char digits[LONGEST_NUMBER];
    size_t length = read_digits(b, node, digits);
    if (length && tolower((unsigned char)digits[length - 1]) == 'j')
        return float_value(b, node); /* 1j */
    const char *start = digits;
    int base = 10;
    if (start[0] == '0' && start[1]) {
        char kind = (char)tolower((unsigned char)start[1]);
        base = kind == 'x' ? 16 : kind == 'b' ? 2 : 8;
        start += kind == 'x' || kind == 'b' || kind == 'o' ? 2 : 1;
    }
    errno = 0;
    long long number = strtoll(start, NULL, base);
    if (errno)
        return fh_build_unknown(b, node);
    return fh_build_value(b, FH_VALUE_INTEGER, FH_OP_OTHER, (uint32_t)number,
                          (uint32_t)((uint64_t)number >> 32), fh_build_node(b, node)->begin);
}

/* Text is kept up to this many bytes: enough for names, shapes and options. */
enum { LONGEST_STRING = 1024 };

static fh_symbol string_symbol(fh_builder *b, uint32_t begin, uint32_t end)
{
    if (end - begin > LONGEST_STRING) {
        end = begin + LONGEST_STRING;
        while (end > begin && ((unsigned char)b->syntax->text.data[end] & 0xc0) == 0x80)
            end--;
    }
    return fh_symbols_add(&b->unit->symbols, (fh_text){b->syntax->text.data + begin, end - begin});
}

/* The inside of a string node: [begin, end) between its quotes. */
static void string_bounds(const fh_builder *b, uint32_t node, uint32_t *begin, uint32_t *end)
{
    *begin = fh_build_node(b, node)->begin;
    *end = fh_build_node(b, node)->end;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        if (fh_build_node(b, c)->kind == FH_SYNTAX_string_start)
            *begin = fh_build_node(b, c)->end;
        else if (fh_build_node(b, c)->kind == FH_SYNTAX_string_end)
            *end = fh_build_node(b, c)->begin;
    }
    if (*end < *begin)
        *end = *begin;
}

/* Device code in one string, or in several that are joined: from the inside of the string node
 * `first` to that of `last`. */
static void scan_device_code(fh_builder *b, uint32_t first, uint32_t last)
{
    uint32_t begin, end, ignored;
    string_bounds(b, first, &begin, &end);
    if (last != first)
        string_bounds(b, last, &ignored, &end);
    fh_text text = {b->syntax->text.data + begin, end - begin};
    if (text.length > strlen("__global__") && fh_text_contains(text, "__global__"))
        fh_vector_push(&b->unit->kernels,
                       (fh_kernel){0, begin, end, FH_KERNEL_EMBEDDED, b->function});
}

enum { PLAIN, FORMATTED, SPECIFIED };

/* {x!r}, {x:4d}, {x=}: true when what stands there is not just str(x). */
static bool is_specified(const fh_builder *b, uint32_t interpolation)
{
    uint32_t first = fh_syntax_first(b->syntax, interpolation);
    if (!first)
        return false;
    uint32_t at = fh_build_node(b, first)->end, end = fh_build_node(b, interpolation)->end;
    while (at < end &&
           (b->syntax->text.data[at] == ')' || isspace((unsigned char)b->syntax->text.data[at])))
        at++;
    return at < end && b->syntax->text.data[at] != '}';
}

/* Pushes the parts of a string on the work stack; FORMATTED when one of them is an expression. */
static int push_string_parts(fh_builder *b, uint32_t node)
{
    int formatted = PLAIN;
    uint32_t begin, end;
    string_bounds(b, node, &begin, &end);
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        if (fh_build_node(b, c)->kind != FH_SYNTAX_interpolation)
            continue;
        uint32_t at = fh_build_node(b, c)->begin;
        if (at > begin)
            fh_vector_push(&b->work, fh_build_value(b, FH_VALUE_STRING, FH_OP_OTHER,
                                                    string_symbol(b, begin, at), 0, begin));
        fh_value_index part = 0;
        for (uint32_t e = fh_syntax_first(b->syntax, c); e; e = fh_syntax_next(b->syntax, e)) {
            fh_value_index value = fh_build_expression(b, e);
            part = part ? part : value;
        }
        fh_vector_push(&b->work, part);
        begin = fh_build_node(b, c)->end;
        if (formatted != SPECIFIED)
            formatted = is_specified(b, c) ? SPECIFIED : FORMATTED;
    }
    if (end > begin)
        fh_vector_push(&b->work, fh_build_value(b, FH_VALUE_STRING, FH_OP_OTHER,
                                                string_symbol(b, begin, end), 0, begin));
    return formatted;
}

static fh_value_index format_value(fh_builder *b, uint32_t mark, int formatted, uint32_t begin)
{
    uint32_t count, first = fh_build_list(b, mark, &count);
    fh_value_index value = fh_build_value(b, FH_VALUE_FORMAT, FH_OP_OTHER, first, count, begin);
    if (formatted == SPECIFIED)
        b->unit->values.items[value].flags |= FH_VALUE_SPECIFIED;
    return value;
}

static fh_value_index string_value(fh_builder *b, uint32_t node)
{
    uint32_t mark = b->work.count, begin = fh_build_node(b, node)->begin;
    int formatted = push_string_parts(b, node);
    scan_device_code(b, node, node);
    if (formatted == PLAIN && b->work.count - mark <= 1) {
        fh_value_index value = b->work.count > mark
                                   ? fh_vector_pop(&b->work)
                                   : fh_build_value(b, FH_VALUE_STRING, FH_OP_OTHER, 0, 0, begin);
        b->unit->values.items[value].offset = begin;
        return value;
    }
    return format_value(b, mark, formatted, begin);
}

/* "a" "b": one string when all parts are plain, else a FORMAT. */
static fh_value_index concatenated_string(fh_builder *b, uint32_t node)
{
    uint32_t mark = b->work.count, first = 0, last = 0;
    int formatted = PLAIN;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c))
        if (fh_build_node(b, c)->kind == FH_SYNTAX_string) {
            first = first ? first : c;
            last = c;
            int one = push_string_parts(b, c);
            formatted = one > formatted ? one : formatted;
        }
    if (first)
        scan_device_code(b, first, last);
    if (formatted == PLAIN) {
        fh_buffer joined = {0};
        for (uint32_t i = mark; i < b->work.count; i++)
            fh_buffer_add(&joined,
                          fh_unit_text(b->unit, fh_unit_value(b->unit, b->work.items[i])->a));
        b->work.count = mark;
        fh_text text = fh_text_slice(fh_buffer_text(&joined), 0, LONGEST_STRING);
        fh_symbol symbol = fh_symbols_add(&b->unit->symbols, text);
        fh_buffer_free(&joined);
        return fh_build_value(b, FH_VALUE_STRING, FH_OP_OTHER, symbol, 0,
                              fh_build_node(b, node)->begin);
    }
    return format_value(b, mark, formatted, fh_build_node(b, node)->begin);
}

fh_value_index fh_build_literal(fh_builder *b, uint32_t node)
{
    fh_syntax_kind kind = fh_syntax_kind_of(b->syntax, node);
    switch (kind) {
    case FH_SYNTAX_string:
        return string_value(b, node);
    case FH_SYNTAX_concatenated_string:
        return concatenated_string(b, node);
    case FH_SYNTAX_integer:
        return integer_value(b, node);
    case FH_SYNTAX_float:
        return float_value(b, node);
    case FH_SYNTAX_none:
        return fh_build_value(b, FH_VALUE_NONE, FH_OP_OTHER, 0, 0, fh_build_node(b, node)->begin);
    default:
        return fh_build_value(b, FH_VALUE_BOOL, FH_OP_OTHER, kind == FH_SYNTAX_true, 0,
                              fh_build_node(b, node)->begin);
    }
}
