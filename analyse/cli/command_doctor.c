#include "analyse/cli/commands.h"
#include "analyse/cli/sheet.h"
#include "analyse/scan/load.h"
#include "analyse/scan/requirements.h"
#include "facts/doctor.h"
#include "facts/sources.h"

typedef struct {
    FH_VECTOR(fh_pin) pins;
    fh_arena arena; /* specifiers */
} requirements;

/* What a requirement asks for. One that holds for some machines only (a marker) is no pin, but its
 * package counts; so does that of a URL. */
static fh_text specifiers_of(requirements *list, fh_text value)
{
    fh_requirement r;
    fh_buffer text = {0};
    fh_requirement_split(value, &r);
    if (!r.url.length && !r.marker.length)
        fh_doctor_add_specifiers(&text, r.specifier);
    fh_text kept = fh_arena_copy(&list->arena, fh_buffer_text(&text));
    list->pins.failed |= text.failed || list->arena.failed;
    fh_buffer_free(&text);
    return kept;
}

/* The requirements that the target's files state. */
static void collect_pins(const fh_load *load, requirements *list)
{
    for (uint32_t i = 0; i < load->program.units.count; i++) {
        const fh_unit *u = &load->program.units.items[i];
        for (uint32_t k = 1; k < u->settings.count; k++) {
            const fh_setting *setting = &u->settings.items[k];
            if (setting->kind != FH_SETTING_REQUIREMENT)
                continue;
            fh_text package = fh_unit_text(u, setting->key);
            fh_pin pin = {fh_text_is(package, "pytorch") ? FH_TEXT("torch") : package, /* conda's */
                          specifiers_of(list, fh_unit_text(u, setting->value)), u->path,
                          setting->offset == FH_NO_OFFSET ? 0
                                                          : fh_unit_place(u, setting->offset).line};
            fh_vector_push(&list->pins, pin);
        }
    }
}

static void write_source(fh_sheet *sheet, fh_text ids)
{
    fh_buffer source = {0};
    fh_sources_add(&source, ids);
    if (sheet->is_json)
        fh_json_write_text(&sheet->json, "source", fh_buffer_text(&source));
    else
        fh_sheet_field(sheet, "source", FH_INK_FAINT, fh_buffer_text(&source));
    sheet->out.failed |= source.failed;
    fh_buffer_free(&source);
}

static void write_versions(fh_sheet *sheet, const char *key, const fh_versions *v)
{
    fh_json_writer *json = &sheet->json;
    fh_json_write_object(json, key);
    fh_json_write_text(json, "torch", v->torch);
    fh_json_write_text(json, "torch_npu", v->torch_npu);
    fh_json_write_text(json, "cann", v->cann);
    fh_sheet_list(sheet, "cann_compatible", v->cann_compatible, ' ');
    fh_sheet_list(sheet, "python", v->python, ' ');
    fh_json_write_text(json, "driver", v->hdk);
    fh_json_write_text(json, "triton_ascend", v->triton_ascend);
    fh_json_write_text(json, "note", v->note);
    write_source(sheet, v->source);
    fh_json_write_end(json);
}

static void write_json(fh_sheet *sheet, const fh_doctor *d)
{
    fh_json_writer *json = &sheet->json;
    if (d->has_choice)
        write_versions(sheet, "choice", &d->choice);
    else
        fh_json_write_null(json, "choice");
    fh_json_write_array(json, "parts");
    for (uint32_t i = 0; i < d->parts.count; i++) {
        const fh_doctor_part *part = &d->parts.items[i];
        fh_json_write_object(json, NULL);
        fh_json_write_text(json, "part", part->part);
        fh_json_write_text(json, "state", fh_text_from(fh_part_state_name(part->state)));
        fh_json_write_text(json, "here", part->here);
        fh_json_write_text(json, "asked", part->asked);
        fh_json_write_text(json, "fits", part->fits);
        write_source(sheet, part->source);
        fh_json_write_end(json);
    }
    fh_json_write_end(json);
    fh_json_write_array(json, "problems");
    for (uint32_t i = 0; i < d->problems.count; i++) {
        const fh_doctor_problem *problem = &d->problems.items[i];
        fh_json_write_object(json, NULL);
        fh_json_write_text(json, "problem", problem->problem);
        fh_json_write_text(json, "advice", problem->advice);
        fh_json_write_text(json, "file", problem->file);
        fh_json_write_integer(json, "line", problem->line);
        write_source(sheet, problem->source);
        fh_json_write_end(json);
    }
    fh_json_write_end(json);
    fh_json_write_array(json, "fitting");
    for (uint32_t i = 0; i < d->fitting.count; i++)
        write_versions(sheet, NULL, &d->fitting.items[i]);
    fh_json_write_end(json);
}

