#include "analyse/rules/text_match.h"

#include <string.h>

bool fh_text_is_cuda_device(fh_text text)
{
    if (fh_text_is(text, "cuda"))
        return true;
    if (!fh_text_starts(text, "cuda:") || text.length == strlen("cuda:"))
        return false;
    for (size_t i = strlen("cuda:"); i < text.length; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    return true;
}
