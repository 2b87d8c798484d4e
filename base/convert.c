#include "base/convert.h"

#include <errno.h>
#include <iconv.h>

bool fh_converter_open(fh_converter *converter, const char *encoding)
{
    iconv_t opened = iconv_open("UTF-8", encoding);
    converter->state = opened == (iconv_t)-1 ? NULL : opened;
    return converter->state != NULL;
}

void fh_converter_close(fh_converter *converter)
{
    if (converter->state)
        iconv_close(converter->state);
    converter->state = NULL;
}

/* One call of iconv at the end of `out`; without input, it ends the text. */
static size_t step(fh_converter *converter, char **in, size_t *left, fh_buffer *out)
{
    char *to = out->data + out->length;
    size_t room = out->capacity - out->length;
    size_t result = iconv(converter->state, in, left, &to, &room);
    out->length = (size_t)(to - out->data);
    return result;
}

size_t fh_converter_add(fh_converter *converter, fh_text bytes, fh_buffer *out)
{
    char *in = (char *)(uintptr_t)bytes.data;
    size_t left = bytes.length, errors = 0, room = bytes.length + 16;
    iconv(converter->state, NULL, NULL, NULL, NULL);
    for (bool ending = left == 0;;) {
        if (!fh_buffer_reserve(out, room))
            return errors;
        size_t result = step(converter, ending ? NULL : &in, &left, out);
        if (result != (size_t)-1 && ending)
            return errors;
        if (result != (size_t)-1) {
            ending = true;
        } else if (errno == E2BIG) {
            room = out->capacity - out->length + left + 16;
        } else { /* EILSEQ, or EINVAL: cut off at the end */
            fh_buffer_add_string(out, "\xEF\xBF\xBD");
            errors++;
            in++;
            left--;
            ending = left == 0;
            iconv(converter->state, NULL, NULL, NULL, NULL);
        }
    }
}
