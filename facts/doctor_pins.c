#include "facts/doctor_build.h"
#include "facts/packages.h"

/* "requirements.txt:3 asks for torch>=2.1" */
static fh_text asks(fh_doctor *doctor, const fh_pin *pin)
{
    return fh_doctor_say(doctor, "%.*s%.*s", FH_TEXT_ARGS(pin->package),
                         FH_TEXT_ARGS(pin->specifiers));
}

static bool is_readable(const fh_pin *pin)
{
    fh_version any = {.count = 1};
    return fh_specifier_contains(pin->specifiers, &any) != FH_SPECIFIER_INVALID;
}

/* Whether pins of torch take some release together that a torch_npu is made for. */
static bool leave_a_torch(const fh_pin *pins, uint32_t count)
{
    const fh_examination alone = {.pins = pins, .pin_count = count};
    fh_text rest = {0};
    fh_versions row;
    while (fh_versions_next(&rest, &row))
        if (row.is_on_pypi && fh_pins_take(&alone, "torch", row.torch))
            return true;
    return false;
}

/* The earlier pin of torch that with this one leaves nothing, though either alone does. */
static const fh_pin *earlier_rival(const fh_examination *examination, const fh_pin *pin)
{
    for (const fh_pin *other = examination->pins; other < pin; other++) {
        const fh_pin both[] = {*other, *pin};
        if (fh_pin_is_for(other, "torch") && leave_a_torch(other, 1) && !leave_a_torch(both, 2))
            return other;
    }
    return NULL;
}

static void report_rivals(fh_doctor *doctor, const fh_pin *pin, const fh_pin *rival)
{
    fh_doctor_add(doctor, pin,
                  fh_doctor_say(doctor,
                                "%.*s and %.*s in %.*s:%u leave no torch open that a torch_npu "
                                "on PyPI is made for.",
                                FH_TEXT_ARGS(asks(doctor, pin)), FH_TEXT_ARGS(asks(doctor, rival)),
                                FH_TEXT_ARGS(rival->file), rival->line),
                  FH_TEXT("Ask for one torch everywhere; what is installed apart from the rest can "
                          "be looked at by itself: foothold doctor PATH."),
                  FH_TEXT("pypi-torch-npu"));
}

/* How many of the fitting releases a project's own pin leaves open. */
static bool leaves_one(const fh_examination *examination)
{
    return examination->doctor->fitting.count == 1;
}

static void check_torch(const fh_examination *examination, const fh_pin *pin)
{
    fh_doctor *doctor = examination->doctor;
    fh_text wanted = asks(doctor, pin);
    if (fh_text_contains(pin->specifiers, "+cu"))
        fh_doctor_add(
            doctor, pin,
            fh_doctor_say(doctor, "%.*s asks for a CUDA build of torch.", FH_TEXT_ARGS(wanted)),
            FH_TEXT("Drop the label: torch_npu works with the CPU build."),
            FH_TEXT("pypi-torch-npu"));
    else if (!doctor->fitting.count && leave_a_torch(pin, 1)) {
        const fh_pin *rival = earlier_rival(examination, pin);
        if (rival)
            report_rivals(doctor, pin, rival);
    } else if (!doctor->fitting.count)
        fh_doctor_add(
            doctor, pin,
            fh_doctor_say(doctor, "No torch_npu on PyPI is made for %.*s.", FH_TEXT_ARGS(wanted)),
            FH_TEXT("Choose a torch from the table of versions, and the torch_npu made for it."),
            FH_TEXT("pypi-torch-npu tnpu-compat"));
    else if (!leaves_one(examination))
        fh_doctor_add(doctor, pin,
                      fh_doctor_say(doctor,
                                    "%.*s leaves %u releases of torch open, and pip may take one "
                                    "that no torch_npu is made for.",
                                    FH_TEXT_ARGS(wanted), doctor->fitting.count),
                      fh_doctor_say(doctor, "Pin both: torch==%.*s and torch_npu==%.*s.",
                                    FH_TEXT_ARGS(doctor->choice.torch),
                                    FH_TEXT_ARGS(doctor->choice.torch_npu)),
                      doctor->choice.source);
}

static void check_torch_npu(const fh_examination *examination, const fh_pin *pin)
{
    fh_doctor *doctor = examination->doctor;
    if (!doctor->fitting.count)
        fh_doctor_add(doctor, pin,
                      fh_doctor_say(doctor, "No release of torch_npu on PyPI meets %.*s.",
                                    FH_TEXT_ARGS(asks(doctor, pin))),
                      FH_TEXT("Choose one from the table of versions, together with its torch."),
                      FH_TEXT("pypi-torch-npu"));
}

