#include "device/rt/options.h"
#include "base/text.h"
#include "facts/limits.h"

#include <stdlib.h>
#include <string.h>

typedef enum {
#define X(name, variable, otherwise, what) OPTION_##name,
    FH_OPTION_MAP(X)
#undef X
} option;

typedef struct {
    const char *variable, *otherwise, *what;
} option_row;

static const option_row rows[] = {
#define X(name, variable, otherwise, what) {variable, otherwise, what},
    FH_OPTION_MAP(X)
#undef X
};

/* An empty variable counts as one that is not set. */
static const char *value_of(option which)
{
    const char *value = getenv(rows[which].variable);
    return value && *value ? value : rows[which].otherwise;
}

static fh_status refuse(option which)
{
    return fh_error(FH_INVALID, "%s is \"%s\"; it is %s", rows[which].variable, value_of(which),
                    rows[which].what);
}

static fh_status read_number(option which, int64_t least, int64_t most, uint32_t *number)
{
    int64_t value;
    if (!fh_text_to_integer(fh_text_from(value_of(which)), &value) || value < least || value > most)
        return refuse(which);
    *number = (uint32_t)value;
    return FH_OK;
}

fh_status fh_options_read(fh_options *options)
{
    fh_options read = {0};
    fh_status status = read_number(OPTION_DEVICES, 1, FH_MOST_DEVICES, &read.devices);
    if (!status)
        status = read_number(OPTION_WORKERS, 0, 256, &read.workers);
    if (status)
        return status;
    read.soc = fh_soc_find(fh_text_from(value_of(OPTION_SOC)));
    if (!read.soc || read.soc->vendor != FH_VENDOR_ASCEND)
        return refuse(OPTION_SOC);
    fh_text memory = fh_text_from(value_of(OPTION_MEMORY));
    if (memory.length == 0)
        read.memory = (uint64_t)read.soc->memory << 30;
    else if (!fh_text_to_bytes(memory, &read.memory) || read.memory >= FH_MEMORY_LIMIT)
        return refuse(OPTION_MEMORY);
    const char *isolation = value_of(OPTION_ISOLATION), *cann = value_of(OPTION_CANN);
    if ((isolation[0] != '0' && isolation[0] != '1') || isolation[1])
        return refuse(OPTION_ISOLATION);
    read.isolation = isolation[0] == '1';
    if (strlen(cann) >= sizeof read.cann)
        return refuse(OPTION_CANN);
    strcpy(read.cann, cann);
    *options = read;
    return FH_OK;
}
