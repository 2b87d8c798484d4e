#include "facts/doctor.h"
#include "facts/sources.h"
#include "os/file.h"
#include "tests/unit/sweep.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/foothold_facts_doctor_XXXXXX";

static void put(const char *path, const char *content)
{
    char full[300], parent[300];
    snprintf(full, sizeof full, "%s/%s", folder, path);
    snprintf(parent, sizeof parent, "%s", full);
    *strrchr(parent, '/') = 0;
    CHECK(fh_directory_make(parent) == FH_OK);
    CHECK(fh_file_write_atomic(full, fh_text_from(content)) == FH_OK);
}

/* A program of the test's own in the folder. */
static void put_program(const char *path, const char *content)
{
    char full[300];
    put(path, content);
    snprintf(full, sizeof full, "%s/%s", folder, path);
    CHECK(chmod(full, 0700) == 0);
}

static const char *in_folder(const char *path)
{
    static char paths[4][300];
    static unsigned next;
    char *full = paths[next++ % 4];
    snprintf(full, sizeof paths[0], "%s/%s", folder, path);
    return full;
}

static fh_machine look(const char *root, const char *home, const char *python)
{
    fh_machine machine;
    const fh_machine_places places = {.python = python,
                                      .root = in_folder(root),
                                      .home = home,
                                      .npu_smi = in_folder("bin/npu-smi")};
    CHECK(fh_machine_look(&places, &machine) == FH_OK);
    return machine;
}

/* A machine with everything, in the folder "full". */
static void make_machine(void)
{
    char python[600];
    put("site/torch-2.7.1.dist-info/METADATA",
        "Metadata-Version: 2.4\nName: torch\nVersion: 2.7.1+cpu\n\nVersion: 9.9\n");
    put("site/torch_npu-2.7.1.post11.dist-info/METADATA",
        "Name: torch_npu\r\nVersion: 2.7.1.post11\r\n\r\n");
    put("site/numpy-2.0.0.dist-info/METADATA", "Name: numpy\nVersion: 2.0.0\n");
    put("site/torch-broken.dist-info/other", "");
    put("second/torch-1.0.dist-info/METADATA", "Name: torch\nVersion: 1.0\n");
    snprintf(python, sizeof python,
             "#!/bin/sh\nprintf '3.11.7\\n%s/site\\n%s/second\\n/no/such\\n'\n", folder, folder);
    put_program("bin/python3", python);
    put_program("bin/npu-smi", "#!/bin/sh\nexit 0\n");
    put("full/usr/local/Ascend/cann/aarch64-linux/ascend_toolkit_install.info",
        "package_name=Ascend-cann-toolkit\nversion=8.5.0\ninnerversion=V100\n");
    put("full/usr/local/Ascend/driver/version.info", "Version=26.2.0\nascendhal_version=7\n");
    put("full/dev/davinci0", "");
    put("full/dev/davinci12", "");
    put("full/dev/davinci_manager", "");
    put("old/usr/local/Ascend/ascend-toolkit/latest/version.cfg",
        "# version: 1.0\nruntime_running_version=[7.3.0.1.231:8.0.RC2]\n"
        "toolkit_running_version=[7.3.0.1.231:8.0.RC2]\n");
    put("old/usr/local/Ascend/driver/version.info", "package_version=24.1.rc3\n");
    put("empty/x", "");
}

static void looking_around(void)
{
    const char *home = in_folder("full/usr/local/Ascend/cann");
    fh_machine machine = look("full", home, in_folder("bin/python3"));
    CHECK_TEXT(machine.python, "3.11.7");
    CHECK_TEXT(fh_machine_package(&machine, "torch"), "2.7.1+cpu"); /* the first folder's */
    CHECK_TEXT(fh_machine_package(&machine, "torch-npu"), "2.7.1.post11");
    CHECK_TEXT(fh_machine_package(&machine, "numpy"), "");
    CHECK_TEXT(machine.cann, "8.5.0");
    CHECK_TEXT(machine.driver, "26.2.0");
    CHECK(machine.cann_is_set && machine.devices == 2 && machine.has_npu_smi);
    fh_machine_free(&machine);
    machine = look("old", "", in_folder("bin/python3"));
    CHECK_TEXT(machine.cann, "8.0.RC2");
    CHECK_TEXT(machine.driver, "24.1.rc3");
    CHECK(!machine.cann_is_set && machine.devices == 0);
    fh_machine_free(&machine);
    machine = look("empty", "/no/such/cann", "no-such-python-here");
    CHECK(!machine.python.length && !machine.packages.count && !machine.cann_path.length);
    CHECK_TEXT(machine.cann_missing, "/no/such/cann");
    fh_machine_free(&machine);
}

