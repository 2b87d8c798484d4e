#include "facts/doctor_build.h"

static void add_part(const fh_examination *examination, const char *part, fh_text here,
                     fh_text asked, fh_text fits, fh_part_state state)
{
    fh_doctor *doctor = examination->doctor;
    fh_vector_push(&doctor->parts,
                   (fh_doctor_part){.part = fh_text_from(part),
                                    .here = here,
                                    .asked = asked,
                                    .fits = fits,
                                    .state = examination->machine ? state : FH_PART_UNKNOWN,
                                    .source = doctor->choice.source});
}

/* What the pins ask of a project, joined by ','. */
static fh_text asked_for(const fh_examination *examination, const char *project)
{
    fh_buffer all = {0};
    for (uint32_t i = 0; i < examination->pin_count; i++) {
        const fh_pin *pin = &examination->pins[i];
        if (!fh_pin_is_for(pin, project) || !pin->specifiers.length)
            continue;
        if (all.length)
            fh_buffer_add_char(&all, ',');
        fh_buffer_add(&all, pin->specifiers);
    }
    fh_text kept = fh_arena_copy(&examination->doctor->arena, fh_buffer_text(&all));
    examination->doctor->arena.failed |= all.failed;
    fh_buffer_free(&all);
    return kept;
}

static bool same_release(fh_text a, fh_text b)
{
    fh_version x, y;
    if (!fh_version_parse(a, &x) || !fh_version_parse(b, &y))
        return false;
    x.local = y.local = (fh_text){0};
    return fh_version_compare(&x, &y) == 0;
}

static fh_text installed(const fh_examination *examination, const char *project)
{
    return examination->machine ? fh_machine_package(examination->machine, project) : (fh_text){0};
}

static void check_torch(const fh_examination *examination)
{
    fh_doctor *doctor = examination->doctor;
    fh_text here = installed(examination, "torch"), fits = doctor->choice.torch;
    fh_part_state state = FH_PART_FITS;
    if (!here.length) {
        state = FH_PART_MISSING;
    } else if (!same_release(here, fits)) {
        state = FH_PART_WRONG;
        fh_doctor_add(doctor, NULL,
                      fh_doctor_say(doctor,
                                    "torch %.*s is installed; torch_npu %.*s is made for "
                                    "torch %.*s.",
                                    FH_TEXT_ARGS(here), FH_TEXT_ARGS(doctor->choice.torch_npu),
                                    FH_TEXT_ARGS(fits)),
                      fh_doctor_say(doctor, "Install torch==%.*s, or the torch_npu for your torch.",
                                    FH_TEXT_ARGS(fits)),
                      doctor->choice.source);
    } else if (fh_text_contains(here, "+cu") || fh_text_contains(here, "+rocm")) {
        state = FH_PART_WRONG;
        fh_doctor_add(doctor, NULL,
                      fh_doctor_say(doctor, "torch %.*s is a build for GPUs.", FH_TEXT_ARGS(here)),
                      fh_doctor_say(doctor,
                                    "Install the CPU build of torch %.*s: torch_npu is "
                                    "built against that.",
                                    FH_TEXT_ARGS(fits)),
                      doctor->choice.source);
    }
    if (here.length && !fh_pins_take(examination, "torch", here))
        fh_doctor_add(doctor, NULL,
                      fh_doctor_say(doctor, "torch %.*s is installed; the target asks for %.*s.",
                                    FH_TEXT_ARGS(here),
                                    FH_TEXT_ARGS(asked_for(examination, "torch"))),
                      FH_TEXT("Use an environment of its own for the target."), (fh_text){0});
    add_part(examination, "torch", here, asked_for(examination, "torch"), fits, state);
}