static fh_text or_dash(fh_text text)
{
    return text.length ? text : FH_TEXT("-");
}

static fh_ink ink_of(fh_part_state state)
{
    return state == FH_PART_FITS      ? FH_INK_GOOD
           : state == FH_PART_WRONG   ? FH_INK_BAD
           : state == FH_PART_MISSING ? FH_INK_CAUTION
                                      : FH_INK_FAINT;
}

/* "==2.1,>=2" with blanks, where a cell can be wrapped. */
static fh_text spaced(fh_arena *arena, fh_text list)
{
    fh_buffer text = {0};
    for (fh_text part; fh_text_next(&list, ',', &part);)
        fh_buffer_add_format(&text, "%s%.*s", text.length ? ", " : "", FH_TEXT_ARGS(part));
    fh_text kept = fh_arena_copy(arena, fh_buffer_text(&text));
    arena->failed |= text.failed;
    fh_buffer_free(&text);
    return kept;
}

static void show_parts(fh_sheet *sheet, const fh_doctor *d)
{
    static const char *const titles[] = {"part", "state", "here", "asked for", "fits"};
    enum { COLUMNS = sizeof titles / sizeof *titles };
    FH_VECTOR(fh_text) cells = {0};
    FH_VECTOR(fh_ink) inks = {0};
    fh_arena arena = {0};
    for (uint32_t i = 0; i < d->parts.count; i++) {
        const fh_doctor_part *part = &d->parts.items[i];
        const fh_text row[COLUMNS] = {part->part, fh_text_from(fh_part_state_name(part->state)),
                                      or_dash(part->here), or_dash(spaced(&arena, part->asked)),
                                      or_dash(part->fits)};
        for (int c = 0; c < COLUMNS; c++) {
            fh_vector_push(&cells, row[c]);
            fh_vector_push(&inks, c == 1 ? ink_of(part->state) : FH_INK_PLAIN);
        }
    }
    if (cells.failed || inks.failed || arena.failed)
        sheet->out.failed = true;
    else
        fh_sheet_table(sheet, titles, COLUMNS, cells.items, inks.items, d->parts.count);
    fh_vector_free(&cells);
    fh_vector_free(&inks);
    fh_arena_free(&arena);
}

static void show_fitting(fh_sheet *sheet, const fh_doctor *d)
{
    static const char *const titles[] = {"torch", "torch_npu", "CANN", "Python",
                                         "driver and firmware"};
    enum { COLUMNS = sizeof titles / sizeof *titles };
    FH_VECTOR(fh_text) cells = {0};
    for (uint32_t i = 0; i < d->fitting.count; i++) {
        const fh_versions *v = &d->fitting.items[i];
        const fh_text row[COLUMNS] = {v->torch, v->torch_npu, or_dash(v->cann), or_dash(v->python),
                                      or_dash(v->hdk)};
        for (int c = 0; c < COLUMNS; c++)
            fh_vector_push(&cells, row[c]);
    }
    if (cells.failed)
        sheet->out.failed = true;
    else if (d->fitting.count)
        fh_sheet_table(sheet, titles, COLUMNS, cells.items, NULL, d->fitting.count);
    fh_vector_free(&cells);
}

static void heading(fh_sheet *sheet, const char *text)
{
    fh_buffer_add_char(&sheet->out, '\n');
    fh_sheet_paragraph(sheet, FH_INK_STRONG, fh_text_from(text));
}

static bool are_equal(const fh_doctor_problem *a, const fh_doctor_problem *b)
{
    return fh_text_equal(a->problem, b->problem) && fh_text_equal(a->advice, b->advice) &&
           (a->file.length > 0) == (b->file.length > 0);
}

