#include "os/memory_size.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The head of a small file as a string; false when it cannot be read. */
static bool head(const char *path, char *text, size_t capacity)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t got = read(file, text, capacity - 1);
    close(file);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

static uint64_t of_machine(void)
{
    char text[1024];
    const char *line =
        head("/proc/meminfo", text, sizeof text) ? strstr(text, "MemAvailable:") : NULL;
    return line ? strtoull(line + strlen("MemAvailable:"), NULL, 10) * 1024 : UINT64_MAX;
}

/* A number of bytes in a file of the control group; UINT64_MAX for "max" or no such file. */
static uint64_t group_number(const char *group, const char *name)
{
    char path[512], text[64];
    int length = snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", group, name);
    if (length < 0 || (size_t)length >= sizeof path || !head(path, text, sizeof text) ||
        text[0] == 'm')
        return UINT64_MAX;
    return strtoull(text, NULL, 10);
}

/* What the process's own group leaves; limits of groups above it are not looked at. */
static uint64_t of_group(void)
{
    char text[512];
    if (!head("/proc/self/cgroup", text, sizeof text) || strncmp(text, "0::", 3))
        return UINT64_MAX;
    text[strcspn(text, "\n")] = '\0';
    uint64_t most = group_number(text + 3, "memory.max");
    uint64_t used = group_number(text + 3, "memory.current");
    if (most == UINT64_MAX || used == UINT64_MAX)
        return UINT64_MAX;
    return most > used ? most - used : 0;
}

uint64_t fh_host_memory_available(void)
{
    uint64_t machine = of_machine(), group = of_group();
    return machine < group ? machine : group;
}
