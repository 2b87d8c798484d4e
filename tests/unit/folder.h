/* folder.h: a temporary folder for one test program. */
#ifndef FH_TESTS_FOLDER_H
#define FH_TESTS_FOLDER_H

#include "os/file.h"
#include "tests/test.h"

#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder_path[PATH_MAX / 4];

/* "FOLDER/name"; good until the fourth call after this one. */
static const char *in_folder(const char *name)
{
    static char paths[4][PATH_MAX];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, PATH_MAX, "%s%s%s", folder_path, *name ? "/" : "", name);
    return path;
}

static void make_folder(void)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder_path, sizeof folder_path, "%s/foothold-test-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(folder_path)) {
        perror(folder_path);
        exit(1);
    }
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info, (void)type, (void)walk;
    return remove(path);
}

static void remove_folder(void)
{
    nftw(folder_path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Writes FOLDER/name, and the folders it lies in. */
static inline void put_file(const char *name, const char *content)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", in_folder(name));
    *strrchr(path, '/') = 0;
    CHECK(fh_directory_make(path) == FH_OK);
    CHECK(fh_file_write_atomic(in_folder(name), fh_text_from(content)) == FH_OK);
}

#endif
