/* Names and aliases: Python 3 documentation, "Standard Encodings", and what PEP
 * 263 says of editors' spellings; read 2026-11-30. */
#include "analyse/scan/codecs.h"

#include <stdio.h>
#include <string.h>

/* Where iconv's name is another one than Python's. A superset stands for its
 * subset (GBK for GB 2312, CP932 for Shift JIS, where "\" must stay "\"). */
static const struct {
    const char *python, *iconv;
} names[] = {
    {"utf-8", "UTF-8"},
    {"utf8", "UTF-8"},
    {"u8", "UTF-8"},
    {"utf", "UTF-8"},
    {"utf-8-sig", "UTF-8"},
    {"cp65001", "UTF-8"},
    {"latin-1", "LATIN1"},
    {"latin1", "LATIN1"},
    {"latin", "LATIN1"},
    {"l1", "LATIN1"},
    {"8859", "LATIN1"},
    {"iso-latin-1", "LATIN1"},
    {"iso-8859-1", "LATIN1"},
    {"iso8859-1", "LATIN1"},
    {"cp819", "LATIN1"},
    {"latin-9", "ISO-8859-15"},
    {"latin9", "ISO-8859-15"},
    {"l9", "ISO-8859-15"},
    {"latin2", "ISO-8859-2"},
    {"latin-2", "ISO-8859-2"},
    {"l2", "ISO-8859-2"},
    {"ascii", "ASCII"},
    {"us-ascii", "ASCII"},
    {"646", "ASCII"},
    {"gbk", "GBK"},
    {"936", "GBK"},
    {"cp936", "GBK"},
    {"ms936", "GBK"},
    {"gb2312", "GBK"},
    {"gb2312-80", "GBK"},
    {"euc-cn", "GBK"},
    {"euccn", "GBK"},
    {"chinese", "GBK"},
    {"gb18030", "GB18030"},
    {"gb18030-2000", "GB18030"},
    {"big5", "BIG5"},
    {"big5-tw", "BIG5"},
    {"csbig5", "BIG5"},
    {"big5hkscs", "BIG5-HKSCS"},
    {"big5-hkscs", "BIG5-HKSCS"},
    {"cp950", "CP950"},
    {"shift-jis", "CP932"},
    {"shiftjis", "CP932"},
    {"sjis", "CP932"},
    {"s-jis", "CP932"},
    {"ms932", "CP932"},
    {"mskanji", "CP932"},
    {"ms-kanji", "CP932"},
    {"euc-jp", "EUC-JP"},
    {"eucjp", "EUC-JP"},
    {"ujis", "EUC-JP"},
    {"u-jis", "EUC-JP"},
    {"iso2022-jp", "ISO-2022-JP"},
    {"iso-2022-jp", "ISO-2022-JP"},
    {"euc-kr", "CP949"},
    {"euckr", "CP949"},
    {"korean", "CP949"},
    {"uhc", "CP949"},
    {"ms949", "CP949"},
    {"cyrillic", "ISO-8859-5"},
    {"greek", "ISO-8859-7"},
    {"hebrew", "ISO-8859-8"},
    {"arabic", "ISO-8859-6"},
    {"mac-roman", "MACINTOSH"},
    {"macroman", "MACINTOSH"},
    {"macintosh", "MACINTOSH"},
    {"mac-cyrillic", "MAC-CYRILLIC"},
};

/* Families in which iconv has Python's names, in capitals. */
static const char *const families[] = {"cp", "windows-", "iso-8859-", "iso8859-", "koi8-", "ibm"};

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

/* Cuts the first line off `*rest`; lines end at LF, CR LF or CR. */
static fh_text cut_line(fh_text *rest)
{
    size_t end = 0;
    while (end < rest->length && rest->data[end] != '\n' && rest->data[end] != '\r')
        end++;
    fh_text line = fh_text_slice(*rest, 0, end);
    if (end + 1 < rest->length && rest->data[end] == '\r' && rest->data[end + 1] == '\n')
        end++;
    *rest = fh_text_slice(*rest, end + 1, rest->length);
    return line;
}

static bool is_name_character(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           is_one_of(c, "-_.");
}

/* PEP 263: ^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+) */
static fh_text coding_in(fh_text comment)
{
    static const char word[] = "coding";
    while (comment.length) {
        const char *found = memmem(comment.data, comment.length, word, sizeof word - 1);
        if (!found)
            break;
        size_t i = (size_t)(found - comment.data) + sizeof word - 1;
        comment = fh_text_slice(comment, i, comment.length);
        if (!comment.length || !is_one_of(comment.data[0], ":="))
            continue;
        i = 1;
        while (i < comment.length && is_one_of(comment.data[i], " \t"))
            i++;
        size_t end = i;
        while (end < comment.length && is_name_character(comment.data[end]))
            end++;
        if (end > i)
            return fh_text_slice(comment, i, end);
    }
    return (fh_text){0};
}

fh_text fh_codecs_coding_line(fh_text source)
{
    for (int number = 0; number < 2; number++) {
        fh_text line = cut_line(&source);
        while (line.length && is_one_of(line.data[0], " \t\f"))
            line = fh_text_slice(line, 1, line.length);
        if (!line.length)
            continue; /* an empty line may come before the coding line */
        if (line.data[0] != '#')
            break;
        fh_text name = coding_in(line);
        if (name.length)
            return name;
    }
    return (fh_text){0};
}

/* Small letters, and '-' for '_'. Python also drops what Emacs appends to the
 * two commonest names ("utf-8-unix"). */
static bool normalise(fh_text name, char normal[32])
{
    if (!name.length || name.length > 31)
        return false;
    for (size_t i = 0; i < name.length; i++) {
        char c = name.data[i];
        normal[i] = (char)(c == '_' ? '-' : c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    normal[name.length] = 0;
    static const char *const emacs[] = {"utf-8-", "latin-1-", "iso-8859-1-", "iso-latin-1-"};
    for (size_t i = 0; i < sizeof emacs / sizeof *emacs; i++) {
        size_t length = strlen(emacs[i]);
        if (strncmp(normal, emacs[i], length) == 0)
            normal[length - 1] = 0;
    }
    return true;
}

bool fh_codecs_iconv_name(fh_text name, char iconv[32])
{
    char normal[32] = {0};
    if (!normalise(name, normal))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(normal, names[i].python) == 0) {
            snprintf(iconv, 32, "%s", names[i].iconv);
            return true;
        }
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strncmp(normal, families[i], strlen(families[i])) == 0) {
            for (size_t j = 0; j < sizeof normal; j++)
                iconv[j] = (char)(normal[j] >= 'a' && normal[j] <= 'z' ? normal[j] - 'a' + 'A'
                                                                       : normal[j]);
            return true;
        }
    return false;
}
