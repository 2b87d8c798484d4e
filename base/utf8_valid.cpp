// The one function of utf8.h that simdjson does for us.
#include <simdjson.h>

extern "C" {
#include "base/utf8.h"

bool fh_utf8_valid(fh_text text)
{
    return text.length == 0 || simdjson::validate_utf8(text.data, text.length);
}
}
