/* flow.h: which operator computes a value, and from what.
 *
 * A value of a unit is the result of one expression, and an argument's value is the value that
 * was computed before, so a chain of operators is followed from its end to its beginning by
 * looking at operands. Here calls of functions, methods, modules (`self.fc(x)` where self.fc is
 * an nn.Linear), of small classes of the program, and signs such as + and @ are all told alike.
 *
 * Answers are remembered in the flow of one unit, which belongs to one thread. Each question
 * takes constant time; walks through operands are cut off after a fixed number of steps.
 */
#ifndef FH_RULES_FLOW_H
#define FH_RULES_FLOW_H

#include "analyse/scan/resolve.h"

// clang-format off
/*    enumerator      what it is */
#define FH_FLOW_MAP(X) \
    X(OTHER)       /* not known, or of no interest */ \
    X(LINEAR)      /* product with learned weights: nn.Linear, F.linear */ \
    X(MATMUL)      /* product of two tensors: matmul, bmm, einsum, @ */ \
    X(CONVOLUTION) \
    X(BATCH_NORM) \
    X(NORM)        /* over the last dimensions: LayerNorm */ \
    X(RMS_NORM) \
    X(OTHER_NORM)  /* GroupNorm, InstanceNorm, ... */ \
    X(EMBEDDING) \
    X(ACTIVATION)  /* element-wise, of a network: relu, gelu, ... */ \
    X(SOFTMAX) \
    X(ELEMENTWISE) /* arithmetic */ \
    X(REDUCTION) \
    X(MASK)        /* where, masked_fill */ \
    X(DROPOUT) \
    X(SHAPE)       /* view, reshape, transpose, einops.rearrange, ... */ \
    X(CAST)        /* to, float, contiguous, Identity: the same numbers */ \
    X(SELECT)      /* a part: chunk, split, x[...] */ \
    X(JOIN)        /* cat, stack */ \
    X(LOSS) \
    X(CHOICE)      /* one of the operands, depending on the path taken */ \
    X(FUNCTION)    /* a function or method of the program; operands are its arguments */
// clang-format on

typedef enum {
#define X(name) FH_FLOW_##name,
    FH_FLOW_MAP(X)
#undef X
} fh_flow_class;

/* A set of classes, for fh_flow_through. */
#define FH_FLOW_SET(name) (1u << FH_FLOW_##name)

enum { FH_FLOW_OPERANDS = 3 };

typedef struct {
    uint8_t class;     /* fh_flow_class */
    uint8_t certainty; /* fh_certainty, of the class and of the operands being tensors */
    uint8_t operand_count;
    bool is_module;                            /* an object that was made before is called */
    fh_value_index operands[FH_FLOW_OPERANDS]; /* the first ones, in the order of the call */
    fh_text name;      /* torch.nn.Linear, torch.add; the class's own name for one of the program */
    uint32_t call;     /* 0 for a sign, an index, ... */
    fh_reference made; /* of a module: the call that makes it; value 0 when not known */
} fh_flow_op;

typedef struct {
    fh_resolver *resolver;
    const fh_program *program;
    uint32_t unit_index;
    const fh_unit *unit;
    uint32_t *uses;           /* by value */
    const fh_flow_op **known; /* by value; NULL: not asked yet */
    fh_arena arena;
} fh_flow;

/* Opens the flow of a unit; false when memory ran out. Close it in both cases. */
bool fh_flow_open(fh_flow *flow, fh_resolver *resolver, const fh_program *program, uint32_t unit);
void fh_flow_close(fh_flow *flow);

/* What computes `value`; never NULL. Lives until the flow is closed. */
const fh_flow_op *fh_flow_at(fh_flow *flow, fh_value_index value);

/* What computes a value of any unit; not remembered. Name and operands are of that unit. */
fh_flow_op fh_flow_of(fh_resolver *resolver, const fh_program *program, uint32_t unit,
                      fh_value_index value);

/* What kind of module `value` is, without a call: the nn.Linear(...) in a Sequential. */
fh_flow_op fh_flow_module(fh_resolver *resolver, const fh_program *program, uint32_t unit,
                          fh_value_index value);

/* The class of a canonical name of PyTorch, or of a package with names that say it all. */
fh_flow_class fh_flow_class_of(fh_text name, const fh_api *api);

/* How many expressions read the data of `value`: 1 means that only the one at hand does. Reads of
 * its shape, dtype or device do not count. */
uint32_t fh_flow_uses(const fh_flow *flow, fh_value_index value);

/* Steps to the first operand for as long as the class is in `set` (of CHOICE, to the alternative
 * that is computed), and lowers *certainty on the way. */
fh_value_index fh_flow_through(fh_flow *flow, fh_value_index value, uint32_t set,
                               fh_certainty *certainty);

/* True when both values are the same expression of the same values. */
bool fh_flow_same(const fh_unit *unit, fh_value_index a, fh_value_index b);

/* True when operator `op` is the one called `name` as a function, a method or in place: "add" for
 * torch.add, torch.Tensor.add_ and `+`. */
bool fh_flow_is(const fh_flow_op *op, const char *name);

/* Argument of a call of torch: `position` counts from the tensor, which is the receiver of a
 * method; 0 when it is not given. */
fh_value_index fh_flow_argument(const fh_unit *unit, const fh_flow_op *op, int position,
                                const char *name);

/* A number that the module was made with (out_features of its nn.Linear); -1 when not known. */
int64_t fh_flow_made_with(fh_resolver *resolver, const fh_flow_op *op, int position,
                          const char *name);

static inline fh_certainty fh_certainty_least(fh_certainty a, fh_certainty b)
{
    return a < b ? a : b;
}

#endif
