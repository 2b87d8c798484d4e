#include "base/text.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

fh_text fh_text_from(const char *terminated)
{
    return (fh_text){terminated, terminated ? strlen(terminated) : 0};
}

bool fh_text_equal(fh_text a, fh_text b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

int fh_text_compare(fh_text a, fh_text b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter ? memcmp(a.data, b.data, shorter) : 0;
    if (order)
        return order;
    return a.length < b.length ? -1 : a.length > b.length;
}

bool fh_text_contains(fh_text text, const char *part)
{
    size_t length = strlen(part);
    return length == 0 || (text.length && memmem(text.data, text.length, part, length) != NULL);
}

fh_text fh_text_slice(fh_text text, size_t begin, size_t end)
{
    if (end > text.length)
        end = text.length;
    if (begin > end)
        begin = end;
    return (fh_text){text.data ? text.data + begin : NULL, end - begin};
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

fh_text fh_text_trim(fh_text text)
{
    while (text.length && is_space(text.data[0]))
        text = (fh_text){text.data + 1, text.length - 1};
    while (text.length && is_space(text.data[text.length - 1]))
        text.length--;
    return text;
}

size_t fh_text_find(fh_text text, char c)
{
    const char *found = text.length ? memchr(text.data, c, text.length) : NULL;
    return found ? (size_t)(found - text.data) : text.length;
}

bool fh_text_is_any(fh_text text, const char *const *names)
{
    if (!text.length)
        return false;
    /* Asked for every call of a program: most names differ in the first character. */
    for (; *names; names++)
        if (**names == *text.data && fh_text_is(text, *names))
            return true;
    return false;
}

size_t fh_text_find_last(fh_text text, char c)
{
    const char *found = text.length ? memrchr(text.data, c, text.length) : NULL;
    return found ? (size_t)(found - text.data) : text.length;
}

fh_text fh_text_last_part(fh_text path)
{
    size_t dot = fh_text_find_last(path, '.');
    return dot == path.length ? path : fh_text_slice(path, dot + 1, path.length);
}

bool fh_text_next(fh_text *rest, char separator, fh_text *part)
{
    if (!rest->data)
        return false;
    size_t end = fh_text_find(*rest, separator);
    *part = (fh_text){rest->data, end};
    *rest = end == rest->length ? (fh_text){NULL, 0}
                                : (fh_text){rest->data + end + 1, rest->length - end - 1};
    return true;
}

bool fh_text_has_part(fh_text list, char separator, const char *part)
{
    fh_text one;
    while (fh_text_next(&list, separator, &one))
        if (fh_text_is(one, part))
            return true;
    return false;
}

bool fh_text_to_integer(fh_text text, int64_t *value)
{
    bool negative = text.length && text.data[0] == '-';
    size_t i = negative;
    uint64_t sum = 0;
    if (i == text.length)
        return false;
    for (; i < text.length; i++) {
        unsigned digit = (unsigned char)text.data[i] - '0';
        if (digit > 9 || sum > ((uint64_t)INT64_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *value = negative ? -(int64_t)sum : (int64_t)sum;
    return true;
}

bool fh_text_to_bytes(fh_text text, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    unsigned shift = 0;
    const char *unit = text.length ? strchr(units, text.data[text.length - 1]) : NULL;
    if (unit && *unit) {
        shift = 10 * (unsigned)(unit - units + 1);
        text.length--;
    }
    int64_t value;
    if (!fh_text_to_integer(text, &value) || value < 1 || value > INT64_MAX >> shift)
        return false;
    *bytes = (uint64_t)value << shift;
    return true;
}

bool fh_buffer_reserve(fh_buffer *buffer, size_t more)
{
    if (buffer->failed)
        return false;
    if (buffer->capacity - buffer->length >= more)
        return true;
    size_t capacity = buffer->capacity * 2 < 64 ? 64 : buffer->capacity * 2;
    if (more > SIZE_MAX / 2 - buffer->length) {
        buffer->failed = true;
        return false;
    }
    if (capacity < buffer->length + more)
        capacity = buffer->length + more;
    char *data = fh_resize(buffer->data, capacity);
    if (!data) {
        buffer->failed = true;
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

void fh_buffer_add(fh_buffer *buffer, fh_text text)
{
    if (!text.length || !fh_buffer_reserve(buffer, text.length))
        return;
    memcpy(buffer->data + buffer->length, text.data, text.length);
    buffer->length += text.length;
}

void fh_buffer_add_char(fh_buffer *buffer, char c)
{
    fh_buffer_add_repeated(buffer, c, 1);
}

void fh_buffer_add_repeated(fh_buffer *buffer, char c, size_t count)
{
    if (!count || !fh_buffer_reserve(buffer, count))
        return;
    memset(buffer->data + buffer->length, c, count);
    buffer->length += count;
}

void fh_buffer_add_integer(fh_buffer *buffer, int64_t value)
{
    char digits[20]; /* -9223372036854775808 */
    size_t at = sizeof digits;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do
        digits[--at] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        digits[--at] = '-';
    fh_buffer_add(buffer, (fh_text){digits + at, sizeof digits - at});
}

void fh_buffer_add_string(fh_buffer *buffer, const char *terminated)
{
    fh_buffer_add(buffer, fh_text_from(terminated));
}

void fh_buffer_add_format(fh_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fh_buffer_add_arguments(buffer, format, arguments);
    va_end(arguments);
}

void fh_buffer_add_arguments(fh_buffer *buffer, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    /* One byte more for the terminator that vsnprintf insists on. */
    if (length > 0 && fh_buffer_reserve(buffer, (size_t)length + 1)) {
        vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, again);
        buffer->length += (size_t)length;
    }
    va_end(again);
}

fh_text fh_buffer_text(const fh_buffer *buffer)
{
    return (fh_text){buffer->data, buffer->length};
}

void fh_buffer_clear(fh_buffer *buffer)
{
    buffer->length = 0;
}

void fh_buffer_free(fh_buffer *buffer)
{
    fh_free(buffer->data);
    *buffer = (fh_buffer){0};
}
