#include "base/utf8.h"

#include <string.h>

bool fh_utf8_ascii(fh_text text)
{
    size_t i = 0;
    for (; i + 8 <= text.length; i += 8) {
        uint64_t word;
        memcpy(&word, text.data + i, 8);
        if (word & 0x8080808080808080u)
            return false;
    }
    for (; i < text.length; i++)
        if (text.data[i] & 0x80)
            return false;
    return true;
}

size_t fh_utf8_length(fh_text text)
{
    const unsigned char *s = (const unsigned char *)text.data;
    if (!text.length)
        return 0;
    if (s[0] < 0x80)
        return 1;

    /* The second byte's range excludes overlong forms, surrogates and what is
     * above U+10FFFF (Unicode standard, table 3-7). */
    unsigned char low = 0x80, high = 0xBF;
    size_t length;
    if (s[0] >= 0xC2 && s[0] <= 0xDF) {
        length = 2;
    } else if (s[0] >= 0xE0 && s[0] <= 0xEF) {
        length = 3;
        low = s[0] == 0xE0 ? 0xA0 : low;
        high = s[0] == 0xED ? 0x9F : high;
    } else if (s[0] >= 0xF0 && s[0] <= 0xF4) {
        length = 4;
        low = s[0] == 0xF0 ? 0x90 : low;
        high = s[0] == 0xF4 ? 0x8F : high;
    } else {
        return 0;
    }
    if (text.length < length || s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

size_t fh_utf8_first_error(fh_text text)
{
    size_t i = 0;
    while (i < text.length) {
        size_t length = fh_utf8_length((fh_text){text.data + i, text.length - i});
        if (!length)
            break;
        i += length;
    }
    return i;
}

size_t fh_utf8_count(fh_text text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.length; i++)
        count += ((unsigned char)text.data[i] & 0xC0) != 0x80;
    return count;
}

void fh_utf8_add(fh_buffer *buffer, uint32_t c)
{
    if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
        c = 0xFFFD;
    if (c < 0x80) {
        fh_buffer_add_char(buffer, (char)c);
        return;
    }
    char bytes[4];
    size_t length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = length - 1; i > 0; i--, c >>= 6)
        bytes[i] = (char)(0x80 | (c & 0x3F));
    bytes[0] = (char)(leads[length] | c);
    fh_buffer_add(buffer, (fh_text){bytes, length});
}

void fh_utf8_add_repaired(fh_buffer *buffer, fh_text text)
{
    while (text.length) {
        size_t good = fh_utf8_first_error(text);
        fh_buffer_add(buffer, fh_text_slice(text, 0, good));
        if (good < text.length)
            fh_buffer_add_string(buffer, "\xEF\xBF\xBD");
        text = fh_text_slice(text, good + 1, text.length);
    }
}
