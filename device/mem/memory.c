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

/* Whatever was started; in the reverse order of what uses what. */
static void stop(void)
{
    fh_memory_unwatch();
    fh_host_stop();
    fh_ipc_stop();
    fh_virtual_stop();
    for (uint32_t i = 0; i < fh_space.devices; i++)
        fh_device_memory_destroy(fh_device_memory_of(i));
    fh_share_stop();
    fh_space_destroy();
}

fh_status fh_memory_start(const fh_space_options *options)
{
    fh_status status = fh_space_create(options);
    if (status)
        return status;
    status = fh_virtual_start();
    if (!status)
        status = fh_host_start();
    if (!status)
        status = watch_if_isolated();
    if (status)
        stop();
    return status;
}

void fh_memory_stop(void)
{
    if (fh_space_is_ours())
        stop();
}
