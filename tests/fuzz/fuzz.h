/* fuzz.h: what the fuzzers share.
 *
 * Readers are promised valid UTF-8 and no zero bytes: fuzz_text makes that of any
 * bytes, in memory of exactly its size, so that reading past it is seen.
 */
#ifndef FH_TESTS_FUZZ_H
#define FH_TESTS_FUZZ_H

#include "analyse/scan/program.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The caller frees .data. */
static inline fh_text fuzz_text(const uint8_t *data, size_t size)
{
    fh_buffer buffer = {0};
    fh_utf8_add_repaired(&buffer, (fh_text){(const char *)data, size});
    char *exact = malloc(buffer.length ? buffer.length : 1);
    if (!exact || buffer.failed)
        abort();
    for (size_t i = 0; i < buffer.length; i++)
        exact[i] = buffer.data[i] ? buffer.data[i] : ' ';
    fh_text text = {exact, buffer.length};
    fh_buffer_free(&buffer);
    return text;
}

/* Aborts when a table of the unit says what its text cannot mean. */
static inline void fuzz_check_unit(const fh_unit *unit, fh_text text)
{
    uint32_t symbols = fh_symbols_count(&unit->symbols);
    for (uint32_t i = 1; i < unit->settings.count; i++) {
        fh_setting setting = unit->settings.items[i];
        if (setting.offset > text.length || setting.key >= symbols || setting.value >= symbols ||
            !fh_utf8_valid(fh_unit_text(unit, setting.value)) ||
            !fh_utf8_valid(fh_unit_text(unit, setting.key)))
            abort();
        (void)fh_unit_place(unit, setting.offset);
    }
    for (uint32_t i = 1; i < unit->kernels.count; i++) {
        fh_kernel kernel = unit->kernels.items[i];
        if (kernel.offset > kernel.end || kernel.end > text.length || kernel.name >= symbols ||
            !fh_utf8_valid(fh_unit_text(unit, kernel.name)))
            abort();
    }
    for (uint32_t i = 1; i < unit->notes.count; i++)
        if ((unit->notes.items[i].offset > text.length &&
             unit->notes.items[i].offset != FH_NO_OFFSET) ||
            !fh_utf8_valid(fh_unit_text(unit, unit->notes.items[i].message)))
            abort();
}

#endif
