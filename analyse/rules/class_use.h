/* class_use.h: what the file of a class makes it with.
 *
 * Which calls make which class of a unit is found once for each unit that is asked about, in the
 * scratch arena of the run, and so is each answer. Without memory nothing is found; the arena
 * remembers it, and the analysis fails. */
#ifndef FH_RULES_CLASS_USE_H
#define FH_RULES_CLASS_USE_H

#include "analyse/rules/run.h"

/* True when calls in `unit` make the class of method `function` and give two things that are
 * written differently for its parameter `position` (self is 0): Encoder(config.atoms) and
 * Encoder(config.tokens), but not Encoder(config.tokens) twice, in whatever functions. */
bool fh_class_use_differs(const fh_rule_run *run, uint32_t unit, uint32_t function,
                          uint32_t position);

#endif
