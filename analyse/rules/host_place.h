/* host_place.h: whether waiting for the device matters at a place.
 *
 * It matters in a training or decoding step: in what forward of a module runs, and in loops that
 * train or run a model. It does not when a program starts, loads, saves, prepares its data or
 * reports. Names and calls tell; a function that nothing speaks for or against is ORDINARY.
 */
#ifndef FH_RULES_HOST_PLACE_H
#define FH_RULES_HOST_PLACE_H

#include "analyse/rules/run.h"

typedef enum {
    FH_PLACE_COLD,
    FH_PLACE_EVALUATION, /* a loop that runs a model to judge it */
    FH_PLACE_ORDINARY,
    FH_PLACE_LOOP,    /* a loop that trains or runs a model */
    FH_PLACE_STEP,    /* one training step, an optimiser's step */
    FH_PLACE_FORWARD, /* forward of a module, or what it calls */
} fh_place_kind;

typedef struct {
    const fh_unit *unit;
    uint8_t *functions; /* fh_place_kind by function */
    bool *loops;        /* by block: a loop that trains or runs a model */
} fh_host_places;

/* Works the places of a unit out, in the arena; functions is NULL when memory ran out. */
fh_host_places fh_host_places_find(const fh_rule_run *run, fh_arena *arena);

fh_place_kind fh_host_place(const fh_host_places *places, uint32_t block);

/* " in forward" and the like, for a message about `block`. */
const char *fh_host_place_words(const fh_host_places *places, uint32_t block);

/* True when the block runs only now and then: every n steps, for logging or debugging, on an
 * error. */
bool fh_host_is_occasional(const fh_unit *unit, uint32_t block);

#endif
