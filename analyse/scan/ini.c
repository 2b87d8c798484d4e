#include "analyse/scan/config_build.h"
#include "analyse/scan/requirements.h"

#include <string.h>

/* INI as Python's configparser reads it (setup.cfg, tox.ini), and .env files. */

typedef struct {
    fh_config_builder path;
    size_t section; /* length of the path up to the section */
    fh_text text;
    bool noted;
} ini_reader;

/* Takes the next line off, without its end; *offset is where it begins. */
static bool next_line(fh_text text, size_t *at, fh_text *line, uint32_t *offset)
{
    if (*at >= text.length)
        return false;
    size_t end = *at;
    while (end < text.length && text.data[end] != '\n' && text.data[end] != '\r')
        end++;
    *line = fh_text_slice(text, *at, end);
    *offset = (uint32_t)*at;
    *at = end + 1;
    if (end + 1 < text.length && text.data[end] == '\r' && text.data[end + 1] == '\n')
        (*at)++;
    return true;
}

static uint32_t indent_of(fh_text line)
{
    uint32_t indent = 0;
    while (indent < line.length && (line.data[indent] == ' ' || line.data[indent] == '\t'))
        indent++;
    return indent;
}

static bool is_comment(fh_text line)
{
    return fh_text_starts(line, "#") || fh_text_starts(line, ";");
}

/* Whether the value of `key` in the section is a list of requirements. */
static bool holds_requirements(fh_text section, fh_text key)
{
    static const char *const keys[] = {"install_requires", "setup_requires", "tests_require",
                                       "deps", "requires"};
    if (fh_text_is(section, "options.extras_require"))
        return true;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (fh_text_is(key, keys[i]))
            return true;
    return false;
}

static bool holds_environment(fh_text key)
{
    return fh_text_is(key, "setenv") || fh_text_is(key, "set_env");
}

/* One line of a value. tox writes "factor: requirement" and "NAME = value". */
static void read_value_line(ini_reader *r, fh_text section, fh_text key, fh_text line,
                            uint32_t offset)
{
    fh_unit *unit = r->path.unit;
    for (size_t i = 1; i < line.length; i++)
        if (line.data[i] == '#' && (line.data[i - 1] == ' ' || line.data[i - 1] == '\t'))
            line.length = i;
    line = fh_text_trim(line);
    if (!line.length || is_comment(line))
        return;
    if (holds_environment(key)) {
        size_t equals = fh_text_find(line, '=');
        fh_text name = fh_text_trim(fh_text_slice(line, 0, equals));
        if (equals < line.length && fh_setting_name_length(name) == name.length)
            fh_setting_add(unit, FH_SETTING_ENVIRONMENT, name,
                           fh_text_trim(fh_text_slice(line, equals + 1, line.length)), offset);
    } else if (holds_requirements(section, key)) {
        size_t colon = fh_text_find(line, ':');
        bool has_factor =
            fh_text_is(key, "deps") && colon + 1 < line.length && line.data[colon + 1] == ' ';
        if (has_factor)
            line = fh_text_trim(fh_text_slice(line, colon + 1, line.length));
        fh_requirement_add_line(unit, line, offset);
    }
}

/* A key with the lines that belong to it: indented deeper than it. Returns where the next begins.
 */
