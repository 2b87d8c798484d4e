#include "analyse/scan/config_build.h"
#include "analyse/scan/requirements.h"
#include "analyse/scan/shell.h"

#include <string.h>
#include <yaml.h>

/* YAML as a stream of events: Accelerate, Hydra, compose files, workflows, conda. Aliases and
 * merges are not followed, so that a document is never larger than its text. */

typedef struct {
    size_t mark; /* length of the container's own path */
    bool is_mapping, is_skipped;
    bool has_key; /* of a mapping: a key was read, its value not yet */
    bool is_key;  /* it is itself the key of a mapping */
    uint32_t elements;
    size_t script; /* of a command's list, where its words begin in `script`; else SIZE_MAX */
    uint32_t script_offset;
    fh_symbol name; /* of {name: X, value: Y}, which is how Kubernetes writes variables */
} level;

typedef struct {
    fh_config_builder path;
    fh_text text;
    yaml_parser_t parser;
    FH_VECTOR(level) levels;
    size_t characters, bytes; /* a place of the text, as libyaml counts and as we do */
    fh_buffer script;
} yaml_reader;

/* libyaml counts characters; places mostly come in the order of the text. */
static uint32_t offset_of(yaml_reader *r, yaml_mark_t mark)
{
    if (mark.index < r->characters)
        r->characters = r->bytes = 0;
    while (r->characters < mark.index && r->bytes < r->text.length) {
        r->bytes++;
        while (r->bytes < r->text.length && ((unsigned char)r->text.data[r->bytes] & 0xc0) == 0x80)
            r->bytes++;
        r->characters++;
    }
    return (uint32_t)r->bytes;
}

static level *top(yaml_reader *r)
{
    return r->levels.count ? &fh_vector_last(&r->levels) : NULL;
}

/* Before a value of the innermost list: its number becomes part of the path. */
static void enter_value(yaml_reader *r)
{
    level *l = top(r);
    if (l && !l->is_mapping)
        (void)fh_config_enter_element(&r->path, l->elements);
}

/* After a value: back to the path of the container it is in. */
static void leave_value(yaml_reader *r)
{
    level *l = top(r);
    fh_config_leave(&r->path, l ? l->mark : 0);
    if (l && l->is_mapping)
        l->has_key = false;
    else if (l)
        l->elements++;
}

static void open_container(yaml_reader *r, bool is_mapping, uint32_t offset)
{
    level *outer = top(r);
    level entry = {.is_mapping = is_mapping, .script = SIZE_MAX};
    entry.is_key = outer && outer->is_mapping && !outer->has_key;
    entry.is_skipped = outer && (outer->is_skipped || outer->elements >= FH_CONFIG_MOST_ELEMENTS);
    enter_value(r);
    entry.mark = r->path.path.length;
    if (!is_mapping && outer && fh_config_is_script(fh_config_last(&r->path))) {
        entry.script = r->script.length;
        entry.script_offset = offset;
    }
    fh_vector_push(&r->levels, entry);
}

static void close_container(yaml_reader *r)
{
    if (!r->levels.count)
        return;
    level closed = fh_vector_pop(&r->levels);
    if (closed.script != SIZE_MAX && closed.script <= r->script.length) {
        fh_text script = fh_text_slice(fh_buffer_text(&r->script), closed.script, SIZE_MAX);
        if (script.length)
            (void)fh_shell_settings(script, closed.script_offset, true, r->path.unit);
        r->script.length = closed.script;
    }
    leave_value(r);
    if (closed.is_key && r->levels.count) {
        (void)fh_config_enter(&r->path, FH_TEXT("?"));
        fh_vector_last(&r->levels).has_key = true;
    }
}

/* A word of a command that is written as a list; quoted, so that the shell keeps it whole. */
static void add_script_word(yaml_reader *r, fh_text word)
{
    bool is_plain = word.length > 0;
    for (size_t i = 0; i < word.length; i++)
        is_plain &= !strchr(" \t\n'\"\\#;&|<>()`", word.data[i]);
    if (is_plain) {
        fh_buffer_add(&r->script, word);
    } else if (fh_text_find(word, '\'') >= word.length) {
        fh_buffer_add_char(&r->script, '\'');
        fh_buffer_add(&r->script, word);
        fh_buffer_add_char(&r->script, '\'');
    }
    fh_buffer_add_char(&r->script, ' ');
}

/* dependencies: [a=1, {pip: [b]}] of an environment of conda. */
static void read_dependency(yaml_reader *r, fh_text value, uint32_t offset)
{
    fh_text path = fh_buffer_text(&r->path.path);
    if (!fh_text_starts(path, "dependencies."))
        return;
    fh_text rest = fh_text_slice(path, strlen("dependencies."), path.length);
    if (r->levels.count == 2)
        (void)fh_requirement_add_conda(r->path.unit, value, offset);
    else if (r->levels.count == 4 && fh_text_contains(rest, ".pip."))
        fh_requirement_add_line(r->path.unit, value, offset);
}

