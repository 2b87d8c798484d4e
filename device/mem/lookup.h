/* lookup.h: what is at an address.
 *
 * Takes no lock and makes no system call, so that a signal handler may ask; what it says was true
 * at some moment of the call.
 */
#ifndef FH_MEM_LOOKUP_H
#define FH_MEM_LOOKUP_H

#include <stdint.h>

/*      kind                  name */
#define FH_PLACE_MAP(X) \
    X(FH_PLACE_UNKNOWN, "memory that the device does not know") \
    X(FH_PLACE_BLOCK, "device memory") \
    X(FH_PLACE_PAGES, "physical device memory that has no address") \
    X(FH_PLACE_FREE, "device memory that is not allocated, or was freed") \
    X(FH_PLACE_MAPPED, "device memory mapped with aclrtMapMem") \
    X(FH_PLACE_IMPORTED, "device memory of another process") \
    X(FH_PLACE_RESERVED, "a reserved device address with nothing mapped") \
    X(FH_PLACE_UNUSED, "an address of the device range that nothing uses") \
    X(FH_PLACE_PINNED, "pinned host memory") \
    X(FH_PLACE_REGISTERED, "registered host memory")

typedef enum {
#define X(kind, name) kind,
    FH_PLACE_MAP(X)
#undef X
} fh_place_kind;

typedef struct {
    fh_place_kind kind;
    uint32_t device;   /* of BLOCK, PAGES, FREE, MAPPED and IMPORTED */
    uintptr_t address; /* where it begins; 0 for UNKNOWN and UNUSED */
    uint64_t size;     /* bytes; 0 for UNKNOWN and UNUSED */
    uint64_t offset;   /* of the address that was asked for */
} fh_place;

/* What is at a client or host address. */
fh_place fh_lookup(const void *address);

/* The name of a kind, for messages; never NULL. */
const char *fh_place_name(fh_place_kind kind);

#endif
