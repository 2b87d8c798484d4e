#include "analyse/scan/cuda.h"

#include <ctype.h>
#include <string.h>

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

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

/* How a string begins: the letters and quotes before its inside. */
typedef struct {
    bool raw, formatted;
    char quote;
    size_t quotes; /* 1 or 3 */
} string_start;

static string_start start_of(fh_text text, size_t inside)
{
    string_start start = {.quote = inside ? text.data[inside - 1] : 0, .quotes = 1};
    if (inside >= 3 && text.data[inside - 2] == start.quote && text.data[inside - 3] == start.quote)
        start.quotes = 3;
    for (size_t i = inside - (inside ? start.quotes : 0); i; i--) {
        char letter = (char)(text.data[i - 1] | 0x20);
        if (letter != 'r' && letter != 'f' && letter != 'b' && letter != 'u')
            break;
        start.raw |= letter == 'r';
        start.formatted |= letter == 'f';
    }
    return start;
}

/* The end of the inside of a string that begins at `at`: where its closing quotes stand. */
static size_t inside_end(fh_text text, size_t at, size_t end, const string_start *start)
{
    for (; at < end; at++) {
        size_t same = 0;
        if (text.data[at] == '\\') {
            at++;
            continue;
        }
        while (same < start->quotes && at + same < end && text.data[at + same] == start->quote)
            same++;
        if (same == start->quotes)
            return at;
    }
    return end;
}

/* The inside of the string that follows at `at` or behind white space, comments, and its own
 * prefix and quotes; `end` when there is none. */
static size_t next_inside(fh_text text, size_t at, size_t end)
{
    for (; at < end && !is_quote(text.data[at]); at++)
        while (at < end && text.data[at] == '#')
            while (at < end && text.data[at] != '\n')
                at++;
    if (at + 3 <= end && text.data[at + 1] == text.data[at] && text.data[at + 2] == text.data[at])
        return at + 3;
    return at < end ? at + 1 : end;
}

/* Decodes, in place, what lies between `begin` and the end of `copy`: one string, or several that
 * follow each other. What is between them becomes white space. */
static void decode(fh_text text, size_t begin, fh_buffer *copy)
{
    size_t end = begin + copy->length, at = begin;
    while (at < end) {
        string_start start = start_of(text, at);
        size_t stop = inside_end(text, at, end, &start);
        if (!start.raw)
            decode_escapes(copy->data + (at - begin), stop - at);
        if (start.formatted)
            decode_braces(copy->data + (at - begin), stop - at);
        at = stop < end ? next_inside(text, stop + start.quotes, end) : end;
        for (size_t i = stop; i < at; i++)
            if (!isspace((unsigned char)copy->data[i - begin]))
                copy->data[i - begin] = ' ';
    }
}

static fh_status read_string(fh_text text, uint32_t begin, uint32_t end, fh_unit *unit)
{
    fh_buffer copy = {0};
    fh_buffer_add(&copy, fh_text_slice(text, begin, end));
    if (copy.failed) {
        fh_buffer_free(&copy);
        return fh_error(FH_NO_MEMORY, "out of memory while reading a string");
    }
    decode(text, begin, &copy);
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
