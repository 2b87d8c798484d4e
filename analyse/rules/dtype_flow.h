/* dtype_flow.h: which number type a tensor or NumPy array has, where the text says so.
 *
 * One pass over the values of a unit, in the order in which they are computed. A type begins at
 * a literal (dtype=torch.float64, .double(), 1j) or at what a function always gives (nonzero,
 * argmax, a comparison), goes on through operators that keep or promote it, and ends at a cast.
 * Parameters have none. Functions of the unit pass the type of what they return.
 */
#ifndef FH_RULES_DTYPE_FLOW_H
#define FH_RULES_DTYPE_FLOW_H

#include "analyse/rules/dtype_callee.h"

/* In the order of promotion: an operator with two types gives the later one. */
typedef enum {
    FH_NUMBERS_UNKNOWN,
    FH_NUMBERS_BOOL,
    FH_NUMBERS_INTEGER, /* other than int64 */
    FH_NUMBERS_INT64,
    FH_NUMBERS_REAL, /* float32 and shorter */
    FH_NUMBERS_FLOAT64,
    FH_NUMBERS_COMPLEX,
} fh_numbers;

typedef struct {
    uint8_t numbers;       /* fh_numbers */
    uint8_t certainty;     /* fh_certainty */
    bool is_numpy;         /* of a NumPy array */
    bool is_scalar;        /* a number of Python: it does not change the type of a tensor */
    fh_value_index origin; /* where FLOAT64 or COMPLEX begins; of several the first */
} fh_number_type;

typedef struct {
    fh_number_type *types; /* by value */
    uint8_t *is_cast;      /* by value: 1 when a FLOAT64 that begins here is cast away */
} fh_dtype_flow;

/* Both in the arena; types is NULL when memory ran out. */
fh_dtype_flow fh_dtype_flow_find(const fh_rule_run *run, const fh_callee *callees, fh_arena *arena);

/* The type that `value` names: torch.float64, np.float64, "float64", bool. */
fh_numbers fh_numbers_named(const fh_rule_run *run, fh_value_index value);

/* The type that a cast such as .double(), .to(torch.bool) or .type(x) gives; UNKNOWN when the
 * call is no cast, or it cannot be told. *is_cast tells which. */
fh_numbers fh_numbers_of_cast(const fh_rule_run *run, const fh_call *call, const fh_callee *callee,
                              bool *is_cast);

/* True when `callee` makes a tensor from nothing: torch.zeros, torch.arange, torch.tensor. */
bool fh_callee_creates(const fh_callee *callee);

#endif
