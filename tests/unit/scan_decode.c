#include "analyse/scan/codecs.h"
#include "analyse/scan/decode.h"
#include "analyse/scan/positions.h"
#include "base/utf8.h"
#include "os/file.h"
#include "tests/test.h"
#include "tests/unit/shared.h"
#include "tests/unit/sweep.h"

static void check_decoded(fh_text bytes, bool python, const char *text, const char *encoding,
                          const char *note)
{
    fh_buffer storage = {0};
    fh_decoded decoded = {0};
    CHECK(fh_decode(bytes, python, &storage, &decoded) == FH_OK);
    CHECK_TEXT(decoded.text, text);
    CHECK_TEXT(fh_text_from(decoded.encoding), encoding);
    CHECK_TEXT(fh_text_from(decoded.note), note);
    CHECK(fh_utf8_valid(decoded.text) && decoded.ascii == fh_utf8_ascii(decoded.text));
    fh_buffer_free(&storage);
}

static void utf8_is_left_alone(void)
{
    fh_buffer storage = {0};
    fh_decoded decoded;
    fh_text bytes = FH_TEXT("x = '\xC3\xA9'\n");
    CHECK(fh_decode(bytes, true, &storage, &decoded) == FH_OK);
    CHECK(decoded.text.data == bytes.data && !decoded.ascii && !decoded.marked && !storage.length);
    check_decoded(FH_TEXT(""), true, "", "UTF-8", "");
    check_decoded((fh_text){0}, true, "", "UTF-8", "");
    check_decoded(FH_TEXT("\xEF\xBB\xBF"), true, "", "UTF-8", "");
    check_decoded(FH_TEXT("\xEF\xBB\xBF"
                          "a\r\n"),
                  true, "a\r\n", "UTF-8", "");
    check_decoded(FH_TEXT("# coding: utf-8-sig\n\xC3\xA9"), true, "# coding: utf-8-sig\n\xC3\xA9",
                  "UTF-8", "");
    fh_buffer_free(&storage);
}

static void coding_lines_count_for_python(void)
{
    check_decoded(FH_TEXT("# -*- coding: latin-1 -*-\n\xE9"), true,
                  "# -*- coding: latin-1 -*-\n\xC3\xA9", "LATIN1", "");
    check_decoded(FH_TEXT("#!x\n# vim: set fileencoding=gbk :\n\xB4\xF3"), true,
                  "#!x\n# vim: set fileencoding=gbk :\n\xE5\xA4\xA7", "GBK", "");
    check_decoded(FH_TEXT("# coding=cp1252\n\x80"), true, "# coding=cp1252\n\xE2\x82\xAC", "CP1252",
                  "");
    check_decoded(FH_TEXT("# coding: euc_jp\n\xA4\xA2"), true, "# coding: euc_jp\n\xE3\x81\x82",
                  "EUC-JP", "");
    check_decoded(FH_TEXT("# coding: shift_jis\n'\\n\x82\xA0'"), true,
                  "# coding: shift_jis\n'\\n\xE3\x81\x82'", "CP932", "");
    check_decoded(FH_TEXT("# coding: koi8-r\n\xC1"), true, "# coding: koi8-r\n\xD0\xB0", "KOI8-R",
                  "");
    /* Valid UTF-8, but the line says otherwise. */
    check_decoded(FH_TEXT("# coding: latin-1\n\xC3\xA9"), true,
                  "# coding: latin-1\n\xC3\x83\xC2\xA9", "LATIN1", "");
    /* Not Python, or a byte order mark: the line does not count. */
    check_decoded(FH_TEXT("# coding: latin-1\n\xC3\xA9"), false, "# coding: latin-1\n\xC3\xA9",
                  "UTF-8", "");
    check_decoded(FH_TEXT("\xEF\xBB\xBF# coding: latin-1\n\xC3\xA9"), true,
                  "# coding: latin-1\n\xC3\xA9", "UTF-8", "");
    check_decoded(FH_TEXT("# coding: ascii\n\xC3\xA9"), true,
                  "# coding: ascii\n\xEF\xBF\xBD\xEF\xBF\xBD", "ASCII",
                  "2 bytes are not ascii, as the coding line says");
    check_decoded(FH_TEXT("# coding: klingon\n\xC3\xA9"), true, "# coding: klingon\n\xC3\xA9",
                  "UTF-8", "unknown encoding \"klingon\" in the coding line");
    check_decoded(FH_TEXT("# coding: klingon\n\xE9 \n"), true, "# coding: klingon\n\xC3\xA9 \n",
                  "LATIN1", "unknown encoding \"klingon\" in the coding line; read as Latin-1");
    check_decoded(FH_TEXT("# coding: utf-8\n\xE9 \n"), true, "# coding: utf-8\n\xC3\xA9 \n",
                  "LATIN1", "not UTF-8; read as Latin-1");
}

