/* shared.h: files that tests look at when they are there.
 *
 * FOOTHOLD_SHARED names their folder; without it, ../shared beside the source
 * tree. A test says so when a file is missing, and goes on without it.
 */
#ifndef FH_TESTS_SHARED_H
#define FH_TESTS_SHARED_H

#include "base/text.h"
#include "os/file.h"

#include <stdio.h>
#include <stdlib.h>

/* Sets `path` (terminated) to the shared file `name`; false when it is missing. */
static bool shared_path(const char *name, fh_buffer *path)
{
    const char *folder = getenv("FOOTHOLD_SHARED");
    fh_file_info info;
    fh_buffer_clear(path);
    fh_buffer_add_string(path, folder ? folder : "../shared");
    fh_buffer_add_char(path, '/');
    fh_buffer_add_string(path, name);
    fh_buffer_add_char(path, 0);
    if (!path->failed && fh_file_stat(path->data, true, &info) == FH_OK)
        return true;
    printf("  left out: %s is not here\n", path->failed ? name : path->data);
    return false;
}

#endif
