#include "analyse/scan/requirements.h"
#include "analyse/scan/config_build.h"
#include "base/path.h"

#include <string.h>

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

static fh_text cut_front(fh_text text, size_t length)
{
    return fh_text_trim(fh_text_slice(text, length, text.length));
}

/* Whether the text names a place: a URL ("git+https://..."), or a path with a slash. */
static bool is_place(fh_text text)
{
    fh_text word = fh_text_slice(text, 0, fh_text_find(text, ';'));
    return fh_text_contains(word, "://") || fh_text_starts(word, ".") ||
           fh_text_starts(word, "/") || fh_text_ends(fh_text_trim(word), ".whl") ||
           fh_text_ends(fh_text_trim(word), ".tar.gz");
}

/* The name that a URL or path carries: #egg=NAME, NAME-1.0-py3-none-any.whl, .../NAME.git@v1. */
static fh_text name_of_place(fh_text place)
{
    for (size_t i = 0; i + 5 <= place.length; i++)
        if (memcmp(place.data + i, "egg=", 4) == 0) {
            size_t end = i + 4;
            while (end < place.length && is_name_character(place.data[end]))
                end++;
            return fh_text_slice(place, i + 4, end);
        }
    fh_text path = fh_text_slice(place, 0, fh_text_find(place, '#'));
    fh_text name = fh_path_name(path);
    if (fh_text_ends(name, ".whl"))
        return fh_text_slice(name, 0, fh_text_find(name, '-'));
    if (!fh_text_starts(place, "git+") && !fh_text_ends(name, ".git"))
        return (fh_text){0};
    name = fh_text_slice(name, 0, fh_text_find(name, '@'));
    return fh_text_ends(name, ".git") ? fh_text_slice(name, 0, name.length - 4) : name;
}

/* Cuts the marker off: behind ';', which in a URL needs a blank before it. */
static fh_text cut_marker(fh_text text, bool is_url, fh_text *marker)
{
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] != ';' || (is_url && i && !is_blank(text.data[i - 1])))
            continue;
        *marker = cut_front(text, i + 1);
        return fh_text_trim(fh_text_slice(text, 0, i));
    }
    return fh_text_trim(text);
}

/* What stands behind the name. */
static bool parse_tail(fh_text rest, fh_requirement *r)
{
    if (fh_text_starts(rest, "[")) {
        size_t close = fh_text_find(rest, ']');
        if (close >= rest.length)
            return false;
        r->extras = fh_text_trim(fh_text_slice(rest, 1, close));
        rest = cut_front(rest, close + 1);
    }
    if (fh_text_starts(rest, "@")) {
        r->url = cut_marker(cut_front(rest, 1), true, &r->marker);
        return r->url.length > 0;
    }
    rest = cut_marker(rest, false, &r->marker);
    if (fh_text_starts(rest, "(") && fh_text_ends(rest, ")"))
        rest = fh_text_trim(fh_text_slice(rest, 1, rest.length - 1));
    r->specifier = rest;
    return !rest.length || strchr("=<>!~^", rest.data[0]);
}

bool fh_requirement_parse(fh_text text, fh_requirement *requirement)
{
    fh_requirement r = {0};
    size_t length = 0;
    text = fh_text_trim(text);
    while (length < text.length && is_name_character(text.data[length]))
        length++;
    fh_text rest = cut_front(text, length);
    bool has_url = fh_text_starts(rest, "@") || fh_text_starts(rest, "[");
    if (!has_url && is_place(text)) {
        r.url = cut_marker(text, true, &r.marker);
        r.name = name_of_place(r.url);
        if (!r.name.length)
            return false;
        *requirement = r;
        return true;
    }
    char first = length ? text.data[0] : '-';
    r.name = fh_text_slice(text, 0, length);
    if (first == '-' || first == '.' || !parse_tail(rest, &r))
        return false;
    *requirement = r;
    return true;
}

void fh_requirement_split(fh_text value, fh_requirement *requirement)
{
    *requirement = (fh_requirement){0};
    (void)parse_tail(fh_text_trim(value), requirement);
}

/* PEP 503: small letters, and one '-' for every run of '-', '_' and '.'. */
static void add_normal_name(fh_buffer *out, fh_text name)
{
    for (size_t i = 0; i < name.length; i++) {
        char c = name.data[i];
        bool is_separator = c == '-' || c == '_' || c == '.';
        if (is_separator && out->length && out->data[out->length - 1] == '-')
            continue;
        fh_buffer_add_char(out, is_separator           ? '-'
                                : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a')
                                                       : c);
    }
}

