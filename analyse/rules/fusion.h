/* fusion.h: what the files fusion*.c share.
 *
 * Rules that know a whole pattern (attention, RMS norm, ...) come first and claim its values, so
 * that the general ones (a chain of element-wise operators) do not tell of a part of it again.
 *
 * Memory traffic. An operator in eager mode reads each operand from memory and writes its result
 * there. What a fused operator saves is counted in passes, one pass being one read or one write of
 * the tensor, or in bytes for one token in 16-bit numbers, 2 bytes each, where the width is known.
 */
#ifndef FH_RULES_FUSION_H
#define FH_RULES_FUSION_H

#include "analyse/rules/flow.h"
#include "analyse/rules/run.h"

typedef struct {
    fh_rule_run *run;
    fh_flow flow;
    uint8_t *claimed;  /* by value: FH_FUSION_... */
    uint8_t *function; /* by function: FH_FUSED_... */
} fh_fusion;

enum {
    FH_FUSION_CLAIMED = 1,
    FH_FUSION_FEEDS_LINEAR = 2,   /* an activation that only a linear layer reads */
    FH_FUSION_COMES_BACK = 4,     /* that layer is as wide as the input of the one before */
    FH_FUSION_GOES_ELSEWHERE = 8, /* it is not */
};

enum {
    FH_FUSED_ATTENTION = 1, /* calls a fused attention */
    FH_FUSED_ROTARY = 2,    /* a rotary embedding was reported */
    FH_FUSED_RMS = 4,       /* an RMS norm was reported */
    FH_FUSED_NPU = 8,       /* calls an operator of torch_npu: what is beside it is for others */
};

/* Bytes of a 16-bit number, and passes that keeping a value on the chip saves: a write, a read. */
enum { FH_FUSION_BYTES = 2, FH_FUSION_PASSES = 2 };

/* Each looks at one value. */
void fh_fusion_attention(fh_fusion *fusion, fh_value_index value); /* FH308 */
void fh_fusion_rms_norm(fh_fusion *fusion, fh_value_index value);  /* FH305 */
void fh_fusion_rotary(fh_fusion *fusion, fh_value_index value);    /* FH306 */
void fh_fusion_gate(fh_fusion *fusion, fh_value_index value);      /* FH307 */
void fh_fusion_add_norm(fh_fusion *fusion, fh_value_index value);  /* FH304 */
void fh_fusion_mark(fh_fusion *fusion, fh_value_index value);      /* for the next one */
void fh_fusion_layers(fh_fusion *fusion, fh_value_index value);    /* FH301, FH302 */
void fh_fusion_norms(fh_fusion *fusion, fh_value_index value);     /* FH302 without activation */

/* `act` behind `linear`, at `value`; `norm` behind `conv`, and `act` (or NULL) behind it. */
void fh_fusion_report_activation(fh_fusion *fusion, fh_value_index value, const fh_flow_op *linear,
                                 const fh_flow_op *act, fh_certainty at_most);
void fh_fusion_report_conv(fh_fusion *fusion, fh_value_index value, const fh_flow_op *conv,
                           const fh_flow_op *norm, const fh_flow_op *act, fh_certainty at_most);

/* Each looks at the whole unit. */
void fh_fusion_sequences(fh_fusion *fusion);  /* FH301, FH302 in Sequential and lists */
void fh_fusion_chains(fh_fusion *fusion);     /* FH303 */
void fh_fusion_optimisers(fh_fusion *fusion); /* FH309 */

/* True when the release has `name` (of torch_npu or torch) and the chip runs it. */
bool fh_fusion_has(fh_fusion *fusion, const char *name);

/* The first of `names` (NULL-terminated) that fh_fusion_has; else `otherwise`. */
const char *fh_fusion_first(fh_fusion *fusion, const char *const *names, const char *otherwise);

/* A product of two tensors: `*`, mul. */
static inline bool fh_fusion_is_product(const fh_flow_op *op)
{
    return op->class == FH_FLOW_ELEMENTWISE && op->operand_count == 2 &&
           (fh_flow_is(op, "mul") || fh_flow_is(op, "multiply"));
}

static inline bool fh_fusion_is_claimed(const fh_fusion *fusion, fh_value_index value)
{
    return fusion->claimed[value] & FH_FUSION_CLAIMED;
}

/* A name for people: "GELU" of torch.nn.GELU. */
fh_text fh_fusion_short(const fh_flow_op *op);

/* Tests do not run in a training or decoding step. */
bool fh_fusion_is_test(const fh_unit *unit);

/* True in a method of a class that folds its batch norms by itself: it has a method for that, fuse,
 * reparameterize, ... */
bool fh_fusion_class_fuses(const fh_fusion *fusion, uint32_t function);

/* True when a method of class `class` of `unit` adds 1 to a weight: norms that keep what they scale
 * by as its distance from 1. */
bool fh_fusion_class_adds_one(fh_fusion *fusion, uint32_t unit, uint32_t class);

/* The function of the unit that `value` is computed in. */
uint32_t fh_fusion_function(const fh_fusion *fusion, fh_value_index value);

#endif
