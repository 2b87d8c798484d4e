/* path.h: paths with '/' as text; nothing here touches a file system. */
#ifndef FH_BASE_PATH_H
#define FH_BASE_PATH_H

#include "base/text.h"

/* The part after the last '/': "a/b.py" gives "b.py". */
fh_text fh_path_name(fh_text path);

/* The part before the last '/': "a/b.py" gives "a", "b.py" gives "". */
fh_text fh_path_directory(fh_text path);

/* What follows the last '.' of the name, "" when there is none or the name
 * begins with it: "a.tar.gz" gives "gz", ".bashrc" gives "". */
fh_text fh_path_extension(fh_text path);

/* Appends "directory/name"; without a second '/' when `directory` ends in one,
 * and only `name` when it is empty. */
void fh_path_join(fh_buffer *buffer, fh_text directory, fh_text name);

/* Cuts off the '/' at the end, and "./" at the start. "." and "./" give "". */
fh_text fh_path_tidy(fh_text path);

#endif
