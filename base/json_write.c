#include "base/json_write.h"
#include "base/number.h"
#include "base/utf8.h"

#include <math.h>
#include <string.h>

fh_json_writer fh_json_writer_to(fh_buffer *out, unsigned indent, bool for_html)
{
    return (fh_json_writer){.out = out, .indent = indent, .for_html = for_html};
}

static void new_line(fh_json_writer *w)
{
    if (!w->indent)
        return;
    fh_buffer_add_char(w->out, '\n');
    fh_buffer_add_repeated(w->out, ' ', w->indent * w->depth);
}

/* What comes before every value: comma, line break, key. */
static void begin_value(fh_json_writer *w, const char *key)
{
    uint64_t level = (uint64_t)1 << w->depth;
    if (w->depth) {
        if (w->has_members & level)
            fh_buffer_add_string(w->out, w->indent ? "," : ", ");
        new_line(w);
    }
    w->has_members |= level;
    if (key) {
        fh_json_add_string(w->out, fh_text_from(key), w->for_html);
        fh_buffer_add_string(w->out, ": ");
    }
}

static void begin(fh_json_writer *w, const char *key, bool is_object)
{
    begin_value(w, key);
    fh_buffer_add_char(w->out, is_object ? '{' : '[');
    if (w->depth == FH_JSON_WRITE_DEPTH) {
        w->out->failed = true; /* a mistake of the caller; no output is better than wrong output */
        return;
    }
    uint64_t level = (uint64_t)1 << ++w->depth;
    w->has_members &= ~level;
    w->is_object = is_object ? w->is_object | level : w->is_object & ~level;
}

void fh_json_write_object(fh_json_writer *w, const char *key)
{
    begin(w, key, true);
}

void fh_json_write_array(fh_json_writer *w, const char *key)
{
    begin(w, key, false);
}

void fh_json_write_end(fh_json_writer *w)
{
    uint64_t level = (uint64_t)1 << w->depth;
    if (!w->depth)
        return;
    w->depth--;
    if (w->has_members & level)
        new_line(w);
    fh_buffer_add_char(w->out, w->is_object & level ? '}' : ']');
}

void fh_json_write_text(fh_json_writer *w, const char *key, fh_text text)
{
    begin_value(w, key);
    fh_json_add_string(w->out, text, w->for_html);
}

void fh_json_write_integer(fh_json_writer *w, const char *key, int64_t value)
{
    begin_value(w, key);
    fh_buffer_add_integer(w->out, value);
}

void fh_json_write_double(fh_json_writer *w, const char *key, double value)
{
    begin_value(w, key);
    if (isfinite(value))
        fh_number_add(w->out, value);
    else
        fh_buffer_add_string(w->out, "null");
}

void fh_json_write_boolean(fh_json_writer *w, const char *key, bool value)
{
    begin_value(w, key);
    fh_buffer_add_string(w->out, value ? "true" : "false");
}

void fh_json_write_null(fh_json_writer *w, const char *key)
{
    begin_value(w, key);
    fh_buffer_add_string(w->out, "null");
}

static void add_escaped(fh_buffer *out, unsigned char c)
{
    static const char controls[] = "\b\f\n\r\t", letters[] = "bfnrt";
    const char *found = c ? strchr(controls, c) : NULL;
    if (found)
        fh_buffer_add_format(out, "\\%c", letters[found - controls]);
    else if (c == '"' || c == '\\')
        fh_buffer_add_format(out, "\\%c", c);
    else
        fh_buffer_add_format(out, "\\u%04x", c);
}

void fh_json_add_string(fh_buffer *out, fh_text text, bool for_html)
{
    bool valid = fh_utf8_valid(text);
    size_t begin = 0;
    fh_buffer_add_char(out, '"');
    for (size_t i = 0; i <= text.length; i++) {
        unsigned char c = i < text.length ? (unsigned char)text.data[i] : '"';
        bool plain = c >= 0x20 && c != '"' && c != '\\' && c != 0x7F &&
                     !(for_html && (c == '<' || c == '>' || c == '&'));
        if (plain)
            continue;
        fh_text part = fh_text_slice(text, begin, i);
        if (valid)
            fh_buffer_add(out, part);
        else
            fh_utf8_add_repaired(out, part);
        if (i < text.length)
            add_escaped(out, c);
        begin = i + 1;
    }
    fh_buffer_add_char(out, '"');
}
