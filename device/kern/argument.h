/* argument.h: what an operator is called with, after the ABI has checked it.
 *
 * A kernel function of facts/ops.def gets its arguments as an array in the
 * order of the row. Everything in it is borrowed from the call, which lives
 * until the kernel has returned. An absent optional argument has kind
 * FH_ARGUMENT_ABSENT.
 */
#ifndef FH_KERN_ARGUMENT_H
#define FH_KERN_ARGUMENT_H

#include "base/status.h"
#include "device/kern/team.h"
#include "device/kern/view.h"

/* A number with the type that the client gave it. */
typedef struct {
    fh_dtype dtype;
    union {
        double f64;         /* floating dtypes, converted */
        int64_t i64;        /* integers and bool, converted */
        uint64_t u64;       /* U64 */
        double complex_[2]; /* real and imaginary part */
    };
} fh_number;

double fh_number_double(const fh_number *number);   /* real part of a complex one */
int64_t fh_number_integer(const fh_number *number); /* truncated, saturated */

typedef enum {
    FH_ARGUMENT_ABSENT,
    FH_ARGUMENT_VIEW,
    FH_ARGUMENT_VIEWS, /* a list of tensors */
    FH_ARGUMENT_NUMBER,
    FH_ARGUMENT_NUMBERS,
    FH_ARGUMENT_INTEGER, /* also bool, enums and dtypes */
    FH_ARGUMENT_DOUBLE,
    FH_ARGUMENT_INTEGERS,
    FH_ARGUMENT_DOUBLES,
    FH_ARGUMENT_BOOLS,
    FH_ARGUMENT_TEXT,
} fh_argument_kind;

typedef struct {
    fh_argument_kind kind;
    uint32_t count; /* of a list */
    union {
        fh_view *view; /* also the first of a list */
        fh_number *number;
        int64_t integer;
        double real;
        const int64_t *integers;
        const double *reals;
        const bool *bools;
        const char *text;
    };
} fh_argument;

/* Runs an operator. Fails only for what depends on data (an index out of range)
 * or with FH_NO_MEMORY; shapes and dtypes were checked before. */
typedef fh_status fh_kernel(const fh_argument *arguments, const fh_team *team);

#endif
