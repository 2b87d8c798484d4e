#include "base/csv.h"
#include "tests/fuzz/fuzz.h"

/* The first byte chooses the options; the rest is the file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t choice = size ? data[0] : 0;
    fh_csv_options options = {.separator = choice & 1 ? '\t' : ',',
                              .trim_tabs = choice & 2,
                              .max_row_bytes = choice & 4 ? 64 : 0};
    fh_text text = {(const char *)data + (size > 0), size - (size > 0)};
    fh_csv csv;
    bool has_row = true;
    fh_csv_open_text(&csv, "file", text, &options);
    bool is_open = !(choice & 8) || !fh_csv_read_header(&csv);
    while (is_open && has_row && !fh_csv_next(&csv, &has_row))
        for (uint32_t i = 0; has_row && i < csv.fields.count; i++)
            if (!fh_utf8_valid(csv.fields.items[i]))
                abort();
    fh_csv_close(&csv);
    return 0;
}
