#include "facts/import_lines.h"
#include "base/utf8.h"

#include <string.h>

enum { LONGEST_TAG = 4096 };

typedef struct {
    fh_text rest;
    fh_import_lines *out;
    size_t begin;    /* of the line being written */
    uint32_t number; /* of the source line being read */
    uint32_t first;  /* number of the line being written */
    bool is_markdown, in_row, in_fence;
    bool at_line_start; /* of the source */
} markup_reader;

fh_text fh_import_line_text(const fh_import_lines *lines, uint32_t index)
{
    const fh_import_line *line = &lines->lines.items[index];
    return fh_text_slice(fh_buffer_text(&lines->text), line->begin, line->end);
}

void fh_import_lines_free(fh_import_lines *lines)
{
    fh_buffer_free(&lines->text);
    fh_vector_free(&lines->lines);
}

static fh_text without_bom(fh_text text)
{
    return fh_text_starts(text, "\xEF\xBB\xBF") ? fh_text_slice(text, 3, text.length) : text;
}

static fh_status finish(fh_import_lines *lines)
{
    if (!lines->text.failed && !lines->lines.failed)
        return FH_OK;
    fh_import_lines_free(lines);
    return fh_error(FH_NO_MEMORY, "out of memory while reading operator documentation");
}

fh_status fh_import_lines_of_pages(fh_text text, fh_import_lines *lines)
{
    fh_import_lines read = {0};
    uint32_t number = 0, page = 1;
    fh_text line;
    fh_utf8_add_repaired(&read.text, without_bom(text));
    fh_text rest = fh_buffer_text(&read.text);
    while (!read.text.failed && fh_text_next(&rest, '\n', &line)) {
        number++;
        while (line.length && *line.data == '\f') {
            page++;
            number = 1;
            line = fh_text_slice(line, 1, line.length);
        }
        line = fh_text_trim(line);
        size_t begin = line.length ? (size_t)(line.data - read.text.data) : 0;
        if (line.length)
            fh_vector_push(&read.lines, (fh_import_line){begin, begin + line.length, number, page});
    }
    fh_status status = finish(&read);
    if (!status)
        *lines = read;
    return status;
}

static void end_line(markup_reader *reader)
{
    fh_import_lines *out = reader->out;
    fh_text line = fh_text_slice(fh_buffer_text(&out->text), reader->begin, out->text.length);
    fh_text kept = fh_text_trim(line);
    if (kept.length && !out->text.failed) {
        size_t begin = (size_t)(kept.data - out->text.data);
        fh_vector_push(&out->lines, (fh_import_line){begin, begin + kept.length, reader->first, 1});
    }
    reader->begin = out->text.length;
    reader->first = reader->number;
}

static void skip(markup_reader *reader, size_t count)
{
    for (size_t i = 0; i < count && i < reader->rest.length; i++)
        reader->number += reader->rest.data[i] == '\n';
    if (count && reader->rest.length)
        reader->at_line_start =
            reader->rest.data[(count < reader->rest.length ? count : reader->rest.length) - 1] ==
            '\n';
    reader->rest = fh_text_slice(reader->rest, count, reader->rest.length);
}

