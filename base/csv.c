#include "base/csv.h"
#include "base/utf8.h"

#include <limits.h>
#include <string.h>

enum { PIECE = 256 * 1024, DEFAULT_ROW_BYTES = 16 * 1024 * 1024 };

/* Where in a row the reader is. */
typedef enum { FIELD_START, PLAIN, QUOTED, QUOTE_SEEN } place;

static fh_status read_text(void *context, char *data, size_t capacity, size_t *got)
{
    fh_text *left = context;
    fh_text piece = fh_text_slice(*left, 0, capacity);
    if (piece.length)
        memcpy(data, piece.data, piece.length);
    *left = fh_text_slice(*left, piece.length, left->length);
    *got = piece.length;
    return FH_OK;
}

void fh_csv_open(fh_csv *csv, const char *name, fh_csv_source *source, void *context,
                 const fh_csv_options *options)
{
    *csv = (fh_csv){.name = name, .source = source, .context = context, .at_line = 1};
    if (options)
        csv->options = *options;
    if (!csv->options.separator)
        csv->options.separator = ',';
    if (!csv->options.max_row_bytes)
        csv->options.max_row_bytes = DEFAULT_ROW_BYTES;
}

void fh_csv_open_text(fh_csv *csv, const char *name, fh_text text, const fh_csv_options *options)
{
    fh_csv_open(csv, name, read_text, NULL, options);
    csv->text = text;
}

void fh_csv_close(fh_csv *csv)
{
    fh_vector_free(&csv->fields);
    fh_vector_free(&csv->ends);
    fh_vector_free(&csv->header);
    fh_buffer_free(&csv->input);
    fh_buffer_free(&csv->raw);
    fh_buffer_free(&csv->decoded);
    fh_converter_close(&csv->gbk);
    fh_arena_free(&csv->names);
}

static fh_status no_memory(const fh_csv *csv)
{
    return fh_error(FH_NO_MEMORY, "%s:%llu: out of memory", csv->name,
                    (unsigned long long)csv->line);
}

/* Gets more input when there is none left; `ended` at its end. */
static fh_status fill(fh_csv *csv)
{
    if (csv->next < csv->input.length || csv->ended)
        return FH_OK;
    bool first = csv->input.data == NULL;
    size_t got = 0;
    fh_buffer_clear(&csv->input);
    csv->next = 0;
    if (!fh_buffer_reserve(&csv->input, PIECE))
        return no_memory(csv);

    /* A source may give its first bytes one by one; the mark has three. */
    do {
        void *context = csv->source == read_text ? &csv->text : csv->context;
        fh_status status = csv->source(context, csv->input.data + csv->input.length,
                                       PIECE - csv->input.length, &got);
        if (status)
            return status;
        csv->input.length += got;
    } while (first && got && csv->input.length < 3);
    csv->ended = csv->input.length == 0;
    fh_text start = fh_buffer_text(&csv->input);
    if (first && fh_text_starts(start, "\xEF\xBB\xBF"))
        csv->next = 3;
    if (first && (fh_text_starts(start, "\xFF\xFE") || fh_text_starts(start, "\xFE\xFF")))
        return fh_error(FH_UNSUPPORTED, "%s: UTF-16; save it as UTF-8", csv->name);
    return csv->next == csv->input.length && !csv->ended ? fill(csv) : FH_OK;
}

static void end_field(fh_csv *csv)
{
    fh_vector_push(&csv->ends, csv->raw.length);
    fh_buffer_add_char(&csv->raw, '\n');
}

/* The bytes up to the next that may mean something. */
static fh_text plain_run(const fh_csv *csv, place where)
{
    const char *begin = csv->input.data + csv->next, *end = csv->input.data + csv->input.length;
    const char *c = begin;
    if (where == QUOTED)
        while (c < end && *c != '"' && *c != '\n' && *c != '\r')
            c++;
    else
        while (c < end && *c != csv->options.separator && *c != '\n' && *c != '\r')
            c++;
    return (fh_text){begin, (size_t)(c - begin)};
}

/* Counts lines: LF, CR LF and CR each end one, also inside quotes. */
static void count_line(fh_csv *csv, char c)
{
    csv->at_line += c == '\r' || (c == '\n' && !csv->after_return);
    csv->after_return = c == '\r';
}

/* Takes one character that may mean something; true when the row ended. */
static bool take(fh_csv *csv, place *where, char c)
{
    bool is_end = c == '\n' || c == '\r';
    count_line(csv, c);
    if (*where == QUOTED) {
        if (c == '"')
            *where = QUOTE_SEEN;
        else
            fh_buffer_add_char(&csv->raw, c);
    } else if (*where == QUOTE_SEEN && c == '"') {
        fh_buffer_add_char(&csv->raw, c);
        *where = QUOTED;
    } else if (*where == FIELD_START && c == '"') {
        *where = QUOTED;
    } else if (is_end || c == csv->options.separator) {
        end_field(csv);
        *where = FIELD_START;
    } else {
        fh_buffer_add_char(&csv->raw, c);
        *where = PLAIN;
    }
    return is_end && *where == FIELD_START;
}

