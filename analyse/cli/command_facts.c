#include "analyse/cli/commands.h"
#include "analyse/cli/sheet.h"
#include "analyse/cli/user_facts.h"
#include "facts/import.h"
#include "facts/table.h"
#include "os/file.h"

#include <stdio.h>
#include <string.h>

static uint32_t count_rows(fh_text rest)
{
    uint32_t count = 0;
    fh_text row;
    while (fh_table_next(&rest, &row))
        count++;
    return count;
}

static const char *name_of(fh_table_id id)
{
    static const char *const files[] = {
#define X(name, file) file,
        FH_TABLES(X)
#undef X
    };
    return files[id];
}

/* The first comment line, without its sign: what the table is, from where, of which day. */
static fh_text origin_of(const fh_table *table)
{
    fh_text comment = table->comment, line = {0};
    fh_text_next(&comment, '\n', &line);
    while (line.length && (*line.data == '#' || *line.data == ' '))
        line = fh_text_slice(line, 1, line.length);
    /* What is for programs to read. */
    for (size_t i = 0; i < line.length; i++)
        if (line.data[i] == ';' && fh_text_starts(fh_text_slice(line, i, line.length), "; minors="))
            return fh_text_slice(line, 0, i);
    return line;
}

static void list_tables(fh_sheet *sheet)
{
    if (sheet->is_json)
        fh_json_write_array(&sheet->json, "tables");
    for (int id = 0; id < FH_TABLE_COUNT; id++) {
        const fh_table *table = fh_facts_table((fh_table_id)id);
        fh_text name = fh_text_from(name_of((fh_table_id)id));
        uint32_t rows = count_rows(table->rows);
        if (sheet->is_json) {
            fh_json_write_object(&sheet->json, NULL);
            fh_json_write_text(&sheet->json, "name", name);
            fh_json_write_integer(&sheet->json, "rows", rows);
            fh_json_write_text(&sheet->json, "origin", origin_of(table));
            fh_json_write_end(&sheet->json);
            continue;
        }
        char count[32];
        snprintf(count, sizeof count, "  %u rows", rows);
        fh_sheet_span(sheet, FH_INK_STRONG, name);
        fh_sheet_span(sheet, FH_INK_FAINT, fh_text_from(count));
        fh_sheet_end(sheet);
        fh_sheet_field(sheet, "", FH_INK_PLAIN, origin_of(table));
    }
    if (sheet->is_json)
        fh_json_write_end(&sheet->json);
}

static void list_releases(fh_sheet *sheet)
{
    fh_buffer list = {0};
    if (sheet->is_json)
        fh_json_write_array(&sheet->json, "releases");
    for (unsigned i = 0; i < fh_release_count(); i++) {
        fh_release release = fh_release_at(i);
        fh_text torch_npu = fh_release_torch_npu(release), date = fh_release_date(release);
        if (!sheet->is_json) {
            fh_buffer_add_format(&list, "%s%.*s (%.*s)", i ? ", " : "", FH_TEXT_ARGS(torch_npu),
                                 FH_TEXT_ARGS(date));
            continue;
        }
        fh_buffer_clear(&list);
        fh_release_add(&list, release);
        fh_json_write_object(&sheet->json, NULL);
        fh_json_write_text(&sheet->json, "torch", fh_buffer_text(&list));
        fh_json_write_text(&sheet->json, "torch_npu", torch_npu);
        fh_json_write_text(&sheet->json, "date", date);
        fh_json_write_end(&sheet->json);
    }
    if (sheet->is_json) {
        fh_json_write_end(&sheet->json);
    } else {
        fh_sheet_span(sheet, FH_INK_STRONG, FH_TEXT("torch_npu"));
        fh_sheet_end(sheet);
        fh_sheet_field(sheet, "releases", FH_INK_PLAIN, fh_buffer_text(&list));
    }
    sheet->out.failed |= list.failed;
    fh_buffer_free(&list);
}

