#include "analyse/scan/decode.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fh_buffer storage = {0};
    for (int python = 0; python < 2; python++) {
        fh_decoded decoded;
        fh_text bytes = {(const char *)data, size};
        fh_status status = fh_decode(bytes, python == 1, &storage, &decoded);
        if (!status && !fh_utf8_valid(decoded.text))
            abort();
        uint32_t end = status ? 0 : (uint32_t)decoded.text.length;
        if (!status && fh_decode_align(bytes, &decoded, &end, 1) && end != size)
            abort();
        if (status && status != FH_UNSUPPORTED)
            abort();
    }
    fh_buffer_free(&storage);
    return 0;
}
