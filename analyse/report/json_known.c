#include "analyse/report/json_known.h"

#include <math.h>

void fh_json_known_text(fh_json_writer *json, const char *key, fh_text text)
{
    if (text.length)
        fh_json_write_text(json, key, text);
}

void fh_json_number(fh_json_writer *json, const char *key, double value)
{
    if (fabs(value) <= 9007199254740992.0 && value == floor(value))
        fh_json_write_integer(json, key, (int64_t)value);
    else
        fh_json_write_double(json, key, value);
}

bool fh_json_is_known(double value)
{
    return value >= 0 && isfinite(value);
}

void fh_json_known_number(fh_json_writer *json, const char *key, double value)
{
    if (fh_json_is_known(value))
        fh_json_number(json, key, value);
}

void fh_json_known_count(fh_json_writer *json, const char *key, uint32_t value)
{
    if (value)
        fh_json_write_integer(json, key, value);
}

void fh_json_known_list(fh_json_writer *json, const char *key, fh_text list)
{
    fh_text part, rest = list;
    if (!rest.length)
        return;
    fh_json_write_array(json, key);
    while (fh_text_next(&rest, ',', &part))
        if (part.length)
            fh_json_write_text(json, NULL, part);
    fh_json_write_end(json);
}

void fh_json_counted(fh_json_writer *json, fh_text key, uint32_t count)
{
    fh_buffer terminated = {0};
    fh_buffer_add(&terminated, key);
    fh_buffer_add_char(&terminated, 0);
    if (terminated.failed)
        json->out->failed = true;
    else
        fh_json_write_integer(json, terminated.data, count);
    fh_buffer_free(&terminated);
}

void fh_json_known_positive(fh_json_writer *json, const char *key, double value)
{
    if (value > 0)
        fh_json_known_number(json, key, value);
}