static bool same_name(fh_text name, const char *wanted)
{
    size_t length = strlen(wanted);
    if (name.length != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((name.data[i] | 0x20) != wanted[i])
            return false;
    return true;
}

static bool is_one_of(fh_text name, const char *const *names)
{
    for (; *names; names++)
        if (same_name(name, *names))
            return true;
    return false;
}

/* Where the content of an element that is left out ends: after its closing tag, or at the
 * end of the text. */
static size_t content_length(fh_text text, fh_text name)
{
    for (size_t at = 0; at + 2 + name.length <= text.length; at++) {
        if (text.data[at] != '<' || text.data[at + 1] != '/')
            continue;
        fh_text closing = fh_text_slice(text, at + 2, at + 2 + name.length);
        size_t same = 0;
        while (same < name.length && (closing.data[same] | 0x20) == (name.data[same] | 0x20))
            same++;
        if (same == name.length)
            return at;
    }
    return text.length;
}

static void apply_tag(markup_reader *reader, fh_text name, bool is_closing)
{
    static const char *const blocks[] = {
        "p",  "div",   "li",   "ul",   "ol",   "table", "thead", "tbody",   "dl", "dt",
        "dd", "title", "body", "head", "main", "nav",   "pre",   "section", "hr", NULL};
    static const char *const left_out[] = {"script", "style", "pre", "svg", NULL};
    bool is_heading = name.length == 2 && (name.data[0] | 0x20) == 'h' && name.data[1] >= '1' &&
                      name.data[1] <= '6';
    if (same_name(name, "tr")) {
        end_line(reader);
        reader->in_row = !is_closing;
    } else if (same_name(name, "td") || same_name(name, "th")) {
        if (!is_closing)
            fh_buffer_add_string(&reader->out->text, " | ");
    } else if (same_name(name, "table") && is_closing) {
        end_line(reader);
        reader->in_row = false;
    } else if (reader->in_row) {
        fh_buffer_add_char(&reader->out->text, ' ');
    } else if (is_heading) {
        end_line(reader);
        if (!is_closing)
            fh_buffer_add_string(&reader->out->text, "# ");
    } else if (same_name(name, "br") || is_one_of(name, blocks)) {
        end_line(reader);
    }
    if (!is_closing && is_one_of(name, left_out))
        skip(reader, content_length(reader->rest, name));
}

/* Reads a tag or comment at the '<'; false when it is a character like others. */
static bool read_tag(markup_reader *reader)
{
    fh_text rest = reader->rest;
    if (fh_text_starts(rest, "<!--")) {
        const char *end = memmem(rest.data, rest.length, "-->", 3);
        skip(reader, end ? (size_t)(end - rest.data) + 3 : rest.length);
        return true;
    }
    size_t at = 1;
    bool is_closing = at < rest.length && rest.data[at] == '/';
    at += is_closing;
    size_t begin = at;
    while (at < rest.length && ((rest.data[at] >= '0' && rest.data[at] <= '9') ||
                                ((rest.data[at] | 0x20) >= 'a' && (rest.data[at] | 0x20) <= 'z')))
        at++;
    fh_text name = fh_text_slice(rest, begin, at);
    bool is_other = begin == 1 && at == 1 && at < rest.length && rest.data[at] == '!';
    if (!name.length && !is_other)
        return false;
    while (at < rest.length && at < LONGEST_TAG && rest.data[at] != '>' && rest.data[at] != '<')
        at++;
    if (at >= rest.length || rest.data[at] != '>')
        return false;
    skip(reader, at + 1);
    if (!is_other)
        apply_tag(reader, name, is_closing);
    return true;
}

/* Reads an entity at the '&'; false when it is a character like others. */
static bool read_entity(markup_reader *reader)
{
    static const struct {
        const char *name, *text;
    } entities[] = {{"&lt;", "<"},    {"&gt;", ">"},    {"&amp;", "&"},   {"&quot;", "\""},
                    {"&nbsp;", " "},  {"&radic;", "√"}, {"&times;", "×"}, {"&apos;", "'"},
                    {"&check;", "✓"}, {"&cross;", "✗"}};
    for (unsigned i = 0; i < sizeof entities / sizeof *entities; i++)
        if (fh_text_starts(reader->rest, entities[i].name)) {
            fh_buffer_add_string(&reader->out->text, entities[i].text);
            skip(reader, strlen(entities[i].name));
            return true;
        }
    fh_text rest = reader->rest;
    if (!fh_text_starts(rest, "&#"))
        return false;
    bool is_hexadecimal = rest.length > 2 && (rest.data[2] | 0x20) == 'x';
    size_t at = is_hexadecimal ? 3 : 2, begin = at;
    uint32_t code = 0;
    for (; at < rest.length && at < begin + 7; at++) {
        char c = rest.data[at], letter = (char)(c | 0x20);
        if (c >= '0' && c <= '9')
            code = code * (is_hexadecimal ? 16 : 10) + (uint32_t)(c - '0');
        else if (is_hexadecimal && letter >= 'a' && letter <= 'f')
            code = code * 16 + (uint32_t)(letter - 'a' + 10);
        else
            break;
    }
    if (at == begin || at >= rest.length || rest.data[at] != ';')
        return false;
    fh_utf8_add(&reader->out->text, code == 0xA0 || code < ' ' ? ' ' : code);
    skip(reader, at + 1);
    return true;
}

/* Passes over what is only form in Markdown; false when the character stands for itself. */
static bool read_markdown(markup_reader *reader)
{
    fh_text rest = reader->rest;
    char c = *rest.data;
    bool is_start = reader->begin == reader->out->text.length;
    if (c == '`' && fh_text_starts(rest, "```") && !reader->in_row) {
        reader->in_fence = !reader->in_fence;
        skip(reader, fh_text_find(rest, '\n'));
        return true;
    }
    if (c == '`' || (c == '*' && !is_start && fh_text_starts(rest, "**"))) {
        skip(reader, c == '`' ? 1 : 2);
        return true;
    }
    if (c == '\\' && rest.length > 1 && strchr("*_&[]()#<>|~`-", rest.data[1])) {
        fh_buffer_add_char(&reader->out->text, rest.data[1]);
        skip(reader, 2);
        return true;
    }
    if (c == ']' && rest.length > 1 && rest.data[1] == '(') {
        fh_text near = fh_text_slice(rest, 0, LONGEST_TAG);
        size_t end = fh_text_find(near, ')');
        if (end < near.length && end < fh_text_find(near, '\n')) {
            skip(reader, end + 1);
            return true;
        }
    }
    return false;
}

/* Passes over a line of code, unless a heading tells that the code has ended: real pages
 * have a fence too many here and there. */
static bool read_code(markup_reader *reader)
{
    fh_text rest = reader->rest;
    if (reader->at_line_start && (fh_text_starts(rest, "# aclnn") || fh_text_starts(rest, "## "))) {
        reader->in_fence = false;
        return false;
    }
    if (fh_text_starts(rest, "```"))
        return false;
    skip(reader, 1);
    reader->first = reader->number;
    return true;
}

static void read_one(markup_reader *reader)
{
    char c = *reader->rest.data;
    if (reader->in_fence && read_code(reader))
        return;
    if ((c == '<' && read_tag(reader)) || (c == '&' && read_entity(reader)) ||
        (reader->is_markdown && read_markdown(reader)))
        return;
    skip(reader, 1);
    if (c == '\n' && !reader->in_row)
        end_line(reader);
    else
        fh_buffer_add_char(&reader->out->text, c == '\n' || c == '\r' ? ' ' : c);
}

fh_status fh_import_lines_of_markup(fh_text text, bool is_markdown, fh_import_lines *lines)
{
    fh_import_lines read = {0};
    fh_buffer repaired = {0};
    fh_utf8_add_repaired(&repaired, without_bom(text));
    markup_reader reader = {.rest = fh_buffer_text(&repaired),
                            .out = &read,
                            .number = 1,
                            .first = 1,
                            .is_markdown = is_markdown};
    while (reader.rest.length && !read.text.failed)
        read_one(&reader);
    end_line(&reader);
    read.text.failed |= repaired.failed;
    fh_buffer_free(&repaired);
    fh_status status = finish(&read);
    if (!status)
        *lines = read;
    return status;
}
