#include "analyse/scan/source.h"
#include "base/utf8.h"

#include <string.h>

enum { STEP = 1024 }; /* bytes between two remembered counts of code points */

/* Nearly every text has LF alone, which memchr finds fastest. */
static void find_lines_at_lf(fh_source *source)
{
    const char *data = source->text.data, *end = data ? data + source->text.length : NULL;
    for (const char *at = data; at < end;) {
        const char *found = memchr(at, '\n', (size_t)(end - at));
        if (!found)
            return;
        at = found + 1;
        if (!fh_vector_push(&source->lines, (uint32_t)(at - data)))
            return;
    }
}

static void find_lines(fh_source *source)
{
    const char *data = source->text.data;
    size_t length = source->text.length;
    fh_vector_push(&source->lines, 0);
    if (fh_text_find(source->text, '\r') == length) {
        find_lines_at_lf(source);
        return;
    }
    for (size_t i = 0; i < length; i++) {
        if (data[i] != '\n' && data[i] != '\r')
            continue;
        if (data[i] == '\r' && i + 1 < length && data[i + 1] == '\n')
            i++;
        if (!fh_vector_push(&source->lines, (uint32_t)i + 1))
            return;
    }
}

static void count_code_points(fh_source *source)
{
    uint32_t count = 0;
    for (size_t i = 0; i < source->text.length; i += STEP) {
        if (!fh_vector_push(&source->counts, count))
            return;
        count += (uint32_t)fh_utf8_count(fh_text_slice(source->text, i, i + STEP));
    }
}

fh_status fh_source_init(fh_source *source, fh_text path, fh_text text)
{
    fh_source made = {.path = path, .text = text, .ascii = fh_utf8_ascii(text)};
    if (text.length > INT32_MAX)
        return fh_error(FH_LIMIT, "%.*s: %zu bytes are too many for one source text",
                        FH_TEXT_ARGS(path), text.length);
    find_lines(&made);
    if (!made.ascii)
        count_code_points(&made);
    if (made.lines.failed || made.counts.failed) {
        fh_source_free(&made);
        return fh_error(FH_NO_MEMORY, "%.*s: out of memory", FH_TEXT_ARGS(path));
    }
    *source = made;
    return FH_OK;
}

void fh_source_free(fh_source *source)
{
    fh_vector_free(&source->lines);
    fh_vector_free(&source->counts);
    *source = (fh_source){0};
}

/* Code points before byte `offset`. */
static uint32_t code_points_before(const fh_source *source, size_t offset)
{
    if (source->ascii || !source->counts.count)
        return (uint32_t)offset;
    size_t step = offset / STEP;
    if (step >= source->counts.count)
        step = source->counts.count - 1;
    return source->counts.items[step] +
           (uint32_t)fh_utf8_count(fh_text_slice(source->text, step * STEP, offset));
}

/* The index of the line that holds byte `offset`. */
static uint32_t line_at(const fh_source *source, size_t offset)
{
    uint32_t low = 0, high = source->lines.count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (source->lines.items[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

fh_position fh_source_position(const fh_source *source, size_t offset)
{
    if (!source->lines.count)
        return (fh_position){1, 1};
    if (offset > source->text.length)
        offset = source->text.length;
    uint32_t line = line_at(source, offset);
    size_t begin = source->lines.items[line];
    return (fh_position){line + 1, code_points_before(source, offset) -
                                       code_points_before(source, begin) + 1};
}

fh_text fh_source_line(const fh_source *source, uint32_t line)
{
    if (line < 1 || line > source->lines.count)
        return (fh_text){0};
    size_t end = line < source->lines.count ? source->lines.items[line] : source->text.length;
    fh_text text = fh_text_slice(source->text, source->lines.items[line - 1], end);
    while (text.length &&
           (text.data[text.length - 1] == '\n' || text.data[text.length - 1] == '\r'))
        text.length--;
    return text;
}

/* Bytes of the first `count` code points of a line; all of it when it is shorter. */
static size_t prefix_bytes(fh_text line, size_t count)
{
    size_t i = 0;
    for (; i < line.length && count; count--)
        do
            i++;
        while (i < line.length && ((unsigned char)line.data[i] & 0xC0) == 0x80);
    return i;
}

size_t fh_source_offset(const fh_source *source, fh_position position)
{
    if (position.line < 1 || position.line > source->lines.count)
        return position.line ? source->text.length : 0;
    fh_text line = fh_source_line(source, position.line);
    size_t column = position.column ? position.column - 1 : 0;
    return source->lines.items[position.line - 1] + prefix_bytes(line, column);
}

void fh_source_add_excerpt(const fh_source *source, uint32_t first, uint32_t last, uint32_t width,
                           fh_buffer *buffer)
{
    if (first < 1)
        first = 1;
    if (last > source->lines.count)
        last = source->lines.count;
    for (uint32_t line = first; line <= last; line++) {
        fh_text text = fh_source_line(source, line);
        size_t fits = prefix_bytes(text, width);
        if (fits < text.length) {
            fh_buffer_add(buffer,
                          fh_text_slice(text, 0, prefix_bytes(text, width ? width - 1 : 0)));
            fh_buffer_add_string(buffer, "\xE2\x80\xA6");
        } else {
            fh_buffer_add(buffer, text);
        }
        fh_buffer_add_char(buffer, '\n');
    }
}
