#include "os/paths.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Appends the home directory; false when nobody knows it. */
static bool add_home(fh_buffer *path)
{
    const char *home = getenv("HOME");
    if (home && home[0] == '/') {
        fh_buffer_add_string(path, home);
        return true;
    }
    struct passwd entry, *found = NULL;
    char storage[4096];
    if (getpwuid_r(getuid(), &entry, storage, sizeof storage, &found) || !found || !found->pw_dir ||
        found->pw_dir[0] != '/')
        return false;
    fh_buffer_add_string(path, found->pw_dir);
    return true;
}

static fh_status find(const char *ours, const char *xdg, const char *under_home, fh_buffer *path)
{
    const char *own = getenv(ours), *base = getenv(xdg);
    fh_buffer found = {0};
    if (own && *own) {
        fh_buffer_add_string(&found, own);
    } else if (base && base[0] == '/') {
        fh_buffer_add_string(&found, base);
        fh_buffer_add_string(&found, "/foothold");
    } else if (add_home(&found)) {
        fh_buffer_add_string(&found, under_home);
    } else {
        return fh_error(FH_NOT_FOUND, "there is no home directory; set %s to a directory", ours);
    }
    fh_buffer_add_char(&found, 0);
    if (found.failed) {
        fh_buffer_free(&found);
        return fh_error(FH_NO_MEMORY, "out of memory while looking for %s", ours);
    }
    found.length--;
    fh_buffer_free(path);
    *path = found;
    return FH_OK;
}

fh_status fh_paths_cache(fh_buffer *path)
{
    return find("FOOTHOLD_CACHE_DIR", "XDG_CACHE_HOME", "/.cache/foothold", path);
}

fh_status fh_paths_config(fh_buffer *path)
{
    return find("FOOTHOLD_CONFIG_DIR", "XDG_CONFIG_HOME", "/.config/foothold", path);
}

fh_status fh_paths_program_folder(fh_buffer *path)
{
    static const char link[] = "/proc/self/exe";
    char file[4096]; /* the kernel writes no longer ones: a page */
    fh_buffer found = {0};
    ssize_t length = readlink(link, file, sizeof file);
    if (length < 0)
        return fh_error(FH_IO, "cannot read %s, which says where this program is: %s", link,
                        strerror(errno));
    fh_text folder = {file, (size_t)length};
    fh_buffer_add(&found, fh_text_slice(folder, 0, fh_text_find_last(folder, '/')));
    fh_buffer_add_char(&found, 0);
    if (found.failed) {
        fh_buffer_free(&found);
        return fh_error(FH_NO_MEMORY, "out of memory while looking for this program");
    }
    found.length--;
    fh_buffer_free(path);
    *path = found;
    return FH_OK;
}