static size_t read_pair(ini_reader *r, fh_text line, uint32_t offset, size_t at)
{
    fh_unit *unit = r->path.unit;
    fh_text trimmed = fh_text_trim(line);
    size_t equals = 0;
    while (equals < trimmed.length && trimmed.data[equals] != '=' && trimmed.data[equals] != ':')
        equals++;
    fh_text key = fh_text_trim(fh_text_slice(trimmed, 0, equals));
    fh_text section = fh_text_slice(fh_buffer_text(&r->path.path), 0, r->section);
    if (equals >= trimmed.length && !r->noted) {
        fh_unit_note(unit, offset, "neither a section nor a key with a value");
        r->noted = true;
    }
    fh_buffer *value = &r->path.scratch;
    fh_buffer_clear(value);
    fh_text part = fh_text_trim(fh_text_slice(trimmed, equals + 1, trimmed.length));
    uint32_t indent = indent_of(line), part_offset = offset + indent, begin = part_offset;
    for (;;) {
        if (value->length && part.length)
            fh_buffer_add_char(value, '\n');
        fh_buffer_add(value, part);
        read_value_line(r, section, key, part, part_offset);
        size_t before = at;
        fh_text next;
        if (!next_line(r->text, &at, &next, &part_offset))
            break;
        uint32_t deeper = indent_of(next);
        part = fh_text_trim(next);
        part_offset += deeper;
        if (part.length && deeper <= indent && !(is_comment(part) && !deeper)) {
            at = before;
            break;
        }
        if (is_comment(part))
            part = (fh_text){0};
    }
    if (equals < trimmed.length && key.length) {
        size_t mark = fh_config_enter(&r->path, key);
        fh_config_add(&r->path, fh_buffer_text(value), begin);
        fh_config_leave(&r->path, mark);
    }
    return at;
}

fh_status fh_ini_settings(fh_text text, fh_unit *unit)
{
    ini_reader r = {.path = {.unit = unit}, .text = text};
    fh_text line;
    uint32_t offset;
    size_t at = 0;
    while (next_line(text, &at, &line, &offset)) {
        fh_text trimmed = fh_text_trim(line);
        if (!trimmed.length || is_comment(trimmed))
            continue;
        if (trimmed.data[0] == '[') {
            fh_config_leave(&r.path, 0);
            (void)fh_config_enter(
                &r.path, fh_text_trim(fh_text_slice(trimmed, 1, fh_text_find_last(trimmed, ']'))));
            r.section = r.path.path.length;
        } else {
            at = read_pair(&r, line, offset, at);
        }
    }
    bool failed = r.path.path.failed || r.path.scratch.failed || fh_unit_failed(unit);
    fh_config_free(&r.path);
    return failed ? fh_error(FH_NO_MEMORY, "out of memory while reading settings") : FH_OK;
}

/* NAME=value of a .env file: quotes come off, a comment needs a blank before it. */
static void read_variable(fh_unit *unit, fh_text line, uint32_t offset)
{
    size_t equals = fh_text_find(line, '=');
    fh_text name = fh_text_trim(fh_text_slice(line, 0, equals));
    fh_text value = fh_text_trim(fh_text_slice(line, equals + 1, line.length));
    if (equals >= line.length || !name.length || fh_setting_name_length(name) != name.length) {
        fh_unit_note(unit, offset, "not NAME=value");
        return;
    }
    char quote = value.length ? value.data[0] : 0;
    if (quote == '"' || quote == '\'') {
        value = fh_text_slice(value, 1, value.length);
        value = fh_text_slice(value, 0, fh_text_find(value, quote));
    } else {
        for (size_t i = 1; i < value.length; i++)
            if (value.data[i] == '#' && (value.data[i - 1] == ' ' || value.data[i - 1] == '\t'))
                value.length = i;
        value = fh_text_trim(value);
    }
    fh_setting_add(unit, FH_SETTING_ENVIRONMENT, name, value, offset);
}

fh_status fh_environment_settings(fh_text text, fh_unit *unit)
{
    enum { MOST_NOTES = 5 };
    fh_text line;
    uint32_t offset;
    size_t at = 0;
    while (next_line(text, &at, &line, &offset)) {
        offset += indent_of(line);
        line = fh_text_trim(line);
        if (fh_text_starts(line, "export "))
            line = fh_text_trim(fh_text_slice(line, strlen("export "), line.length));
        if (line.length && line.data[0] != '#' && unit->notes.count <= MOST_NOTES)
            read_variable(unit, line, offset);
    }
    return fh_unit_failed(unit) ? fh_error(FH_NO_MEMORY, "out of memory while reading settings")
                                : FH_OK;
}