static void add_without_blanks(fh_buffer *out, fh_text text)
{
    for (size_t i = 0; i < text.length; i++)
        if (!is_blank(text.data[i]))
            fh_buffer_add_char(out, text.data[i]);
}

static void add_requirement(fh_unit *unit, const fh_requirement *r, uint32_t offset)
{
    fh_buffer key = {0}, value = {0};
    add_normal_name(&key, r->name);
    if (r->extras.length) {
        fh_buffer_add_char(&value, '[');
        add_without_blanks(&value, r->extras);
        fh_buffer_add_char(&value, ']');
    }
    add_without_blanks(&value, r->specifier);
    if (r->url.length) {
        fh_buffer_add_string(&value, "@ ");
        fh_buffer_add(&value, r->url);
    }
    if (r->marker.length) {
        fh_buffer_add_string(&value, r->url.length ? " ; " : "; ");
        fh_buffer_add(&value, r->marker);
    }
    unit->settings.failed |= key.failed || value.failed;
    fh_setting_add(unit, FH_SETTING_REQUIREMENT, fh_buffer_text(&key), fh_buffer_text(&value),
                   offset);
    fh_buffer_free(&key);
    fh_buffer_free(&value);
}

bool fh_requirement_add(fh_unit *unit, fh_text text, uint32_t offset)
{
    fh_requirement r;
    if (!fh_requirement_parse(text, &r))
        return false;
    add_requirement(unit, &r, offset);
    return true;
}

bool fh_requirement_add_conda(fh_unit *unit, fh_text text, uint32_t offset)
{
    text = fh_text_trim(text);
    for (size_t i = 0; i + 1 < text.length; i++)
        if (text.data[i] == ':' && text.data[i + 1] == ':') {
            text = cut_front(text, i + 2);
            break;
        }
    size_t length = 0;
    while (length < text.length && is_name_character(text.data[length]))
        length++;
    fh_requirement r = {.name = fh_text_slice(text, 0, length),
                        .specifier = cut_front(text, length)};
    if (!length || text.data[0] == '-' || text.data[0] == '.')
        return false;
    /* "name[version='>=1']" has no other form; "name 1.2 build" is taken as it is. */
    add_requirement(unit, &r, offset);
    return true;
}

void fh_requirement_add_version(fh_unit *unit, fh_text name, fh_text version, uint32_t offset)
{
    fh_requirement r = {.name = name, .specifier = version};
    if (fh_text_is(version, "*"))
        r.specifier = (fh_text){0};
    add_requirement(unit, &r, offset);
}

/* Options of `pip install` that take a value: the reference of pip 25.3, read 2026-11-30. Of those
 * with `keep` the value is a setting. Other options have none. */
static const struct {
    const char *brief, *name;
    bool keep;
} options[] = {
    {"-r", "--requirement", true},
    {"-c", "--constraint", true},
    {"-e", "--editable", true},
    {"-i", "--index-url", true},
    {"", "--extra-index-url", true},
    {"-f", "--find-links", true},
    {"", "--build-constraint", false},
    {"", "--no-binary", false},
    {"", "--only-binary", false},
    {"", "--trusted-host", false},
    {"", "--use-feature", false},
    {"", "--use-deprecated", false},
    {"", "--upgrade-strategy", false},
    {"", "--python-version", false},
    {"", "--python", false},
    {"", "--platform", false},
    {"", "--implementation", false},
    {"", "--abi", false},
    {"", "--root", false},
    {"", "--prefix", false},
    {"", "--src", false},
    {"-t", "--target", false},
    {"-C", "--config-settings", false},
    {"", "--global-option", false},
    {"", "--build-option", false},
    {"", "--install-option", false},
    {"", "--hash", false},
    {"", "--report", false},
    {"", "--progress-bar", false},
    {"", "--root-user-action", false},
    {"", "--log", false},
    {"", "--proxy", false},
    {"", "--retries", false},
    {"", "--timeout", false},
    {"", "--exists-action", false},
    {"", "--cert", false},
    {"", "--client-cert", false},
    {"", "--cache-dir", false},
    {"", "--keyring-provider", false},
};

