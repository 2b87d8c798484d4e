/* paths.h: where this program keeps files of its own.
 *
 * A variable of ours wins, then the XDG base directory specification 0.8
 * (relative values are ignored, as it asks), then the home directory. The
 * directories need not exist.
 */
#ifndef FH_OS_PATHS_H
#define FH_OS_PATHS_H

#include "base/status.h"
#include "base/text.h"

/* Sets `*path` (terminated; length excludes the 0) to $FOOTHOLD_CACHE_DIR,
 * $XDG_CACHE_HOME/foothold or ~/.cache/foothold. Fails with FH_NOT_FOUND when
 * there is no home directory, FH_NO_MEMORY. The caller frees the buffer. */
fh_status fh_paths_cache(fh_buffer *path);

/* The same with $FOOTHOLD_CONFIG_DIR, $XDG_CONFIG_HOME/foothold or ~/.config/foothold. */
fh_status fh_paths_config(fh_buffer *path);

/* Sets `*path` likewise to the folder that this program's file is in, links resolved, without a
 * slash at its end. Fails with FH_IO, FH_NO_MEMORY. The caller frees the buffer. */
fh_status fh_paths_program_folder(fh_buffer *path);

#endif
