#include "facts/import.h"
#include "base/path.h"
#include "facts/import_operators.h"
#include "os/file.h"
#include "os/paths.h"
#include "os/process.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_BYTES = 512 << 20,
    PDF_MILLISECONDS = 600000, /* the whole reference has some 5,000 pages */
};

/* Appends a field of a table: no tabs, line ends or '#' at the start; "-" when empty. */
static void add_field(fh_buffer *out, fh_text text)
{
    if (!text.length)
        fh_buffer_add_char(out, '-');
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];
        fh_buffer_add_char(out, c < ' ' || c == 127 ? ' ' : (char)c);
    }
}

static int by_name(const void *a, const void *b)
{
    const fh_import_operator *x = *(fh_import_operator *const *)a;
    const fh_import_operator *y = *(fh_import_operator *const *)b;
    int order = fh_text_compare(x->name, y->name);
    return order ? order : x < y ? -1 : x > y;
}

static void add_row(fh_buffer *out, const fh_import_operator *item, fh_import_kind kind,
                    fh_text document)
{
    fh_buffer_add(out, item->name);
    fh_buffer_add_char(out, '\t');
    fh_families_add(out, item->taken);
    fh_buffer_add_char(out, '\t');
    fh_families_add(out, item->refused);
    fh_buffer_add_char(out, '\t');
    fh_dtypes_add(out, &item->dtypes);
    fh_buffer_add_char(out, '\t');
    add_field(out, document);
    if (kind == FH_IMPORT_PDF_TEXT)
        fh_buffer_add_format(out, "\tpage %u\n", item->page);
    else
        fh_buffer_add_format(out, "\tline %u\n", item->line);
}

static bool has_dtypes(const fh_import_operator *item)
{
    for (unsigned i = 0; i < FH_FAMILIES; i++)
        if (item->dtypes.of[i])
            return true;
    return false;
}

static fh_status write_table(const fh_import_operators *operators, fh_import_kind kind,
                             fh_text document, fh_buffer *table, fh_import_summary *summary)
{
    uint32_t count = operators->items.count;
    fh_import_operator **sorted = fh_alloc_zero(count, sizeof *sorted);
    fh_import_summary counted = {0};
    fh_text before = {0};
    if (!sorted)
        return fh_error(FH_NO_MEMORY, "out of memory while importing %.*s", FH_TEXT_ARGS(document));
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = &operators->items.items[i];
    qsort(sorted, count, sizeof *sorted, by_name);
    fh_buffer_add_string(table, "# operators in ");
    add_field(table, document);
    fh_buffer_add_string(table, "; product lines that have them, that do not, data types\n"
                                "operator\tchips\trefused\tdtypes\tdocument\tplace\n");
    for (uint32_t i = 0; i < count; i++) {
        if (fh_text_equal(before, sorted[i]->name)) /* the first row of a CSV counts */
            continue;
        before = sorted[i]->name;
        add_row(table, sorted[i], kind, document);
        counted.operators++;
        counted.with_products += sorted[i]->taken || sorted[i]->refused;
        counted.with_dtypes += has_dtypes(sorted[i]);
    }
    fh_free(sorted);
    if (table->failed)
        return fh_error(FH_NO_MEMORY, "out of memory while importing %.*s", FH_TEXT_ARGS(document));
    *summary = counted;
    return FH_OK;
}

static fh_status read_operators(fh_import_kind kind, fh_text text, fh_text document,
                                fh_import_operators *operators)
{
    fh_import_lines lines = {0};
    fh_buffer name = {0};
    fh_status status;
    if (kind == FH_IMPORT_CSV) {
        fh_buffer_add(&name, document);
        fh_buffer_add_char(&name, 0);
        status = name.failed ? fh_error(FH_NO_MEMORY, "out of memory while importing")
                             : fh_import_operators_of_csv(text, name.data, operators);
        fh_buffer_free(&name);
        return status;
    }
    if (kind == FH_IMPORT_PDF_TEXT)
        status = fh_import_lines_of_pages(text, &lines);
    else
        status = fh_import_lines_of_markup(text, kind == FH_IMPORT_MARKDOWN, &lines);
    if (!status)
        status = fh_import_operators_of_lines(&lines, operators);
    fh_import_lines_free(&lines);
    return status;
}

fh_status fh_facts_import_text(fh_import_kind kind, fh_text text, fh_text document,
                               fh_buffer *table, fh_import_summary *summary)
{
    fh_import_operators operators = {0};
    fh_status status = read_operators(kind, text, document, &operators);
    if (!status && !operators.items.count)
        status = fh_error(FH_INVALID,
                          "%.*s describes no aclnn operators; CANN's operator-library reference "
                          "does (PDF, saved HTML, Markdown or CSV)",
                          FH_TEXT_ARGS(document));
    if (!status)
        status = write_table(&operators, kind, document, table, summary);
    fh_import_operators_free(&operators);
    return status;
}

