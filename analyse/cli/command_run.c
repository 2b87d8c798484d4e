#include "analyse/cli/commands.h"
#include "os/file.h"
#include "os/paths.h"
#include "os/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the device's libraries are, seen from the program: as built, as installed. */
static const char *const places[] = {"/npu", "/../lib/foothold"};
static const char library[] = "libfoothold_npu.so";

static fh_status no_memory(void)
{
    return fh_error(FH_NO_MEMORY, "out of memory while preparing the program");
}

/* Sets `*folder`, terminated, to the first place that has the library. */
static fh_status find_libraries(fh_text program_folder, fh_buffer *folder)
{
    fh_buffer file = {0};
    fh_status status = FH_NOT_FOUND;
    for (size_t i = 0; status == FH_NOT_FOUND && i < sizeof places / sizeof *places; i++) {
        fh_file_info info;
        fh_buffer_clear(folder);
        fh_buffer_clear(&file);
        fh_buffer_add_format(folder, "%.*s%s", FH_TEXT_ARGS(program_folder), places[i]);
        fh_buffer_add_format(&file, "%.*s/%s", FH_TEXT_ARGS(fh_buffer_text(folder)), library);
        fh_buffer_add_char(folder, 0);
        fh_buffer_add_char(&file, 0);
        if (folder->failed || file.failed)
            status = no_memory();
        else if (fh_file_stat(file.data, true, &info) == FH_OK)
            status = FH_OK;
    }
    if (status == FH_NOT_FOUND)
        fh_error(status,
                 "there is no %s in %.*s%s, where the build puts it, nor in %.*s%s, where "
                 "cmake --install does: build or install all of foothold, and leave its files "
                 "together",
                 library, FH_TEXT_ARGS(program_folder), places[0], FH_TEXT_ARGS(program_folder),
                 places[1]);
    fh_buffer_free(&file);
    return status;
}

static fh_status set_variable(const char *name, const char *value)
{
    return setenv(name, value, true) ? no_memory() : FH_OK;
}

/* Puts `folder` in front of LD_LIBRARY_PATH. An empty part there would mean the current folder. */
static fh_status set_library_path(const char *folder)
{
    static const char variable[] = "LD_LIBRARY_PATH";
    const char *before = getenv(variable);
    if (strpbrk(folder, ":;"))
        return fh_error(FH_INVALID,
                        "%s cannot stand in %s, which separates folders with : and ;: move or "
                        "install foothold elsewhere",
                        folder, variable);
    fh_buffer path = {0};
    fh_buffer_add_string(&path, folder);
    if (before && *before)
        fh_buffer_add_format(&path, ":%s", before);
    fh_buffer_add_char(&path, 0);
    fh_status status = path.failed ? no_memory() : set_variable(variable, path.data);
    fh_buffer_free(&path);
    return status;
}

static fh_status set_number(const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return set_variable(name, text);
}

/* The variables that device/rt/options.h lists, as far as flags say them. */
static fh_status set_options(const fh_options *options)
{
    fh_status status = set_variable("FOOTHOLD_SOC", options->soc->name);
    if (!status)
        status = set_number("FOOTHOLD_DEVICES", options->devices);
    if (!status && options->memory)
        status = set_number("FOOTHOLD_MEMORY", options->memory);
    if (!status)
        status = set_number("FOOTHOLD_ISOLATION", options->isolation);
    return status;
}

static fh_status set_environment(const fh_options *options)
{
    fh_buffer program_folder = {0}, folder = {0};
    fh_status status = fh_paths_program_folder(&program_folder);
    if (!status)
        status = find_libraries(fh_buffer_text(&program_folder), &folder);
    if (!status)
        status = set_library_path(folder.data);
    if (!status)
        status = set_options(options);
    /* Threads of OpenMP that spin after their work take the processors from the device's: twice
     * the time for a job of two threads. libgomp reads this when it is loaded. */
    if (!status && setenv("OMP_WAIT_POLICY", "passive", false))
        status = no_memory();
    fh_buffer_free(&program_folder);
    fh_buffer_free(&folder);
    return status;
}

/* The arguments, with NULL at their end; fh_free() it. */
static const char **terminated(const fh_options *options)
{
    size_t count = options->arguments.count;
    const char **words = fh_alloc_zero(count + 1, sizeof *words);
    if (words)
        memcpy(words, options->arguments.items, count * sizeof *words);
    return words;
}

int fh_command_run(const fh_options *options)
{
    int code = FH_EXIT_ERROR;
    const char **words = terminated(options);
    fh_status status = words ? set_environment(options) : no_memory();
    if (!status) {
        status = fh_process_replace(words);
        code = status == FH_NOT_FOUND ? FH_EXIT_NO_PROGRAM : FH_EXIT_NOT_RUN;
    }
    fh_message("%s", fh_error_message());
    fh_free(words);
    return code;
}