static void check_torch_npu(const fh_examination *examination)
{
    fh_doctor *doctor = examination->doctor;
    fh_text here = installed(examination, "torch-npu"), fits = doctor->choice.torch_npu;
    fh_versions row;
    fh_part_state state = FH_PART_FITS;
    if (!here.length) {
        state = FH_PART_MISSING;
        if (installed(examination, "torch").length)
            fh_doctor_add(doctor, NULL, FH_TEXT("torch is installed, torch_npu is not."),
                          fh_doctor_say(doctor, "pip install torch==%.*s torch_npu==%.*s",
                                        FH_TEXT_ARGS(doctor->choice.torch), FH_TEXT_ARGS(fits)),
                          doctor->choice.source);
    } else if (!fh_versions_find(here, &row)) {
        state = FH_PART_UNKNOWN;
        fh_doctor_add(
            doctor, NULL,
            fh_doctor_say(doctor, "Nothing is known of torch_npu %.*s.", FH_TEXT_ARGS(here)),
            fh_doctor_say(doctor, "torch_npu %.*s is the release for torch %.*s.",
                          FH_TEXT_ARGS(fits), FH_TEXT_ARGS(doctor->choice.torch)),
            doctor->choice.source);
    }
    add_part(examination, "torch_npu", here, asked_for(examination, "torch-npu"), fits, state);
}

static void check_python(const fh_examination *examination)
{
    fh_doctor *doctor = examination->doctor;
    fh_text here = examination->machine ? examination->machine->python : (fh_text){0};
    fh_text minor = fh_text_slice(here, 0, fh_text_find_last(here, '.'));
    fh_text fits = doctor->choice.python;
    fh_part_state state = FH_PART_FITS;
    if (!here.length)
        state = FH_PART_MISSING;
    else if (!fh_versions_is_known(fits))
        state = FH_PART_UNKNOWN;
    else if (!fh_versions_list_has(fits, minor))
        state = FH_PART_WRONG;
    if (state == FH_PART_WRONG)
        fh_doctor_add(doctor, NULL,
                      fh_doctor_say(doctor, "torch_npu %.*s has no wheel for Python %.*s.",
                                    FH_TEXT_ARGS(doctor->choice.torch_npu), FH_TEXT_ARGS(minor)),
                      fh_doctor_say(doctor, "Use Python %.*s.", FH_TEXT_ARGS(fits)),
                      doctor->choice.source);
    add_part(examination, "Python", here, asked_for(examination, "python"), fits, state);
}

static void check_cann(const fh_examination *examination)
{
    fh_doctor *doctor = examination->doctor;
    const fh_machine *machine = examination->machine;
    fh_text fits = doctor->choice.cann_compatible, here = machine ? machine->cann : (fh_text){0};
    bool is_needed = installed(examination, "torch-npu").length > 0;
    fh_part_state state = FH_PART_FITS;
    if (machine && machine->cann_missing.length)
        fh_doctor_add(doctor, NULL,
                      fh_doctor_say(doctor,
                                    "The environment names CANN in %.*s, which is not "
                                    "there.",
                                    FH_TEXT_ARGS(machine->cann_missing)),
                      FH_TEXT("Source set_env.sh of the CANN that is installed."), (fh_text){0});
    if (!machine || !machine->cann_path.length) {
        state = FH_PART_MISSING;
        if (is_needed)
            fh_doctor_add(doctor, NULL, FH_TEXT("torch_npu is installed, CANN was not found."),
                          fh_doctor_say(doctor,
                                        "Install CANN %.*s (toolkit, and the kernels for "
                                        "your chip) and source its set_env.sh.",
                                        FH_TEXT_ARGS(doctor->choice.cann)),
                          doctor->choice.source);
    } else if (!here.length || !fh_versions_is_known(fits)) {
        state = FH_PART_UNKNOWN;
    } else if (!fh_versions_list_has(fits, here) &&
               !fh_versions_list_has(doctor->choice.cann, here)) {
        state = FH_PART_WRONG;
        fh_doctor_add(doctor, NULL,
                      fh_doctor_say(doctor,
                                    "CANN %.*s is installed; torch_npu %.*s is declared "
                                    "compatible with %.*s.",
                                    FH_TEXT_ARGS(here), FH_TEXT_ARGS(doctor->choice.torch_npu),
                                    FH_TEXT_ARGS(fits)),
                      fh_doctor_say(doctor, "Install CANN %.*s, or a torch_npu for your CANN.",
                                    FH_TEXT_ARGS(doctor->choice.cann)),
                      doctor->choice.source);
    }
    if (machine && machine->cann_path.length && !machine->cann_is_set)
        fh_doctor_add(doctor, NULL,
                      fh_doctor_say(doctor, "CANN is in %.*s, but its environment is not set.",
                                    FH_TEXT_ARGS(machine->cann_path)),
                      fh_doctor_say(doctor, "source %.*s/set_env.sh (or the one beside it).",
                                    FH_TEXT_ARGS(machine->cann_path)),
                      (fh_text){0});
    add_part(examination, "CANN", here, (fh_text){0}, fits, state);
}

