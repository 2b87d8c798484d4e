/* fusion_thin.h: tensors that are thin beside what they meet: with an axis of length 1 that the
 * other side has not (scale[:, None] * x), with one row of several (x[:, -1:]), with one number for
 * each channel or sample (x.view(1, -1, 1, 1), x[None, :, None, None]), and the part of a
 * modulation that 1 is added to (shift, scale = c.chunk(2), then (1 + scale) * x), and what a
 * module holds (self.scale.exp() * x).
 *
 * How thin, the text does not say; but the result of an operator on thin tensors alone is as thin,
 * while what meets something of another shape is as large as that. A mark tells where the axis
 * stands, or which tensor the part is of; tensors of different marks make something larger. */
#ifndef FH_RULES_FUSION_THIN_H
#define FH_RULES_FUSION_THIN_H

#include "analyse/rules/flow.h"

/* The mark of a value that no element-wise operator gives, when those of the values before it are
 * known; 0 when nothing says that it is thin. */
uint32_t fh_fusion_thin(fh_flow *flow, const uint32_t *marks, fh_value_index value);

/* The mark of what takes the shape of the other side. */
uint32_t fh_fusion_held(void);

/* True for a mark of one number for each channel or sample, or of what a module holds: it is little
 * by itself. */
bool fh_fusion_is_vector(uint32_t mark);

/* The mark of the result of `op`, whose tensors among the operands are `tensors` with `marks`. */
uint32_t fh_fusion_thin_result(fh_flow *flow, const fh_flow_op *op, const fh_value_index *tensors,
                               const uint32_t *marks, uint32_t count);

#endif
