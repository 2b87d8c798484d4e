/* glob.h: patterns for paths, with the meaning they have in a .gitignore file.
 *
 *   *       any characters but '/'
 *   ?       one character but '/'
 *   [a-z]   one of these; [!a-z] or [^a-z] one that is not
 *   **      any number of folders, when it stands alone between slashes
 *   \x      the character x itself
 *
 * A pattern with a '/' before its end is matched from the root of the target,
 * any other at every depth. With a '/' at its end it matches folders only.
 * No pattern makes matching take more than polynomial time.
 */
#ifndef FH_BASE_GLOB_H
#define FH_BASE_GLOB_H

#include "base/text.h"

/* Whether `pattern` matches `path` itself (not something in or above it). */
bool fh_glob_match(fh_text pattern, fh_text path, bool is_directory);

/* Whether `pattern` matches `path` or a folder that `path` lies in. */
bool fh_glob_covers(fh_text pattern, fh_text path, bool is_directory);

/* Whether `pattern` speaks of `folder`, or of something in it, by name: "build"
 * and "build/x?.py" speak of build, "*.py" does not. */
bool fh_glob_names(fh_text pattern, fh_text folder);

#endif
