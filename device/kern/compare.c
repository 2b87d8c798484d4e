/* Comparisons, logic and bits. A shift by the width or more gives 0, or the sign for a right shift
 * of a negative number, as in PyTorch. */
#include "device/kern/loops.h"

#define UNSIGNED(x) _Generic((x), int32_t : (uint32_t)(x), default : (uint64_t)(x))
#define BITS(x) ((int64_t)sizeof(x) * 8)

FH_PREDICATE(eq, 2, 0, a == b)
FH_PREDICATE(ne, 2, 0, a != b)
FH_PREDICATE(lt, 2, 0, a < b)
FH_PREDICATE(le, 2, 0, a <= b)
FH_PREDICATE(gt, 2, 0, a > b)
FH_PREDICATE(ge, 2, 0, a >= b)
FH_PREDICATE(logical_and, 2, 0, (a != 0) & (b != 0))
FH_PREDICATE(logical_or, 2, 0, (a != 0) | (b != 0))
FH_PREDICATE(logical_xor, 2, 0, (a != 0) ^ (b != 0))
FH_PREDICATE(logical_not, 1, 0, a == 0)
FH_PREDICATE(is_finite, 1, 0, a - a == 0)
FH_PREDICATE(is_nan, 1, 0, a != a)
FH_PREDICATE(is_inf, 1, 0, a == a && a - a != 0)
FH_PREDICATE(is_pos_inf, 1, 0, a == a && a - a != 0 && a > 0)
FH_PREDICATE(is_neg_inf, 1, 0, a == a && a - a != 0 && a < 0)
FH_PREDICATE(signbit, 1, 0, copysign(1, (double)a) < 0)
FH_INTEGER_OPERATOR(bitwise_and, 2, 0, a &b)
FH_INTEGER_OPERATOR(bitwise_or, 2, 0, a | b)
FH_INTEGER_OPERATOR(bitwise_xor, 2, 0, a ^ b)
FH_INTEGER_OPERATOR(bitwise_not_integer, 1, 0, ~a)
FH_INTEGER_OPERATOR(left_shift, 2, 0,
                    b < 0 || b >= BITS(a) ? 0 : (T)(UNSIGNED(a) << (b & (BITS(a) - 1))))
FH_INTEGER_OPERATOR(right_shift, 2, 0,
                    b < 0 || b >= BITS(a) ? (a < 0 ? -1 : 0) : a >> (b & (BITS(a) - 1)))

/* Of a bool, the bits' complement is the logical one. */
fh_status fh_op_bitwise_not(const fh_argument *arguments, const fh_team *team)
{
    bool logical = arguments[0].view->dtype == FH_BOOL;
    return fh_elementwise_call(logical ? &logical_not_op : &bitwise_not_integer_op, arguments,
                               false, team);
}
