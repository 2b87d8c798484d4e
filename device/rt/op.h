/* op.h: operators, as facts/ops.def lists them.
 *
 * A row is OP(name, header, arguments, rule, kernel, dtypes):
 *   name       of the aclnn call
 *   header     of CANN that declares it, without .h
 *   arguments  a sequence of (kind, name), in the call's order; kinds below
 *   rule       fh_rule_NAME of rule.h: what shapes and values it takes
 *   kernel     fh_op_NAME of device/kern/operators*.h
 *   dtypes     a set: what its tensors may be
 *
 * From it come the exported functions, the headers in include/aclnnop, the
 * checks, and what `foothold ops --device` shows.
 */
#ifndef FH_RT_OP_H
#define FH_RT_OP_H

#include "device/kern/argument.h"

/*    kind              C type of the call    as what it is given  what a kernel gets */
#define FH_PARAMETER_MAP(X) \
    X(in, const aclTensor *, handle, FH_ARGUMENT_VIEW) \
    X(optional, const aclTensor *, handle, FH_ARGUMENT_VIEW) \
    X(out, aclTensor *, handle, FH_ARGUMENT_VIEW) \
    X(optional_out, aclTensor *, handle, FH_ARGUMENT_VIEW) \
    X(optional_inout, aclTensor *, handle, FH_ARGUMENT_VIEW) \
    X(inout, aclTensor *, handle, FH_ARGUMENT_VIEW) \
    X(sized, aclTensor *, handle, FH_ARGUMENT_VIEW) \
    X(list, const aclTensorList *, handle, FH_ARGUMENT_VIEWS) \
    X(optional_list, const aclTensorList *, handle, FH_ARGUMENT_VIEWS) \
    X(outs, aclTensorList *, handle, FH_ARGUMENT_VIEWS) \
    X(number, const aclScalar *, handle, FH_ARGUMENT_NUMBER) \
    X(optional_number, const aclScalar *, handle, FH_ARGUMENT_NUMBER) \
    X(numbers, const aclScalarList *, handle, FH_ARGUMENT_NUMBERS) \
    X(integer, int64_t, integer, FH_ARGUMENT_INTEGER) \
    X(unsigned, uint64_t, integer, FH_ARGUMENT_INTEGER) \
    X(int32, int32_t, integer, FH_ARGUMENT_INTEGER) \
    X(int8, int8_t, integer, FH_ARGUMENT_INTEGER) \
    X(boolean, bool, integer, FH_ARGUMENT_INTEGER) \
    X(dtype, aclDataType, integer, FH_ARGUMENT_INTEGER) \
    X(real, double, real, FH_ARGUMENT_DOUBLE) \
    X(floating, float, real, FH_ARGUMENT_DOUBLE) \
    X(integers, const aclIntArray *, handle, FH_ARGUMENT_INTEGERS) \
    X(optional_integers, const aclIntArray *, handle, FH_ARGUMENT_INTEGERS) \
    X(reals, const aclFloatArray *, handle, FH_ARGUMENT_DOUBLES) \
    X(bools, const aclBoolArray *, handle, FH_ARGUMENT_BOOLS) \
    X(text, const char *, text, FH_ARGUMENT_TEXT)

typedef enum {
#define X(kind, type, member, argument) FH_PARAMETER_##kind,
    FH_PARAMETER_MAP(X)
#undef X
} fh_parameter_kind;

typedef struct {
    fh_parameter_kind kind;
    const char *name;
} fh_parameter;

enum { FH_MAX_PARAMETERS = 48 };

/* What a rule finds out. */
typedef struct {
    uint32_t cost; /* nanoseconds on one thread; 0: as its bytes take */
} fh_plan;

/* Checks shapes and values. Fails with FH_INVALID; the message is about the arguments only, the
 * operator's name is put before it. */
typedef fh_status fh_rule(const fh_argument *arguments, unsigned count, fh_plan *plan);

typedef struct {
    const char *name;
    const fh_parameter *parameters;
    unsigned count;
    fh_rule *rule;
    fh_kernel *kernel;
    fh_dtype_set dtypes;
} fh_op;

/* FH_EACH(F, (a, b)(c, d)) is F_(a, b) F_(c, d), where F##_A and F##_B are two macros that each
 * expand to their part and then the other's name, and F##_A_END and F##_B_END to nothing. */
#define FH_EACH(f, sequence) FH_EACH_END(f##_A sequence)
#define FH_EACH_END(...) FH_EACH_PASTE(__VA_ARGS__)
#define FH_EACH_PASTE(...) __VA_ARGS__##_END

#endif
