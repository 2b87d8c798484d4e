/* library.h: shared libraries that are opened while the program runs. */
#ifndef FH_OS_LIBRARY_H
#define FH_OS_LIBRARY_H

#include "base/status.h"

typedef struct fh_library fh_library;

/* Opens a library by its soname or path, apart from the rest of the process: its names answer to
 * nobody else, and it finds its own and its dependencies' before others of the same name. Stays
 * open for good. Fails with FH_NOT_FOUND. */
fh_status fh_library_open(const char *name, fh_library **library);

/* The address of a name of the library or of what it depends on, or NULL. */
void *fh_library_find(fh_library *library, const char *name);

#endif
