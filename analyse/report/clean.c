#include "analyse/report/clean.h"
#include "analyse/report/width.h"
#include "base/utf8.h"

/* Direction marks, embeddings, overrides and isolates; line and paragraph separators; zero width
 * space, word joiner and the invisible operators; byte order mark; tags; soft hyphen; interlinear
 * marks. */
static bool is_invisible(uint32_t c)
{
    return c == 0xAD || c == 0x61C || c == 0x180E || c == 0x200B || c == 0x200E || c == 0x200F ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
           (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE007F);
}

static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

static bool is_blank(uint32_t c)
{
    return c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f' || c == 0x85;
}

void fh_clean_add(fh_buffer *out, fh_text text)
{
    size_t begin = 0, n;
    for (size_t i = 0; i < text.length; i += n) {
        unsigned char byte = (unsigned char)text.data[i];
        n = 1;
        if (byte >= 0x20 && byte < 0x7F)
            continue;
        fh_text rest = fh_text_slice(text, i, text.length);
        uint32_t c = fh_width_decode(rest, &n);
        bool valid = byte < 0x80 || fh_utf8_length(rest) > 0;
        if (valid && !is_control(c) && !is_invisible(c))
            continue;
        fh_buffer_add(out, fh_text_slice(text, begin, i));
        begin = i + n;
        if (!valid)
            fh_utf8_add(out, 0xFFFD);
        else if (is_blank(c))
            fh_buffer_add_char(out, ' ');
        else
            fh_buffer_add_format(out, c < 0x100 ? "\\x%02x" : "\\u%04x", c);
    }
    fh_buffer_add(out, fh_text_slice(text, begin, text.length));
}
