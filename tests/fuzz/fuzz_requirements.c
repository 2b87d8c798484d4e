#include "tests/fuzz/fuzz_settings.h"

/* Requirements files, and the other formats that are read by lines. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_settings(FH_SOURCE_REQUIREMENTS, data, size);
    fuzz_settings(FH_SOURCE_INI, data, size);
    return fuzz_settings(FH_SOURCE_ENVIRONMENT, data, size);
}
