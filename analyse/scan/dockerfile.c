#include "analyse/scan/config_build.h"
#include "analyse/scan/shell.h"

#include <string.h>

/* Dockerfiles: instructions with continued lines; those that run something are shell. */

typedef struct {
    fh_unit *unit;
    fh_text text;
    char escape;       /* '\\', or '`' after `# escape=` */
    fh_buffer content; /* the instruction at hand: as long as in the text, line ends joined */
} docker_reader;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t end_of_line(fh_text text, size_t at)
{
    while (at < text.length && text.data[at] != '\n')
        at++;
    return at;
}

/* Copies the instruction at `at` with all lines it goes on over: joined by blanks, comment lines
 * between them blanked, so that offsets stay. Returns where the next line begins. */
static size_t read_instruction(docker_reader *r, size_t at)
{
    fh_buffer_clear(&r->content);
    for (bool is_first = true; at < r->text.length; is_first = false) {
        size_t end = end_of_line(r->text, at);
        fh_text line = fh_text_slice(r->text, at, end), trimmed = fh_text_trim(line);
        bool is_comment = !is_first && (!trimmed.length || trimmed.data[0] == '#');
        bool goes_on =
            is_comment || (trimmed.length && trimmed.data[trimmed.length - 1] == r->escape);
        size_t kept = is_comment ? 0
                      : goes_on  ? (size_t)(trimmed.data - line.data) + trimmed.length - 1
                                 : line.length;
        fh_buffer_add(&r->content, fh_text_slice(line, 0, kept));
        for (size_t i = kept; i < line.length + (end < r->text.length); i++)
            fh_buffer_add_char(&r->content, ' ');
        at = end + 1;
        if (!goes_on)
            break;
    }
    return at;
}

/* The delimiter of the first here-document of a RUN or COPY; empty when there is none. */
static fh_text document_delimiter(fh_text content)
{
    for (size_t i = 0; i + 2 < content.length; i++) {
        if (content.data[i] != '<' || content.data[i + 1] != '<')
            continue;
        size_t begin = i + 2;
        while (begin < content.length && strchr("-\"'", content.data[begin]))
            begin++;
        size_t length = fh_setting_name_length(fh_text_slice(content, begin, content.length));
        return fh_text_slice(content, begin, begin + length);
    }
    return (fh_text){0};
}

/* Reads the lines of a here-document from `at` on as shell when `runs`; returns what follows it. */
static size_t read_document(docker_reader *r, size_t at, fh_text delimiter, bool runs)
{
    size_t begin = at, end = at;
    while (at < r->text.length) {
        end = end_of_line(r->text, at);
        fh_text line = fh_text_trim(fh_text_slice(r->text, at, end));
        if (fh_text_equal(line, delimiter))
            break;
        at = end + 1;
    }
    size_t last = at < r->text.length ? at : r->text.length;
    if (runs && begin < last)
        (void)fh_shell_settings(fh_text_slice(r->text, begin, last), (uint32_t)begin, false,
                                r->unit);
    return at < r->text.length ? end + 1 : r->text.length;
}

/* ["program", "argument"]: brackets, commas and quotes become blanks. */
static void flatten_list(char *text, size_t length)
{
    bool in_string = false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            in_string = !in_string;
        else if (in_string || !strchr("[],", text[i]))
            continue;
        if (text[i] != '"' || (i && text[i - 1] == '\\'))
            text[i] = ' ';
    }
}

static void read_run(docker_reader *r, size_t from, uint32_t offset)
{
    char *data = r->content.data;
    size_t length = r->content.length;
    while (from < length) { /* options: --mount=type=cache,target=... */
        while (from < length && is_blank(data[from]))
            from++;
        if (from + 1 >= length || data[from] != '-' || data[from + 1] != '-')
            break;
        while (from < length && !is_blank(data[from]))
            from++;
    }
    if (from < length && data[from] == '[')
        flatten_list(data + from, length - from);
    (void)fh_shell_settings(fh_text_slice(fh_buffer_text(&r->content), from, length),
                            offset + (uint32_t)from, false, r->unit);
}

/* ENV NAME=value NAME="value", or ENV NAME value; ARG likewise. */
static void read_variables(docker_reader *r, fh_text rest, uint32_t offset, bool is_argument)
{
    size_t length = fh_setting_name_length(rest), at = 0;
    fh_buffer value = {0}, key = {0};
    bool is_pair = length < rest.length && rest.data[length] == '=';
    if (length && !is_pair && !is_argument && length < rest.length)
        fh_setting_add(r->unit, FH_SETTING_ENVIRONMENT, fh_text_slice(rest, 0, length),
                       fh_text_trim(fh_text_slice(rest, length, rest.length)), offset);
    while (is_pair && at < rest.length) {
        size_t begin = at;
        length = fh_setting_name_length(fh_text_slice(rest, at, rest.length));
        if (!length || at + length >= rest.length || rest.data[at + length] != '=')
            break;
        fh_buffer_clear(&value);
        char quote = 0;
        for (at += length + 1; at < rest.length && (quote || !is_blank(rest.data[at])); at++) {
            char c = rest.data[at];
            if (c == r->escape && quote != '\'' && at + 1 < rest.length)
                fh_buffer_add_char(&value, rest.data[++at]);
            else if (quote ? c == quote : c == '"' || c == '\'')
                quote = quote ? 0 : c;
            else
                fh_buffer_add_char(&value, c);
        }
        fh_buffer_clear(&key);
        fh_buffer_add_string(&key, is_argument ? "arg." : "");
        fh_buffer_add(&key, fh_text_slice(rest, begin, begin + length));
        fh_setting_add(r->unit, is_argument ? FH_SETTING_KEY : FH_SETTING_ENVIRONMENT,
                       fh_buffer_text(&key), fh_buffer_text(&value), offset + (uint32_t)begin);
        while (at < rest.length && is_blank(rest.data[at]))
            at++;
    }
    r->unit->settings.failed |= value.failed || key.failed;
    fh_buffer_free(&value);
    fh_buffer_free(&key);
}

