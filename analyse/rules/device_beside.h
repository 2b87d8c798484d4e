/* device_beside.h: which blocks belong together: the branches of one condition, and conditions of
 * the same kind that follow each other. Worked out for all blocks of a unit at once.
 */
#ifndef FH_RULES_DEVICE_BESIDE_H
#define FH_RULES_DEVICE_BESIDE_H

#include "analyse/rules/run.h"

/* What is known of a block (flags). */
enum {
    FH_BRANCH_MENTIONS = 1, /* something about NPUs stands in the block, or in one inside it */
    FH_BRANCH_ASKS = 2,     /* IF: its condition does */
    FH_BRANCH_IS_FOR = 4,   /* IF: it asks, and is what runs on NPUs */
};

typedef struct {
    uint32_t parent, kind, subject; /* kind of the condition; of a comparison its left side */
} fh_branch_key;

typedef struct {
    uint32_t *others;  /* by block: see fh_device_beside_find */
    uint32_t *returns; /* by block: where the first branch for NPUs that leaves ends, among its
                          statements or in a loop there; UINT32_MAX: there is none */
    fh_branch_key *asking;
    uint32_t asking_count;
} fh_device_beside;

/* `flags`: by block. In `others` of an IF and an ELSE: the other branch of the condition, an IF
 * before or an ELSE behind, rather the next; 0: there is none. False when memory ran out. */
bool fh_device_beside_find(const fh_rule_run *run, const uint8_t *flags, fh_device_beside *beside);

/* True when the IF `block`, which is not for NPUs, has a sibling that is, with a condition of the
 * same kind: if device == "cuda": ... and then if device == "npu": ... */
bool fh_device_has_sibling(const fh_unit *u, const fh_device_beside *beside, uint32_t block);

#endif
