#include "base/json_token.h"

#include <string.h>

static size_t digits(fh_text token, size_t at)
{
    size_t end = at;
    while (end < token.length && token.data[end] >= '0' && token.data[end] <= '9')
        end++;
    return end - at;
}

bool fh_json_is_number(fh_text token)
{
    size_t i = token.length && token.data[0] == '-', count = digits(token, i);
    if (!count || (token.data[i] == '0' && count > 1))
        return false;
    i += count;
    if (i < token.length && token.data[i] == '.') {
        count = digits(token, i + 1);
        i += count + 1;
        if (!count)
            return false;
    }
    if (i < token.length && (token.data[i] | 0x20) == 'e') {
        i++;
        if (i < token.length && (token.data[i] == '+' || token.data[i] == '-'))
            i++;
        count = digits(token, i);
        i += count;
        if (!count)
            return false;
    }
    return i == token.length;
}

/* The value of four hexadecimal digits, or -1. */
static int32_t hexadecimal(const char *data, const char *end)
{
    int32_t value = 0;
    if (end - data < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char c = data[i], small = (char)(c | 0x20);
        if (c >= '0' && c <= '9')
            value = value * 16 + (c - '0');
        else if (small >= 'a' && small <= 'f')
            value = value * 16 + (small - 'a' + 10);
        else
            return -1;
    }
    return value;
}

static char *put(char *to, uint32_t c)
{
    if (c < 0x80) {
        *to++ = (char)c;
        return to;
    }
    if (c < 0x800) {
        *to++ = (char)(0xC0 | c >> 6);
    } else {
        if (c < 0x10000) {
            *to++ = (char)(0xE0 | c >> 12);
        } else {
            *to++ = (char)(0xF0 | c >> 18);
            *to++ = (char)(0x80 | (c >> 12 & 0x3F));
        }
        *to++ = (char)(0x80 | (c >> 6 & 0x3F));
    }
    *to++ = (char)(0x80 | (c & 0x3F));
    return to;
}

/* Decodes the \u escape whose digits begin at `from`, and the second half of a pair; NULL when it
 * is none. */
static const char *decode_unicode(const char *from, const char *end, char **to)
{
    int32_t unit = hexadecimal(from, end);
    if (unit < 0)
        return NULL;
    from += 4;
    uint32_t c = (uint32_t)unit;
    bool is_high = c >= 0xD800 && c < 0xDC00;
    if (is_high && end - from >= 6 && from[0] == '\\' && from[1] == 'u') {
        int32_t low = hexadecimal(from + 2, end);
        if (low >= 0xDC00 && low < 0xE000) {
            *to = put(*to, 0x10000 + ((c - 0xD800) << 10) + ((uint32_t)low - 0xDC00));
            return from + 6;
        }
    }
    *to = put(*to, c >= 0xD800 && c < 0xE000 ? 0xFFFD : c);
    return from;
}

const char *fh_json_unescape(char *data, size_t *length)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char *to = memchr(data, '\\', *length);
    const char *from = to, *end = data + *length;
    if (!to)
        return NULL;
    while (from < end) {
        if (*from != '\\') {
            *to++ = *from++;
            continue;
        }
        const char *escape = from++;
        const char *letter = from < end && *from ? strchr(letters, *from) : NULL;
        if (letter) {
            *to++ = meanings[letter - letters];
            from++;
        } else if (from < end && *from == 'u') {
            from = decode_unicode(from + 1, end, &to);
            if (!from)
                return escape;
        } else {
            return escape;
        }
    }
    *length = (size_t)(to - data);
    return NULL;
}
