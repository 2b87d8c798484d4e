#include "analyse/cli/commands.h"
#include "analyse/cli/sheet.h"
#include "analyse/cli/user_facts.h"
#include "analyse/report/sections.h"
#include "facts/api.h"
#include "facts/support.h"
#include "facts/table.h"

/* A text member; null where there is nothing to say. */
static void write_member(fh_json_writer *json, const char *key, fh_text text)
{
    if (text.length)
        fh_json_write_text(json, key, text);
    else
        fh_json_write_null(json, key);
}

static void write_verdict(fh_sheet *sheet, fh_text asked, const fh_verdict *v)
{
    fh_json_writer *json = &sheet->json;
    fh_json_write_object(json, NULL);
    if (asked.length)
        fh_json_write_text(json, "asked", asked);
    fh_json_write_text(json, "name", v->name);
    write_member(json, "class", v->class);
    fh_json_write_boolean(json, "heavy", v->heavy);
    fh_json_write_text(json, "support", fh_text_from(fh_support_name(v->support)));
    fh_json_write_text(json, "backward", fh_text_from(fh_support_name(v->backward)));
    fh_json_write_boolean(json, "certain", v->is_certain);
    fh_sheet_list(sheet, "kernels", v->kernels, ',');
    fh_sheet_list(sheet, "overloads", v->overloads, ',');
    fh_sheet_list(sheet, "fallback", v->fallback, ',');
    write_member(json, "limits", v->limits);
    write_member(json, "reason", v->reason);
    write_member(json, "backward_reason", v->backward_reason);
    write_member(json, "impact", v->impact);
    write_member(json, "workaround", v->workaround);
    write_member(json, "source", v->source);
    fh_json_write_boolean(json, "dynamic_shape", v->has_dynamic_shape);
    fh_json_write_boolean(json, "reads_data", v->reads_data);
    fh_json_write_boolean(json, "view", v->is_view);
    fh_json_write_end(json);
}

/* A list with a blank behind each comma, where a line may be broken. */
static void show_list(fh_sheet *sheet, const char *label, fh_ink ink, fh_text list)
{
    fh_buffer text = {0};
    fh_text part;
    while (fh_text_next(&list, ',', &part)) {
        fh_buffer_add_string(&text, text.length ? ", " : "");
        fh_buffer_add(&text, part);
    }
    fh_sheet_field(sheet, label, ink, fh_buffer_text(&text));
    sheet->out.failed |= text.failed;
    fh_buffer_free(&text);
}

static void show_verdict(fh_sheet *sheet, fh_text asked, const fh_verdict *v)
{
    fh_sheet_span(sheet, FH_INK_STRONG, v->name.length ? v->name : asked);
    fh_sheet_span(sheet, FH_INK_PLAIN, FH_TEXT("  "));
    fh_sheet_span(sheet, fh_ink_of_support(v->support), fh_text_from(fh_support_name(v->support)));
    if (!v->is_certain && (v->support == FH_SUPPORT_FALLBACK || v->support == FH_SUPPORT_REFUSED))
        fh_sheet_span(sheet, FH_INK_FAINT, FH_TEXT(", for some arguments"));
    if (v->class.length && !fh_text_is(v->class, "other")) {
        fh_sheet_span(sheet, FH_INK_FAINT, FH_TEXT("  "));
        fh_sheet_span(sheet, FH_INK_FAINT, v->class);
    }
    fh_sheet_end(sheet);
    fh_sheet_field(sheet, "why", FH_INK_PLAIN, v->reason);
    fh_sheet_field(sheet, "limits", FH_INK_CAUTION, v->limits);
    show_list(sheet, "kernels", FH_INK_CODE, v->kernels);
    show_list(sheet, "overloads", FH_INK_CODE, v->overloads);
    show_list(sheet, "on the CPU", FH_INK_BAD, v->fallback);
    if (v->backward != FH_SUPPORT_UNKNOWN) {
        fh_sheet_field(sheet, "gradient", fh_ink_of_support(v->backward),
                       fh_text_from(fh_support_name(v->backward)));
        fh_sheet_field(sheet, "", FH_INK_PLAIN, v->backward_reason);
    }
    fh_sheet_field(sheet, "cost", FH_INK_PLAIN, v->impact);
    fh_sheet_field(sheet, "instead", FH_INK_GOOD, v->workaround);
    if (v->has_dynamic_shape)
        fh_sheet_field(sheet, "note", FH_INK_PLAIN,
                       FH_TEXT("The size of the result depends on the data: the host waits."));
    if (v->reads_data)
        fh_sheet_field(sheet, "note", FH_INK_PLAIN,
                       FH_TEXT("The host reads device data: it waits."));
    fh_sheet_field(sheet, "source", FH_INK_FAINT, v->source);
}

static void add_cell(fh_buffer *out, fh_text text)
{
    fh_buffer_add_char(out, '\t');
    for (size_t i = 0; i < text.length; i++)
        fh_buffer_add_char(out, (unsigned char)text.data[i] < 32 ? ' ' : text.data[i]);
    if (!text.length)
        fh_buffer_add_char(out, '-');
}

