#include "os/library.h"

#include <dlfcn.h>

/* Sanitizers must see every name first, and refuse libraries that look at their own before. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define APART 0
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define APART 0
#endif
#endif
#ifndef APART
#define APART RTLD_DEEPBIND
#endif

fh_status fh_library_open(const char *name, fh_library **library)
{
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | APART);
    if (!handle)
        return fh_error(FH_NOT_FOUND, "%s", dlerror());
    *library = handle;
    return FH_OK;
}

void *fh_library_find(fh_library *library, const char *name)
{
    return dlsym(library, name);
}
