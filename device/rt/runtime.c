/* The process's devices: made once, gone in forked children. */
#include "base/memory.h"
#include "device/mem/fault.h"
#include "device/mem/memory.h"
#include "device/rt/device.h"
#include "device/sched/engine.h"

static struct {
    fh_lock lock;
    _Atomic bool started;
    fh_options options;
    fh_device *devices;
} runtime;

static fh_status start(void)
{
    fh_options options;
    fh_status status = fh_options_read(&options);
    if (status)
        return status;
    fh_device *devices = fh_alloc_zero(options.devices, sizeof *devices);
    if (!devices)
        return fh_error(FH_NO_MEMORY, "no host memory for %u devices", options.devices);
    fh_space_options space = {
        .devices = options.devices, .device_bytes = options.memory, .isolation = options.isolation};
    status = fh_memory_start(&space);
    if (!status)
        status = fh_memory_watch();
    if (status) {
        fh_free(devices);
        return status;
    }
    for (uint32_t i = 0; i < options.devices; i++)
        devices[i].index = i;
    fh_engine_set_workers(options.workers);
    runtime.options = options;
    runtime.devices = devices;
    atomic_store_explicit(&runtime.started, true, memory_order_release);
    return FH_OK;
}

fh_status fh_runtime_start(void)
{
    if (atomic_load_explicit(&runtime.started, memory_order_acquire))
        return fh_space_is_ours()
                   ? FH_OK
                   : fh_error(FH_UNSUPPORTED,
                              "this process was forked from one that uses the device, and device "
                              "memory is not inherited; start workers with the spawn method, or "
                              "fork before the first use of the device");
    fh_lock_take(&runtime.lock);
    fh_status status = atomic_load(&runtime.started) ? FH_OK : start();
    fh_lock_release(&runtime.lock);
    return status;
}

const fh_options *fh_runtime_options(void)
{
    return &runtime.options;
}

fh_device *fh_device_at(uint32_t index)
{
    return index < runtime.options.devices ? &runtime.devices[index] : NULL;
}

/* Workers in a kernel when the process ends would read what its exit takes apart. */
__attribute__((destructor)) static void end(void)
{
    if (atomic_load(&runtime.started) && fh_space_is_ours())
        fh_engine_stop();
}
