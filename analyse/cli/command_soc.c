#include "analyse/cli/commands.h"
#include "analyse/cli/sheet.h"
#include "facts/sources.h"

#include <stdio.h>

/* The numbers of a chip: member of fh_soc, label, unit. 0 is not known. */
static const struct {
    const char *key, *label, *unit;
    size_t field;
} numbers[] = {
    {"fp16_matrix_tflops", "FP16 matrix", "TFLOPS", offsetof(fh_soc, matrix16)},
    {"bf16_matrix_tflops", "BF16 matrix", "TFLOPS", offsetof(fh_soc, bf16)},
    {"fp32_matrix_tflops", "FP32 matrix", "TFLOPS", offsetof(fh_soc, matrix32)},
    {"fast32_matrix_tflops", "HF32 or TF32", "TFLOPS", offsetof(fh_soc, fast32)},
    {"int8_matrix_tops", "INT8 matrix", "TOPS", offsetof(fh_soc, matrix8)},
    {"fp8_matrix_tflops", "FP8 matrix", "TFLOPS", offsetof(fh_soc, fp8)},
    {"fp4_matrix_tflops", "FP4 matrix", "TFLOPS", offsetof(fh_soc, fp4)},
    {"fp16_vector_tflops", "FP16 vector", "TFLOPS", offsetof(fh_soc, vector16)},
    {"fp32_vector_tflops", "FP32 vector", "TFLOPS", offsetof(fh_soc, vector32)},
    {"fp64_tflops", "FP64", "TFLOPS", offsetof(fh_soc, fp64)},
    {"memory_gb", "memory", "GB", offsetof(fh_soc, memory)},
    {"bandwidth_gbps", "bandwidth", "GB/s", offsetof(fh_soc, bandwidth)},
    {"matrix_cores", "matrix cores", "", offsetof(fh_soc, matrix_cores)},
    {"vector_cores", "vector cores", "", offsetof(fh_soc, vector_cores)},
    {"clock_mhz", "clock", "MHz", offsetof(fh_soc, clock)},
    {"l2_mib", "L2 cache", "MiB", offsetof(fh_soc, l2)},
    {"scale_up_gbps", "in a node", "GB/s", offsetof(fh_soc, scale_up)},
    {"scale_out_gbps", "between nodes", "GB/s", offsetof(fh_soc, scale_out)},
};

static const struct {
    const char *key, *label;
    size_t field;
} abilities[] = {
    {"bf16", "bfloat16", offsetof(fh_soc, has_bf16)},
    {"fast32", "HF32 or TF32", offsetof(fh_soc, has_fast32)},
    {"fp8", "FP8", offsetof(fh_soc, has_fp8)},
    {"fp4", "FP4", offsetof(fh_soc, has_fp4)},
    {"double", "float64", offsetof(fh_soc, has_double)},
    {"aclnn", "aclnn operators", offsetof(fh_soc, has_aclnn)},
    {"acl_op", "acl_op operators", offsetof(fh_soc, has_acl_op)},
    {"infnan", "infinities and NaN kept", offsetof(fh_soc, has_infnan)},
    {"triton", "Triton", offsetof(fh_soc, has_triton)},
    {"trains", "training", offsetof(fh_soc, trains)},
};

static double number_of(const fh_soc *chip, size_t field)
{
    return *(const double *)(const void *)((const char *)chip + field);
}

static bool can(const fh_soc *chip, size_t field)
{
    return *(const bool *)(const void *)((const char *)chip + field);
}

static void write_chip(fh_sheet *sheet, const fh_soc *chip)
{
    fh_json_writer *json = &sheet->json;
    fh_buffer source = {0};
    fh_json_write_object(json, NULL);
    fh_json_write_text(json, "name", fh_text_from(chip->name));
    fh_sheet_list(sheet, "aliases", fh_text_from(chip->aliases), ' ');
    fh_json_write_text(json, "vendor", fh_text_from(fh_vendor_name(chip->vendor)));
    fh_json_write_text(json, "family", fh_text_from(fh_family_name(chip->family)));
    fh_json_write_text(json, "product", fh_text_from(chip->product));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (number_of(chip, numbers[i].field) > 0)
            fh_json_write_double(json, numbers[i].key, number_of(chip, numbers[i].field));
        else
            fh_json_write_null(json, numbers[i].key);
    }
    fh_json_write_text(json, "memory_type", fh_text_from(chip->memory_type));
    fh_json_write_object(json, "has");
    for (size_t i = 0; i < sizeof abilities / sizeof *abilities; i++)
        fh_json_write_boolean(json, abilities[i].key, can(chip, abilities[i].field));
    fh_json_write_end(json);
    fh_json_write_text(json, "confidence", fh_text_from(fh_confidence_name(chip->confidence)));
    fh_sources_add(&source, fh_text_from(chip->sources));
    fh_json_write_text(json, "source", fh_buffer_text(&source));
    fh_json_write_text(json, "note", fh_text_from(chip->note));
    fh_json_write_end(json);
    sheet->out.failed |= source.failed;
    fh_buffer_free(&source);
}