/* One problem with all its places; nothing when an earlier one is the same. */
static void show_problem(fh_sheet *sheet, const fh_doctor *d, uint32_t index)
{
    const fh_doctor_problem *problem = &d->problems.items[index];
    fh_buffer places = {0};
    for (uint32_t i = 0; i < d->problems.count; i++) {
        const fh_doctor_problem *other = &d->problems.items[i];
        if (!are_equal(other, problem))
            continue;
        if (i < index) {
            fh_buffer_free(&places);
            return;
        }
        if (problem->file.length)
            fh_buffer_add_format(&places, "%s%.*s:%u", places.length ? ", " : "",
                                 FH_TEXT_ARGS(other->file), other->line);
    }
    if (index)
        fh_buffer_add_char(&sheet->out, '\n');
    fh_sheet_field(sheet, "problem", FH_INK_CAUTION, problem->problem);
    if (places.length)
        fh_sheet_field(sheet, "place", FH_INK_PLAIN, fh_buffer_text(&places));
    fh_sheet_field(sheet, "do", FH_INK_PLAIN, problem->advice);
    if (problem->source.length)
        write_source(sheet, problem->source);
    sheet->out.failed |= places.failed;
    fh_buffer_free(&places);
}

/* The whole table, where the target leaves nothing of it. */
static void show_all_versions(fh_sheet *sheet)
{
    fh_doctor all = {0};
    if (fh_doctor_examine(NULL, NULL, 0, &all) == FH_OK) {
        heading(sheet, "Versions that go together, none of which the target takes");
        show_fitting(sheet, &all);
    }
    fh_doctor_free(&all);
}

static void show(fh_sheet *sheet, const fh_doctor *d)
{
    if (d->parts.count)
        show_parts(sheet, d);
    if (d->has_choice) {
        heading(sheet, "Compared with");
        fh_sheet_format(sheet, "torch_npu", "%.*s, for torch %.*s",
                        FH_TEXT_ARGS(d->choice.torch_npu), FH_TEXT_ARGS(d->choice.torch));
        fh_sheet_field(sheet, "note", FH_INK_PLAIN, d->choice.note);
        write_source(sheet, d->choice.source);
    }
    heading(sheet, d->problems.count ? "Problems" : "No problems found");
    for (uint32_t i = 0; i < d->problems.count; i++)
        show_problem(sheet, d, i);
    if (!d->fitting.count) {
        show_all_versions(sheet);
        return;
    }
    heading(sheet, "Versions that go together");
    show_fitting(sheet, d);
}

static fh_status examine(const fh_options *options, fh_load *load, fh_machine *machine,
                         requirements *list, fh_doctor *doctor)
{
    fh_status status = fh_machine_look(NULL, machine);
    fh_load_options load_options = {
        .jobs = options->jobs,
        .walk = fh_command_walk_options(options),
    };
    if (!status && options->arguments.count) {
        status =
            fh_load_find(load, options->arguments.items, options->arguments.count, &load_options);
        if (!status)
            status = fh_load_read(load, &load_options, NULL);
        if (!status)
            collect_pins(load, list);
    }
    if (!status && list->pins.failed)
        status = fh_error(FH_NO_MEMORY, "out of memory");
    if (!status)
        status = fh_doctor_examine(machine, list->pins.items, list->pins.count, doctor);
    return status;
}

int fh_command_doctor(const fh_options *options)
{
    fh_load load = {0};
    fh_machine machine = {0};
    fh_doctor doctor = {0};
    requirements list = {0};
    fh_sheet sheet;
    int code = FH_EXIT_ERROR;
    if (!fh_sheet_open(&sheet, options))
        return FH_EXIT_ERROR;
    fh_status status = examine(options, &load, &machine, &list, &doctor);
    if (status) {
        fh_message("%s", fh_error_message());
        fh_buffer_free(&sheet.out);
    } else {
        if (sheet.is_json)
            write_json(&sheet, &doctor);
        else
            show(&sheet, &doctor);
        code = fh_sheet_close(&sheet);
    }
    fh_doctor_free(&doctor);
    fh_vector_free(&list.pins);
    fh_arena_free(&list.arena);
    fh_machine_free(&machine);
    fh_load_free(&load);
    return code;
}