static int read_option(fh_unit *unit, fh_text word, fh_text next, uint32_t offset)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        size_t brief = strlen(options[i].brief), full = strlen(options[i].name);
        fh_text value = next;
        int taken = 2;
        if (fh_text_starts(word, options[i].name) &&
            (word.length == full || word.data[full] == '=')) {
            if (word.length > full) {
                value = fh_text_slice(word, full + 1, word.length);
                taken = 1;
            }
        } else if (brief && word.length >= 2 && fh_text_starts(word, options[i].brief)) {
            if (word.length > brief) {
                value = fh_text_slice(word, brief, word.length);
                taken = 1;
            }
        } else {
            continue;
        }
        bool is_editable = fh_text_is(fh_text_from(options[i].name), "--editable");
        if (options[i].keep && !(is_editable && fh_requirement_add(unit, value, offset)))
            fh_setting_add(unit, FH_SETTING_KEY, fh_text_from(options[i].name + 2), value, offset);
        return taken;
    }
    return 1;
}

int fh_requirement_argument(fh_unit *unit, fh_text word, fh_text next, uint32_t offset)
{
    if (!word.length)
        return 1;
    if (word.data[0] == '-')
        return read_option(unit, word, next, offset);
    if (fh_requirement_add(unit, word, offset))
        return 1;
    if (is_place(word))
        fh_setting_add(unit, FH_SETTING_KEY, FH_TEXT("local"), word, offset);
    return 1;
}

/* Cuts the first word off. */
static fh_text next_word(fh_text *rest)
{
    *rest = fh_text_trim(*rest);
    size_t end = 0;
    while (end < rest->length && !is_blank(rest->data[end]))
        end++;
    fh_text word = fh_text_slice(*rest, 0, end);
    *rest = cut_front(*rest, end);
    return word;
}

void fh_requirement_add_line(fh_unit *unit, fh_text line, uint32_t offset)
{
    line = fh_text_trim(line);
    if (!line.length)
        return;
    if (line.data[0] == '-') {
        while (line.length) {
            fh_text word = next_word(&line), rest = line, next = next_word(&rest);
            if (fh_requirement_argument(unit, word, next, offset) == 2)
                line = rest;
        }
        return;
    }
    for (size_t i = 0; i + 3 < line.length; i++) /* options of this one requirement: --hash=... */
        if (is_blank(line.data[i]) && line.data[i + 1] == '-' && line.data[i + 2] == '-') {
            line = fh_text_trim(fh_text_slice(line, 0, i));
            break;
        }
    if (fh_requirement_add(unit, line, offset))
        return;
    if (is_place(line))
        fh_setting_add(unit, FH_SETTING_KEY, FH_TEXT("local"), line, offset);
    else
        fh_unit_note(unit, offset, "not a requirement: %.*s",
                     FH_TEXT_ARGS(fh_setting_cut(line, 80)));
}

fh_status fh_requirements_settings(fh_text text, fh_unit *unit)
{
    fh_buffer line = {0};
    size_t at = 0;
    while (at < text.length) {
        uint32_t begin = (uint32_t)at;
        bool goes_on = true;
        fh_buffer_clear(&line);
        while (goes_on && at < text.length) {
            size_t end = at;
            while (end < text.length && text.data[end] != '\n' && text.data[end] != '\r')
                end++;
            fh_text part = fh_text_slice(text, at, end);
            at = end + (end < text.length);
            for (size_t i = 0; i < part.length; i++)
                if (part.data[i] == '#' && (!i || is_blank(part.data[i - 1]))) {
                    part = fh_text_slice(part, 0, i);
                    break;
                }
            goes_on = fh_text_ends(part, "\\");
            fh_buffer_add(&line, goes_on ? fh_text_slice(part, 0, part.length - 1) : part);
            if (goes_on && at < text.length && text.data[end] == '\r' && text.data[at] == '\n')
                at++;
        }
        fh_text content = fh_buffer_text(&line);
        size_t indent = 0;
        while (indent < content.length && is_blank(content.data[indent]))
            indent++;
        fh_requirement_add_line(unit, content,
                                begin + (uint32_t)(indent < content.length ? indent : 0));
    }
    bool failed = line.failed || fh_unit_failed(unit);
    fh_buffer_free(&line);
    return failed ? fh_error(FH_NO_MEMORY, "out of memory while reading requirements") : FH_OK;
}
