/* How many processors this process may use. */
#include "os/thread.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned in_affinity_mask(void)
{
    /* Grown until the kernel's mask fits: machines with over 1,024 processors exist. */
    for (int processors = 1024; processors <= 1 << 20; processors *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)processors);
        if (!set)
            break;
        size_t size = CPU_ALLOC_SIZE((size_t)processors);
        int count = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (count > 0)
            return (unsigned)count;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

/* Reads "quota period" from a version 2 file; UINT_MAX when there is no limit. */
static unsigned limit_in(const char *path)
{
    long long quota, period;
    unsigned limit = UINT_MAX;
    FILE *file = fopen(path, "re");
    if (!file)
        return limit;
    if (fscanf(file, "%lld %lld", &quota, &period) == 2 && quota > 0 && period > 0)
        limit = (unsigned)((quota + period - 1) / period);
    fclose(file);
    return limit;
}

/* The path of our control group in the version 2 hierarchy, "/" when unknown. */
static void own_group(char *group, size_t size)
{
    char line[PATH_MAX];
    FILE *file = fopen("/proc/self/cgroup", "re");
    snprintf(group, size, "/");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "0::/", 4) == 0) {
            line[strcspn(line, "\n")] = 0;
            snprintf(group, size, "%s", line + 3);
        }
    if (file)
        fclose(file);
}

/* The smallest quota of our control group and the groups around it. */
static unsigned in_group(void)
{
    static const char root[] = "/sys/fs/cgroup";
    char group[PATH_MAX], path[PATH_MAX + 64];
    unsigned least = UINT_MAX;
    own_group(group, sizeof group);
    for (;;) {
        snprintf(path, sizeof path, "%s%s/cpu.max", root, group);
        unsigned limit = limit_in(path);
        if (limit < least)
            least = limit;
        char *slash = strrchr(group, '/');
        if (!slash)
            return least;
        *slash = 0;
    }
}

unsigned fh_processor_count(void)
{
    unsigned mask = in_affinity_mask(), quota = in_group();
    unsigned count = mask < quota ? mask : quota;
    return count ? count : 1;
}
