#include "analyse/scan/notebook.h"
#include "tests/fuzz/fuzz.h"

static void check_code(const fh_notebook *notebook)
{
    fh_buffer shown = {0};
    fh_notebook_show(notebook, &shown);
    if (!fh_utf8_valid(fh_buffer_text(&notebook->text)) || !fh_utf8_valid(fh_buffer_text(&shown)) ||
        shown.length != notebook->text.length)
        abort();
    fh_buffer_free(&shown);
    for (uint32_t line = 0; line < 64; line++)
        (void)fh_notebook_place(notebook, line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fh_text text = fuzz_text(data, size);
    fh_notebook notebook = {0};
    if (!fh_notebook_read(text, &notebook))
        check_code(&notebook);
    fh_notebook_free(&notebook);
    free((char *)(uintptr_t)text.data);
    return 0;
}
