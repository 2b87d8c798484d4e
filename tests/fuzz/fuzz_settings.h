/* fuzz_settings.h: a fuzzer for one kind of settings. */
#ifndef FH_TESTS_FUZZ_SETTINGS_H
#define FH_TESTS_FUZZ_SETTINGS_H

#include "analyse/scan/config.h"
#include "tests/fuzz/fuzz.h"

static inline int fuzz_settings(fh_source_kind kind, const uint8_t *data, size_t size)
{
    fh_text text = fuzz_text(data, size);
    fh_unit unit;
    fh_unit_init(&unit, fh_config_unit_kind(kind), FH_TEXT("file"));
    if (fh_config_read(kind, text, &unit))
        abort(); /* no text is refused */
    fuzz_check_unit(&unit, text);
    fh_unit_free(&unit);
    free((char *)(uintptr_t)text.data);
    return 0;
}

#endif
