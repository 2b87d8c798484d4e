/* elementwise.h: the one engine that runs all operators that work element by element.
 *
 * An operator is a loop over contiguous arrays of one element type. The engine
 * broadcasts inputs to the output's shape, walks strides of any kind, converts
 * blocks that are of another type or not contiguous through small buffers, and
 * spreads blocks over the team. An input may be an output, element by element.
 *
 * The type that is computed in follows PyTorch's promotion: tensors with
 * dimensions first, then tensors without, then numbers; f16 and bf16 compute in
 * f32, integers below 64 bits in i32 (they wrap when stored).
 */
#ifndef FH_KERN_ELEMENTWISE_H
#define FH_KERN_ELEMENTWISE_H

#include "device/kern/argument.h"
#include "device/kern/simd.h"

enum { FH_OPERANDS = 10 }; /* inputs and outputs together, at most */

/* Numbers that a loop needs beside its arrays. */
typedef struct {
    double f[4];
    int64_t i[4];
    int *failed; /* set by a loop that met what it cannot do, as an integer division by zero */
} fh_parameters;

/* Works on `n` elements. Outputs may be inputs, else nothing overlaps. */
typedef void fh_loop(int64_t n, const void *const *in, void *const *out, const fh_parameters *p);

typedef enum { FH_IN_F32, FH_IN_F64, FH_IN_I32, FH_IN_I64, FH_COMPUTES } fh_compute;

/* A loop per type to compute in. Without an integer loop, integers compute in f32. */
typedef struct {
    fh_loop *loops[FH_COMPUTES];
    bool predicate; /* outputs are bool */
    unsigned char inputs,
        numbers; /* arguments: inputs, then numbers for the loop, then the output */
} fh_elementwise;

/* What an array of a loop is, and where its elements come from or go. */
typedef struct {
    const fh_view *view;
    fh_dtype dtype; /* that the loop takes */
} fh_operand;

/* Without a loop, one input is converted to one output; their operands' dtypes are the views' own.
 * Else runs `loop` with `inputs` inputs and then `outputs` outputs of `operands`; all
 * outputs have one shape, to which inputs broadcast. Fails with FH_UNSUPPORTED
 * for a pair of dtypes that do not convert. */
fh_status fh_elementwise_run(fh_loop *loop, const fh_parameters *parameters, unsigned inputs,
                             unsigned outputs, const fh_operand *operands, const fh_team *team);

/* Runs `op` on inputs that are views or numbers, in the type they promote to. */
fh_status fh_elementwise_apply(const fh_elementwise *op, const fh_argument *const *inputs,
                               unsigned count, const fh_view *out, const fh_parameters *parameters,
                               const fh_team *team);

/* Runs `op` on the arguments of its row; with `in_place`, the first input is the output too.
 * Fails with FH_INVALID when an integer was divided by zero, as PyTorch does. */
fh_status fh_elementwise_call(const fh_elementwise *op, const fh_argument *arguments, bool in_place,
                              const fh_team *team);

/* The type that `count` views or numbers compute in together. */
fh_compute fh_elementwise_promote(const fh_argument *const *inputs, unsigned count);

/* The dtype of an array of that type. */
fh_dtype fh_compute_dtype(fh_compute compute);

/* A number, real, integer or bool argument as a double; `otherwise` when absent. */
double fh_argument_double(const fh_argument *argument, double otherwise);
int64_t fh_argument_integer(const fh_argument *argument, int64_t otherwise);

/* A view of one element, `number`, of dtype `dtype`, that lives in the 16 bytes at `storage`. */
fh_view fh_view_of_number(const fh_argument *number, fh_dtype dtype, uint64_t *storage);

/* Copies elements, converted, into `to`, to whose shape `from` broadcasts. */
fh_status fh_copy(const fh_view *to, const fh_view *from, const fh_team *team);

/* Fills `to` with a number. */
fh_status fh_fill(const fh_view *to, const fh_argument *number, const fh_team *team);
fh_status fh_fill_zero(const fh_view *to, const fh_team *team);

#endif