/* This machine, whatever it has: nothing fails, and Python is the one that runs. */
static void this_machine(void)
{
    fh_machine machine;
    CHECK(fh_machine_look(NULL, &machine) == FH_OK);
    CHECK(machine.python.length == 0 || fh_text_starts(machine.python, "3."));
    fh_machine_free(&machine);
}

static fh_doctor examine(const fh_machine *machine, const fh_pin *pins, uint32_t count)
{
    fh_doctor doctor;
    CHECK(fh_doctor_examine(machine, pins, count, &doctor) == FH_OK);
    for (uint32_t i = 0; i < doctor.problems.count; i++) {
        const fh_doctor_problem *problem = &doctor.problems.items[i];
        fh_text ids = problem->source, id, where, read;
        CHECK(problem->problem.length && problem->advice.length);
        while (fh_text_next(&ids, ' ', &id))
            CHECK(fh_source_find(id, &where, &read));
    }
    return doctor;
}

static bool has_problem(const fh_doctor *doctor, const char *part, const char *advice)
{
    for (uint32_t i = 0; i < doctor->problems.count; i++)
        if (fh_text_contains(doctor->problems.items[i].problem, part) &&
            fh_text_contains(doctor->problems.items[i].advice, advice))
            return true;
    printf("  no problem \"%s\" with advice \"%s\" among %u\n", part, advice,
           doctor->problems.count);
    for (uint32_t i = 0; i < doctor->problems.count; i++)
        printf("    %.*s %.*s\n", FH_TEXT_ARGS(doctor->problems.items[i].problem),
               FH_TEXT_ARGS(doctor->problems.items[i].advice));
    return false;
}

static fh_pin pin(const char *package, const char *specifiers)
{
    return (fh_pin){fh_text_from(package), fh_text_from(specifiers), FH_TEXT("requirements.txt"),
                    3};
}

static fh_part_state state_of(const fh_doctor *doctor, const char *part)
{
    for (uint32_t i = 0; i < doctor->parts.count; i++)
        if (fh_text_is(doctor->parts.items[i].part, part))
            return doctor->parts.items[i].state;
    return FH_PART_UNKNOWN;
}

static void a_machine_that_fits(void)
{
    const char *home = in_folder("full/usr/local/Ascend/cann");
    fh_machine machine = look("full", home, in_folder("bin/python3"));
    fh_pin exact = pin("torch", "==2.7.1");
    fh_doctor doctor = examine(&machine, &exact, 1);
    static const char *const parts[] = {"Python", "torch", "torch_npu", "CANN", "driver"};
    for (unsigned i = 0; i < 5; i++)
        CHECK(state_of(&doctor, parts[i]) == FH_PART_FITS);
    CHECK(doctor.problems.count == 0 && doctor.fitting.count == 1);
    CHECK_TEXT(doctor.choice.torch_npu, "2.7.1.post11");
    fh_doctor_free(&doctor);
    fh_pin other = pin("torch", ">=2.9");
    doctor = examine(&machine, &other, 1);
    CHECK(has_problem(&doctor, "torch 2.7.1+cpu is installed; the target asks for >=2.9", "own"));
    fh_doctor_free(&doctor);
    fh_machine_free(&machine);
}

