#define FH_ONEDNN_PLAIN
#include "device/kern/onednn.h"

#include "os/library.h"
#include "os/lock.h"

#include <string.h>

fh_onednn_functions fh_onednn;

/* dnnl_version_t's major numbers that dnnl.h at build time speaks of. */
#define SONAME_OF(major) "libdnnl.so." #major
#define SONAME(major) SONAME_OF(major)

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
#define X(function) {#function, offsetof(fh_onednn_functions, function)},
    FH_ONEDNN_MAP(X)
#undef X
};

static bool find_all(fh_library *library)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *address = fh_library_find(library, functions[i].name);
        if (!address)
            return false;
        memcpy((char *)&fh_onednn + functions[i].offset, &address, sizeof address);
    }
    return true;
}

bool fh_onednn_ready(void)
{
    static fh_lock lock;
    static _Atomic int state; /* 1 there, 2 not there */
    int now = atomic_load_explicit(&state, memory_order_acquire);
    if (now)
        return now == 1;
    fh_lock_take(&lock);
    now = atomic_load_explicit(&state, memory_order_acquire);
    if (!now) {
        fh_library *library;
        bool there =
            fh_library_open(SONAME(DNNL_VERSION_MAJOR), &library) == FH_OK && find_all(library);
        now = there ? 1 : 2;
        atomic_store_explicit(&state, now, memory_order_release);
    }
    fh_lock_release(&lock);
    return now == 1;
}