/* Reads the bytes of one row into `raw` and `ends`; none at the end. */
static fh_status read_raw(fh_csv *csv)
{
    place where = FIELD_START;
    uint64_t quote_line = 0;
    fh_buffer_clear(&csv->raw);
    fh_vector_clear(&csv->ends);
    for (;;) {
        fh_status status = fill(csv);
        if (status)
            return status;
        if (csv->raw.failed || csv->ends.failed)
            return no_memory(csv);
        if (csv->ended)
            break;
        if (csv->raw.length > csv->options.max_row_bytes)
            return fh_error(FH_LIMIT, "%s:%llu: the row that begins here has over %zu bytes%s",
                            csv->name, (unsigned long long)csv->line, csv->options.max_row_bytes,
                            where == QUOTED ? "; is a quote not closed?" : "");
        char c = csv->input.data[csv->next];
        bool row_begins = where == FIELD_START && !csv->ends.count;
        if (row_begins && ((c == '\n' && csv->after_return) || c == '\r' || c == '\n')) {
            count_line(csv, c); /* an empty line, or the rest of the last line's end */
            csv->next++;
            continue;
        }
        if (row_begins)
            csv->line = csv->at_line;
        if (where == PLAIN || where == QUOTED) {
            fh_text run = plain_run(csv, where);
            if (run.length) {
                fh_buffer_add(&csv->raw, run);
                csv->after_return = false;
                csv->next += run.length;
                continue;
            }
        }
        if (c == '"' && where == FIELD_START)
            quote_line = csv->at_line;
        csv->next++;
        if (take(csv, &where, c))
            return FH_OK;
    }
    if (where == QUOTED)
        return fh_error(FH_INVALID, "%s:%llu: the quoted field that begins here does not end",
                        csv->name, (unsigned long long)quote_line);
    if (where != FIELD_START || csv->ends.count)
        end_field(csv); /* the last row needs no line end */
    return csv->raw.failed || csv->ends.failed ? no_memory(csv) : FH_OK;
}

static void set_fields(fh_csv *csv, const fh_buffer *bytes, const size_t *ends, uint32_t count)
{
    size_t begin = 0;
    fh_vector_clear(&csv->fields);
    for (uint32_t i = 0; i < count; i++) {
        fh_text field = fh_text_slice(fh_buffer_text(bytes), begin, ends[i]);
        begin = ends[i] + 1;
        while (csv->options.trim_tabs && fh_text_ends(field, "\t"))
            field.length--;
        fh_vector_push(&csv->fields, field);
    }
}

/* Rewrites `raw`, which is not UTF-8 or comes after a row that was not, into
 * `decoded`, field by field, and the ends with it. */
static void decode(fh_csv *csv, bool valid)
{
    size_t begin = 0;
    bool damaged = false;
    if (!csv->gbk.state && !fh_converter_open(&csv->gbk, "GBK"))
        csv->gbk.state = NULL;
    fh_buffer_clear(&csv->decoded);
    for (uint32_t i = 0; i < csv->ends.count; i++) {
        fh_text field = fh_text_slice(fh_buffer_text(&csv->raw), begin, csv->ends.items[i]);
        size_t before = csv->decoded.length;
        begin = csv->ends.items[i] + 1;
        if (!csv->gbk.state || fh_converter_add(&csv->gbk, field, &csv->decoded)) {
            csv->decoded.length = before;
            damaged |= !valid;
            fh_utf8_add_repaired(&csv->decoded, field);
        } else if (!valid) {
            csv->is_gbk = true;
        }
        csv->ends.items[i] = csv->decoded.length;
        fh_buffer_add_char(&csv->decoded, '\n');
    }
    csv->damaged += damaged;
}

fh_status fh_csv_next(fh_csv *csv, bool *has_row)
{
    if (csv->ended) {
        *has_row = false;
        return FH_OK;
    }
    fh_status status = read_raw(csv);
    if (status) {
        csv->ended = true;
        csv->next = csv->input.length;
        return status;
    }
    if (!csv->ends.count) {
        *has_row = false;
        return FH_OK;
    }
    fh_text raw = fh_buffer_text(&csv->raw);
    bool is_ascii = fh_utf8_ascii(raw), valid = is_ascii || fh_utf8_valid(raw);
    if (!valid || (csv->is_gbk && !is_ascii)) {
        decode(csv, valid);
        set_fields(csv, &csv->decoded, csv->ends.items, csv->ends.count);
    } else {
        set_fields(csv, &csv->raw, csv->ends.items, csv->ends.count);
    }
    if (csv->fields.failed || csv->decoded.failed)
        return no_memory(csv);
    csv->row++;
    *has_row = true;
    return FH_OK;
}

fh_status fh_csv_read_header(fh_csv *csv)
{
    bool has_row;
    fh_status status = fh_csv_next(csv, &has_row);
    if (status)
        return status;
    if (!has_row)
        return fh_error(FH_INVALID, "%s: empty: not even a row of column names", csv->name);
    for (uint32_t i = 0; i < csv->fields.count; i++)
        fh_vector_push(&csv->header,
                       fh_arena_copy(&csv->names, fh_text_trim(csv->fields.items[i])));
    return csv->header.failed || csv->names.failed ? no_memory(csv) : FH_OK;
}

int fh_csv_column(const fh_csv *csv, const char *name)
{
    for (uint32_t i = 0; i < csv->header.count && i < INT_MAX; i++)
        if (fh_text_is(csv->header.items[i], name))
            return (int)i;
    return -1;
}

fh_text fh_csv_field(const fh_csv *csv, int column)
{
    if (column < 0 || (uint32_t)column >= csv->fields.count)
        return (fh_text){0};
    return csv->fields.items[column];
}
