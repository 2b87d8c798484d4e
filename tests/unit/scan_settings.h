/* scan_settings.h: what a text says, as lines "KIND line:column key=value", to compare with. */
#ifndef FH_TESTS_SCAN_SETTINGS_H
#define FH_TESTS_SCAN_SETTINGS_H

#include "analyse/scan/config.h"
#include "tests/test.h"

static void add_setting_lines(const fh_unit *unit, fh_buffer *out)
{
    static const char *const kinds[] = {"key", "env", "req", "cmd"};
    for (uint32_t i = 1; i < unit->settings.count; i++) {
        fh_setting setting = unit->settings.items[i];
        fh_place place = fh_unit_place(unit, setting.offset);
        fh_buffer_add_format(out, "%s %u:%u %.*s=%.*s\n", kinds[setting.kind], place.line,
                             place.column, FH_TEXT_ARGS(fh_unit_text(unit, setting.key)),
                             FH_TEXT_ARGS(fh_unit_text(unit, setting.value)));
    }
    for (uint32_t i = 1; i < unit->notes.count; i++) {
        fh_note note = unit->notes.items[i];
        uint32_t line = note.offset == FH_NO_OFFSET ? 0 : fh_unit_place(unit, note.offset).line;
        fh_buffer_add_format(out, "note %u %.*s\n", line,
                             FH_TEXT_ARGS(fh_unit_text(unit, note.message)));
    }
}

/* Reads `text` as a file of `kind` and compares all settings and notes with `expected`. */
static void check_settings(fh_source_kind kind, const char *text, const char *expected)
{
    fh_unit unit;
    fh_buffer out = {0};
    fh_unit_init(&unit, fh_config_unit_kind(kind), FH_TEXT("file"));
    CHECK(fh_config_read(kind, fh_text_from(text), &unit) == FH_OK);
    add_setting_lines(&unit, &out);
    CHECK_TEXT(fh_buffer_text(&out), expected);
    fh_buffer_free(&out);
    fh_unit_free(&unit);
}

#endif
