#include "facts/machine.h"
#include "os/file.h"
#include "os/process.h"

#include <stdlib.h>

enum {
    PYTHON_MILLISECONDS = 10000,
    SMI_MILLISECONDS = 20000, /* it waits for the devices */
    MOST_OUTPUT = 1 << 20,
    MOST_METADATA = 1 << 20,
};

/* Packages whose versions have to fit together. */
static const char *const wanted[] = {"torch",  "torch-npu",     "torchvision",    "torchaudio",
                                     "triton", "triton-ascend", "torchvision-npu"};

static char normal(char c)
{
    return c == '_' || c == '.' ? '-' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_project(fh_text a, fh_text b)
{
    if (a.length != b.length)
        return false;
    for (size_t i = 0; i < a.length; i++)
        if (normal(a.data[i]) != normal(b.data[i]))
            return false;
    return true;
}

fh_text fh_machine_package(const fh_machine *machine, const char *name)
{
    for (uint32_t i = 0; i < machine->packages.count; i++)
        if (same_project(machine->packages.items[i].name, fh_text_from(name)))
            return machine->packages.items[i].version;
    return (fh_text){0};
}

void fh_machine_free(fh_machine *machine)
{
    fh_vector_free(&machine->packages);
    fh_arena_free(&machine->arena);
    *machine = (fh_machine){.cann_is_set = false};
}

/* "DIRECTORY/NAME", terminated, in `path`. */
static const char *join(fh_buffer *path, fh_text directory, const char *name)
{
    fh_buffer_clear(path);
    fh_buffer_add(path, directory);
    if (*name)
        fh_buffer_add_char(path, '/');
    fh_buffer_add_string(path, name);
    fh_buffer_add_char(path, 0);
    return path->failed ? "" : path->data;
}

static bool exists(fh_buffer *path, fh_text directory, const char *name)
{
    fh_file_info info;
    return fh_file_stat(join(path, directory, name), true, &info) == FH_OK;
}

/* The value after a key at the start of a line of a file, or empty. The first key found in
 * the order given counts. A header ends at the first empty line. */
static fh_text value_in_file(fh_machine *machine, const char *path, const char *const *keys,
                             bool is_header)
{
    fh_buffer content = {0};
    fh_text found = {0};
    fh_status status = fh_file_read_head(path, MOST_METADATA, &content);
    machine->arena.failed |= status == FH_NO_MEMORY;
    for (; !status && *keys && !found.length; keys++) {
        size_t length = fh_text_from(*keys).length;
        fh_text rest = fh_buffer_text(&content), line;
        while (!found.length && fh_text_next(&rest, '\n', &line)) {
            line = fh_text_trim(line);
            if (!line.length && is_header)
                break;
            if (fh_text_starts(line, *keys))
                found = fh_arena_copy(&machine->arena,
                                      fh_text_trim(fh_text_slice(line, length, line.length)));
        }
    }
    fh_buffer_free(&content);
    return found;
}

static bool is_wanted(fh_text folder)
{
    fh_text stem = fh_text_slice(folder, 0, fh_text_find(folder, '-'));
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (same_project(stem, fh_text_from(wanted[i])))
            return true;
    return false;
}

static void look_in_folder(fh_machine *machine, fh_text folder)
{
    static const char *const name_key[] = {"Name: ", NULL}, *const version_key[] = {"Version: ",
                                                                                    NULL};
    fh_directory listed;
    fh_buffer path = {0}, file = {0};
    fh_status status = fh_directory_list(join(&path, folder, ""), &listed);
    machine->arena.failed |= status == FH_NO_MEMORY;
    if (status) {
        machine->arena.failed |= path.failed;
        fh_buffer_free(&path);
        return;
    }
    for (uint32_t i = 0; i < listed.entries.count; i++) {
        fh_text entry = fh_text_from(listed.entries.items[i].name);
        if (!fh_text_ends(entry, ".dist-info") || !is_wanted(entry))
            continue;
        join(&path, folder, listed.entries.items[i].name);
        const char *metadata = join(&file, fh_text_from(path.failed ? "" : path.data), "METADATA");
        fh_installed found = {
            .name = value_in_file(machine, metadata, name_key, true),
            .version = value_in_file(machine, metadata, version_key, true),
            .path = fh_arena_copy(&machine->arena, fh_text_from(metadata)),
        };
        /* Python takes the first folder of its path that has a package. */
        bool is_known = false;
        for (uint32_t j = 0; j < machine->packages.count; j++)
            is_known |= same_project(machine->packages.items[j].name, found.name);
        if (found.version.length && !is_known)
            fh_vector_push(&machine->packages, found);
    }
    machine->arena.failed |= path.failed || file.failed;
    fh_directory_free(&listed);
    fh_buffer_free(&path);
    fh_buffer_free(&file);
}

/* Asks Python for its version and the folders that it imports from, a line each. */
static fh_status look_at_python(fh_machine *machine, const char *program)
{
    static const char script[] = "import sys\n"
                                 "print('%d.%d.%d' % sys.version_info[:3])\n"
                                 "for p in sys.path:\n"
                                 "    if p: print(p)\n";
    const char *const arguments[] = {program, "-c", script, NULL};
    fh_buffer output = {0};
    int exit_code = 0;
    fh_status status =
        fh_process_run(arguments, MOST_OUTPUT, PYTHON_MILLISECONDS, &output, &exit_code);
    fh_text rest = fh_buffer_text(&output), line;
    if (!status && !exit_code && fh_text_next(&rest, '\n', &line)) {
        machine->python = fh_arena_copy(&machine->arena, fh_text_trim(line));
        while (fh_text_next(&rest, '\n', &line))
            look_in_folder(machine, line);
    }
    fh_buffer_free(&output);
    return status == FH_INTERRUPTED || status == FH_NO_MEMORY ? status : FH_OK;
}

/* The part after the ':' of "[7.6.0.1.220:8.0.0]". */
static fh_text in_brackets(fh_text text)
{
    size_t colon = fh_text_find(text, ':');
    if (!fh_text_starts(text, "[") || colon == text.length)
        return text;
    return fh_text_slice(text, colon + 1, fh_text_find(text, ']'));
}

/* The version of the CANN in a folder, from the files that its installer leaves there. */
static fh_text cann_version(fh_machine *machine, fh_text folder)
{
    static const char *const files[] = {"aarch64-linux/ascend_toolkit_install.info",
                                        "x86_64-linux/ascend_toolkit_install.info",
                                        "ascend_toolkit_install.info",
                                        "ascend_nnrt_install.info",
                                        "version.cfg",
                                        "compiler/version.info",
                                        "runtime/version.info"};
    static const char *const keys[] = {
        "version=", "toolkit_running_version=", "runtime_running_version=", "version_dir=", NULL};
    fh_buffer path = {0};
    fh_text version = {0};
    for (unsigned i = 0; i < sizeof files / sizeof *files && !version.length; i++)
        version = in_brackets(value_in_file(machine, join(&path, folder, files[i]), keys, false));
    machine->arena.failed |= path.failed;
    fh_buffer_free(&path);
    return version;
}

static void look_at_cann(fh_machine *machine, const fh_machine_places *places, const char *root)
{
    static const char *const usual[] = {"usr/local/Ascend/cann",
                                        "usr/local/Ascend/ascend-toolkit/latest",
                                        "usr/local/Ascend/latest", "usr/local/Ascend/nnrt/latest"};
    const char *home = places->home ? places->home : getenv("ASCEND_HOME_PATH");
    home = home && *home ? home : places->home ? NULL : getenv("ASCEND_TOOLKIT_HOME");
    fh_buffer path = {0}, folder = {0};
    if (home && *home) {
        fh_text given = fh_arena_copy(&machine->arena, fh_text_from(home));
        machine->cann_is_set = exists(&path, given, "");
        if (machine->cann_is_set)
            machine->cann_path = given;
        else
            machine->cann_missing = given;
    }
    for (unsigned i = 0; i < sizeof usual / sizeof *usual && !machine->cann_path.length; i++) {
        join(&folder, fh_text_from(root), usual[i]);
        fh_text tried = fh_text_from(folder.failed ? "" : folder.data);
        if (tried.length && exists(&path, tried, ""))
            machine->cann_path = fh_arena_copy(&machine->arena, tried);
    }
    if (machine->cann_path.length)
        machine->cann = cann_version(machine, machine->cann_path);
    machine->arena.failed |= path.failed || folder.failed;
    fh_buffer_free(&path);
    fh_buffer_free(&folder);
}

static void look_at_driver(fh_machine *machine, const char *root)
{
    static const char *const keys[] = {"Version=", "package_version=", NULL};
    fh_buffer path = {0};
    fh_directory listed;
    fh_text top = fh_text_from(root);
    machine->driver = value_in_file(
        machine, join(&path, top, "usr/local/Ascend/driver/version.info"), keys, false);
    if (!fh_directory_list(join(&path, top, "dev"), &listed)) {
        for (uint32_t i = 0; i < listed.entries.count; i++) {
            fh_text name = fh_text_from(listed.entries.items[i].name);
            bool is_numbered = name.length > 7 && name.data[7] >= '0' && name.data[7] <= '9';
            machine->devices += fh_text_starts(name, "davinci") && is_numbered;
        }
        fh_directory_free(&listed);
    }
    machine->arena.failed |= path.failed;
    fh_buffer_free(&path);
}

static fh_status look_for_smi(fh_machine *machine, const char *program)
{
    const char *const arguments[] = {program, "-v", NULL};
    fh_buffer output = {0};
    int exit_code = 0;
    fh_status status =
        fh_process_run(arguments, MOST_OUTPUT, SMI_MILLISECONDS, &output, &exit_code);
    fh_buffer_free(&output);
    machine->has_npu_smi = status == FH_OK && exit_code == 0;
    return status == FH_INTERRUPTED || status == FH_NO_MEMORY ? status : FH_OK;
}

fh_status fh_machine_look(const fh_machine_places *places, fh_machine *machine)
{
    fh_machine seen = {.cann_is_set = false};
    const char *root = places && places->root ? places->root : "";
    fh_machine_places none = {NULL, NULL, NULL, NULL};
    places = places ? places : &none;
    fh_status status = look_at_python(&seen, places->python ? places->python : "python3");
    if (!status)
        status = look_for_smi(&seen, places->npu_smi ? places->npu_smi : "npu-smi");
    if (!status) {
        look_at_cann(&seen, places, root);
        look_at_driver(&seen, root);
    }
    if (!status && (seen.arena.failed || seen.packages.failed))
        status = fh_error(FH_NO_MEMORY, "out of memory while looking at this machine");
    if (status)
        fh_machine_free(&seen);
    else
        *machine = seen;
    return status;
}