static void list_verdict(fh_sheet *sheet, const fh_verdict *v)
{
    fh_buffer *out = &sheet->out;
    if (sheet->is_json) {
        write_verdict(sheet, (fh_text){0}, v);
        return;
    }
    fh_buffer_add(out, v->name);
    add_cell(out, fh_text_from(fh_support_name(v->support)));
    add_cell(out, fh_text_from(fh_support_name(v->backward)));
    add_cell(out, v->class);
    add_cell(out, v->kernels);
    add_cell(out, v->limits);
    add_cell(out, v->reason);
    add_cell(out, v->workaround);
    add_cell(out, v->source);
    fh_buffer_add_char(out, '\n');
}

/* Every name of a table that `is_operator` lets through. */
static void list_table(fh_sheet *sheet, const fh_support_query *query, fh_table_id id,
                       bool (*is_operator)(fh_text row))
{
    fh_text rest = fh_facts_table(id)->rows, row;
    while (fh_table_next(&rest, &row)) {
        if (!is_operator(row))
            continue;
        fh_arena arena = {0};
        fh_verdict verdict = fh_support_of(query, fh_table_column(row, 0), &arena);
        list_verdict(sheet, &verdict);
        sheet->out.failed |= arena.failed;
        fh_arena_free(&arena);
    }
}

/* Public names that run operators; modules and constants do not. */
static bool runs_operators(fh_text row)
{
    return fh_table_field(fh_facts_table(FH_TABLE_API), row, "forward").length > 0;
}

static bool is_any(fh_text row)
{
    return row.length > 0;
}

static bool is_called(fh_text row)
{
    fh_text kind = fh_table_field(fh_facts_table(FH_TABLE_TORCH_NPU), row, "kind");
    return fh_text_is(kind, "op") || fh_text_is(kind, "function");
}

static void list_all(fh_sheet *sheet, const fh_support_query *query)
{
    if (!sheet->is_json)
        fh_buffer_add_string(&sheet->out,
                             "name\tsupport\tbackward\tclass\tkernels\tlimits\treason\t"
                             "workaround\tsource\n");
    list_table(sheet, query, FH_TABLE_API, runs_operators);
    list_table(sheet, query, FH_TABLE_OVERLOAD, is_any);
    list_table(sheet, query, FH_TABLE_TORCH_NPU, is_called);
}

static void answer(fh_sheet *sheet, const fh_options *options, const fh_support_query *query)
{
    for (uint32_t i = 0; i < options->arguments.count; i++) {
        fh_text asked = fh_text_from(options->arguments.items[i]);
        fh_arena arena = {0};
        fh_verdict verdict = fh_support_of(query, asked, &arena);
        if (sheet->is_json)
            write_verdict(sheet, asked, &verdict);
        else
            show_verdict(sheet, asked, &verdict);
        sheet->out.failed |= arena.failed;
        fh_arena_free(&arena);
    }
}

int fh_command_ops(const fh_options *options)
{
    fh_sheet sheet;
    fh_user_facts *user = NULL;
    if (!options->list && !options->arguments.count) {
        fh_message("ops: name an operator, or give --list for all of them");
        return FH_EXIT_ERROR;
    }
    if (options->list && options->arguments.count) {
        fh_message("ops: --list lists all operators; leave out %s", options->arguments.items[0]);
        return FH_EXIT_ERROR;
    }
    if (fh_user_facts_open(options, &user)) {
        fh_message("%s", fh_error_message());
        return FH_EXIT_ERROR;
    }
    fh_support_query query = {.release = options->torch, .soc = options->soc, .user = user};
    int code = FH_EXIT_ERROR;
    if (fh_sheet_open(&sheet, options)) {
        fh_buffer release = {0};
        fh_release_add(&release, options->torch);
        if (sheet.is_json) {
            fh_json_write_text(&sheet.json, "torch", fh_buffer_text(&release));
            fh_json_write_text(&sheet.json, "torch_npu", fh_release_torch_npu(options->torch));
            fh_json_write_text(&sheet.json, "soc", fh_text_from(options->soc->name));
            fh_json_write_array(&sheet.json, "operators");
        } else if (!options->list) {
            fh_sheet_span(&sheet, FH_INK_FAINT, FH_TEXT("torch "));
            fh_sheet_span(&sheet, FH_INK_FAINT, fh_buffer_text(&release));
            fh_sheet_span(&sheet, FH_INK_FAINT, FH_TEXT(" with torch_npu "));
            fh_sheet_span(&sheet, FH_INK_FAINT, fh_release_torch_npu(options->torch));
            fh_sheet_span(&sheet, FH_INK_FAINT, FH_TEXT(" on "));
            fh_sheet_span(&sheet, FH_INK_FAINT, fh_text_from(options->soc->name));
            fh_sheet_end(&sheet);
        }
        if (options->list)
            list_all(&sheet, &query);
        else
            answer(&sheet, options, &query);
        if (sheet.is_json)
            fh_json_write_end(&sheet.json);
        code = fh_sheet_close(&sheet);
        fh_buffer_free(&release);
    }
    fh_user_facts_free(user);
    return code;
}
