/* fusion_small.h: values of which there is little: Python's numbers, tensors of one number, and
 * tables of a few thousand (schedules, frequencies, positions, means for each channel).
 *
 * An operator on them costs a launch, but no memory traffic that is worth a word. What the text
 * cannot tell counts as large. */
#ifndef FH_RULES_FUSION_SMALL_H
#define FH_RULES_FUSION_SMALL_H

#include "analyse/rules/fusion.h"

/* By value of the unit: 1 where it is small. The caller frees it (fh_free); NULL when memory ran
 * out. */
uint8_t *fh_fusion_small(fh_fusion *fusion);

/* By symbol: 1 for names of parameters and attributes that are one number, or a few: lr, scale,
 * num_steps. The caller frees it (fh_free); NULL when memory ran out. */
uint8_t *fh_fusion_names_for_numbers(const fh_symbols *symbols);

/* True for names of parameters with one number for a tensor, a sample or a token. */
bool fh_fusion_is_named_for_one_each(fh_text name);

/* True for names of functions that give a loss. */
bool fh_fusion_is_named_for_loss(fh_text name);

#endif
