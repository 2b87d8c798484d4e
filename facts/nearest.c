#include "facts/nearest.h"

enum { LONGEST = 96 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Edits that turn a into b: optimal string alignment, three rows at a time. */
static unsigned distance(fh_text a, fh_text b)
{
    unsigned rows[3][LONGEST + 1];
    unsigned *two_before = rows[0], *before = rows[1], *row = rows[2];
    while (a.length && b.length && lower(*a.data) == lower(*b.data)) { /* often "torch.nn." */
        a = fh_text_slice(a, 1, a.length);
        b = fh_text_slice(b, 1, b.length);
    }
    for (unsigned j = 0; j <= b.length; j++)
        before[j] = j;
    for (unsigned i = 1; i <= a.length; i++) {
        row[0] = i;
        for (unsigned j = 1; j <= b.length; j++) {
            unsigned change = lower(a.data[i - 1]) != lower(b.data[j - 1]);
            row[j] = least(least(before[j], row[j - 1]) + 1, before[j - 1] + change);
            if (i > 1 && j > 1 && lower(a.data[i - 1]) == lower(b.data[j - 2]) &&
                lower(a.data[i - 2]) == lower(b.data[j - 1]))
                row[j] = least(row[j], two_before[j - 2] + 1);
        }
        unsigned *oldest = two_before;
        two_before = before, before = row, row = oldest;
    }
    return before[b.length];
}

static bool contains(fh_text text, fh_text part)
{
    for (size_t at = 0; at + part.length <= text.length; at++) {
        size_t same = 0;
        while (same < part.length && lower(text.data[at + same]) == lower(part.data[same]))
            same++;
        if (same == part.length)
            return true;
    }
    return false;
}

void fh_nearest_offer(fh_nearest *nearest, fh_text typed, fh_text candidate)
{
    if (!typed.length || !candidate.length || typed.length > LONGEST || candidate.length > LONGEST)
        return;
    size_t longer = typed.length > candidate.length ? typed.length : candidate.length;
    size_t surplus = longer - (typed.length < candidate.length ? typed.length : candidate.length);
    bool is_within = typed.length >= 3 && contains(candidate, typed);
    if (surplus * 3 > longer && !is_within)
        return; /* each surplus letter is an edit */
    unsigned edits = distance(typed, candidate);
    if (edits * 3 > longer && !is_within)
        return;
    unsigned at = nearest->count;
    while (at && nearest->distances[at - 1] > edits)
        at--;
    if (at == FH_NEAREST_COUNT)
        return;
    unsigned last = nearest->count < FH_NEAREST_COUNT ? nearest->count++ : FH_NEAREST_COUNT - 1;
    for (unsigned i = last; i > at; i--) {
        nearest->names[i] = nearest->names[i - 1];
        nearest->distances[i] = nearest->distances[i - 1];
    }
    nearest->names[at] = candidate;
    nearest->distances[at] = edits;
}

void fh_nearest_add(fh_buffer *buffer, const fh_nearest *nearest)
{
    for (unsigned i = 0; i < nearest->count; i++) {
        fh_buffer_add_string(buffer, i == 0                    ? "; did you mean "
                                     : i + 1 == nearest->count ? " or "
                                                               : ", ");
        fh_buffer_add(buffer, nearest->names[i]);
    }
    if (nearest->count)
        fh_buffer_add_char(buffer, '?');
}
