/* device_mem.h: what the tests of device/mem share. */
#ifndef FH_TESTS_DEVICE_MEM_H
#define FH_TESTS_DEVICE_MEM_H

#include "device/mem/device_memory.h"
#include "device/mem/memory.h"
#include "tests/test.h"

#define MIB ((uint64_t)1 << 20)

/* Starts with `devices` devices that have memory. */
static inline fh_status mem_start(uint32_t devices, uint64_t bytes, bool isolation)
{
    fh_space_options options = {.devices = devices, .device_bytes = bytes, .isolation = isolation};
    fh_device_memory *memory;
    fh_status status = fh_memory_start(&options);
    if (status)
        return status;
    for (uint32_t i = 0; !status && i < devices; i++)
        status = fh_device_memory_create(i, bytes, &memory);
    if (status)
        fh_memory_stop();
    return status;
}

static inline uint64_t mem_used(uint32_t device)
{
    return fh_device_memory_info_of(fh_device_memory_of(device)).used;
}

/* Whether the last error says `part`; shows the error when not. */
static inline bool mem_says(const char *part)
{
    if (strstr(fh_error_message(), part))
        return true;
    printf("  message: %s\n", fh_error_message());
    return false;
}

/* The byte at a client address, for reading and writing. */
static inline volatile unsigned char *mem_byte(const void *address)
{
    return fh_space_kernel(address);
}

#endif
