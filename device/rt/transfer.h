/* transfer.h: copying and filling memory, of the device and of the host.
 *
 * Addresses are the client's; kernel addresses are found here. A copy names what
 * it does wrong: a range that leaves its allocation, a host address where device
 * memory is meant, parts that overlap.
 */
#ifndef FH_RT_TRANSFER_H
#define FH_RT_TRANSFER_H

#include "device/sched/stream.h"

#include <stdbool.h>

/* Where an address must lie. */
typedef enum { FH_SIDE_ANY, FH_SIDE_HOST, FH_SIDE_DEVICE } fh_side;

/* A rectangle of `height` rows of `width` bytes; a plain copy has one row. */
typedef struct {
    void *to;
    const void *from;
    size_t to_pitch, from_pitch; /* bytes from row to row */
    size_t width, height;
    fh_side to_side, from_side;
} fh_copy_request;

/* Checks that `size` bytes at a client address are within one allocation of a device, or within
 * mappings side by side. Fails with FH_INVALID; the message begins with `what`. */
fh_status fh_transfer_check_device(const char *what, const void *address, size_t size);

/* Checks a copy. Fails with FH_INVALID. */
fh_status fh_transfer_check(const fh_copy_request *request);

/* Copies what was checked, on this thread and the team's. */
void fh_transfer_copy(const fh_copy_request *request, const fh_team *team);

/* Appends a checked copy to a stream. */
fh_status fh_transfer_append(const fh_copy_request *request, fh_stream *stream);

/* Fills device memory with a byte, at once or in a stream. Fail with FH_INVALID. */
fh_status fh_transfer_fill(void *to, int value, size_t count, const fh_team *team);
fh_status fh_transfer_append_fill(void *to, int value, size_t count, fh_stream *stream);

#endif
