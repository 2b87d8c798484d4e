#include "facts/release.h"
#include "facts/table.h"

/* Cuts digits off `*text`; false when there are none or too many. */
static bool take_number(fh_text *text, uint16_t *number)
{
    unsigned value = 0;
    size_t i = 0;
    for (; i < text->length && text->data[i] >= '0' && text->data[i] <= '9'; i++) {
        value = value * 10 + (unsigned)(text->data[i] - '0');
        if (value > UINT16_MAX)
            return false;
    }
    if (!i)
        return false;
    *text = fh_text_slice(*text, i, text->length);
    *number = (uint16_t)value;
    return true;
}

static bool take_release(fh_text *text, fh_release *release)
{
    fh_text rest = *text;
    if (!take_number(&rest, &release->major) || !fh_text_starts(rest, "."))
        return false;
    rest = fh_text_slice(rest, 1, rest.length);
    if (!take_number(&rest, &release->minor))
        return false;
    *text = rest;
    return true;
}

fh_status fh_release_parse(fh_text text, fh_release *release)
{
    fh_text rest = fh_text_trim(text);
    fh_release read;
    if (fh_text_starts(rest, "v") || fh_text_starts(rest, "V"))
        rest = fh_text_slice(rest, 1, rest.length);
    if (!take_release(&rest, &read))
        return fh_error(FH_INVALID, "\"%.*s\" is no release of torch; write it like 2.7",
                        FH_TEXT_ARGS(text));
    *release = read;
    return FH_OK;
}

int fh_release_compare(fh_release a, fh_release b)
{
    return a.major != b.major ? a.major - b.major : a.minor - b.minor;
}

/* One part of a range: "2.1-", "2.1-2.12", "2.6". */
static bool in_part(fh_release release, fh_text part)
{
    fh_release first, last;
    part = fh_text_trim(part);
    if (!take_release(&part, &first))
        return false;
    if (!part.length)
        return fh_release_compare(release, first) == 0;
    if (*part.data != '-' || fh_release_compare(release, first) < 0)
        return false;
    part = fh_text_slice(part, 1, part.length);
    return !part.length ||
           (take_release(&part, &last) && !part.length && fh_release_compare(release, last) <= 0);
}

bool fh_release_in(fh_release release, fh_text range)
{
    fh_text part;
    while (range.length) {
        size_t end = 0;
        while (end < range.length && range.data[end] != ',' && range.data[end] != '/')
            end++;
        part = fh_text_slice(range, 0, end);
        range = fh_text_slice(range, end + 1, range.length);
        if (in_part(release, part))
            return true;
    }
    return false;
}

fh_text fh_release_cell(fh_release release, fh_text cell)
{
    fh_text rest = cell, part;
    if (fh_text_find(cell, '@') == cell.length)
        return cell;
    while (fh_text_next(&rest, '|', &part)) {
        size_t at = fh_text_find(part, '@');
        if (fh_release_in(release, fh_text_slice(part, at + 1, part.length)))
            return fh_text_slice(part, 0, at);
    }
    return (fh_text){0};
}

/* The value of "key=value;" in the first lines of the table of overloads. */
static fh_text provenance(const char *key)
{
    fh_text rest = fh_facts_table(FH_TABLE_OVERLOAD)->comment, part;
    while (fh_text_next(&rest, ';', &part)) {
        part = fh_text_trim(part);
        size_t equals = fh_text_find(part, '=');
        if (fh_text_is(fh_text_slice(part, 0, equals), key))
            return fh_text_slice(part, equals + 1, part.length);
    }
    return (fh_text){0};
}

/* Element `index` of a list separated by ','; false past its end. */
static bool element(fh_text list, unsigned index, fh_text *part)
{
    for (unsigned i = 0; i <= index; i++)
        if (!fh_text_next(&list, ',', part))
            return false;
    return true;
}

unsigned fh_release_count(void)
{
    fh_text list = provenance("minors"), part;
    unsigned count = 0;
    while (fh_text_next(&list, ',', &part))
        count++;
    return count;
}

fh_release fh_release_at(unsigned index)
{
    fh_text part = {0};
    fh_release release = {0};
    if (element(provenance("minors"), index, &part))
        take_release(&part, &release);
    return release;
}

fh_release fh_release_default(void)
{
    return fh_release_at(fh_release_count() - 1);
}

static fh_status not_in_tables(fh_text text)
{
    fh_text list = provenance("minors"), minor;
    fh_buffer known = {0};
    while (fh_text_next(&list, ',', &minor))
        fh_buffer_add_format(&known, "%s%.*s", known.length ? ", " : "", FH_TEXT_ARGS(minor));
    fh_status status =
        fh_error(FH_NOT_FOUND, "nothing is known of torch %.*s; the tables have %.*s",
                 FH_TEXT_ARGS(text), FH_TEXT_ARGS(fh_buffer_text(&known)));
    fh_buffer_free(&known);
    return status;
}

fh_status fh_release_get(fh_text text, fh_release *release)
{
    fh_release wanted;
    if (!fh_text_trim(text).length) {
        *release = fh_release_default();
        return FH_OK;
    }
    fh_status status = fh_release_parse(text, &wanted);
    if (status)
        return status;
    if (!fh_release_torch_npu(wanted).length)
        return not_in_tables(text);
    *release = wanted;
    return FH_OK;
}

/* The element "2.7.1.post11@2026-10-15" of a release. */
static fh_text of_release(fh_release release)
{
    fh_text minors = provenance("minors"), releases = provenance("releases"), minor, both;
    while (fh_text_next(&minors, ',', &minor) && fh_text_next(&releases, ',', &both)) {
        fh_release at;
        if (take_release(&minor, &at) && fh_release_compare(at, release) == 0)
            return both;
    }
    return (fh_text){0};
}

fh_text fh_release_torch_npu(fh_release release)
{
    fh_text both = of_release(release);
    return fh_text_slice(both, 0, fh_text_find(both, '@'));
}

fh_text fh_release_date(fh_release release)
{
    fh_text both = of_release(release);
    return fh_text_slice(both, fh_text_find(both, '@') + 1, both.length);
}

void fh_release_add(fh_buffer *buffer, fh_release release)
{
    fh_buffer_add_format(buffer, "%u.%u", release.major, release.minor);
}