static void list_user(fh_sheet *sheet, const fh_options *options, const fh_user_facts *user)
{
    fh_buffer directory = {0};
    bool is_known = fh_user_facts_directory(options, &directory) == FH_OK;
    fh_text path = is_known ? fh_text_from(directory.data) : (fh_text){0};
    if (sheet->is_json) {
        fh_json_write_object(&sheet->json, "imported");
        fh_json_write_text(&sheet->json, "directory", path);
        fh_json_write_integer(&sheet->json, "documents", fh_user_facts_documents(user));
        fh_json_write_integer(&sheet->json, "operators", fh_user_facts_operators(user));
        fh_json_write_end(&sheet->json);
    } else {
        fh_sheet_span(sheet, FH_INK_STRONG, FH_TEXT("imported"));
        fh_sheet_end(sheet);
        fh_sheet_field(sheet, "directory", FH_INK_PLAIN, path);
        fh_sheet_format(sheet, "documents", "%u, with %u operators", fh_user_facts_documents(user),
                        fh_user_facts_operators(user));
        if (!fh_user_facts_documents(user))
            fh_sheet_field(sheet, "", FH_INK_FAINT,
                           FH_TEXT("foothold facts import FILE adds CANN's operator reference."));
    }
    fh_buffer_free(&directory);
}

static int list(const fh_options *options)
{
    fh_sheet sheet;
    fh_user_facts *user = NULL;
    if (fh_user_facts_open(options, &user)) {
        fh_message("%s", fh_error_message());
        return FH_EXIT_ERROR;
    }
    int code = FH_EXIT_ERROR;
    if (fh_sheet_open(&sheet, options)) {
        list_releases(&sheet);
        list_tables(&sheet);
        list_user(&sheet, options, user);
        code = fh_sheet_close(&sheet);
    }
    fh_user_facts_free(user);
    return code;
}

/* One document; the message is printed when it cannot be imported. */
static bool import(fh_sheet *sheet, const fh_options *options, const char *path)
{
    fh_buffer written = {0};
    fh_import_summary summary = {0};
    fh_status status = fh_facts_import(path, FH_IMPORT_AUTO, options->facts, &written, &summary);
    if (status) {
        fh_message("%s", fh_error_message());
    } else if (sheet->is_json) {
        fh_json_write_object(&sheet->json, NULL);
        fh_json_write_text(&sheet->json, "file", fh_text_from(path));
        fh_json_write_text(&sheet->json, "table", fh_text_trim(fh_buffer_text(&written)));
        fh_json_write_integer(&sheet->json, "operators", summary.operators);
        fh_json_write_integer(&sheet->json, "with_products", summary.with_products);
        fh_json_write_integer(&sheet->json, "with_dtypes", summary.with_dtypes);
        fh_json_write_end(&sheet->json);
    } else if (!options->quiet) {
        fh_sheet_span(sheet, FH_INK_STRONG, fh_text_from(path));
        fh_sheet_end(sheet);
        fh_sheet_format(sheet, "operators", "%u, %u with product lines, %u with data types",
                        summary.operators, summary.with_products, summary.with_dtypes);
        fh_sheet_field(sheet, "table", FH_INK_PLAIN, fh_buffer_text(&written));
    }
    fh_buffer_free(&written);
    return !status;
}

static int import_all(const fh_options *options)
{
    fh_sheet sheet;
    bool good = true;
    if (options->arguments.count < 2) {
        fh_message("facts import: name the documents to import");
        return FH_EXIT_ERROR;
    }
    if (!fh_sheet_open(&sheet, options))
        return FH_EXIT_ERROR;
    if (sheet.is_json)
        fh_json_write_array(&sheet.json, "imported");
    for (uint32_t i = 1; i < options->arguments.count; i++)
        good &= import(&sheet, options, options->arguments.items[i]);
    if (sheet.is_json)
        fh_json_write_end(&sheet.json);
    int code = fh_sheet_close(&sheet);
    return good ? code : FH_EXIT_ERROR;
}

int fh_command_facts(const fh_options *options)
{
    const char *verb = options->arguments.count ? options->arguments.items[0] : "list";
    if (strcmp(verb, "import") == 0)
        return import_all(options);
    if (strcmp(verb, "list") == 0 && options->arguments.count <= 1)
        return list(options);
    fh_message("facts: what is \"%s\"? foothold facts list, or foothold facts import FILE",
               options->arguments.items[options->arguments.count > 1 ? 1 : 0]);
    return FH_EXIT_ERROR;
}
