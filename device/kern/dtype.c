/* Names and sizes of element types. */
#include "device/kern/dtype.h"

#include <stdio.h>

size_t fh_dtype_size(int dtype)
{
    switch (dtype) {
#define X(name, number, bytes, text) \
    case number: \
        return bytes;
        FH_DTYPE_MAP(X)
#undef X
    default:
        return 0;
    }
}

const char *fh_dtype_name(int dtype)
{
    switch (dtype) {
#define X(name, number, bytes, text) \
    case number: \
        return text;
        FH_DTYPE_MAP(X)
#undef X
    default:
        return "undefined";
    }
}

void fh_dtype_names(fh_dtype_set set, char *text, size_t size)
{
    size_t used = 0;
    if (size)
        text[0] = 0;
    for (int dtype = 0; dtype < FH_DTYPE_LIMIT && used < size; dtype++) {
        if (!fh_dtype_in(dtype, set) || !fh_dtype_size(dtype))
            continue;
        int length =
            snprintf(text + used, size - used, "%s%s", used ? ", " : "", fh_dtype_name(dtype));
        used += length > 0 ? (size_t)length : 0;
    }
}