static void a_machine_that_does_not(void)
{
    fh_machine machine = look("old", "", in_folder("bin/python3"));
    fh_doctor doctor = examine(&machine, NULL, 0);
    CHECK(state_of(&doctor, "CANN") == FH_PART_WRONG &&
          state_of(&doctor, "driver") == FH_PART_WRONG);
    CHECK(has_problem(&doctor, "CANN 8.0.RC2 is installed", "9.2.0"));
    CHECK(has_problem(&doctor, "its environment is not set", "set_env.sh"));
    CHECK(has_problem(&doctor, "Driver 24.1.rc3", "firmware"));
    CHECK(has_problem(&doctor, "no NPU device", "npu-smi info"));
    fh_doctor_free(&doctor);
    fh_machine_free(&machine);

    fh_installed packages[] = {{FH_TEXT("torch"), FH_TEXT("2.6.0+cu124"), FH_TEXT("")},
                               {FH_TEXT("triton"), FH_TEXT("3.2.0"), FH_TEXT("")},
                               {FH_TEXT("triton-ascend"), FH_TEXT("3.2.0"), FH_TEXT("")}};
    machine = (fh_machine){.python = FH_TEXT("3.14.1"), .cann_missing = FH_TEXT("/opt/cann")};
    machine.packages.items = packages;
    machine.packages.count = 3;
    doctor = examine(&machine, NULL, 0);
    CHECK_TEXT(doctor.choice.torch_npu, "2.6.0.post5");
    CHECK(has_problem(&doctor, "build for GPUs", "CPU build of torch 2.6.0"));
    CHECK(has_problem(&doctor, "torch_npu is not",
                      "pip install torch==2.6.0 torch_npu==2.6.0.post5"));
    CHECK(has_problem(&doctor, "no wheel for Python 3.14", "Use Python 3.9"));
    CHECK(has_problem(&doctor, "/opt/cann, which is not there", "set_env.sh"));
    CHECK(has_problem(&doctor, "triton is installed beside", "Uninstall both"));
    CHECK(state_of(&doctor, "torch") == FH_PART_WRONG);
    fh_doctor_free(&doctor);

    packages[0].version = FH_TEXT("2.5.0"); /* made for 2.5.1 */
    packages[1] = (fh_installed){FH_TEXT("torch_npu"), FH_TEXT("2.5.1.post1"), FH_TEXT("")};
    machine.packages.count = 2;
    doctor = examine(&machine, NULL, 0);
    CHECK(has_problem(&doctor, "torch 2.5.0 is installed", "torch==2.5.1"));
    CHECK(has_problem(&doctor, "CANN was not found", "8.2.RC1"));
    fh_doctor_free(&doctor);
    packages[1].version = FH_TEXT("2.5.1.post77");
    doctor = examine(&machine, NULL, 0);
    CHECK(has_problem(&doctor, "Nothing is known of torch_npu 2.5.1.post77", "torch_npu"));
    fh_doctor_free(&doctor);
}

static void pins(void)
{
    const fh_pin open = pin("torch", ">=2.1,<2.8");
    fh_doctor doctor = examine(NULL, &open, 1);
    CHECK(has_problem(&doctor, "leaves", "torch==2.7.1 and torch_npu==2.7.1.post11"));
    CHECK(doctor.fitting.count > 4 && state_of(&doctor, "torch") == FH_PART_UNKNOWN);
    for (uint32_t i = 1; i < doctor.fitting.count; i++) {
        fh_version a, b;
        CHECK(fh_version_parse(doctor.fitting.items[i - 1].torch, &a) &&
              fh_version_parse(doctor.fitting.items[i].torch, &b) &&
              fh_version_compare(&a, &b) > 0);
    }
    CHECK_TEXT(doctor.problems.items[0].file, "requirements.txt");
    CHECK(doctor.problems.items[0].line == 3);
    fh_doctor_free(&doctor);

    const fh_pin many[] = {pin("Torch", "==1.13.1"), pin("flash-attn", ">=2"),
                           pin("numpy", ""),         pin("nvidia-cublas-cu12", "==12.1"),
                           pin("python", "<3.8"),    pin("accelerate", ">=1"),
                           pin("torch", "=>2")};
    doctor = examine(NULL, many, 7);
    CHECK(!doctor.has_choice && !doctor.parts.count && !doctor.fitting.count);
    CHECK(has_problem(&doctor, "No torch_npu on PyPI is made for Torch==1.13.1", "table"));
    CHECK(has_problem(&doctor, "flash-attn does not run on Ascend", "npu_fusion_attention"));
    CHECK(has_problem(&doctor, "nvidia-cublas-cu12 is for CUDA", "Leave it out"));
    CHECK(has_problem(&doctor, "\"=>2\" for torch is no version specifier", ">=2.1"));
    CHECK(doctor.problems.count == 4);
    fh_doctor_free(&doctor);

    const fh_pin cuda[] = {pin("torch", "==2.7.1+cu126"), pin("triton", ">=3"),
                           pin("python", ">=3.14"), pin("torch_npu", "==2.7.1.post11")};
    doctor = examine(NULL, cuda, 4);
    CHECK(has_problem(&doctor, "CUDA build", "CPU build"));
    fh_doctor_free(&doctor);
    doctor = examine(NULL, cuda + 1, 3);
    CHECK(has_problem(&doctor, "triton has no Ascend backend", "triton-ascend==3.2.2"));
    CHECK(has_problem(&doctor, "has wheels for Python", "your Python"));
    fh_doctor_free(&doctor);
    const fh_pin both[] = {pin("torch", "==2.7.1"), pin("torch-npu", "==2.6.0")};
    doctor = examine(NULL, both, 2);
    CHECK(
        has_problem(&doctor, "No release of torch_npu on PyPI meets torch-npu==2.6.0", "together"));
    fh_doctor_free(&doctor);
    const fh_pin python = pin("python", ">=3.10.4,<3.13");
    doctor = examine(NULL, &python, 1);
    CHECK(doctor.problems.count == 0 && doctor.fitting.count > 10);
    CHECK(!strcmp(fh_part_state_name(FH_PART_MISSING), "missing"));
    fh_doctor_free(&doctor);
}

