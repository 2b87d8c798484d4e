#include "facts/pep440.h"

#include <string.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char first(fh_text text)
{
    return text.length ? lower(*text.data) : 0;
}

static void drop(fh_text *text, size_t count)
{
    *text = fh_text_slice(*text, count, text->length);
}

/* Cuts digits off; false when there are none. Numbers past 32 bits stay at the largest. */
static bool take_number(fh_text *text, uint32_t *number)
{
    uint64_t value = 0;
    if (!is_digit(first(*text)))
        return false;
    while (is_digit(first(*text))) {
        value = value * 10 + (uint64_t)(*text->data - '0');
        value = value > UINT32_MAX ? UINT32_MAX : value;
        drop(text, 1);
    }
    *number = (uint32_t)value;
    return true;
}

static bool is_separator(char c)
{
    return c == '.' || c == '-' || c == '_';
}

/* Cuts "[._-]?WORD[._-]?N?" off for one of the words (longest first); N is 0 when missing. */
static const char *take_suffix(fh_text *text, const char *const *words, uint32_t *number)
{
    fh_text rest = *text;
    if (is_separator(first(rest)))
        drop(&rest, 1);
    for (; *words; words++) {
        size_t length = strlen(*words), same = 0;
        while (same < length && same < rest.length && lower(rest.data[same]) == (*words)[same])
            same++;
        if (same < length)
            continue;
        drop(&rest, length);
        fh_text after = rest;
        *number = 0;
        if (is_separator(first(after)))
            drop(&after, 1);
        if (take_number(&after, number))
            rest = after;
        *text = rest;
        return *words;
    }
    return NULL;
}

static bool take_local(fh_text *text, fh_text *local)
{
    if (first(*text) != '+')
        return true;
    drop(text, 1);
    *local = *text;
    bool after_separator = true;
    for (size_t i = 0; i < local->length; i++) {
        char c = lower(local->data[i]);
        bool is_plain = is_digit(c) || (c >= 'a' && c <= 'z');
        if (!is_plain && (!is_separator(c) || after_separator))
            return false;
        after_separator = !is_plain;
    }
    *text = (fh_text){0};
    return !after_separator;
}

static bool take_release(fh_text *rest, fh_version *read)
{
    do {
        uint32_t part;
        if (!take_number(rest, &part))
            return false;
        if (read->count == FH_VERSION_PARTS)
            return false;
        read->parts[read->count++] = part;
        if (first(*rest) != '.' || rest->length < 2 || !is_digit(rest->data[1]))
            break;
        drop(rest, 1);
    } while (true);
    if (first(*rest) == '!' && read->count == 1) {
        read->epoch = read->parts[0];
        read->parts[0] = read->count = 0;
        drop(rest, 1);
        return take_release(rest, read);
    }
    return true;
}

bool fh_version_parse(fh_text text, fh_version *version)
{
    static const char *const pre[] = {"alpha", "beta", "preview", "pre", "rc", "a", "b", "c", NULL};
    static const char *const post[] = {"post", "rev", "r", NULL}, *const dev[] = {"dev", NULL};
    fh_text rest = fh_text_trim(text);
    fh_version read = {.count = 0};
    if (first(rest) == 'v')
        drop(&rest, 1);
    if (!take_release(&rest, &read))
        return false;
    const char *word = take_suffix(&rest, pre, &read.pre_number);
    if (word)
        read.pre = *word == 'a' ? 'a' : *word == 'b' ? 'b' : 'r';
    if (first(rest) == '-' && rest.length > 1 && is_digit(rest.data[1])) {
        drop(&rest, 1);
        read.has_post = take_number(&rest, &read.post);
    } else {
        read.has_post = take_suffix(&rest, post, &read.post) != NULL;
    }
    read.has_dev = take_suffix(&rest, dev, &read.dev) != NULL;
    if (!take_local(&rest, &read.local) || rest.length)
        return false;
    *version = read;
    return true;
}

bool fh_version_is_pre(const fh_version *version)
{
    return version->pre || version->has_dev;
}

static int order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_release(const fh_version *a, const fh_version *b)
{
    int result = order(a->epoch, b->epoch);
    for (unsigned i = 0; i < FH_VERSION_PARTS && !result; i++)
        result = order(a->parts[i], b->parts[i]);
    return result;
}

/* Where a version stands among those of its release: 1.0.dev1, 1.0a1, 1.0, 1.0.post1. */
static int stage(const fh_version *version)
{
    if (version->pre)
        return version->pre;
    return version->has_dev && !version->has_post ? 0 : 'z';
}

static int compare_public(const fh_version *a, const fh_version *b)
{
    int result = compare_release(a, b);
    if (!result)
        result = order((uint64_t)stage(a), (uint64_t)stage(b));
    if (!result)
        result = order(a->pre_number, b->pre_number);
    if (!result)
        result = order(a->has_post ? a->post + 1ull : 0, b->has_post ? b->post + 1ull : 0);
    if (!result) /* without one it comes after all that have one */
        result = order(a->has_dev ? a->dev : UINT64_MAX, b->has_dev ? b->dev : UINT64_MAX);
    return result;
}

/* Cuts the part before the next separator off a local label. */
static fh_text local_part(fh_text *local)
{
    size_t end = 0;
    while (end < local->length && !is_separator(local->data[end]))
        end++;
    fh_text part = fh_text_slice(*local, 0, end);
    drop(local, end + 1);
    return part;
}