/* Expectations: tokenize.detect_encoding of CPython 3.11; where a line ends at CR, compile(). */
static void coding_lines_are_found_as_by_python(void)
{
    static const struct {
        const char *source, *name;
    } cases[] = {
        {"# coding: a", "a"},
        {"# coding=a", "a"},
        {"#coding:a", "a"},
        {" \t\f# coding: a", "a"},
        {"\n# coding: a", "a"},
        {"\r# coding: a", "a"},
        {"# x\r\n# coding: a", "a"},
        {"\n\n# coding: a", ""},
        {"x = 1\n# coding: a", ""},
        {"'''\n# coding: a", ""},
        {"x = 1 # coding: a", ""},
        {"# coding : a", ""},
        {"# coding: ", ""},
        {"# codingcoding: a-B_1.2+", "a-B_1.2"},
        {"# coding: \ncoding: b", ""},
        {"# encoding coding= a", "a"},
        {"", ""},
        {"#", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_TEXT(fh_codecs_coding_line(fh_text_from(cases[i].source)), cases[i].name);
}

static void names_of_encodings(void)
{
    static const struct {
        const char *python, *iconv;
    } cases[] = {
        {"UTF-8", "UTF-8"},
        {"utf8", "UTF-8"},
        {"utf-8-unix", "UTF-8"},
        {"Latin_1", "LATIN1"},
        {"iso-8859-1-dos", "LATIN1"},
        {"windows-1251", "WINDOWS-1251"},
        {"cp437", "CP437"},
        {"iso8859-15", "ISO8859-15"},
        {"gb2312", "GBK"},
    };
    char iconv[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(fh_codecs_iconv_name(fh_text_from(cases[i].python), iconv));
        CHECK_TEXT(fh_text_from(iconv), cases[i].iconv);
    }
    /* What no source can be in, or what is iconv's own business. */
    static const char *const none[] = {
        "",         "utf-16", "utf-7", "wchar_t",
        "internal", "char",   "rot13", "a-name-that-is-much-longer-than-any-encoding"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        CHECK(!fh_codecs_iconv_name(fh_text_from(none[i]), iconv));
}

static void guesses_without_coding_line(void)
{
    /* "数据 训练" in GBK. */
    check_decoded(FH_TEXT("# \xCA\xFD\xBE\xDD \xD1\xB5\xC1\xB7\nx\n"), true,
                  "# \xE6\x95\xB0\xE6\x8D\xAE \xE8\xAE\xAD\xE7\xBB\x83\nx\n", "GBK",
                  "not UTF-8, no coding line; read as GBK");
    check_decoded(FH_TEXT("# d\xE9j\xE0 vu\n"), true, "# d\xC3\xA9j\xC3\xA0 vu\n", "LATIN1",
                  "not UTF-8, no coding line; read as Latin-1");
    check_decoded(FH_TEXT("// caf\xE9\n"), false, "// caf\xC3\xA9\n", "LATIN1",
                  "not UTF-8; read as Latin-1");
    /* One torn character in a text that is UTF-8 elsewhere. */
    check_decoded(
        FH_TEXT("# \xE6\x95\xB0\xE6\x8D\xAE\xE6\x95\xB0\xE6\x8D\xAE\xE6\x95\xB0\xE6\x8D\xAE"
                "\xE6\x95\xB0\xE6\x8D\xAE \xE6\n"),
        true,
        "# \xE6\x95\xB0\xE6\x8D\xAE\xE6\x95\xB0\xE6\x8D\xAE\xE6\x95\xB0\xE6\x8D\xAE"
        "\xE6\x95\xB0\xE6\x8D\xAE \xEF\xBF\xBD\n",
        "UTF-8", "not UTF-8, no coding line; damaged UTF-8, first at byte 27");
    check_decoded(FH_TEXT("\xEF\xBB\xBF\xE9\n"), true, "\xEF\xBF\xBD\n", "UTF-8",
                  "not UTF-8, no coding line; damaged UTF-8, first at byte 0");
    /* A UTF-8 encoded surrogate is not UTF-8. */
    check_decoded(FH_TEXT("\xED\xA0\x80"), true, "\xC3\xAD\xC2\xA0\xC2\x80", "LATIN1",
                  "not UTF-8, no coding line; read as Latin-1");
}

static void wide_texts_with_mark(void)
{
    check_decoded((fh_text){"\xFF\xFE"
                            "a\0\xE9\0",
                            6},
                  true, "a\xC3\xA9", "UTF-16LE", "UTF-16LE, not UTF-8");
    check_decoded((fh_text){"\xFE\xFF\0a", 4}, true, "a", "UTF-16BE", "UTF-16BE, not UTF-8");
    check_decoded((fh_text){"\xFF\xFE\0\0a\0\0\0", 8}, true, "a", "UTF-32LE",
                  "UTF-32LE, not UTF-8");
    check_decoded((fh_text){"\xFF\xFE"
                            "a\0\0\xD8",
                            6},
                  true, "a\xEF\xBF\xBD\xEF\xBF\xBD", "UTF-16LE",
                  "UTF-16LE with 2 damaged characters");
}

static void binary_is_no_text(void)
{
    fh_buffer storage = {0};
    fh_decoded decoded;
    CHECK(fh_decode((fh_text){"a\0b", 3}, true, &storage, &decoded) == FH_UNSUPPORTED);
    CHECK_TEXT(fh_text_from(fh_error_message()), "not text: a zero byte at offset 1");
    CHECK(fh_decode((fh_text){"\xFF\xFE\0\0", 4}, true, &storage, &decoded) == FH_OK);
    CHECK(fh_decode((fh_text){"\xFF\xFE"
                              "a\0\0\0",
                              6},
                    true, &storage, &decoded) == FH_UNSUPPORTED);
    fh_buffer_free(&storage);
}

/* All two-byte texts, and a sample of longer ones: always valid, never a crash. */
/* Whether every character below 128 is found in the bytes, and the end at theirs. */
static bool is_aligned(fh_text bytes, const fh_decoded *decoded)
{
    bool good = true;
    for (uint32_t i = 0; good && i < decoded->text.length; i++) {
        unsigned char c = (unsigned char)decoded->text.data[i];
        uint32_t at = i;
        if (c < 0x80)
            good = fh_decode_align(bytes, decoded, &at, 1) && at < bytes.length &&
                   (unsigned char)bytes.data[at] == c;
    }
    uint32_t end = (uint32_t)decoded->text.length;
    return good && fh_decode_align(bytes, decoded, &end, 1) && end == bytes.length;
}

static void check_places(fh_text bytes, const char *expected)
{
    fh_buffer storage = {0};
    fh_decoded decoded;
    CHECK(fh_decode(bytes, true, &storage, &decoded) == FH_OK);
    uint32_t offset = (uint32_t)fh_text_find(decoded.text, '@');
    bool good = fh_decode_align(bytes, &decoded, &offset, 1);
    CHECK(good == (expected != NULL));
    if (good && expected)
        CHECK_TEXT(fh_text_slice(bytes, offset, bytes.length), expected);
    fh_buffer_free(&storage);
}

static void places_in_the_bytes(void)
{
    check_places(FH_TEXT("x @y"), "@y");
    check_places(FH_TEXT("\xEF\xBB\xBF\xC3\xA9@y"), "@y");
    check_places(FH_TEXT("# coding: latin-1\n\xC3\xA9\xE9@y"), "@y");
    check_places(FH_TEXT("# coding: gbk\n\xB4\xF3@y"), "@y");
    /* A second byte that looks like the character itself; a euro sign of one byte; damage. */
    check_places(FH_TEXT("# coding: gbk\n\x82\x40\x80\xFF@y"), "@y");
    check_places(FH_TEXT("# coding: gb18030\n\x95\x32\x82\x36\xB4\xF3@y"), "@y");
    check_places(FH_TEXT("# coding: shift_jis\n\x83\x40\xB1@y"), "@y");
    check_places(FH_TEXT("# coding: euc_jp\n\x8F\xB0\xA1\xA4\xA2@y"), "@y");
    check_places(FH_TEXT("# coding: ascii\n\xC3\xA9@y"), "@y");
    check_places(FH_TEXT("\xEF\xBB\xBF\xE9\xE6\x95@y"), "@y");
    check_places(FH_TEXT("\xFF\xFE@\0y\0"), NULL);
    /* With shifts, and all of it below 128: never decoded. */
    check_places(FH_TEXT("# coding: iso2022_jp\n\x1B$BI=\x1B(B@y"), "@y");

    uint32_t inside = 1, beyond = 9;
    fh_buffer storage = {0};
    fh_decoded decoded;
    fh_text bytes = FH_TEXT("\xE9 \n");
    CHECK(fh_decode(bytes, true, &storage, &decoded) == FH_OK);
    CHECK(!fh_decode_align(bytes, &decoded, &inside, 1));
    CHECK(!fh_decode_align(bytes, &decoded, &beyond, 1));
    CHECK(fh_decode_align(bytes, &decoded, NULL, 0));
    fh_buffer_free(&storage);
}

static void whatever_the_bytes_are(void)
{
    fh_buffer storage = {0};
    fh_decoded decoded;
    unsigned seed = 1, bad = 0;
    for (unsigned i = 0; i < 65536 + 20000; i++) {
        char bytes[24];
        size_t length = i < 65536 ? 2 : 3 + i % 21;
        for (size_t j = 0; j < length; j++) {
            seed = seed * 1103515245 + 12345;
            bytes[j] = (char)(i < 65536 ? i >> (8 * j) : seed >> 16);
        }
        if (fh_decode((fh_text){bytes, length}, true, &storage, &decoded) == FH_OK)
            bad += !fh_utf8_valid(decoded.text) ||
                   (decoded.encoding[0] != 'U' && !is_aligned((fh_text){bytes, length}, &decoded));
    }
    CHECK(bad == 0);
    fh_buffer_free(&storage);
}

static void lines_and_columns(void)
{
    fh_positions positions = {0};
    fh_text text = FH_TEXT("ab\r\n\xC3\xA9"
                           "c\rd\f\n\ne\xF0\x9F\x98\x80"
                           "f");
    CHECK(fh_positions_build(&positions, text));
    CHECK(positions.lines.count == 5);
    static const struct {
        uint32_t offset, line, column;
    } cases[] = {{0, 1, 1},  {2, 1, 3},  {3, 1, 4},  {4, 2, 1},  {6, 2, 2},  {7, 2, 3}, {8, 3, 1},
                 {10, 3, 3}, {11, 4, 1}, {12, 5, 1}, {13, 5, 2}, {17, 5, 3}, {18, 5, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fh_place p = fh_positions_place(&positions, cases[i].offset);
        CHECK(p.line == cases[i].line && p.column == cases[i].column);
        if (p.line != cases[i].line || p.column != cases[i].column)
            printf("  offset %u: %u:%u\n", cases[i].offset, p.line, p.column);
    }
    CHECK(fh_positions_place(&positions, 99).line == 5);
    fh_positions_free(&positions);

    CHECK(fh_positions_build(&positions, (fh_text){0}));
    CHECK(fh_positions_place(&positions, 0).line == 1 &&
          fh_positions_place(&positions, 0).column == 1);
    fh_positions_free(&positions);
}

/* Columns in a line of a megabyte, against counting from its start. */
static void columns_in_long_lines(void)
{
    fh_buffer text = {0};
    fh_positions positions = {0};
    fh_buffer_add_string(&text, "x\n");
    for (int i = 0; i < 100000; i++)
        fh_buffer_add_string(&text, i % 3 ? "\xE6\x95\xB0" : "ab");
    CHECK(fh_positions_build(&positions, fh_buffer_text(&text)));
    uint32_t column = 0;
    unsigned wrong = 0;
    for (uint32_t i = 2; i < text.length; i++) {
        column += ((unsigned char)text.data[i] & 0xC0) != 0x80;
        if (((unsigned char)text.data[i] & 0xC0) != 0x80) {
            fh_place p = fh_positions_place(&positions, i);
            wrong += p.column != column || p.line != 2;
        }
    }
    CHECK(wrong == 0);
    fh_positions_free(&positions);
    fh_buffer_free(&text);
}

/* CASES.md, cases 17 and 18. */
static void shared_cases(void)
{
    static const struct {
        const char *name, *encoding, *note;
    } cases[] = {
        {"cases/17_gbk_cookie.py", "GBK", ""},
        {"cases/17_latin1_nocookie.py", "LATIN1", "not UTF-8, no coding line; read as Latin-1"},
        {"cases/18_bom.py", "UTF-8", ""},
    };
    fh_buffer path = {0}, bytes = {0}, storage = {0};
    fh_decoded decoded;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!shared_path(cases[i].name, &path))
            continue;
        fh_buffer_clear(&bytes);
        CHECK(fh_file_read(path.data, 1 << 20, &bytes) == FH_OK);
        CHECK(fh_decode(fh_buffer_text(&bytes), true, &storage, &decoded) == FH_OK);
        CHECK_TEXT(fh_text_from(decoded.encoding), cases[i].encoding);
        CHECK_TEXT(fh_text_from(decoded.note), cases[i].note);
    }
    fh_buffer_free(&path);
    fh_buffer_free(&bytes);
    fh_buffer_free(&storage);
}

static fh_status decode_and_split(void *context)
{
    fh_buffer storage = {0};
    fh_decoded decoded;
    fh_positions positions = {0};
    fh_text bytes = *(fh_text *)context;
    fh_status status = fh_decode(bytes, true, &storage, &decoded);
    uint32_t end = status ? 0 : (uint32_t)decoded.text.length;
    if (!status && !decoded.marked && !fh_decode_align(bytes, &decoded, &end, 1))
        status = FH_NO_MEMORY;
    if (!status && !fh_positions_build(&positions, decoded.text))
        status = FH_NO_MEMORY;
    fh_positions_free(&positions);
    fh_buffer_free(&storage);
    return status;
}

static void memory_runs_out(void)
{
    fh_text texts[] = {FH_TEXT("# coding: gbk\n\xB4\xF3\nx\ny\n\n\n\n\n\n\n\n\n"),
                       FH_TEXT("# d\xE9j\xE0 vu\n"), FH_TEXT("# \xCA\xFD\xBE\xDD\n"),
                       FH_TEXT("\xFF\xFE"
                               "ab")};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        CHECK(sweep(decode_and_split, &texts[i]) >= 2);
}

int main(void)
{
    TEST(utf8_is_left_alone);
    TEST(coding_lines_count_for_python);
    TEST(coding_lines_are_found_as_by_python);
    TEST(names_of_encodings);
    TEST(guesses_without_coding_line);
    TEST(wide_texts_with_mark);
    TEST(binary_is_no_text);
    TEST(places_in_the_bytes);
    TEST(whatever_the_bytes_are);
    TEST(lines_and_columns);
    TEST(columns_in_long_lines);
    TEST(shared_cases);
    TEST(memory_runs_out);
    return test_report();
}
