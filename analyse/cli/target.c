#include "analyse/cli/target.h"
#include "analyse/cli/commands.h"
#include "os/paths.h"

/* Where to keep what was read, or an empty buffer: not wanted, or there is no such place. */
static void find_cache(const fh_options *options, fh_buffer *path)
{
    if (!options->cache)
        return;
    if (options->cache_directory)
        fh_buffer_add_format(path, "%s%c", options->cache_directory, 0);
    else if (fh_paths_cache(path) != FH_OK)
        fh_buffer_clear(path);
}

fh_status fh_target_find(const fh_options *options, fh_target *target)
{
    target->options = options;
    find_cache(options, &target->cache);
    fh_progress_start(&target->bar, "reading", options->progress);
    target->load_options = (fh_load_options){
        .jobs = options->jobs,
        .walk = fh_command_walk_options(options),
        .for_cache = fh_target_cache(target) != NULL,
        .progress = fh_progress_tell,
        .progress_context = &target->bar,
    };
    return fh_load_find(&target->load, options->arguments.items, options->arguments.count,
                        &target->load_options);
}

fh_status fh_target_read(fh_target *target)
{
    const char *directory = fh_target_cache(target);
    fh_text name = fh_text_from(target->options->arguments.items[0]);
    target->units = directory ? fh_cache_open(directory, name) : NULL;
    fh_status status = fh_load_read(&target->load, &target->load_options, target->units);
    if (!status && target->units)
        fh_cache_save(target->units);
    return status;
}

const char *fh_target_cache(const fh_target *target)
{
    return target->cache.length ? target->cache.data : NULL;
}

void fh_target_finish(fh_target *target)
{
    fh_progress_finish(&target->bar);
}

void fh_target_free(fh_target *target)
{
    fh_load_free(&target->load);
    fh_cache_close(target->units);
    fh_buffer_free(&target->cache);
}
