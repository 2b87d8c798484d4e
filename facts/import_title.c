#include "facts/import_title.h"
#include "facts/import_operators.h"

#include <string.h>

enum { LONGEST_NAME = 96, LONGEST_TITLE = 400 };

bool fh_import_is_operator(fh_text text)
{
    if (!fh_text_starts(text, "aclnn") || text.length < 6 || text.length > LONGEST_NAME)
        return false;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.data[i];
        if (!((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_'))
            return false;
    }
    return text.data[5] >= 'A' && text.data[5] <= 'Z';
}

static size_t name_length(fh_text text)
{
    size_t end = 0;
    while (end < text.length &&
           ((text.data[end] >= '0' && text.data[end] <= '9') || text.data[end] == '_' ||
            ((text.data[end] | 0x20) >= 'a' && (text.data[end] | 0x20) <= 'z')))
        end++;
    return end;
}

fh_text fh_import_without_number(fh_text line)
{
    size_t at = 0;
    while (at < line.length && strchr("#. \t0123456789", line.data[at]) && line.data[at])
        at++;
    return fh_text_slice(line, at, line.length);
}

/* Cuts what joins two names off the start of `*text`; false when there is nothing of it. */
static bool take_joint(fh_text *text)
{
    static const char *const joints[] = {"&",  "＆", "/",  "、",   ",",  "，",
                                         "和", "与", "或", "and ", "or "};
    bool is_found = false;
    fh_text rest = fh_text_trim(*text);
    for (unsigned i = 0; i < sizeof joints / sizeof *joints && !is_found; i++)
        if (fh_text_starts(rest, joints[i])) {
            rest = fh_text_slice(rest, strlen(joints[i]), rest.length);
            is_found = true;
        }
    *text = fh_text_trim(rest);
    return is_found;
}

bool fh_import_title_read(fh_text line, uint32_t index, fh_import_title *read)
{
    fh_import_title found = {.index = index};
    fh_text rest = fh_text_trim(fh_import_without_number(line));
    if (line.length > LONGEST_TITLE)
        return false;
    do {
        size_t length = name_length(rest);
        fh_text name = fh_text_slice(rest, 0, length);
        if (!fh_import_is_operator(name) || found.count == FH_IMPORT_MOST_ON_A_PAGE)
            return false;
        found.names[found.count++] = name;
        rest = fh_text_slice(rest, length, rest.length);
    } while (take_joint(&rest));
    if (rest.length)
        return false;
    *read = found;
    return true;
}
