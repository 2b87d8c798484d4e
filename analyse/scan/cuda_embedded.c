#include "analyse/scan/cuda.h"

#include <string.h>

/* The prefix of the Python string whose inside begins at `begin`: the letters before its quotes. */
static fh_text string_prefix(fh_text text, uint32_t begin)
{
    size_t end = begin;
    while (end && (text.data[end - 1] == '"' || text.data[end - 1] == '\''))
        end--;
    if (end == begin)
        return (fh_text){0};
    size_t first = end;
    while (first && end - first < 3 && strchr("rRbBfFuU", text.data[first - 1]))
        first--;
    return fh_text_slice(text, first, end);
}

/* Escapes become what they stand for, in place and of the same length. */
static void decode_escapes(char *text, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++) {
        if (text[i] != '\\')
            continue;
        char next = text[i + 1];
        if (next == '\n' || next == '\r')
            continue; /* a line splice in both languages */
        text[i] = ' ';
        text[i + 1] = next == 'n' ? '\n' : next == 't' || next == 'r' ? ' ' : next;
        i++;
    }
}

/* {{ and }} become braces; of {name} the name stays, of other expressions a name made of '_'. */
static void decode_braces(char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (i + 1 < length && (text[i] == '{' || text[i] == '}') && text[i + 1] == text[i]) {
            text[i++] = ' ';
            continue;
        }
        if (text[i] != '{')
            continue;
        size_t end = i;
        while (end < length && text[end] != '}')
            end++;
        for (size_t at = i; at < end; at++) {
            bool is_name = (text[at] >= 'a' && text[at] <= 'z') ||
                           (text[at] >= 'A' && text[at] <= 'Z') ||
                           (text[at] >= '0' && text[at] <= '9');
            text[at] = is_name ? text[at] : '_';
        }
        if (end < length)
            text[end] = '_';
        i = end;
    }
}

static fh_status read_string(fh_text text, uint32_t begin, uint32_t end, fh_unit *unit)
{
    fh_text prefix = string_prefix(text, begin);
    fh_buffer copy = {0};
    fh_buffer_add(&copy, fh_text_slice(text, begin, end));
    if (copy.failed) {
        fh_buffer_free(&copy);
        return fh_error(FH_NO_MEMORY, "out of memory while reading a string");
    }
    if (copy.length && !fh_text_contains(prefix, "r") && !fh_text_contains(prefix, "R"))
        decode_escapes(copy.data, copy.length);
    if (fh_text_contains(prefix, "f") || fh_text_contains(prefix, "F"))
        decode_braces(copy.data, copy.length);
    fh_status status = fh_cuda_read_embedded(fh_buffer_text(&copy), begin, unit);
    fh_buffer_free(&copy);
    return status;
}

fh_status fh_cuda_read_strings(fh_text text, fh_unit *unit)
{
    fh_status status = FH_OK;
    uint32_t count = unit->kernels.count;
    for (uint32_t i = 1; i < count && !status; i++) {
        fh_kernel kernel = unit->kernels.items[i];
        if (kernel.kind == FH_KERNEL_EMBEDDED && kernel.offset <= kernel.end &&
            kernel.end <= text.length)
            status = read_string(text, kernel.offset, kernel.end, unit);
    }
    return status;
}
