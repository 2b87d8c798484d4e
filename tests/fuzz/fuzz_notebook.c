#include "analyse/scan/notebook.h"
#include "tests/fuzz/fuzz.h"

static void check_code(const fh_notebook *notebook, const fh_notebook_code *code)
{
    fh_text text = fh_buffer_text(&code->text);
    if (!fh_utf8_valid(text))
        abort();
    for (uint32_t line = 0; line < 64; line++)
        (void)fh_notebook_place(notebook, code, line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fh_text text = fuzz_text(data, size);
    fh_notebook notebook = {0};
    if (!fh_notebook_read(text, &notebook)) {
        check_code(&notebook, &notebook.python);
        check_code(&notebook, &notebook.shell);
    }
    fh_notebook_free(&notebook);
    free((char *)(uintptr_t)text.data);
    return 0;
}
