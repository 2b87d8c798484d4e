/* pages.h: memory that is mapped by hand. Only for pages.c and virtual_memory.c, under the
 * lock of virtual_memory.c. */
#ifndef FH_MEM_PAGES_H
#define FH_MEM_PAGES_H

#include "device/mem/device_memory.h"
#include "device/mem/share.h"

struct fh_pages {
    uint32_t device, holds;
    uint64_t size;   /* whole granularity */
    uint64_t offset; /* in the file; whole pages of the host */
    uint64_t skip;   /* of an import: where the exported range begins */
    int file;
    bool imported, exported;
    uintptr_t part;           /* names them in the device's memory, unless imported */
    fh_device_memory *memory; /* of own ones */
    fh_import import;         /* of imported ones */
};

/* Make pages with one hold. */
fh_status fh_pages_make(uint32_t device, uint64_t size, struct fh_pages **out);
fh_status fh_pages_make_import(uint64_t handle, uint32_t device, struct fh_pages **out);

/* Takes a hold away, and with the last the pages. */
void fh_pages_let_go(struct fh_pages *pages);

/* Exports own pages that are not exported. */
fh_status fh_pages_publish(struct fh_pages *pages, bool anyone, uint64_t *handle);

#endif
