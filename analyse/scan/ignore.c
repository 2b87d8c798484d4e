#include "analyse/scan/ignore.h"

#include <ctype.h>
#include <string.h>

/* Whether '#', slashes or an opened comment of C stand before `at`, blanks between. */
static bool is_in_comment(fh_text text, size_t at)
{
    while (at && (text.data[at - 1] == ' ' || text.data[at - 1] == '\t'))
        at--;
    fh_text before = fh_text_slice(text, at > 2 ? at - 2 : 0, at);
    return fh_text_ends(before, "#") || fh_text_is(before, "//") || fh_text_is(before, "/*");
}

/* What follows "foothold:". False when it is not `ignore`; `rules` is empty for all. */
static bool read_rules(fh_text rest, fh_text *rules)
{
    rest = fh_text_trim(fh_text_slice(rest, 0, fh_text_find(rest, '\n')));
    if (!fh_text_starts(rest, "ignore"))
        return false;
    rest = fh_text_slice(rest, strlen("ignore"), rest.length);
    if (rest.length && isalnum((unsigned char)rest.data[0]))
        return false; /* "ignored" */
    rest = fh_text_trim(rest);
    *rules = (fh_text){0};
    if (fh_text_starts(rest, "["))
        *rules = fh_text_slice(rest, 1, fh_text_find(rest, ']'));
    return true;
}

void fh_ignores_add(fh_unit *unit, fh_text text, uint32_t offset)
{
    static const char mark[] = "foothold:";
    enum { LENGTH = sizeof mark - 1 };
    const char *found;
    size_t at = 0;
    while (at < text.length && (found = memmem(text.data + at, text.length - at, mark, LENGTH))) {
        size_t begin = (size_t)(found - text.data);
        fh_text rules;
        at = begin + LENGTH;
        if (!is_in_comment(text, begin) ||
            !read_rules(fh_text_slice(text, at, text.length), &rules))
            continue;
        uint32_t line = fh_unit_place(unit, offset + (uint32_t)begin).line;
        fh_symbol symbol = rules.length ? fh_symbols_add(&unit->symbols, rules) : 0;
        fh_vector_push(&unit->ignores, (fh_ignore){line, symbol});
    }
}
