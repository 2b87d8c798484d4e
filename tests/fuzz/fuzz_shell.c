#include "tests/fuzz/fuzz_settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_settings(FH_SOURCE_DOCKERFILE, data, size);
    return fuzz_settings(FH_SOURCE_SHELL, data, size);
}