static void check_driver(const fh_examination *examination)
{
    fh_doctor *doctor = examination->doctor;
    const fh_machine *machine = examination->machine;
    fh_text fits = doctor->choice.hdk, here = machine ? machine->driver : (fh_text){0};
    fh_part_state state = FH_PART_FITS;
    if (!here.length)
        state = FH_PART_MISSING;
    else if (!fh_versions_is_known(fits))
        state = FH_PART_UNKNOWN;
    else if (!fh_versions_list_has(fits, here))
        state = FH_PART_WRONG;
    if (state == FH_PART_WRONG)
        fh_doctor_add(doctor, NULL,
                      fh_doctor_say(doctor,
                                    "Driver %.*s is installed; CANN %.*s is released with "
                                    "Ascend HDK %.*s.",
                                    FH_TEXT_ARGS(here), FH_TEXT_ARGS(doctor->choice.cann),
                                    FH_TEXT_ARGS(fits)),
                      FH_TEXT("Install a driver and firmware of that list; in a container, that is "
                              "the host's."),
                      doctor->choice.source);
    if (state == FH_PART_MISSING && machine && machine->cann_path.length)
        fh_doctor_add(
            doctor, NULL, FH_TEXT("CANN is installed, the NPU driver was not found."),
            FH_TEXT("On a machine with an NPU install driver and firmware; in a container "
                    "mount them. Without an NPU only building and simulation work."),
            (fh_text){0});
    if (here.length && machine && !machine->devices)
        fh_doctor_add(doctor, NULL, FH_TEXT("The driver is installed, but there is no NPU device."),
                      FH_TEXT("Look at npu-smi info; in a container pass /dev/davinci0 and its "
                              "neighbours through."),
                      (fh_text){0});
    if (here.length && machine && !machine->has_npu_smi)
        fh_doctor_add(doctor, NULL, FH_TEXT("npu-smi does not run."),
                      FH_TEXT("It comes with the driver; put it on PATH, in a container mount it."),
                      (fh_text){0});
    add_part(examination, "driver", here, (fh_text){0}, fits, state);
}

static void check_triton(const fh_examination *examination)
{
    fh_doctor *doctor = examination->doctor;
    fh_text here = installed(examination, "triton-ascend"), fits = doctor->choice.triton_ascend;
    fh_part_state state = FH_PART_FITS;
    if (!here.length)
        state = FH_PART_MISSING;
    else if (!fh_versions_is_known(fits))
        state = FH_PART_UNKNOWN;
    else if (!same_release(here, fits))
        state = FH_PART_WRONG;
    if (state == FH_PART_WRONG)
        fh_doctor_add(doctor, NULL,
                      fh_doctor_say(doctor,
                                    "triton-ascend %.*s is installed; %.*s goes with "
                                    "torch_npu %.*s.",
                                    FH_TEXT_ARGS(here), FH_TEXT_ARGS(fits),
                                    FH_TEXT_ARGS(doctor->choice.torch_npu)),
                      fh_doctor_say(doctor, "pip install triton-ascend==%.*s", FH_TEXT_ARGS(fits)),
                      doctor->choice.source);
    /* From 3.2.1 on triton-ascend asks for triton itself and is installed over it. */
    fh_version version, first_beside = {.parts = {3, 2, 1}, .count = 3};
    if (installed(examination, "triton").length && fh_version_parse(here, &version) &&
        fh_version_compare(&version, &first_beside) < 0)
        fh_doctor_add(doctor, NULL,
                      fh_doctor_say(doctor,
                                    "triton is installed beside triton-ascend %.*s, in the same "
                                    "folder.",
                                    FH_TEXT_ARGS(here)),
                      FH_TEXT("Uninstall both, then install triton-ascend alone."),
                      FH_TEXT("triton-ascend-faq"));
    add_part(examination, "triton-ascend", here, asked_for(examination, "triton-ascend"), fits,
             state);
}

void fh_doctor_check_machine(const fh_examination *examination)
{
    if (!examination->doctor->has_choice)
        return;
    check_python(examination);
    check_torch(examination);
    check_torch_npu(examination);
    check_cann(examination);
    check_driver(examination);
    check_triton(examination);
}
