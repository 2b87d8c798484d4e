#include "analyse/scan/decode.h"
#include "analyse/scan/codecs.h"
#include "base/convert.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void note(fh_decoded *decoded, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void note(fh_decoded *decoded, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(decoded->note, sizeof decoded->note, format, arguments);
    va_end(arguments);
}

static void set_encoding(fh_decoded *decoded, const char *name)
{
    snprintf(decoded->encoding, sizeof decoded->encoding, "%s", name);
}

/* Appends `bytes`, converted, to `out`. Returns how many bytes had no meaning,
 * or -1 when iconv does not know the encoding. */
static long convert(const char *encoding, fh_text bytes, fh_buffer *out)
{
    fh_converter converter;
    if (!fh_converter_open(&converter, encoding))
        return -1;
    size_t errors = fh_converter_add(&converter, bytes, out);
    fh_converter_close(&converter);
    return (long)errors;
}

/* How the bytes above 127 read as UTF-8. */
typedef struct {
    size_t characters, errors, first_error;
} utf8_count;

static utf8_count count_utf8(fh_text bytes)
{
    utf8_count count = {.first_error = bytes.length};
    for (size_t i = 0; i < bytes.length;) {
        size_t length = fh_utf8_length((fh_text){bytes.data + i, bytes.length - i});
        if (!length && !count.errors++)
            count.first_error = i;
        count.characters += length > 1;
        i += length ? length : 1;
    }
    return count;
}

/* Whether the bytes above 127 form pairs of which at least two of three are
 * characters of GB 2312: hanzi in rows 16 to 87, or punctuation and full-width
 * letters in rows 1 to 3. Western text in Latin-1 seldom has such pairs. */
static bool looks_chinese(fh_text bytes)
{
    size_t pairs = 0, common = 0;
    for (size_t i = 0; i < bytes.length; i++) {
        unsigned char lead = (unsigned char)bytes.data[i];
        if (lead < 0x80)
            continue;
        unsigned char trail = i + 1 < bytes.length ? (unsigned char)bytes.data[i + 1] : 0;
        if (lead == 0x80 || lead == 0xFF || trail < 0x40 || trail == 0x7F || trail == 0xFF)
            return false;
        pairs++;
        common +=
            trail >= 0xA1 && ((lead >= 0xB0 && lead <= 0xF7) || (lead >= 0xA1 && lead <= 0xA3));
        i++;
    }
    return common * 3 >= pairs * 2;
}

/* The text is what `storage` holds now. */
static fh_status finish(fh_buffer *storage, fh_decoded *decoded)
{
    if (storage->failed)
        return fh_error(FH_NO_MEMORY, "out of memory while decoding %zu bytes", storage->length);
    decoded->text = fh_buffer_text(storage);
    if (decoded->text.length && memchr(decoded->text.data, 0, decoded->text.length))
        return fh_error(FH_UNSUPPORTED, "not text: a zero character in %s", decoded->encoding);
    decoded->ascii = fh_utf8_ascii(decoded->text);
    return FH_OK;
}

/* With a byte order mark of UTF-16 or UTF-32; false when there is none. */
static bool decode_wide(fh_text bytes, fh_buffer *storage, fh_decoded *decoded, fh_status *status)
{
    /* The longer marks first: one begins with another. */
    static const struct {
        fh_text mark;
        const char *encoding;
    } wide[] = {
        {{"\xFF\xFE\0\0", 4}, "UTF-32LE"},
        {{"\0\0\xFE\xFF", 4}, "UTF-32BE"},
        {{"\xFF\xFE", 2}, "UTF-16LE"},
        {{"\xFE\xFF", 2}, "UTF-16BE"},
    };
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        size_t length = wide[i].mark.length;
        if (!fh_text_equal(fh_text_slice(bytes, 0, length), wide[i].mark))
            continue;
        decoded->marked = true;
        set_encoding(decoded, wide[i].encoding);
        long errors =
            convert(wide[i].encoding, fh_text_slice(bytes, length, bytes.length), storage);
        if (errors > 0)
            note(decoded, "%s with %ld damaged characters", wide[i].encoding, errors);
        else
            note(decoded, "%s, not UTF-8", wide[i].encoding);
        *status = finish(storage, decoded);
        return true;
    }
    return false;
}

