#include "base/glob.h"
#include "base/path.h"

#include <string.h>

/* Matches `c` against the set that begins at pattern[at] == '['. Returns the
 * offset behind the set, or 0 when it has no end: then nothing matches. */
static size_t match_set(fh_text pattern, size_t at, unsigned char c, bool *matched)
{
    size_t i = at + 1;
    bool negated = i < pattern.length && (pattern.data[i] == '!' || pattern.data[i] == '^');
    bool found = false;
    i += negated;
    for (size_t first = i; i < pattern.length; i++) {
        if (pattern.data[i] == ']' && i > first) {
            *matched = found != negated && c != '/';
            return i + 1;
        }
        if (pattern.data[i] == '\\' && i + 1 < pattern.length)
            i++;
        unsigned char low = (unsigned char)pattern.data[i], high = low;
        if (i + 2 < pattern.length && pattern.data[i + 1] == '-' && pattern.data[i + 2] != ']') {
            i += 2;
            if (pattern.data[i] == '\\' && i + 1 < pattern.length)
                i++;
            high = (unsigned char)pattern.data[i];
        }
        found = found || (c >= low && c <= high);
    }
    return 0;
}

/* Matches one character; returns the offset behind the item of the pattern, or
 * 0 when it does not match. */
static size_t match_one(fh_text pattern, size_t at, char c)
{
    char p = pattern.data[at];
    if (p == '?')
        return c == '/' ? 0 : at + 1;
    if (p == '[') {
        bool matched = false;
        size_t end = match_set(pattern, at, (unsigned char)c, &matched);
        return matched ? end : 0;
    }
    if (p == '\\' && at + 1 < pattern.length)
        return pattern.data[at + 1] == c ? at + 2 : 0;
    return p == c ? at + 1 : 0;
}

/* The offset behind a "**" that stands alone between slashes, its '/'
 * included; 0 when there is none at `at`. */
static size_t double_star(fh_text pattern, size_t at)
{
    bool begins = at == 0 || pattern.data[at - 1] == '/';
    if (!begins || pattern.length - at < 2 || memcmp(pattern.data + at, "**", 2) != 0)
        return 0;
    if (at + 2 == pattern.length)
        return at + 2;
    return pattern.data[at + 2] == '/' ? at + 3 : 0;
}

/* Both kinds of star are greedy from the left: when the rest does not match, the
 * newest '*' takes one character more, or, when it would have to take a '/', the
 * newest "**" takes one folder more. An older star never needs another try,
 * because the newer one can take whatever the older could. */
static bool match(fh_text pattern, fh_text path)
{
    enum { NONE = -1 };
    size_t p = 0, i = 0, star = 0, star_at = 0, folders = 0, folders_at = 0;
    bool has_star = false, has_folders = false;
    for (;;) {
        size_t next = p < pattern.length ? double_star(pattern, p) : 0;
        if (next) {
            if (next == pattern.length && pattern.data[next - 1] == '*')
                return i < path.length; /* "a/ **" is all that lies in a */
            has_folders = true, has_star = false;
            folders = p = next, folders_at = i;
            continue;
        }
        if (p < pattern.length && pattern.data[p] == '*') {
            while (p < pattern.length && pattern.data[p] == '*')
                p++;
            has_star = true, star = p, star_at = i;
            continue;
        }
        if (i == path.length && p == pattern.length)
            return true;
        next = p < pattern.length && i < path.length ? match_one(pattern, p, path.data[i]) : 0;
        if (next) {
            p = next, i++;
            continue;
        }
        if (has_star && star_at < path.length && path.data[star_at] != '/') {
            p = star, i = ++star_at;
            continue;
        }
        if (!has_folders)
            return false;
        fh_text rest = fh_text_slice(path, folders_at, path.length);
        size_t slash = fh_text_find(rest, '/');
        if (slash == rest.length)
            return false;
        folders_at += slash + 1;
        p = folders, i = folders_at, has_star = false;
    }
}

/* Takes the slashes at both ends off; tells what they meant. */
static fh_text simplify(fh_text pattern, bool *only_directories, bool *anchored)
{
    *only_directories = fh_text_ends(pattern, "/");
    while (fh_text_ends(pattern, "/"))
        pattern.length--;
    if (fh_text_starts(pattern, "./"))
        pattern = fh_text_slice(pattern, 1, pattern.length);
    *anchored = fh_text_find(pattern, '/') < pattern.length;
    while (fh_text_starts(pattern, "/"))
        pattern = fh_text_slice(pattern, 1, pattern.length);
    return pattern;
}

bool fh_glob_match(fh_text pattern, fh_text path, bool is_directory)
{
    bool only_directories, anchored;
    pattern = simplify(pattern, &only_directories, &anchored);
    if (!pattern.length || (only_directories && !is_directory))
        return false;
    return match(pattern, anchored ? path : fh_path_name(path));
}

bool fh_glob_covers(fh_text pattern, fh_text path, bool is_directory)
{
    if (fh_glob_match(pattern, path, is_directory))
        return true;
    for (size_t i = 0; i < path.length; i++)
        if (path.data[i] == '/' && fh_glob_match(pattern, fh_text_slice(path, 0, i), true))
            return true;
    return false;
}

bool fh_glob_names(fh_text pattern, fh_text folder)
{
    bool only_directories, anchored;
    pattern = simplify(pattern, &only_directories, &anchored);
    if (!anchored)
        return fh_text_equal(pattern, fh_path_name(folder));

    /* The folders of the pattern up to the first that is not a plain name. */
    size_t plain = 0;
    for (size_t i = 0; i <= pattern.length; i++) {
        char c = i < pattern.length ? pattern.data[i] : '/';
        if (memchr("*?[\\", c, 4))
            break;
        if (c == '/')
            plain = i;
    }
    pattern.length = plain;
    return pattern.length >= folder.length &&
           fh_text_equal(fh_text_slice(pattern, 0, folder.length), folder) &&
           (pattern.length == folder.length || pattern.data[folder.length] == '/');
}
