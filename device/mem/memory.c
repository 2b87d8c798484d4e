#include "device/mem/memory.h"
#include "device/mem/device_memory.h"
#include "device/mem/fault.h"
#include "device/mem/host_memory.h"
#include "device/mem/ipc.h"
#include "device/mem/share.h"
#include "device/mem/virtual_memory.h"

static fh_status watch_if_isolated(void)
{
    return fh_space.offset ? fh_memory_watch() : FH_OK;
}

/* In order; what was started is stopped in reverse. */
static const struct {
    fh_status (*start)(void);
    void (*stop)(void);
} parts[] = {
    {fh_share_start, fh_share_stop},
    {fh_virtual_start, fh_virtual_stop},
    {fh_ipc_start, fh_ipc_stop},
    {fh_host_start, fh_host_stop},
    {watch_if_isolated, fh_memory_unwatch},
};

enum { PARTS = sizeof parts / sizeof *parts };

static void stop(unsigned started)
{
    while (started-- > 0) {
        /* Virtual memory lets pages of devices go; exports are withdrawn before their table. */
        if (parts[started].stop == fh_share_stop)
            for (uint32_t i = 0; i < fh_space.devices; i++)
                fh_device_memory_destroy(fh_device_memory_of(i));
        parts[started].stop();
    }
    fh_space_destroy();
}

fh_status fh_memory_start(const fh_space_options *options)
{
    fh_status status = fh_space_create(options);
    if (status)
        return status;
    for (unsigned i = 0; i < PARTS; i++) {
        status = parts[i].start();
        if (status) {
            stop(i);
            return status;
        }
    }
    return FH_OK;
}

void fh_memory_stop(void)
{
    if (fh_space_is_ours())
        stop(PARTS);
}
