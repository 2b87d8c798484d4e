#include "device/mem/pages.h"
#include "base/memory.h"
#include "os/map.h"

#include <inttypes.h>

static fh_status check_device(uint32_t device, fh_device_memory **memory)
{
    *memory = fh_device_memory_of(device);
    return *memory ? FH_OK : fh_error(FH_INVALID, "device %u has no memory: set it first", device);
}

static fh_status allocate(uint32_t device, struct fh_pages **out)
{
    struct fh_pages *pages = fh_alloc_zero(1, sizeof *pages);
    if (!pages)
        return fh_error(FH_NO_MEMORY, "out of memory for a physical handle");
    pages->device = device;
    pages->holds = 1;
    *out = pages;
    return FH_OK;
}

fh_status fh_pages_make(uint32_t device, uint64_t size, struct fh_pages **out)
{
    if (!size || size % FH_GRANULARITY)
        return fh_error(FH_INVALID,
                        "%" PRIu64 " bytes of physical memory: not a multiple of %d, which "
                        "aclrtMemGetAllocationGranularity tells",
                        size, FH_GRANULARITY);
    struct fh_pages *pages = NULL;
    fh_device_memory *memory;
    fh_status status = check_device(device, &memory);
    if (!status)
        status = allocate(device, &pages);
    if (status)
        return status;
    status = fh_device_memory_take_pages(memory, size, &pages->part);
    if (status) {
        fh_free(pages);
        return status;
    }
    pages->memory = memory;
    pages->size = size;
    pages->file = fh_device_memory_file(memory);
    pages->offset = fh_device_memory_offset(memory, pages->part);
    *out = pages;
    return FH_OK;
}

fh_status fh_pages_make_import(uint64_t handle, uint32_t device, struct fh_pages **out)
{
    struct fh_pages *pages = NULL;
    if (device >= fh_space.devices)
        return fh_error(FH_INVALID, "there is no device %u", device);
    fh_status status = allocate(device, &pages);
    if (status)
        return status;
    status = fh_share_attach(handle, &pages->import);
    if (status) {
        fh_free(pages);
        return status;
    }
    const fh_share_range *range = &pages->import.range;
    pages->imported = true;
    pages->file = range->file;
    pages->skip = range->offset % fh_page_size();
    pages->offset = range->offset - pages->skip;
    pages->size =
        (pages->skip + range->size + FH_GRANULARITY - 1) / FH_GRANULARITY * FH_GRANULARITY;
    *out = pages;
    return FH_OK;
}

void fh_pages_let_go(struct fh_pages *pages)
{
    if (--pages->holds)
        return;
    if (pages->imported)
        fh_share_detach(&pages->import);
    else
        fh_device_memory_free_pages(pages->memory, pages->part);
    fh_free(pages);
}

fh_status fh_pages_publish(struct fh_pages *pages, bool anyone, uint64_t *handle)
{
    const fh_share_range range = {pages->file, pages->offset, pages->size, pages->device};
    uint32_t share;
    if (pages->imported)
        return fh_error(FH_UNSUPPORTED,
                        "memory imported from process %" PRId64 " cannot be exported again; its "
                        "owner can",
                        pages->import.process);
    if (pages->exported)
        return fh_error(FH_INVALID, "this physical handle is exported already; keep the "
                                    "shareable handle that aclrtMemExportToShareableHandle gave");
    fh_status status = fh_share_publish(&range, anyone, handle, &share);
    if (status)
        return status;
    status = fh_device_memory_note_share(pages->memory, pages->part, share);
    if (status)
        fh_share_withdraw(share);
    else
        pages->exported = true;
    return status;
}