/* Whether some Python that a release has wheels for is taken by the pin. */
static bool takes_some(fh_text pythons, const fh_pin *pin)
{
    fh_text part;
    fh_version version;
    while (fh_text_next(&pythons, ' ', &part)) {
        if (!fh_version_parse(part, &version))
            continue;
        /* "3.10" stands for all its patch releases: ">=3.10.4" takes some of them. */
        if (fh_specifier_contains(pin->specifiers, &version) == FH_SPECIFIER_YES)
            return true;
        version.parts[version.count < FH_VERSION_PARTS ? version.count++ : version.count - 1] = 99;
        if (fh_specifier_contains(pin->specifiers, &version) == FH_SPECIFIER_YES)
            return true;
    }
    return false;
}

static void check_python(const fh_examination *examination, const fh_pin *pin)
{
    fh_doctor *doctor = examination->doctor;
    if (!doctor->has_choice || !fh_versions_is_known(doctor->choice.python) ||
        takes_some(doctor->choice.python, pin))
        return;
    fh_doctor_add(doctor, pin,
                  fh_doctor_say(doctor,
                                "torch_npu %.*s has wheels for Python %.*s, but Python%.*s "
                                "is asked for.",
                                FH_TEXT_ARGS(doctor->choice.torch_npu),
                                FH_TEXT_ARGS(doctor->choice.python), FH_TEXT_ARGS(pin->specifiers)),
                  FH_TEXT("Use one of those, or a torch_npu from the table that has your Python."),
                  doctor->choice.source);
}

static void check_triton(const fh_examination *examination, const fh_pin *pin)
{
    fh_doctor *doctor = examination->doctor;
    bool is_known = doctor->has_choice && fh_versions_is_known(doctor->choice.triton_ascend);
    fh_doctor_add(doctor, pin, FH_TEXT("triton has no Ascend backend."),
                  is_known ? fh_doctor_say(doctor, "Use triton-ascend==%.*s in its place.",
                                           FH_TEXT_ARGS(doctor->choice.triton_ascend))
                           : FH_TEXT("Use triton-ascend in its place, in the release that the "
                                     "documentation of torch_npu names."),
                  is_known ? doctor->choice.source : FH_TEXT("triton-ascend-readme"));
}

static void check_package(fh_doctor *doctor, const fh_pin *pin)
{
    fh_package package;
    static const char *const cuda[] = {"cudatoolkit", "cuda-toolkit", "cudnn", "pytorch-cuda",
                                       NULL};
    bool is_cuda = fh_text_starts(pin->package, "nvidia-") || fh_text_ends(pin->package, "-cu11") ||
                   fh_text_ends(pin->package, "-cu12") || fh_text_ends(pin->package, "-cu13") ||
                   fh_text_is_any(pin->package, cuda);
    if (fh_package_find_project(pin->package, &package)) {
        if (package.verdict != FH_PACKAGE_BLOCKS && package.verdict != FH_PACKAGE_COUNTERPART)
            return;
        bool has_counterpart = package.counterpart.length > 0;
        fh_doctor_add(doctor, pin,
                      fh_doctor_say(doctor, "%.*s does not run on Ascend: %.*s",
                                    FH_TEXT_ARGS(pin->package), FH_TEXT_ARGS(package.what)),
                      fh_doctor_say(doctor, "%s%.*s%s%.*s", has_counterpart ? "Instead: " : "",
                                    FH_TEXT_ARGS(package.counterpart), has_counterpart ? ". " : "",
                                    FH_TEXT_ARGS(package.advice)),
                      package.source);
    } else if (is_cuda) {
        fh_doctor_add(doctor, pin,
                      fh_doctor_say(doctor, "%.*s is for CUDA.", FH_TEXT_ARGS(pin->package)),
                      FH_TEXT("Leave it out on Ascend."), (fh_text){0});
    }
}

void fh_doctor_check_pins(const fh_examination *examination)
{
    fh_doctor *doctor = examination->doctor;
    for (uint32_t i = 0; i < examination->pin_count; i++) {
        const fh_pin *pin = &examination->pins[i];
        if (!is_readable(pin))
            fh_doctor_add(doctor, pin,
                          fh_doctor_say(doctor, "\"%.*s\" for %.*s is no version specifier.",
                                        FH_TEXT_ARGS(pin->specifiers), FH_TEXT_ARGS(pin->package)),
                          FH_TEXT("Write it like >=2.1,<2.8."), (fh_text){0});
        else if (fh_pin_is_for(pin, "torch"))
            check_torch(examination, pin);
        else if (fh_pin_is_for(pin, "torch-npu"))
            check_torch_npu(examination, pin);
        else if (fh_pin_is_for(pin, "python"))
            check_python(examination, pin);
        else if (fh_pin_is_for(pin, "triton"))
            check_triton(examination, pin);
        else
            check_package(doctor, pin);
    }
}