/* Numbers come after words and are compared as numbers. */
static int compare_local(fh_text a, fh_text b)
{
    while (a.length && b.length) {
        fh_text x = local_part(&a), y = local_part(&b), rest_x = x, rest_y = y;
        uint32_t m, n;
        bool is_x = take_number(&rest_x, &m) && !rest_x.length;
        bool is_y = take_number(&rest_y, &n) && !rest_y.length;
        if (is_x != is_y)
            return is_x ? 1 : -1;
        int result = is_x ? order(m, n) : 0;
        for (size_t i = 0; !is_x && !result && (i < x.length || i < y.length); i++)
            result = i >= x.length ? -1
                     : i >= y.length
                         ? 1
                         : order((unsigned char)lower(x.data[i]), (unsigned char)lower(y.data[i]));
        if (result)
            return result;
    }
    return order(a.length > 0, b.length > 0);
}

int fh_version_compare(const fh_version *a, const fh_version *b)
{
    int result = compare_public(a, b);
    return result ? result : compare_local(a->local, b->local);
}

/* Whether the version begins with `prefix`: 2.1.3 with 2.1 (of "==2.1.*"). */
static bool has_prefix(const fh_version *version, const fh_version *prefix)
{
    if (version->epoch != prefix->epoch)
        return false;
    for (unsigned i = 0; i < prefix->count; i++)
        if (version->parts[i] != prefix->parts[i])
            return false;
    return true;
}

static bool equals(const fh_version *version, const fh_version *wanted)
{
    return wanted->local.length ? fh_version_compare(version, wanted) == 0
                                : compare_public(version, wanted) == 0;
}

/* "> 2.1" takes neither 2.1.post1 nor 2.1+x. */
static bool is_greater(const fh_version *version, const fh_version *wanted)
{
    fh_version base = *version;
    if (fh_version_compare(version, wanted) <= 0)
        return false;
    base.has_dev = false;
    base.dev = 0;
    base.has_post = false;
    base.post = 0;
    if (version->has_post && !wanted->has_post && compare_public(&base, wanted) == 0)
        return false;
    return !(version->local.length && compare_public(version, wanted) == 0);
}

/* "< 2.1" does not take 2.1rc1: nothing from 2.1.dev0 on. */
static bool is_less(const fh_version *version, const fh_version *wanted)
{
    fh_version first_of_it = *wanted;
    first_of_it.has_dev = true;
    first_of_it.dev = 0;
    return fh_version_compare(version, wanted) < 0 &&
           !(fh_version_is_pre(version) && !fh_version_is_pre(wanted) &&
             compare_public(version, &first_of_it) >= 0);
}

static fh_specifier_answer answer(bool is_met)
{
    return is_met ? FH_SPECIFIER_YES : FH_SPECIFIER_NO;
}

/* One comparison, without the blanks around it. */
static fh_specifier_answer contains_one(fh_text specifier, const fh_version *version)
{
    static const char *const operators[] = {"===", "==", "!=", "<=", ">=", "~=", "<", ">", NULL};
    unsigned kind = 0;
    fh_version wanted;
    while (operators[kind] && !fh_text_starts(specifier, operators[kind]))
        kind++;
    if (!operators[kind])
        return FH_SPECIFIER_INVALID;
    drop(&specifier, strlen(operators[kind]));
    specifier = fh_text_trim(specifier);
    bool is_prefix = fh_text_ends(specifier, ".*");
    if (is_prefix)
        specifier = fh_text_slice(specifier, 0, specifier.length - 2);
    if (!fh_version_parse(specifier, &wanted))
        return FH_SPECIFIER_INVALID;
    bool has_suffix = wanted.pre || wanted.has_post || wanted.has_dev || wanted.local.length;
    if (is_prefix && ((kind != 1 && kind != 2) || has_suffix))
        return FH_SPECIFIER_INVALID;
    if (wanted.local.length && kind > 2)
        return FH_SPECIFIER_INVALID;
    switch (kind) {
    case 0:
        return answer(fh_version_compare(version, &wanted) == 0);
    case 1:
        return answer(is_prefix ? has_prefix(version, &wanted) : equals(version, &wanted));
    case 2:
        return answer(!(is_prefix ? has_prefix(version, &wanted) : equals(version, &wanted)));
    case 3:
        return answer(compare_public(version, &wanted) <= 0);
    case 4:
        return answer(compare_public(version, &wanted) >= 0);
    case 5:
        if (wanted.count < 2)
            return FH_SPECIFIER_INVALID;
        wanted.count--;
        return answer(compare_public(version, &wanted) >= 0 && has_prefix(version, &wanted));
    case 6:
        return answer(is_less(version, &wanted));
    default:
        return answer(is_greater(version, &wanted));
    }
}

fh_specifier_answer fh_specifier_contains(fh_text specifiers, const fh_version *version)
{
    fh_specifier_answer all = FH_SPECIFIER_YES;
    fh_text part;
    while (fh_text_next(&specifiers, ',', &part)) {
        part = fh_text_trim(part);
        fh_specifier_answer one = part.length ? contains_one(part, version) : FH_SPECIFIER_YES;
        if (one == FH_SPECIFIER_INVALID)
            return one;
        if (one == FH_SPECIFIER_NO)
            all = FH_SPECIFIER_NO;
    }
    return all;
}

bool fh_specifier_is_exact(fh_text specifiers)
{
    fh_text part;
    while (fh_text_next(&specifiers, ',', &part)) {
        part = fh_text_trim(part);
        if (fh_text_starts(part, "==") && !fh_text_ends(part, ".*"))
            return true;
    }
    return false;
}