/* As its coding line says; false when that is UTF-8 or nothing we know. */
static bool decode_as_said(fh_text bytes, fh_text name, fh_buffer *storage, fh_decoded *decoded)
{
    char encoding[32];
    if (!fh_codecs_iconv_name(name, encoding)) {
        note(decoded, "unknown encoding \"%.*s\" in the coding line", (int)name.length, name.data);
        return false;
    }
    if (strcmp(encoding, "UTF-8") == 0)
        return false;
    long errors = convert(encoding, bytes, storage);
    if (errors < 0) {
        note(decoded, "this machine's iconv does not know the encoding \"%.*s\"", (int)name.length,
             name.data);
        return false;
    }
    set_encoding(decoded, encoding);
    if (errors > 0)
        note(decoded, "%ld bytes are not %.*s, as the coding line says", errors, (int)name.length,
             name.data);
    return true;
}

/* Not UTF-8, and nobody says what it is. */
static void guess(fh_text bytes, bool has_coding_line, fh_buffer *storage, fh_decoded *decoded)
{
    utf8_count count = count_utf8(bytes);
    char why[64];
    snprintf(why, sizeof why, "not UTF-8%s", has_coding_line ? "" : ", no coding line");
    if (decoded->note[0])
        snprintf(why, sizeof why, "%.*s", (int)sizeof why - 1, decoded->note);
    if (decoded->marked || count.characters >= 8 * count.errors) {
        set_encoding(decoded, "UTF-8");
        note(decoded, "%s; damaged UTF-8, first at byte %zu", why, count.first_error);
        fh_utf8_add_repaired(storage, bytes);
        return;
    }
    if (looks_chinese(bytes) && convert("GBK", bytes, storage) == 0) {
        set_encoding(decoded, "GBK");
        note(decoded, "%s; read as GBK", why);
        return;
    }
    fh_buffer_clear(storage);
    set_encoding(decoded, "LATIN1");
    note(decoded, "%s; read as Latin-1", why);
    for (size_t i = 0; i < bytes.length; i++)
        fh_utf8_add(storage, (unsigned char)bytes.data[i]);
}

fh_status fh_decode(fh_text bytes, bool python, fh_buffer *storage, fh_decoded *result)
{
    fh_decoded decoded = {0};
    fh_status status = FH_OK;
    fh_buffer_clear(storage);
    if (decode_wide(bytes, storage, &decoded, &status)) {
        if (!status)
            *result = decoded;
        return status;
    }
    if (fh_text_starts(bytes, "\xEF\xBB\xBF")) {
        decoded.marked = true;
        bytes = fh_text_slice(bytes, 3, bytes.length);
    }
    size_t zero = fh_text_find(bytes, 0);
    if (zero < bytes.length)
        return fh_error(FH_UNSUPPORTED, "not text: a zero byte at offset %zu",
                        zero + (decoded.marked ? 3 : 0));

    decoded.ascii = fh_utf8_ascii(bytes);
    set_encoding(&decoded, "UTF-8");
    decoded.text = bytes;
    if (!decoded.ascii) {
        fh_text name = python && !decoded.marked ? fh_codecs_coding_line(bytes) : (fh_text){0};
        bool converted = name.length && decode_as_said(bytes, name, storage, &decoded);
        if (!converted && !fh_utf8_valid(bytes)) {
            guess(bytes, name.length || !python, storage, &decoded);
            converted = true;
        }
        if (converted)
            status = finish(storage, &decoded);
    }
    if (!status)
        *result = decoded;
    return status;
}