static void show_chip(fh_sheet *sheet, const fh_soc *chip)
{
    fh_buffer list = {0};
    fh_sheet_span(sheet, FH_INK_STRONG, fh_text_from(chip->name));
    fh_sheet_span(sheet, FH_INK_FAINT, FH_TEXT("  "));
    fh_sheet_span(sheet, FH_INK_FAINT, fh_text_from(fh_vendor_name(chip->vendor)));
    fh_sheet_end(sheet);
    fh_sheet_field(sheet, "product", FH_INK_PLAIN, fh_text_from(chip->product));
    fh_sheet_field(sheet, "family", FH_INK_PLAIN, fh_text_from(fh_family_name(chip->family)));
    fh_sheet_field(sheet, "also called", FH_INK_PLAIN, fh_text_from(chip->aliases));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double number = number_of(chip, numbers[i].field);
        const char *more = numbers[i].field == offsetof(fh_soc, memory)      ? chip->memory_type
                           : numbers[i].field == offsetof(fh_soc, scale_up)  ? chip->scale_up_link
                           : numbers[i].field == offsetof(fh_soc, scale_out) ? chip->scale_out_link
                                                                             : "";
        if (number > 0)
            fh_sheet_format(sheet, numbers[i].label, "%g%s%s%s%s", number,
                            *numbers[i].unit ? " " : "", numbers[i].unit, *more ? ", " : "", more);
    }
    for (int has = 1; has >= 0; has--) {
        fh_buffer_clear(&list);
        for (size_t i = 0; i < sizeof abilities / sizeof *abilities; i++)
            if (can(chip, abilities[i].field) == (has == 1))
                fh_buffer_add_format(&list, "%s%s", list.length ? ", " : "", abilities[i].label);
        fh_sheet_field(sheet, has ? "has" : "has not", FH_INK_PLAIN, fh_buffer_text(&list));
    }
    fh_sheet_field(sheet, "note", FH_INK_PLAIN, fh_text_from(chip->note));
    fh_buffer_clear(&list);
    fh_sources_add(&list, fh_text_from(chip->sources));
    fh_sheet_format(sheet, "confidence", "%s", fh_confidence_name(chip->confidence));
    fh_sheet_field(sheet, "source", FH_INK_FAINT, fh_buffer_text(&list));
    sheet->out.failed |= list.failed;
    fh_buffer_free(&list);
}

/* "-" for what is not known. */
static fh_text figure(fh_arena *arena, double number)
{
    char text[32];
    if (number <= 0)
        return FH_TEXT("-");
    snprintf(text, sizeof text, "%g", number);
    return fh_arena_copy(arena, fh_text_from(text));
}

static void show_all(fh_sheet *sheet)
{
    static const char *const titles[] = {"chip",   "family", "FP16 TFLOPS", "FP32 vector",
                                         "memory", "GB/s",   "product"};
    enum { COLUMNS = sizeof titles / sizeof *titles };
    FH_VECTOR(fh_text) cells = {0};
    fh_arena arena = {0};
    for (unsigned i = 0; i < fh_soc_count(); i++) {
        const fh_soc *chip = fh_soc_at(i);
        fh_vector_push(&cells, fh_text_from(chip->name));
        fh_vector_push(&cells, fh_text_from(chip->vendor == FH_VENDOR_ASCEND
                                                ? fh_family_name(chip->family)
                                                : fh_vendor_name(chip->vendor)));
        fh_vector_push(&cells, figure(&arena, chip->matrix16));
        fh_vector_push(&cells, figure(&arena, chip->vector32));
        fh_vector_push(&cells, figure(&arena, chip->memory));
        fh_vector_push(&cells, figure(&arena, chip->bandwidth));
        fh_vector_push(&cells, fh_text_from(chip->product));
    }
    if (cells.failed || arena.failed)
        sheet->out.failed = true;
    else
        fh_sheet_table(sheet, titles, COLUMNS, cells.items, NULL, fh_soc_count());
    fh_vector_free(&cells);
    fh_arena_free(&arena);
}

int fh_command_soc(const fh_options *options)
{
    fh_sheet sheet;
    const fh_soc *chip = NULL;
    if (options->arguments.count &&
        fh_soc_get(fh_text_from(options->arguments.items[0]), &chip) != FH_OK) {
        fh_message("%s", fh_error_message());
        return FH_EXIT_ERROR;
    }
    if (!fh_sheet_open(&sheet, options))
        return FH_EXIT_ERROR;
    if (sheet.is_json) {
        fh_json_write_array(&sheet.json, "chips");
        for (unsigned i = 0; i < fh_soc_count(); i++)
            if (!chip || fh_soc_at(i) == chip)
                write_chip(&sheet, fh_soc_at(i));
        fh_json_write_end(&sheet.json);
    } else if (chip) {
        show_chip(&sheet, chip);
    } else {
        show_all(&sheet);
    }
    return fh_sheet_close(&sheet);
}
