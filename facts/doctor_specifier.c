#include "facts/doctor.h"
#include "facts/pep440.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The numbers at the beginning: "2.1" of "2.1.*", "2.1=py3". */
static fh_text release_of(fh_text text)
{
    size_t end = 0;
    while (end < text.length && (is_digit(text.data[end]) ||
                                 (text.data[end] == '.' && end && end + 1 < text.length &&
                                  is_digit(text.data[end - 1]) && is_digit(text.data[end + 1]))))
        end++;
    return fh_text_slice(text, 0, end);
}

/* ">=A,<B" where B is A with the part `at` one higher, and nothing behind it. */
static bool add_range(fh_buffer *out, fh_text release, unsigned at)
{
    fh_version version;
    if (!fh_version_parse(release, &version) || at >= FH_VERSION_PARTS)
        return false;
    fh_buffer_add_format(out, ">=%.*s,<", FH_TEXT_ARGS(release));
    for (unsigned i = 0; i < at; i++)
        fh_buffer_add_format(out, "%u.", version.parts[i]);
    fh_buffer_add_format(out, "%llu", version.parts[at] + 1ull);
    return true;
}

/* Poetry's "^2.1": the first part that is not 0 stays as it is. */
static bool add_caret(fh_buffer *out, fh_text release)
{
    fh_version version;
    unsigned at = 0;
    if (!fh_version_parse(release, &version))
        return false;
    while (at + 1 < version.count && !version.parts[at])
        at++;
    return add_range(out, release, at);
}

/* Poetry's "~2.1": the second part stays, when there is one. */
static bool add_tilde(fh_buffer *out, fh_text release)
{
    return add_range(out, release, memchr(release.data, '.', release.length) ? 1 : 0);
}

static bool add_one(fh_buffer *out, fh_text part)
{
    fh_version any;
    if (!part.length || fh_text_is(part, "*"))
        return true;
    if (part.data[0] == '^')
        return add_caret(out, release_of(fh_text_trim(fh_text_slice(part, 1, part.length))));
    if (part.data[0] == '~' && !fh_text_starts(part, "~="))
        return add_tilde(out, release_of(fh_text_trim(fh_text_slice(part, 1, part.length))));
    bool fuzzy = part.data[0] == '=' && !fh_text_starts(part, "==");
    fh_text version = fuzzy ? fh_text_trim(fh_text_slice(part, 1, part.length)) : part;
    fh_text release = release_of(version);
    if ((fuzzy || is_digit(part.data[0])) && release.length < version.length) {
        if (!release.length || !strchr("= .", version.data[release.length]))
            fuzzy = false;
        else if (fuzzy || version.data[release.length] != '.')
            version = release; /* a build of conda stands behind it: "=2.1=py3", "2.1 py3" */
    }
    if (fuzzy)
        fh_buffer_add_format(out, "==%.*s.*", FH_TEXT_ARGS(version));
    else if (is_digit(version.data[0]) &&
             (fh_version_parse(version, &any) || fh_text_ends(version, ".*")))
        fh_buffer_add_format(out, "==%.*s", FH_TEXT_ARGS(version));
    else
        fh_buffer_add(out, part);
    return true;
}

void fh_doctor_add_specifiers(fh_buffer *out, fh_text written)
{
    fh_text rest = written, part;
    size_t start = out->length;
    bool is_understood = true;
    if (memchr(written.data ? written.data : "", '|', written.length))
        return; /* alternatives: what they leave open is not worked out */
    while (is_understood && fh_text_next(&rest, ',', &part)) {
        size_t before = out->length;
        if (before > start)
            fh_buffer_add_char(out, ',');
        size_t begin = out->length;
        is_understood = add_one(out, fh_text_trim(part));
        if (out->length == begin)
            out->length = before;
    }
    if (!is_understood) {
        out->length = start;
        fh_buffer_add(out, written);
    }
}
