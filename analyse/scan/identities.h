/* identities.h: the set of files and folders that were taken, by device and inode. */
#ifndef FH_ANALYSE_SCAN_IDENTITIES_H
#define FH_ANALYSE_SCAN_IDENTITIES_H

#include "base/text.h"
#include "base/vector.h"

typedef struct {
    uint64_t device, inode;
    fh_text path; /* borrowed: where it was taken */
    bool by_name; /* found in its folder; not through a link, and not as a target */
} fh_identity;

typedef struct {
    FH_VECTOR(fh_identity) items;
    uint32_t *slots; /* open addressing: index + 1, or 0 when free */
    uint32_t slot_mask;
    bool failed; /* memory ran out */
} fh_identities;

/* Adds `identity` and returns NULL, or returns the one that is there already.
 * The pointer is good until the next add. */
const fh_identity *fh_identities_add(fh_identities *identities, fh_identity identity);
void fh_identities_free(fh_identities *identities);

#endif
