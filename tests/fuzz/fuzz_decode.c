#include "analyse/scan/decode.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fh_buffer storage = {0};
    for (int python = 0; python < 2; python++) {
        fh_decoded decoded;
        fh_status status =
            fh_decode((fh_text){(const char *)data, size}, python == 1, &storage, &decoded);
        if (!status && !fh_utf8_valid(decoded.text))
            abort();
        if (status && status != FH_UNSUPPORTED)
            abort();
    }
    fh_buffer_free(&storage);
    return 0;
}
