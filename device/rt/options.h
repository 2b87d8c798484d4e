/* options.h: what the environment says of the software Ascend, read once. */
#ifndef FH_RT_OPTIONS_H
#define FH_RT_OPTIONS_H

#include "base/status.h"
#include "facts/soc.h"

/* One row for each: variable, what stands there when it is not set, what it is. `foothold run
 * --help` and docs/device.md show the same. */
#define FH_OPTION_MAP(X) \
    X(DEVICES, "FOOTHOLD_DEVICES", "8", "how many devices programs see, 1 to 64") \
    X(SOC, "FOOTHOLD_SOC", "Ascend910B3", "the chip: a name or alias that `foothold soc` lists") \
    X(MEMORY, "FOOTHOLD_MEMORY", "", "memory of each device (64G, 512M); default: the chip's") \
    X(CANN, "FOOTHOLD_CANN", "8.5.0", "the version of CANN that programs are told") \
    X(ISOLATION, "FOOTHOLD_ISOLATION", "1", "0 lets the host touch device memory") \
    X(WORKERS, "FOOTHOLD_WORKERS", "0", "threads that run kernels; 0: one for each processor")

typedef struct {
    uint32_t devices, workers;
    const fh_soc *soc;
    uint64_t memory; /* bytes of each device */
    bool isolation;
    char cann[32];
} fh_options;

/* Fails with FH_INVALID; the message names the variable, its value and what is allowed. */
fh_status fh_options_read(fh_options *options);

#endif