/* FROM [--platform=...] image [AS name]: the image. */
static void read_from(docker_reader *r, fh_text rest, uint32_t offset)
{
    size_t at = 0;
    for (;;) {
        while (at < rest.length && is_blank(rest.data[at]))
            at++;
        size_t end = at;
        while (end < rest.length && !is_blank(rest.data[end]))
            end++;
        fh_text word = fh_text_slice(rest, at, end);
        if (!word.length)
            return;
        if (!fh_text_starts(word, "--")) {
            fh_setting_add(r->unit, FH_SETTING_KEY, FH_TEXT("from"), word, offset + (uint32_t)at);
            return;
        }
        at = end;
    }
}

static bool is_instruction(fh_text word, const char *name)
{
    if (word.length != strlen(name))
        return false;
    for (size_t i = 0; i < word.length; i++)
        if ((word.data[i] | 32) != name[i])
            return false;
    return true;
}

/* The word at or behind *at, which moves to its end. */
static fh_text next_word(fh_text text, size_t *at)
{
    while (*at < text.length && is_blank(text.data[*at]))
        ++*at;
    size_t begin = *at;
    while (*at < text.length && !is_blank(text.data[*at]))
        ++*at;
    return fh_text_slice(text, begin, *at);
}

/* What the instruction in r->content says, which begins at `begin`; returns where the next one is.
 */
static size_t use_instruction(docker_reader *r, size_t begin, size_t next)
{
    fh_text content = fh_buffer_text(&r->content);
    size_t word_end = 0;
    fh_text word = next_word(content, &word_end);
    if (is_instruction(word, "onbuild"))
        word = next_word(content, &word_end);
    while (word_end < content.length && is_blank(content.data[word_end]))
        word_end++;
    fh_text rest = fh_text_slice(content, word_end, content.length);
    uint32_t offset = (uint32_t)(begin + word_end);
    bool runs = is_instruction(word, "run");
    if (is_instruction(word, "from"))
        read_from(r, rest, offset);
    else if (is_instruction(word, "env"))
        read_variables(r, fh_text_trim(rest), offset, false);
    else if (is_instruction(word, "arg"))
        read_variables(r, fh_text_trim(rest), offset, true);
    fh_text delimiter = runs || is_instruction(word, "copy") || is_instruction(word, "add")
                            ? document_delimiter(rest)
                            : (fh_text){0};
    size_t behind = delimiter.length ? read_document(r, next, delimiter, runs) : next;
    if (runs || is_instruction(word, "cmd") || is_instruction(word, "entrypoint"))
        read_run(r, word_end, (uint32_t)begin);
    return behind;
}

/* The parser directive `# escape=x` stands before everything else. */
static void read_escape(docker_reader *r)
{
    size_t at = 0;
    while (at < r->text.length) {
        size_t end = end_of_line(r->text, at);
        fh_text line = fh_text_trim(fh_text_slice(r->text, at, end));
        if (!fh_text_starts(line, "#"))
            return;
        size_t equals = fh_text_find(line, '=');
        fh_text name = fh_text_trim(fh_text_slice(line, 1, equals));
        fh_text value = fh_text_trim(fh_text_slice(line, equals + 1, line.length));
        if (is_instruction(name, "escape") && fh_text_is(value, "`"))
            r->escape = '`';
        at = end + 1;
    }
}

fh_status fh_dockerfile_settings(fh_text text, fh_unit *unit)
{
    docker_reader r = {.unit = unit, .text = text, .escape = '\\'};
    read_escape(&r);
    for (size_t at = 0; at < text.length && !r.content.failed;) {
        size_t end = end_of_line(text, at);
        fh_text line = fh_text_trim(fh_text_slice(text, at, end));
        if (!line.length || line.data[0] == '#') {
            at = end + 1;
            continue;
        }
        size_t next = read_instruction(&r, at);
        at = use_instruction(&r, at, next);
    }
    bool failed = r.content.failed || fh_unit_failed(unit);
    fh_buffer_free(&r.content);
    return failed ? fh_error(FH_NO_MEMORY, "out of memory while reading a Dockerfile") : FH_OK;
}
