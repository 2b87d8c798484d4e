/* From places in a decoded text back to the bytes of its file.
 *
 * Both are walked side by side, a character at a time, and each step is held against what decoding
 * made of it. So nothing here knows an encoding, and one that does not go by characters is noticed.
 */
#include "analyse/scan/decode.h"
#include "base/convert.h"
#include "base/utf8.h"

#include <string.h>

enum { LONGEST = 4 }; /* bytes of a character: UTF-8, GB 18030 */

static const char REPLACEMENT[] = "\xEF\xBF\xBD"; /* U+FFFD, for bytes without meaning */

typedef struct {
    fh_text bytes, text;
    size_t byte, place; /* in bytes, in text */
    fh_converter converter;
    fh_buffer piece;
    bool utf8; /* damaged in places */
} alignment;

/* The length of the character that begins at the byte; `piece` becomes what it reads as. */
static size_t next_character(alignment *a)
{
    fh_text rest = fh_text_slice(a->bytes, a->byte, a->bytes.length);
    fh_buffer_clear(&a->piece);
    if (a->utf8 && fh_utf8_length(rest)) {
        fh_buffer_add(&a->piece, fh_text_slice(rest, 0, fh_utf8_length(rest)));
        return a->piece.length;
    }
    for (size_t length = 1; !a->utf8 && length <= LONGEST && length <= rest.length; length++) {
        fh_buffer_clear(&a->piece);
        if (!fh_converter_add(&a->converter, fh_text_slice(rest, 0, length), &a->piece))
            return length;
    }
    fh_buffer_clear(&a->piece);
    fh_buffer_add_string(&a->piece, REPLACEMENT);
    return 1;
}

/* Past one character in both; false when they do not agree. */
static bool step(alignment *a)
{
    unsigned char byte = (unsigned char)a->bytes.data[a->byte];
    size_t length = 1;
    if (byte < 0x80) {
        fh_buffer_clear(&a->piece);
        fh_buffer_add_char(&a->piece, (char)byte);
    } else {
        length = next_character(a);
    }
    fh_text piece = fh_buffer_text(&a->piece);
    bool same = piece.length &&
                fh_text_equal(fh_text_slice(a->text, a->place, a->place + piece.length), piece);
    a->byte += length;
    a->place += piece.length;
    return same && !a->piece.failed;
}

/* Valid UTF-8 is passed on as it is. */
static bool is_within(fh_text bytes, fh_text text)
{
    return text.data >= bytes.data && text.data + text.length == bytes.data + bytes.length;
}

bool fh_decode_align(fh_text bytes, const fh_decoded *decoded, uint32_t *offsets, size_t count)
{
    alignment a = {.bytes = bytes, .text = decoded->text};
    if (is_within(bytes, decoded->text)) {
        for (size_t i = 0; i < count; i++)
            offsets[i] += (uint32_t)(decoded->text.data - bytes.data);
        return true;
    }
    a.utf8 = strcmp(decoded->encoding, "UTF-8") == 0;
    if (decoded->marked)
        a.byte = strlen("\xEF\xBB\xBF");
    bool good = a.utf8 || (!decoded->marked && fh_converter_open(&a.converter, decoded->encoding));
    for (size_t i = 0; good && i < count; i++) {
        while (good && a.place < offsets[i])
            good = a.byte < bytes.length && step(&a);
        good = good && a.place == offsets[i];
        offsets[i] = (uint32_t)a.byte;
    }
    fh_converter_close(&a.converter);
    fh_buffer_free(&a.piece);
    return good;
}
