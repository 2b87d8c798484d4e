/* steps.h: which functions are a training or an inference step, by the names they call.
 *
 * A training step calls backward and step; an inference step calls something under no_grad or
 * inference_mode. Names are enough here: what `loss` or `optimizer` is seldom can be known. Where
 * one looks for what is worth measuring, a loop or the name of a model tells steps from the rest.
 */
#ifndef FH_RULES_STEPS_H
#define FH_RULES_STEPS_H

#include "analyse/scan/program.h"

typedef struct {
    uint32_t backward;  /* call of backward; 0 when there is none */
    uint32_t forward;   /* the first call under no_grad or inference_mode; 0 when there is none */
    uint32_t model;     /* of those, the first of what is named like a model, in a loop if any is */
    bool model_in_loop; /* `model` is in a loop */
    bool backward_in_loop;
    bool step;              /* calls step of an optimiser */
    bool autocast;          /* enables autocast */
    bool low_precision;     /* casts to 16 bits, or scales the loss for it */
    bool framework_decides; /* accelerator.backward(loss): precision is set elsewhere */
    bool no_grad;
} fh_step_facts;

/* Facts of each function of the unit (index 0: the module itself), in the arena; NULL when
 * memory ran out. */
fh_step_facts *fh_steps_find(const fh_unit *unit, fh_arena *arena);

/* True when `block` is inside `with no_grad()` or inference_mode() of its function. */
bool fh_step_no_grad(const fh_unit *unit, uint32_t block);

static inline bool fh_step_trains(const fh_step_facts *facts)
{
    return facts->backward && facts->step;
}

#endif
