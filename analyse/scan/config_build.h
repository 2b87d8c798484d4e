/* config_build.h: what the readers of settings share. */
#ifndef FH_SCAN_CONFIG_BUILD_H
#define FH_SCAN_CONFIG_BUILD_H

#include "analyse/scan/program.h"

/* What is more than this is data, not settings; the first to be left out is noted. */
enum {
    FH_CONFIG_MOST_SETTINGS = 20000,
    FH_CONFIG_MOST_ELEMENTS = 64,   /* of one list */
    FH_CONFIG_LONGEST_VALUE = 1024, /* bytes; longer ones are cut */
    FH_CONFIG_LONGEST_PATH = 512,   /* bytes */
    FH_CONFIG_MOST_BYTES = 4 << 20, /* of a file of JSON, YAML, TOML or INI */
    FH_CONFIG_DEPTH = 64,
};

/* At most `most` bytes of the text, cut between characters. */
fh_text fh_setting_cut(fh_text text, size_t most);

/* Adds a setting, within the limits; the value is cut between characters. */
void fh_setting_add(fh_unit *unit, fh_setting_kind kind, fh_text key, fh_text value,
                    uint32_t offset);

/* Adds "NAME=value" as a setting of `kind`; false when `text` does not begin with a name and '='.
 */
bool fh_setting_add_assignment(fh_unit *unit, fh_setting_kind kind, fh_text text, uint32_t offset);

/* Length of the variable's name at the start of `text`, 0 when there is none. */
size_t fh_setting_name_length(fh_text text);

/* The way to the value being read, as a dotted path. */
typedef struct {
    fh_unit *unit;
    fh_buffer path;
    fh_buffer scratch;
    bool noted;
} fh_config_builder;

/* Appends a key, or a list's number, and returns the length to go back to. */
size_t fh_config_enter(fh_config_builder *b, fh_text key);
size_t fh_config_enter_element(fh_config_builder *b, uint32_t number);
void fh_config_leave(fh_config_builder *b, size_t length);

/* Adds the value at the path, and an environment variable when the path says it is one. */
void fh_config_add(fh_config_builder *b, fh_text value, uint32_t offset);

/* The last part of the path; the parts before it. */
fh_text fh_config_last(const fh_config_builder *b);

/* Whether a value of that key is a shell script, as in workflows and compose files. */
bool fh_config_is_script(fh_text key);

void fh_config_free(fh_config_builder *b);

/* The readers: of text that is part of `unit`, whose positions are there already.
 * All fail with FH_NO_MEMORY only. */
fh_status fh_json_settings(fh_text text, fh_unit *unit);
fh_status fh_yaml_settings(fh_text text, fh_unit *unit);
fh_status fh_toml_settings(fh_text text, fh_unit *unit);
fh_status fh_ini_settings(fh_text text, fh_unit *unit);
fh_status fh_dockerfile_settings(fh_text text, fh_unit *unit);
fh_status fh_environment_settings(fh_text text, fh_unit *unit);

#endif