/* How Poetry and conda write what PEP 440 writes otherwise. */
static void specifiers(void)
{
    static const struct {
        const char *written, *meant;
    } forms[] = {
        {"", ""},
        {">=2.1, <3", ">=2.1,<3"},
        {"~=2.1", "~=2.1"},
        {"==2.1.*", "==2.1.*"},
        {"*", ""},
        {"^2.1.3", ">=2.1.3,<3"},
        {"^0.10", ">=0.10,<0.11"},
        {"^0.0.3", ">=0.0.3,<0.0.4"},
        {"^0", ">=0,<1"},
        {"~2.1.3", ">=2.1.3,<2.2"},
        {"~2", ">=2,<3"},
        {"2.1", "==2.1"},
        {"2.*", "==2.*"},
        {"2.1.0rc1", "==2.1.0rc1"},
        {"=2.1", "==2.1.*"},
        {"=2.1.*", "==2.1.*"},
        {"=2.1=py3.8_cuda11.8_0", "==2.1.*"},
        {">=2.1,^2", ">=2.1,>=2,<3"},
        {"2.1|2.2", ""},
        {"=>2", "=>2"},
        {"^", "^"},
        {"^x,>=1", "^x,>=1"},
        {"latest", "latest"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        fh_buffer out = {0};
        fh_doctor_add_specifiers(&out, fh_text_from(forms[i].written));
        CHECK_TEXT(fh_buffer_text(&out), forms[i].meant);
        fh_buffer_free(&out);
    }
}

/* Pins that leave no release together, though each alone leaves some. */
static void rivals(void)
{
    const fh_pin two[] = {pin("torch", "==2.1.0"), pin("torch", ">=2.7"), pin("torch", "==1.5")};
    fh_doctor doctor = examine(NULL, two, 2);
    CHECK(doctor.problems.count == 1 && !doctor.fitting.count);
    CHECK(has_problem(&doctor, "torch>=2.7 and torch==2.1.0 in requirements.txt:3 leave no",
                      "Ask for one"));
    fh_doctor_free(&doctor);
    doctor = examine(NULL, two, 3);
    CHECK(doctor.problems.count == 2);
    CHECK(has_problem(&doctor, "No torch_npu on PyPI is made for torch==1.5", "table"));
    fh_doctor_free(&doctor);
    const fh_pin build[] = {pin("torch", "==2.7.1+cu126"), pin("torch", ">=2.1")};
    doctor = examine(NULL, build, 2);
    CHECK(doctor.fitting.count == 1 && has_problem(&doctor, "CUDA build", "CPU build"));
    CHECK(doctor.problems.count == 1);
    fh_doctor_free(&doctor);
    const fh_pin conda[] = {pin("cudatoolkit", ""), pin("pytorch-cuda", "==11.8.*")};
    doctor = examine(NULL, conda, 2);
    CHECK(has_problem(&doctor, "cudatoolkit is for CUDA", "Leave it out"));
    CHECK(has_problem(&doctor, "pytorch-cuda is for CUDA", "Leave it out"));
    fh_doctor_free(&doctor);
}

static fh_status examine_sample(void *context)
{
    const fh_pin some[] = {pin("torch", ">=2.1"), pin("triton", ""), pin("flash-attn", "")};
    fh_doctor doctor;
    fh_status status = fh_doctor_examine(context, some, 3, &doctor);
    if (!status)
        fh_doctor_free(&doctor);
    return status;
}

static fh_status look_sample(void *context)
{
    fh_machine machine;
    fh_status status = fh_machine_look(context, &machine);
    if (!status)
        fh_machine_free(&machine);
    return status;
}

static void out_of_memory(void)
{
    fh_machine machine = look("old", "", in_folder("bin/python3"));
    fh_machine_places places = {.python = in_folder("bin/python3"),
                                .root = in_folder("full"),
                                .home = "",
                                .npu_smi = in_folder("bin/npu-smi")};
    sweep(examine_sample, &machine);
    fh_machine_free(&machine);
    sweep(look_sample, &places);
}

int main(void)
{
    char command[100];
    CHECK(mkdtemp(folder) != NULL);
    make_machine();
    TEST(looking_around);
    TEST(this_machine);
    TEST(a_machine_that_fits);
    TEST(a_machine_that_does_not);
    TEST(pins);
    TEST(specifiers);
    TEST(rivals);
    TEST(out_of_memory);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK(system(command) == 0);
    return test_report();
}