static fh_import_kind kind_of(fh_text path)
{
    static const struct {
        const char *extension;
        fh_import_kind kind;
    } kinds[] = {
        {"pdf", FH_IMPORT_PDF},    {"html", FH_IMPORT_HTML},   {"htm", FH_IMPORT_HTML},
        {"xhtml", FH_IMPORT_HTML}, {"md", FH_IMPORT_MARKDOWN}, {"markdown", FH_IMPORT_MARKDOWN},
        {"csv", FH_IMPORT_CSV},    {"tsv", FH_IMPORT_CSV},     {"txt", FH_IMPORT_PDF_TEXT}};
    char lower[16];
    fh_text extension = fh_path_extension(path);
    if (extension.length >= sizeof lower)
        return FH_IMPORT_AUTO;
    for (size_t i = 0; i < extension.length; i++)
        lower[i] = (char)(extension.data[i] | 0x20);
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (fh_text_is((fh_text){lower, extension.length}, kinds[i].extension))
            return kinds[i].kind;
    return FH_IMPORT_AUTO;
}

static fh_status read_pdf(const char *path, fh_buffer *text)
{
    /* A path that begins with '-' would be taken for an option. */
    fh_buffer full = {0};
    int exit_code = 0;
    fh_file_info info;
    fh_status status = fh_file_stat(path, true, &info);
    if (status)
        return status;
    if (*path == '-')
        fh_buffer_add_string(&full, "./");
    fh_buffer_add_string(&full, path);
    fh_buffer_add_char(&full, 0);
    if (full.failed) {
        fh_buffer_free(&full);
        return fh_error(FH_NO_MEMORY, "out of memory while reading %s", path);
    }
    const char *const arguments[] = {"pdftotext", "-layout", "-enc", "UTF-8", full.data, "-", NULL};
    status = fh_process_run(arguments, MOST_BYTES, PDF_MILLISECONDS, text, &exit_code);
    if (status == FH_NOT_FOUND)
        status = fh_error(FH_NOT_FOUND,
                          "pdftotext is needed to read %s and is not installed; "
                          "install poppler-utils",
                          path);
    else if (!status && exit_code)
        status = fh_error(FH_INVALID, "pdftotext cannot read %s (it ended with %d); is it a PDF?",
                          path, exit_code);
    fh_buffer_free(&full);
    return status;
}

/* Sets `target` to DIRECTORY/operators-NAME.tsv, terminated, and makes the directory. */
static fh_status find_target(fh_text path, const char *directory, fh_buffer *target)
{
    fh_text name = fh_path_name(path);
    fh_status status = FH_OK;
    if (directory && *directory)
        fh_buffer_add_string(target, directory);
    else if (!(status = fh_paths_config(target)))
        fh_buffer_add_string(target, "/facts");
    if (status)
        return status;
    fh_buffer_add_char(target, 0);
    if (!target->failed)
        status = fh_directory_make(target->data);
    if (status)
        return status;
    target->length -= target->length > 0;
    fh_buffer_add_string(target, "/operators-");
    for (size_t i = 0; i < name.length; i++) {
        char c = name.data[i];
        bool is_plain = (unsigned char)c >= 128 || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
                        ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
        fh_buffer_add_char(target, is_plain ? c : '_');
    }
    fh_buffer_add_string(target, ".tsv");
    fh_buffer_add_char(target, 0);
    return target->failed ? fh_error(FH_NO_MEMORY, "out of memory while importing") : FH_OK;
}

static fh_status read_document(const char *path, fh_import_kind *kind, fh_buffer *text)
{
    if (*kind == FH_IMPORT_AUTO)
        *kind = kind_of(fh_text_from(path));
    if (*kind == FH_IMPORT_AUTO)
        return fh_error(FH_UNSUPPORTED, "%s is none of .pdf, .html, .md, .csv, .tsv and .txt",
                        path);
    if (*kind != FH_IMPORT_PDF)
        return fh_file_read(path, MOST_BYTES, text);
    *kind = FH_IMPORT_PDF_TEXT;
    return read_pdf(path, text);
}

fh_status fh_facts_import(const char *path, fh_import_kind kind, const char *directory,
                          fh_buffer *written, fh_import_summary *summary)
{
    fh_buffer text = {0}, table = {0}, target = {0};
    fh_import_summary counted;
    fh_status status = read_document(path, &kind, &text);
    if (!status)
        status = fh_facts_import_text(kind, fh_buffer_text(&text), fh_path_name(fh_text_from(path)),
                                      &table, &counted);
    if (!status)
        status = find_target(fh_text_from(path), directory, &target);
    if (!status)
        status = fh_file_write_atomic(target.data, fh_buffer_text(&table));
    if (!status) {
        *summary = counted;
        if (written)
            fh_buffer_add_string(written, target.data);
    }
    fh_buffer_free(&text);
    fh_buffer_free(&table);
    fh_buffer_free(&target);
    return status;
}