/* A script keeps its places when it stands in the text as it is. */
static void read_script(yaml_reader *r, const yaml_event_t *event, fh_text value, uint32_t offset)
{
    yaml_scalar_style_t style = event->data.scalar.style;
    size_t end = offset_of(r, event->end_mark);
    fh_text raw = fh_text_slice(r->text, offset, end);
    size_t skip = style == YAML_LITERAL_SCALAR_STYLE ? fh_text_find(raw, '\n') : 0;
    bool is_raw = style == YAML_LITERAL_SCALAR_STYLE || style == YAML_PLAIN_SCALAR_STYLE;
    if (is_raw && fh_text_find(raw, '\n') < raw.length && style == YAML_PLAIN_SCALAR_STYLE)
        is_raw = false; /* folded lines are one command */
    if (is_raw)
        (void)fh_shell_settings(fh_text_slice(raw, skip, raw.length), offset + (uint32_t)skip,
                                false, r->path.unit);
    else
        (void)fh_shell_settings(value, offset, true, r->path.unit);
}

/* {name: NCCL_DEBUG, value: INFO} in a list under `env`. */
static void read_named_variable(yaml_reader *r, fh_text value, uint32_t offset)
{
    level *l = top(r);
    fh_text key = fh_config_last(&r->path);
    fh_unit *unit = r->path.unit;
    if (fh_text_is(key, "name")) {
        bool is_name = value.length && fh_setting_name_length(value) == value.length;
        l->name = is_name ? fh_symbols_add(&unit->symbols, value) : 0;
    } else if (fh_text_is(key, "value") && l->name &&
               fh_text_contains(fh_buffer_text(&r->path.path), "env.")) {
        char name[256];
        fh_text text = fh_unit_text(unit, l->name);
        if (text.length < sizeof name) { /* adding a setting moves the symbols' texts */
            memcpy(name, text.data, text.length);
            fh_setting_add(unit, FH_SETTING_ENVIRONMENT, (fh_text){name, text.length}, value,
                           offset);
        }
    }
}

static void read_scalar(yaml_reader *r, const yaml_event_t *event)
{
    level *l = top(r);
    fh_text value = {(const char *)event->data.scalar.value, event->data.scalar.length};
    uint32_t offset = offset_of(r, event->start_mark);
    if (l && l->is_mapping && !l->has_key) {
        (void)fh_config_enter(&r->path, value);
        l->has_key = true;
        return;
    }
    enter_value(r);
    bool is_skipped = l && (l->is_skipped || l->elements >= FH_CONFIG_MOST_ELEMENTS);
    if (!is_skipped)
        fh_config_add(&r->path, value, offset);
    read_dependency(r, value, offset);
    if (l && l->is_mapping) {
        read_named_variable(r, value, offset);
        if (fh_config_is_script(fh_config_last(&r->path)))
            read_script(r, event, value, offset);
    } else if (l && l->script != SIZE_MAX && r->script.length < FH_CONFIG_MOST_BYTES) {
        add_script_word(r, value);
    }
    leave_value(r);
}

/* False when reading is to end. */
static bool read_event(yaml_reader *r, const yaml_event_t *event)
{
    level *l = top(r);
    uint32_t offset;
    switch (event->type) {
    case YAML_STREAM_END_EVENT:
        return false;
    case YAML_DOCUMENT_START_EVENT:
        fh_config_leave(&r->path, 0);
        break;
    case YAML_SCALAR_EVENT:
        read_scalar(r, event);
        break;
    case YAML_ALIAS_EVENT:
        if (l && l->is_mapping && !l->has_key) {
            (void)fh_config_enter(&r->path, FH_TEXT("*"));
            l->has_key = true;
        } else if (l) {
            leave_value(r);
        }
        break;
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        offset = offset_of(r, event->start_mark);
        if (r->levels.count >= FH_CONFIG_DEPTH) {
            fh_unit_note(r->path.unit, offset, "YAML nested deeper than %d levels: not read on",
                         FH_CONFIG_DEPTH);
            return false;
        }
        open_container(r, event->type == YAML_MAPPING_START_EVENT, offset);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        close_container(r);
        break;
    default:
        break;
    }
    return r->path.unit->settings.count <= FH_CONFIG_MOST_SETTINGS;
}

static void note_problem(yaml_reader *r)
{
    const char *problem = r->parser.problem ? r->parser.problem : "not YAML";
    uint32_t offset = r->parser.error == YAML_READER_ERROR ? (uint32_t)r->parser.problem_offset
                                                           : offset_of(r, r->parser.problem_mark);
    if (offset > r->text.length)
        offset = (uint32_t)r->text.length;
    fh_unit_note(r->path.unit, offset, "broken YAML, read up to here: %s", problem);
}

fh_status fh_yaml_settings(fh_text text, fh_unit *unit)
{
    yaml_reader r = {.path = {.unit = unit}, .text = text};
    if (!yaml_parser_initialize(&r.parser))
        return fh_error(FH_NO_MEMORY, "out of memory while reading YAML");
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)(text.data ? text.data : ""),
                                 text.length);
    bool goes_on = true, no_memory = false;
    while (goes_on) {
        yaml_event_t event;
        if (!yaml_parser_parse(&r.parser, &event)) {
            no_memory = r.parser.error == YAML_MEMORY_ERROR;
            note_problem(&r);
            break;
        }
        goes_on = read_event(&r, &event) && !r.levels.failed;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&r.parser);
    bool failed = no_memory || r.levels.failed || r.path.path.failed || r.script.failed ||
                  fh_unit_failed(unit);
    fh_vector_free(&r.levels);
    fh_buffer_free(&r.script);
    fh_config_free(&r.path);
    return failed ? fh_error(FH_NO_MEMORY, "out of memory while reading YAML") : FH_OK;
}
