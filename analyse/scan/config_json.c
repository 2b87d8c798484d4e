#include "analyse/scan/config_build.h"
#include "base/json.h"

#include <stdio.h>
#include <string.h>

/* JSON settings: DeepSpeed, Accelerate, config.json of a model and the like. */

static void read_value(fh_config_builder *b, fh_json_value value, unsigned depth)
{
    uint32_t offset = (uint32_t)fh_json_offset(value);
    switch (fh_json_kind_of(value)) {
    case FH_JSON_ABSENT:
        break;
    case FH_JSON_NULL:
        fh_config_add(b, FH_TEXT("null"), offset);
        break;
    case FH_JSON_BOOLEAN:
        fh_config_add(b, fh_json_boolean(value, false) ? FH_TEXT("true") : FH_TEXT("false"),
                      offset);
        break;
    case FH_JSON_NUMBER:
    case FH_JSON_STRING:
        fh_config_add(b, fh_json_text(value), offset);
        break;
    case FH_JSON_ARRAY:
    case FH_JSON_OBJECT: {
        bool is_list = fh_json_kind_of(value) == FH_JSON_ARRAY;
        uint32_t number = 0;
        for (fh_json_value v = fh_json_first(value);
             v.document && depth < FH_CONFIG_DEPTH &&
             b->unit->settings.count <= FH_CONFIG_MOST_SETTINGS;
             v = fh_json_next(v)) {
            if (is_list && number >= FH_CONFIG_MOST_ELEMENTS)
                break;
            size_t mark =
                is_list ? fh_config_enter_element(b, number++) : fh_config_enter(b, fh_json_key(v));
            read_value(b, v, depth + 1);
            fh_config_leave(b, mark);
        }
        break;
    }
    }
}

/* Blanks the comment at `begin`; returns what follows it. */
static size_t blank_comment(char *text, size_t begin, size_t length)
{
    bool is_line = text[begin + 1] == '/';
    size_t end = begin + 2;
    while (end < length &&
           (is_line ? text[end] != '\n'
                    : text[end] != '*' || end + 1 >= length || text[end + 1] != '/'))
        end++;
    if (!is_line && end < length)
        end += 2;
    for (size_t i = begin; i < end; i++)
        text[i] = text[i] == '\n' ? '\n' : ' ';
    return end;
}

/* Blanks comments, and commas before a closing bracket; true when there were any. */
static bool blank_extras(char *text, size_t length)
{
    bool changed = false;
    size_t comma = SIZE_MAX;
    for (size_t i = 0; i < length; i++) {
        char c = text[i], next = i + 1 < length ? text[i + 1] : 0;
        if (c == '"') {
            for (i++; i < length && text[i] != '"'; i++)
                i += text[i] == '\\' && i + 1 < length;
            comma = SIZE_MAX;
        } else if (c == '/' && (next == '/' || next == '*')) {
            i = blank_comment(text, i, length) - 1;
            changed = true;
        } else if (c == ',') {
            comma = i;
        } else if ((c == ']' || c == '}') && comma != SIZE_MAX) {
            text[comma] = ' ';
            comma = SIZE_MAX;
            changed = true;
        } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
            comma = SIZE_MAX;
        }
    }
    return changed;
}

/* The offset that a message "NAME:LINE:COLUMN: ..." names; FH_NO_OFFSET when it names none. */
static uint32_t offset_of_message(fh_text text, const char *message, const char **what)
{
    unsigned line, column;
    int length = 0;
    *what = message;
    if (sscanf(message, "settings:%u:%u: %n", &line, &column, &length) != 2 || !length)
        return FH_NO_OFFSET;
    *what = message + length;
    size_t at = 0;
    for (unsigned l = 1; l < line && at < text.length; at++)
        l += text.data[at] == '\n';
    at += column ? column - 1 : 0;
    return (uint32_t)(at < text.length ? at : text.length);
}

fh_status fh_json_settings(fh_text text, fh_unit *unit)
{
    fh_json_document *document = NULL;
    fh_config_builder b = {.unit = unit};
    fh_buffer copy = {0};
    fh_status status = fh_json_parse(text, "settings", &document);
    if (status == FH_INVALID) {
        const char *what;
        char message[160];
        uint32_t offset = offset_of_message(text, fh_error_message(), &what);
        snprintf(message, sizeof message, "%s", what);
        fh_buffer_add(&copy, text);
        if (!copy.failed && copy.length && blank_extras(copy.data, copy.length))
            status = fh_json_parse(fh_buffer_text(&copy), "settings", &document);
        if (!status)
            fh_unit_note(unit, offset, "not strict JSON: comments and last commas are passed over");
        else if (status == FH_INVALID)
            fh_unit_note(unit, offset, "broken JSON, not read: %s", message);
    } else if (status == FH_LIMIT) {
        fh_unit_note(unit, FH_NO_OFFSET, "JSON nested too deep, not read");
    }
    if (!status)
        read_value(&b, fh_json_root(document), 0);
    bool failed = status == FH_NO_MEMORY || copy.failed || b.path.failed || fh_unit_failed(unit);
    fh_json_free(document);
    fh_buffer_free(&copy);
    fh_config_free(&b);
    return failed ? fh_error(FH_NO_MEMORY, "out of memory while reading JSON") : FH_OK;
}
