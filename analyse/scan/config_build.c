#include "analyse/scan/config_build.h"
#include "base/utf8.h"

#include <string.h>

fh_text fh_setting_cut(fh_text text, size_t most)
{
    if (text.length <= most)
        return text;
    while (most && ((unsigned char)text.data[most] & 0xc0) == 0x80)
        most--;
    return fh_text_slice(text, 0, most);
}

void fh_setting_add(fh_unit *unit, fh_setting_kind kind, fh_text key, fh_text value,
                    uint32_t offset)
{
    if (unit->settings.count > FH_CONFIG_MOST_SETTINGS)
        return;
    if (unit->settings.count == FH_CONFIG_MOST_SETTINGS)
        fh_unit_note(unit, offset, "more than %d settings: the rest is taken as data",
                     FH_CONFIG_MOST_SETTINGS);
    fh_setting setting = {
        .key = fh_symbols_add(&unit->symbols, fh_setting_cut(key, FH_CONFIG_LONGEST_PATH)),
        .value = fh_symbols_add(&unit->symbols, fh_setting_cut(value, FH_CONFIG_LONGEST_VALUE)),
        .offset = offset,
        .kind = kind,
    };
    fh_vector_push(&unit->settings, setting);
}

size_t fh_setting_name_length(fh_text text)
{
    size_t length = 0;
    for (; length < text.length; length++) {
        char c = text.data[length];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!is_letter && !(length && c >= '0' && c <= '9'))
            break;
    }
    return length;
}

bool fh_setting_add_assignment(fh_unit *unit, fh_setting_kind kind, fh_text text, uint32_t offset)
{
    size_t length = fh_setting_name_length(text);
    if (!length || length >= text.length || text.data[length] != '=')
        return false;
    fh_setting_add(unit, kind, fh_text_slice(text, 0, length),
                   fh_text_slice(text, length + 1, text.length), offset);
    return true;
}

size_t fh_config_enter(fh_config_builder *b, fh_text key)
{
    size_t length = b->path.length;
    if (length)
        fh_buffer_add_char(&b->path, '.');
    if (length < FH_CONFIG_LONGEST_PATH)
        fh_buffer_add(&b->path, fh_setting_cut(key, FH_CONFIG_LONGEST_PATH));
    return length;
}

size_t fh_config_enter_element(fh_config_builder *b, uint32_t number)
{
    size_t length = b->path.length;
    fh_buffer_add_format(&b->path, "%s%u", length ? "." : "", number);
    return length;
}

void fh_config_leave(fh_config_builder *b, size_t length)
{
    b->path.length = length <= b->path.length ? length : b->path.length;
}

fh_text fh_config_last(const fh_config_builder *b)
{
    fh_text path = fh_buffer_text(&b->path);
    size_t dot = fh_text_find_last(path, '.');
    return dot < path.length ? fh_text_slice(path, dot + 1, path.length) : path;
}

/* Keys whose members are environment variables, by name or as "NAME=value". */
static bool is_environment(fh_text key)
{
    static const char *const names[] = {
        "env",    "environment",  "env_vars", "environment_variables",
        "setenv", "containerEnv", "remoteEnv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fh_text_is(key, names[i]))
            return true;
    return false;
}

void fh_config_add(fh_config_builder *b, fh_text value, uint32_t offset)
{
    fh_text path = fh_buffer_text(&b->path);
    if (path.length > FH_CONFIG_LONGEST_PATH) {
        if (!b->noted)
            fh_unit_note(b->unit, offset, "keys are nested too deep to be settings");
        b->noted = true;
        return;
    }
    fh_setting_add(b->unit, FH_SETTING_KEY, path, value, offset);
    fh_text last = fh_config_last(b);
    if (last.length == path.length)
        return;
    fh_text outer = fh_text_slice(path, 0, path.length - last.length - 1);
    size_t dot = fh_text_find_last(outer, '.');
    if (!is_environment(dot < outer.length ? fh_text_slice(outer, dot + 1, outer.length) : outer))
        return;
    if (fh_setting_name_length(last) == last.length)
        fh_setting_add(b->unit, FH_SETTING_ENVIRONMENT, last, value, offset);
    else
        fh_setting_add_assignment(b->unit, FH_SETTING_ENVIRONMENT, value, offset);
}

bool fh_config_is_script(fh_text key)
{
    static const char *const names[] = {
        "run",        "command", "commands",      "script",         "setup",
        "entrypoint", "args",    "before_script", "before_install", "postCreateCommand"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fh_text_is(key, names[i]))
            return true;
    return false;
}

void fh_config_free(fh_config_builder *b)
{
    fh_buffer_free(&b->path);
    fh_buffer_free(&b->scratch);
}
