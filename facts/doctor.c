#include "facts/doctor.h"
#include "facts/doctor_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *fh_part_state_name(fh_part_state state)
{
    static const char *const names[] = {"fits", "wrong", "missing", "unknown"};
    return names[state];
}

void fh_doctor_free(fh_doctor *doctor)
{
    fh_vector_free(&doctor->fitting);
    fh_vector_free(&doctor->parts);
    fh_vector_free(&doctor->problems);
    fh_arena_free(&doctor->arena);
    *doctor = (fh_doctor){.has_choice = false};
}

fh_text fh_doctor_say(fh_doctor *doctor, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return (fh_text){0};
    return fh_arena_copy(&doctor->arena,
                         fh_text_slice((fh_text){text, sizeof text - 1}, 0, (size_t)length));
}

void fh_doctor_add(fh_doctor *doctor, const fh_pin *pin, fh_text problem, fh_text advice,
                   fh_text source)
{
    fh_vector_push(&doctor->problems, (fh_doctor_problem){.problem = problem,
                                                          .advice = advice,
                                                          .source = source,
                                                          .file = pin ? pin->file : (fh_text){0},
                                                          .line = pin ? pin->line : 0});
}

static char normal(char c)
{
    return c == '_' || c == '.' ? '-' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool fh_pin_is_for(const fh_pin *pin, const char *project)
{
    size_t i = 0;
    for (; i < pin->package.length && project[i]; i++)
        if (normal(pin->package.data[i]) != normal(project[i]))
            return false;
    return i == pin->package.length && !project[i];
}

/* Whether a pin takes a version of the tables, which have no local labels: those of "==2.1.0+cu118"
 * and "==2.1.0+cpu" name a build of the same release. */
static bool takes(const fh_pin *pin, const fh_version *version)
{
    fh_text rest = pin->specifiers, part;
    while (fh_text_next(&rest, ',', &part))
        if (fh_specifier_contains(fh_text_slice(part, 0, fh_text_find(part, '+')), version) ==
            FH_SPECIFIER_NO)
            return false;
    return true;
}

bool fh_pins_take(const fh_examination *examination, const char *project, fh_text version)
{
    fh_version parsed;
    if (!fh_version_parse(version, &parsed))
        return false;
    for (uint32_t i = 0; i < examination->pin_count; i++) {
        const fh_pin *pin = &examination->pins[i];
        if (fh_pin_is_for(pin, project) && !takes(pin, &parsed))
            return false;
    }
    return true;
}

static int newest_first(const void *a, const void *b)
{
    fh_version x, y;
    const fh_versions *one = a, *other = b;
    if (!fh_version_parse(one->torch, &x) || !fh_version_parse(other->torch, &y))
        return 0;
    return fh_version_compare(&y, &x);
}

/* Keeps the newer torch_npu for each torch. */
static void keep_newer(fh_doctor *doctor, const fh_versions *row)
{
    fh_version at, kept;
    for (uint32_t i = 0; i < doctor->fitting.count; i++) {
        fh_versions *other = &doctor->fitting.items[i];
        if (!fh_text_equal(other->torch, row->torch))
            continue;
        if (fh_version_parse(row->torch_npu, &at) && fh_version_parse(other->torch_npu, &kept) &&
            fh_version_compare(&at, &kept) > 0)
            *other = *row;
        return;
    }
    fh_vector_push(&doctor->fitting, *row);
}

static void find_fitting(const fh_examination *examination)
{
    fh_doctor *doctor = examination->doctor;
    fh_text rest = {0};
    fh_versions row;
    fh_version version;
    while (fh_versions_next(&rest, &row))
        if (row.is_on_pypi && fh_version_parse(row.torch_npu, &version) &&
            !fh_version_is_pre(&version) && fh_pins_take(examination, "torch", row.torch) &&
            fh_pins_take(examination, "torch-npu", row.torch_npu))
            keep_newer(doctor, &row);
    if (doctor->fitting.count)
        qsort(doctor->fitting.items, doctor->fitting.count, sizeof *doctor->fitting.items,
              newest_first);
}

/* What to compare with: the torch_npu that is installed, else the one for the torch that is
 * installed where the target takes that, else the newest that the target leaves open. */
static void choose(const fh_examination *examination)
{
    fh_doctor *doctor = examination->doctor;
    fh_text installed = {0}, torch = {0};
    fh_version version;
    if (examination->machine) {
        installed = fh_machine_package(examination->machine, "torch-npu");
        torch = fh_machine_package(examination->machine, "torch");
    }
    doctor->has_choice = true;
    if (installed.length && fh_versions_find(installed, &doctor->choice))
        return;
    if (torch.length && fh_pins_take(examination, "torch", torch) &&
        fh_version_parse(torch, &version) && fh_versions_for_torch(&version, &doctor->choice))
        return;
    doctor->has_choice = doctor->fitting.count > 0;
    if (doctor->has_choice)
        doctor->choice = doctor->fitting.items[0];
}

fh_status fh_doctor_examine(const fh_machine *machine, const fh_pin *pins, uint32_t pin_count,
                            fh_doctor *doctor)
{
    fh_doctor made = {.has_choice = false};
    const fh_examination examination = {machine, pins, pin_count, &made};
    find_fitting(&examination);
    choose(&examination);
    fh_doctor_check_pins(&examination);
    fh_doctor_check_machine(&examination);
    if (made.arena.failed || made.fitting.failed || made.parts.failed || made.problems.failed) {
        fh_doctor_free(&made);
        return fh_error(FH_NO_MEMORY, "out of memory while comparing versions");
    }
    *doctor = made;
    return FH_OK;
}
